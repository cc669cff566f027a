import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { checkLocalFiles } from '../../src/engine/file-places/check-files.ts';
import { checkFile, copyFile, seeFile, type FileTerms } from '../../src/engine/file-places/local-copy.ts';
import { absolutePathOf } from '../../src/engine/file-places/local-path.ts';
import { loadSheet } from '../../src/engine/sheet-files/reader-process/load-sheet.ts';
import { speakLanguage } from '../../src/shared/words/catalogues.ts';
import { inEnglish, reason, say } from '../../src/shared/domain/base/reason.ts';
import { filesPlace } from '../../src/shared/domain/places/files-place.ts';
import { FIXTURES } from '../support/file-place-rig.ts';
import { asOrdinaryUser } from '../support/ordinary-user.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TERMS: FileTerms = { media: 'image', maxMegabytes: 200 };
const never = new AbortController().signal;
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

function bring(fixture: string, name: string): string {
  const path = join(folder, name);
  copyFileSync(new URL(fixture, FIXTURES), path);
  return path;
}

/** What is said of a file, or its kind. */
async function said(written: string, terms: FileTerms = TERMS, base: string | undefined = folder): Promise<string> {
  const seen = await seeFile(written, { folder: base }, terms);
  if (!seen.ok) return inEnglish(seen.error.said);
  const type = await checkFile(seen.value, terms);
  return type.ok ? type.value.mediaType : inEnglish(type.error.said);
}

describe('a path in a cell', () => {
  test.each([
    ['kite.png', '/sheets/kite.png'],
    ['./a b/100% möön.png', '/sheets/a b/100% möön.png'],
    ['../kite.png', '/kite.png'],
    ['/data/kite.png', '/data/kite.png'],
    ['~/kite.png', '/home/me/kite.png'],
    ['file:///data/a%20b.png', '/data/a b.png'],
    ['file://localhost/data/kite.png', '/data/kite.png'],
  ])('%s means %s', (written, path) => {
    expect(absolutePathOf(written, { folder: '/sheets', home: '/home/me', platform: 'linux' })).toEqual({
      ok: true,
      value: path,
    });
  });

  test.each([
    ['C:\\Pictures\\kite.png', 'C:\\Pictures\\kite.png'],
    ['pictures\\kite.png', 'C:\\sheets\\pictures\\kite.png'],
    ['~\\kite.png', 'C:\\Users\\me\\kite.png'],
    ['file:///C:/Pictures/a%20b.png', 'C:\\Pictures\\a b.png'],
  ])('on Windows, %s means %s', (written, path) => {
    const context = { folder: 'C:\\sheets', home: 'C:\\Users\\me', platform: 'win32' } as const;
    expect(absolutePathOf(written, context)).toEqual({ ok: true, value: path });
  });

  test.each([
    ['C:\\Pictures\\kite.png', 'linux', 'path of Windows'],
    ['C:kite.png', 'win32', 'depends on where'],
    ['\\\\server\\share\\kite.png', 'win32', 'another computer'],
    ['/\\server\\share\\kite.png', 'win32', 'another computer'],
    ['\\/server/share/kite.png', 'win32', 'another computer'],
    ['\\\\server\\share\\kite.png', 'linux', 'another computer'],
    ['file://server/kite.png', 'linux', 'another computer'],
    ['file:///a%2Fb.png', 'linux', 'names no file'],
    ['~root/kite.png', 'linux', 'only your own'],
    ['kite\0.png', 'linux', 'contains a NUL'],
  ] as const)('%s on %s is refused with words', (written, platform, words) => {
    const path = absolutePathOf(written, { folder: '/sheets', home: '/home/me', platform });
    if (path.ok) throw new Error(path.value);
    expect(inEnglish(path.error)).toContain(words);
    speakLanguage('zh-Hans');
    onTestFinished(() => speakLanguage('en'));
    expect(say(path.error)).not.toContain(words);
  });

  test('a sheet that was typed has no folder', async () => {
    expect(absolutePathOf('kite.png', { folder: undefined })).toMatchObject({ ok: false });
  });
});

