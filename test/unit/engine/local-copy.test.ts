import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { copyFile, seeFile } from '../../../src/engine/file-places/local-copy.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A disk that takes half of what it is given at once, as one does that is nearly full, or on a network. */
vi.mock('node:fs/promises', async (importOriginal) => {
  const actual = await importOriginal<typeof import('node:fs/promises')>();
  return {
    ...actual,
    open: async (...given: Parameters<typeof actual.open>) => {
      const file = await actual.open(...given);
      const write = file.write.bind(file);
      file.write = ((bytes: Uint8Array, from: number, length: number, to?: number) =>
        write(bytes, from, Math.ceil(length / 2), to)) as typeof file.write;
      return file;
    },
  };
});

test('a copy of a file of this computer is whole, also where the disk takes less at once than it is given', async () => {
  const picture = fileURLToPath(new URL('../../fixtures/media/picture.png', import.meta.url));
  const terms = { media: 'image', maxMegabytes: 10 } as const;
  const seen = await seeFile(picture, { folder: undefined }, terms);
  if (!seen.ok) throw new Error('not seen');
  const copied = await copyFile(seen.value, terms, temporaryFolder(), new AbortController().signal);
  expect(copied).toMatchObject({ ok: true });
  expect(copied.ok && readFileSync(copied.value.path).equals(readFileSync(picture))).toBe(true);
});
