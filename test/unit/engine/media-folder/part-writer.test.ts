import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPartWriter, type PartWriter } from '../../../../src/engine/media-folder/fetch/part-file.ts';
import { rememberChecks } from '../../../../src/engine/media-folder/checks/remembered-checks.ts';
import { threadMediaChecker } from '../../../../src/engine/media-folder/checks/media-checker.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const SHORT = 100_000;
const LONG = 1_500_000;

/** Writes a body; gives the memory of each block that it was written from, once it is closed. */
async function memoryOf(
  bytes: number,
  end: (writer: PartWriter) => Promise<unknown> = (writer) => writer.finish(),
): Promise<readonly ArrayBufferLike[]> {
  const seen: ArrayBufferLike[] = [];
  const digest = { update: ({ buffer }: Buffer) => seen.push(buffer) };
  const path = join(temporaryFolder(), '1-1.1.part');
  const writer = createPartWriter({ open: () => open(path, 'wx'), digest, position: 0, expected: bytes });
  // In two pieces, so that a first block is on the disk before the next is full.
  writer.push(Buffer.alloc(Math.min(bytes, 1 << 20)));
  await writer.drained();
  if (bytes > 1 << 20) {
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    writer.push(Buffer.alloc(bytes - (1 << 20)));
  }
  await end(writer);
  await writer.close();
  return seen;
}

/** Blocks wait for the next body, the last one first. */
async function expectFree(block: ArrayBufferLike | undefined): Promise<void> {
  expect(block?.byteLength).toBe(1 << 20);
  expect((await memoryOf(SHORT))[0]).toBe(block);
}

test('the memory of a short body that nobody takes is used for the next', async () => {
  const blocks = await memoryOf(SHORT);
  expect(blocks).toHaveLength(1);
  await expectFree(blocks[0]);
});

test('the memory of a long body is used for the next, its first block too', async () => {
  const blocks = await memoryOf(LONG);
  expect(blocks).toHaveLength(2);
  const next = await memoryOf(LONG);
  expect(new Set(next)).toEqual(new Set(blocks));
  for (const block of next) expect(blocks).toContain(block);
});

test('memory that was taken is not used again before it is given back; without a check it is at once', async () => {
  const folder = temporaryFolder();
  const path = join(folder, '1-1.1.part');
  writeFileSync(join(folder, '1-1.0.part'), 'same 2');
  const checker = threadMediaChecker();
  const checks = rememberChecks(checker);
  for (const check of [
    (content: Buffer<ArrayBuffer>) => checks.check({ path, outputId: '1-1', bytes: SHORT, sha256: 'same', content }),
    async (content: Buffer<ArrayBuffer>) => {
      await checks.close();
      return checker.check(path, SHORT, content);
    },
  ]) {
    let content: Buffer<ArrayBuffer> | undefined;
    const [block] = await memoryOf(SHORT, async (writer) => {
      await writer.finish();
      content = writer.takeContent();
    });
    expect((await memoryOf(SHORT))[0]).not.toBe(block);
    if (content === undefined) throw new Error('no content');
    expect(await check(content)).toMatchObject({ kind: 'unchecked' });
    await expectFree(block);
  }
});

test.each([undefined, 60_000, 1_000])(
  'a body of up to 64 KiB is not written before its end (announced: %s)',
  async (expected) => {
    const path = join(temporaryFolder(), '1-1.1.part');
    const digest = { update: () => expect.unreachable() };
    const writer = createPartWriter({ open: () => open(path, 'wx'), digest, position: 0, expected });
    for (const byte of [1, 2]) writer.push(Buffer.alloc(500, byte));
    expect(writer.takeWhole()).toEqual(Buffer.concat([Buffer.alloc(500, 1), Buffer.alloc(500, 2)]));
    await writer.close();
    expect(existsSync(path)).toBe(false);
  },
);

test.each([undefined, 1_000])('one that is longer, or longer than announced, is (announced: %s)', async (expected) => {
  const path = join(temporaryFolder(), '1-1.1.part');
  const writer = createPartWriter({ open: () => open(path, 'wx'), digest: { update: () => 0 }, position: 0, expected });
  const body = Buffer.alloc(70_000, 7);
  writer.push(body.subarray(0, 1_000));
  writer.push(body.subarray(1_000));
  expect(writer.takeWhole()).toBeUndefined();
  await writer.finish();
  await writer.close();
  expect(readFileSync(path)).toEqual(body);
});
