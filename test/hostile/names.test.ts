import { lstat, mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { foldPath, renderStem } from '../../src/shared/domain/files/naming.ts';
import { createMemoryJournal } from '../support/memory-journal.ts';
import { setUpMediaRig } from '../support/media-rig.ts';
import { CHARACTER } from '../support/any-text.ts';

vi.setConfig({ testTimeout: 60_000 });

const rig = setUpMediaRig();

const HOSTILE: readonly string[] = [
  'CON',
  'com¹',
  'name. .',
  'a:b',
  '..',
  '../../escape',
  '\\\\server\\share',
  '/etc/passwd',
  'C:\\Windows\\x',
  'x'.repeat(400),
  '世'.repeat(200),
  'e\u0301',
  '\u00e9',
  'É',
  '\u202Egpj.exe',
  'a\0b',
  'a\nb',
  '~',
  '.hidden',
  '-rf',
  '*?<>|"',
  '%2e%2e%2f',
  '',
  '   ',
  'aux.json',
];

/** Names that Windows keeps for devices, and what no name may end with or hold there. */
const NOT_ON_WINDOWS = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(?:$|\.)|[<>:"|?*\\/\p{Cc}]|[. ]$/iu;

async function placeAs(text: string, outputId: string, taken: Set<string>): Promise<string> {
  const stem = renderStem('{title}', {
    row: 'r1',
    batch: 'b',
    operation: 'musicgen/music/lyrics',
    take: 1,
    takes: 1,
    index: 1,
    outputs: 1,
    version: 1,
    date: '2026-01-15',
    taskCode: 't',
    model: '',
    cells: { title: text },
  });
  const { url: _, ...request } = rig.requestFor('/', { kind: 'data', stem, outputId });
  const outcome = await rig.media.writeDocument({ ...request, document: '{"a":1}' }, createMemoryJournal(taken));
  if (outcome.kind !== 'verified') throw new Error(`${JSON.stringify(text)}: ${JSON.stringify(outcome)}`);
  return outcome.placement.path;
}

describe('files on a real disk', () => {
  test('each of many hostile names gets a file of its own, inside of the folder', async () => {
    const taken = new Set<string>();
    const paths: string[] = [];
    for (const [index, text] of HOSTILE.entries()) paths.push(await placeAs(text, `${index + 1}-1`, taken));
    expect(new Set(paths.map(foldPath)).size).toBe(HOSTILE.length);
    expect((await readdir(rig.folder)).sort()).toEqual(['data']);
    expect((await rig.filesIn('data')).length).toBe(HOSTILE.length);
    for (const file of paths) {
      expect(path.basename(file)).not.toMatch(NOT_ON_WINDOWS);
      expect(Buffer.byteLength(path.basename(file))).toBeLessThanOrEqual(255);
    }
  });

  test('any text as a name is a file inside of the folder, valid on three systems', async () => {
    const inside = await realpath(rig.folder);
    const taken = new Set<string>();
    let number = 1000;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: CHARACTER, maxLength: 60 }),
          fc.string({
            unit: fc.constantFrom('.', '/', '\\', ':', ' ', 'CON', 'e\u0301', '\0', '\uD800', '~', 'ß', 'İ'),
          }),
        ),
        async (text) => {
          number += 1;
          const file = path.join(rig.folder, await placeAs(text, `${number}-1`, taken));
          expect((await lstat(file)).isFile()).toBe(true);
          expect(path.dirname(await realpath(file))).toBe(path.join(inside, 'data'));
          expect(path.basename(file)).not.toMatch(NOT_ON_WINDOWS);
        },
      ),
      { numRuns: 150 },
    );
    expect(await readdir(rig.folder)).toEqual(['data']);
  });

  test('a link that waits under the name is not followed and not replaced', async () => {
    const outside = path.join(rig.folder, 'outside.txt');
    await writeFile(outside, 'mine');
    await mkdir(path.join(rig.folder, 'data'));
    await symlink(outside, path.join(rig.folder, 'data', 'song.json'));
    expect(await placeAs('song', '1-1', new Set())).not.toBe('data/song.json');
    expect(await readFile(outside, 'utf8')).toBe('mine');
  });
});