describe('what has a name', () => {
  test('is followed through links, and is a plain file of the right kind', async () => {
    symlinkSync(bring('picture.png', 'kite.png'), join(folder, 'link.png'));
    expect(await said('link.png')).toBe('image/png');
    expect(await said(pathToFileURL(bring('picture.webp', 'ä 100%.webp')).href)).toBe('image/webp');
    expect(await said(bring('tone.wav', 'tone.wav'), { ...TERMS, media: 'audio' })).toBe('audio/wav');
  });

  test('is refused with words if it is anything else', async () => {
    mkdirSync(join(folder, 'folder.png'));
    execFileSync('mkfifo', [join(folder, 'pipe.png')]);
    symlinkSync('loop.png', join(folder, 'loop.png'));
    symlinkSync('nowhere.png', join(folder, 'dangling.png'));
    writeFileSync(join(folder, 'empty.png'), '');
    writeFileSync(join(folder, 'key.png'), '-----BEGIN OPENSSH PRIVATE KEY-----\nsecret');
    bring('tone.wav', 'tone.png');
    truncateSync(bring('picture.jpg', 'half.jpg'), 300);
    expect(await said('folder.png')).toContain('It is a folder');
    expect(await said('pipe.png')).toContain('It is a pipe');
    expect(await said('/dev/zero')).toContain('It is a device');
    expect(await said('loop.png')).toContain('loop of links');
    expect(await said('dangling.png')).toContain('no such file');
    expect(await said('empty.png')).toContain('It is empty');
    // Not a word of it: it may be anybody's.
    expect(await said('key.png')).toBe('It should be a picture, and is text.');
    expect(await said('tone.png')).toBe('It should be a picture, and is audio/wav.');
    expect(await said('half.jpg')).toContain('image/jpeg, and');
    expect(await said(bring('picture.png', 'kite.png'), { ...TERMS, media: 'audio' })).toContain('recording');
    expect(await said('half.jpg', { ...TERMS, maxMegabytes: 0.0001 })).toContain('maxMegabytes');
    bring('picture.png', 'private.png');
    chmodSync(join(folder, 'private.png'), 0);
    chmodSync(folder, 0o755);
    chmodSync(join(folder, '..'), 0o755);
    await asOrdinaryUser(async () => expect(await said('private.png')).toBe('You may not read it.'));
  });

  test('is looked for under what else may have been meant', async () => {
    bring('picture.png', 'Kite.PNG');
    bring('picture.png', 'möön.png'.normalize('NFD'));
    bring('picture.png', 'a b.png');
    expect(await said('kite.png')).toContain('There is “Kite.PNG”, which differs in capital');
    expect(await said('möön.png'.normalize('NFC'))).toContain('accents');
    expect(await said('a%20b.png')).toContain('There is “a b.png”: only addresses');
    expect(await said('none/kite.png')).toContain('Its folder is not there either');
    expect(await said('other.png')).toBe('There is no such file.');
  });

  test('is within the folders that files may come from, also through a link', async () => {
    const outside = temporaryFolder();
    copyFileSync(new URL('picture.png', FIXTURES), join(outside, 'theirs.png'));
    symlinkSync(join(outside, 'theirs.png'), join(folder, 'link.png'));
    bring('picture.png', 'mine.png');
    const terms = { ...TERMS, folders: [folder] };
    expect(await said('mine.png', terms)).toBe('image/png');
    expect(await said('link.png', terms)).toContain('none of the folders');
    expect(await said(`../${outside.split('/').at(-1)}/theirs.png`, terms)).toContain('none of the folders');
  });
});

describe('a copy on its way', () => {
  test('is of one moment: a file that changes while it is read is none', async () => {
    const spool = temporaryFolder();
    const file = bring('picture.png', 'kite.png');
    const seen = await seeFile('kite.png', { folder }, TERMS);
    if (!seen.ok) throw new Error(inEnglish(seen.error.said));
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('more')]));
    expect(await copyFile(seen.value, TERMS, spool, never)).toMatchObject({ ok: false, error: { passes: true } });
    expect(readdirSync(spool)).toEqual([]);
    const again = await seeFile('kite.png', { folder }, TERMS);
    if (!again.ok) throw new Error(inEnglish(again.error.said));
    const copy = await copyFile({ ...again.value, bytes: again.value.bytes + 1 }, TERMS, spool, never);
    expect(copy).toMatchObject({ ok: false, error: { passes: true } });
  });

  test('has no more than is allowed, however the file grows', async () => {
    const file = bring('picture.png', 'kite.png');
    const seen = await seeFile('kite.png', { folder }, TERMS);
    if (!seen.ok) throw new Error(inEnglish(seen.error.said));
    writeFileSync(file, Buffer.alloc(3_000_000, readFileSync(file)));
    const copy = await copyFile(seen.value, { ...TERMS, maxMegabytes: 2 }, temporaryFolder(), never);
    expect(copy).toMatchObject({ ok: false, error: { said: { text: 'file.tooLarge' } } });
  });
});

test('a sheet is checked with its files, and rows behind a broken one do not run either', async () => {
  bring('picture.png', 'kite.png');
  const file = join(folder, 'sheet.csv');
  writeFileSync(
    file,
    `row,operation,prompt,images
good,video-a,a kite,kite.png | https://a.example/sky.png
bad,video-a,a kite,kites.png
behind,lyrics,of {{bad.taskId}},
foreign,video-a,a kite,{{good.result.videoUrl}}|./kite.png
next,video-a,it lands,{{good.output.1.lastFrame}}
`,
  );
  const off = await loadSheet(file);
  expect(off.problems.filter(({ code }) => code === 'local-file').map(({ row }) => row)).toEqual([
    'good',
    'bad',
    'foreign',
    'next',
  ]);
  const place = filesPlace.parse({ command: { argv: ['true'] } });
  const { sheet, files } = await checkLocalFiles(await loadSheet(file, { putsFiles: true }), place, folder, undefined);
  expect(files.map(({ row, written, mediaType }) => [row, written, mediaType])).toEqual([
    ['good', 'kite.png', 'image/png'],
    ['foreign', './kite.png', 'image/png'],
  ]);
  expect(sheet.problems.map(({ code, row }) => [code, row])).toEqual([
    ['local-file', 'bad'],
    ['reference-blocked', 'behind'],
  ]);
  const without = await checkLocalFiles(
    await loadSheet(file, { putsFiles: true }),
    place,
    folder,
    reason('file.noFfmpeg'),
  );
  expect(without.sheet.problems.find(({ row }) => row === 'next')?.message).toContain('this computer has no ffmpeg.');
});
