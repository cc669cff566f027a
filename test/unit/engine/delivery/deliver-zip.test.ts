import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { deliverZip } from '../../../../src/engine/delivery/deliver-zip.ts';
import { emptyReport } from '../../../../src/shared/domain/delivery/delivery-report.ts';
import { ok } from '../../../../src/shared/domain/base/result.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('of two deliveries into one ZIP at the same time, one is whole, and the other is refused', async () => {
  const folder = temporaryFolder();
  const zip = join(folder, 'Night.zip');
  const song = Buffer.alloc(24 << 20, 'la');
  const both = await Promise.all(
    ['one', 'two'].map((name) =>
      deliverZip(zip, (made) => {
        writeFileSync(join(made, `${name}.bin`), song);
        return Promise.resolve(ok(emptyReport({ added: [name] })));
      }),
    ),
  );
  const [name] = both.flatMap((one) => (one.ok ? one.value.added : []));
  expect(both.flatMap((one) => (one.ok ? [] : [one.error.message]))).toEqual([expect.stringContaining('exists')]);
  const files = unzipSync(readFileSync(zip));
  expect(Object.keys(files)).toEqual([`${name}.bin`]);
  expect(Object.values(files)[0]?.length).toBe(song.length);
  expect(readdirSync(folder)).toEqual(['Night.zip']);
});

test('a ZIP may have a name as long as names can be', async () => {
  const folder = temporaryFolder();
  const name = `${'夜'.repeat(83)}n.zip`;
  const made = await deliverZip(join(folder, name), (inside) => {
    writeFileSync(join(inside, 'song.bin'), 'la');
    return Promise.resolve(ok(emptyReport({ added: ['song.bin'] })));
  });
  expect(made).toMatchObject({ ok: true });
  expect(readdirSync(folder)).toEqual([name]);
});
