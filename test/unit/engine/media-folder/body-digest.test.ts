import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBodyDigest } from '../../../../src/engine/media-folder/fetch/file-holds-key.ts';

const KEY = Buffer.from('sk-night-owl-1234567890');

function digestOf(body: Buffer, cuts: readonly number[]) {
  const digest = createBodyDigest((bytes) => bytes.includes(KEY));
  const ends = [...cuts.map((cut) => cut % (body.length + 1)), body.length].toSorted((a, b) => a - b);
  // Blocks are used again, as those of a download.
  const block = Buffer.alloc(body.length);
  let from = 0;
  for (const end of ends) {
    const length = body.copy(block, 0, from, end);
    digest.update(block.subarray(0, length));
    from = end;
  }
  return digest;
}

test('a key is found wherever a body is cut into blocks, and the sha256 is of all of it', () => {
  const size = fc.integer({ min: 0, max: 150_000 });
  fc.assert(
    fc.property(size, size, fc.boolean(), fc.array(fc.nat(300_000), { maxLength: 12 }), (before, after, has, cuts) => {
      const body = Buffer.concat([Buffer.alloc(before, 1), has ? KEY : Buffer.alloc(3), Buffer.alloc(after, 2)]);
      // Some of the cuts go through the key.
      const digest = digestOf(body, [...cuts, before + 1, before + ((cuts[0] ?? 0) % KEY.length)]);
      expect(digest.holdsKey).toBe(has);
      expect(digest.sha256()).toBe(createHash('sha256').update(body).digest('hex'));
    }),
    { numRuns: 60 },
  );
});
