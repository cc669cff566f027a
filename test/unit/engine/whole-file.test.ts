import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ownPartName } from '../../../src/engine/own-mark.ts';
import { startOwnThread } from '../../../src/engine/own-thread.ts';
import { replaceWhole, writeNoteSync, writeWhole } from '../../../src/engine/whole-file.ts';
import { asOrdinaryUser } from '../../support/ordinary-user.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function oldFile(): string {
  const file = join(temporaryFolder(), 'a.txt');
  writeFileSync(file, 'old', { mode: 0o644 });
  return file;
}

/** A folder under the file's name: everything can be written but the name itself. */
function folderInTheWay(): string {
  const file = join(temporaryFolder(), 'a.txt');
  mkdirSync(join(file, 'full'), { recursive: true });
  return file;
}

/** Another process that is in the middle of writing a file, and the name that it writes under. */
async function writerOf(file: string) {
  const program = fileURLToPath(new URL('./whole-file-writer.ts', import.meta.url));
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [part] = (await once(child.stdout, 'data')) as [Buffer];
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { part: basename(String(part)), kill };
}

/** A name that a thread of this process gives to what it writes. */
async function partOfThread(): Promise<string> {
  const names = new URL('../../../src/engine/own-mark.ts', import.meta.url).href;
  const program = `import { parentPort } from 'node:worker_threads';
    import { ownPartName } from '${names}';
    parentPort.postMessage(ownPartName());`;
  const thread = startOwnThread(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {});
  const [name] = (await once(thread, 'message')) as [string];
  return name;
}

const WRITERS: readonly [string, (file: string, text: string) => Promise<void>][] = [
  ['content', (file, text) => writeWhole(file, text, 0o600)],
  ['what another one writes', (file, text) => replaceWhole(file, (part) => writeFile(part, text), 0o600)],
  ['a note', async (file, text) => writeNoteSync(file, text)],
];

describe.each(WRITERS)('%s as a file', (_, write) => {
  test('replaces what was there, is for its owner alone, and leaves nothing else', async () => {
    const file = oldFile();
    await write(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toEqual(['a.txt']);
  });

  test('is not there where it cannot have its name', async () => {
    const file = folderInTheWay();
    await expect(write(file, 'new')).rejects.toThrow(/^(?:EISDIR|ENOTEMPTY|EEXIST|EPERM)/u);
    expect(statSync(file).isDirectory()).toBe(true);
  });

  test('is not begun where its folder is missing', async () => {
    await expect(write(join(temporaryFolder(), 'none', 'a.txt'), 'new')).rejects.toThrow('ENOENT');
  });
});

test('of a file that fails half-way nothing is left, and what was there stays', async () => {
  const file = oldFile();
  const half = async (part: string): Promise<void> => {
    expect(dirname(part)).toBe(dirname(file));
    await writeFile(part, 'half');
    throw new Error('The disk is full.');
  };
  await expect(replaceWhole(file, half, 0o600)).rejects.toThrow('The disk is full.');
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
});

test('what a killed process left is cleared with the next file of its folder, and nothing that may be written now', async () => {
  const file = oldFile();
  const folder = dirname(file);
  const there = (): readonly string[] => readdirSync(folder).toSorted();
  const killed = await writerOf(file);
  await writeWhole(file, 'while it writes');
  expect(there()).toContain(killed.part);
  await killed.kill();
  writeFileSync(join(folder, `${killed.part}-journal`), '');
  const ofOthers = [`${killed.part}.txt`, killed.part.replace('.nocturne-part', '.part')];
  // Of another machine, and of an earlier version.
  const left = [killed.part.replace(/^\.[^-]+/u, '.00000000'), killed.part.replace(/^\.[^-]+-\d+-/u, '.')];
  for (const name of [...left, ...ofOthers]) writeFileSync(join(folder, name), 'not ours');
  await writeWhole(file, 'new');
  expect(there()).toEqual(['a.txt', ...left, ...ofOthers].toSorted());
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  for (const name of [...left, ...ofOthers]) utimesSync(join(folder, name), twoDaysAgo, twoDaysAgo);
  await writeWhole(file, 'newer');
  expect(there()).toEqual(['a.txt', ...ofOthers].toSorted());
});

test('what this process is writing stays, however old its time, as that of a copy may be', async () => {
  const file = oldFile();
  const parts = [ownPartName(), await partOfThread()];
  for (const name of parts) {
    const part = join(dirname(file), name);
    writeFileSync(part, 'being written');
    utimesSync(part, 0, 0);
  }
  await writeWhole(file, 'new');
  expect(readdirSync(dirname(file)).toSorted()).toEqual(['a.txt', ...parts].toSorted());
});

test('in place of a file that nobody may write there is another one that nobody may', async () => {
  const file = oldFile();
  chmodSync(file, 0o444);
  chmodSync(dirname(dirname(file)), 0o755);
  chmodSync(dirname(file), 0o777);
  await asOrdinaryUser(() => writeWhole(file, 'new', 0o444));
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o444);
});

test('a file may have as long a name as there is', async () => {
  const file = join(temporaryFolder(), 'x'.repeat(255));
  await writeWhole(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('what a machine left of a note when it stopped is no part of the next one', () => {
  const file = oldFile();
  writeFileSync(`${file}.new`, 'a much longer note that was not finished');
  chmodSync(`${file}.new`, 0o644);
  writeNoteSync(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
