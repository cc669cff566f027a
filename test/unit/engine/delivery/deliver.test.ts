import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { beforeEach, describe, expect, test } from 'vitest';
import { ownMark } from '../../../../src/engine/own-mark.ts';
import type { DeliveryRun, DeliveryWish } from '../../../../src/engine/delivery/deliver.ts';
import { deliveryListOf } from '../../../../src/shared/domain/delivery/delivery-item.ts';
import { deliveryOutcome, deliveryWords } from '../../../../src/shared/domain/delivery/delivery-report.ts';
import { nameColumnsOf } from '../../../../src/shared/domain/files/check-name-template.ts';
import { PLAIN_SHEET } from '../../../../src/shared/domain/task/batch.ts';
import type { ExportedRow } from '../../../../src/shared/domain/task/views/exported-row.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { deliveryForEach, filesIn, markOf, MP3, NO_PROCESS, packageIn, sha256, song } from './deliver-rig.ts';

let media: string;
let out: string;
const { batch, rowOf, run, reportOf, failureOf } = deliveryForEach(
  (given) => {
    ({ media, out } = given);
  },
  () => ({ media, out }),
);

describe('copies', () => {
  test('lie where the originals lie, and are told of in the package', async () => {
    const rows = [
      rowOf('r1', { body: { title: 'Moon', prompt: 'a moon', model: 'm1' }, takes: [song('music/r1-moon.mp3')] }),
      rowOf('r2', { takes: [song('music/r2.mp3', { kept: true, rating: 3, note: 'soft' })] }),
    ];
    const before = filesIn(media).map((file) => [file, statSync(join(media, file)).mtimeMs]);
    expect(await reportOf(rows)).toMatchObject({ added: ['music/r1-moon.mp3', 'music/r2.mp3'], had: 0 });
    expect(filesIn(out)).toEqual(['datapackage.json', 'music/r1-moon.mp3', 'music/r2.mp3']);
    expect(filesIn(media).map((file) => [file, statSync(join(media, file)).mtimeMs])).toEqual(before);
    const hash = `sha256:${sha256(MP3 ?? Buffer.alloc(0))}`;
    expect(packageIn(out)).toMatchObject({
      profile: 'data-package',
      resources: [
        {
          path: 'music/r1-moon.mp3',
          hash,
          original: hash,
          mediatype: 'audio/mpeg',
          title: 'Moon',
          prompt: 'a moon',
          row: 'r1',
          take: 1,
        },
        { path: 'music/r2.mp3', hash, rating: 3, note: 'soft', kept: true },
      ],
    });
  });

  test('are of every file, whatever codes the gateways of several accounts give', async () => {
    const made = (path: string, account: string) => ({ ...song(path), taskCode: '1', account });
    const rows = [
      rowOf('r1', { takes: [{ ...made('music/r1.mp3', 'a2'), bytes: Buffer.from('second') }] }),
      rowOf('r2', { takes: [made('music/r2.mp3', 'a1')] }),
    ];
    const added = ['music/r1.mp3', 'music/r2.mp3'];
    expect(await reportOf(rows.slice(1))).toMatchObject({ added: ['music/r2.mp3'], had: 0 });
    expect(await reportOf(rows)).toMatchObject({ added: ['music/r1.mp3'], had: 1 });
    expect(await reportOf(rows.toReversed())).toMatchObject({ added: [], had: 2 });
    expect(
      packageIn(out)
        .resources.map(({ path }) => path)
        .toSorted(),
    ).toEqual(added);
  });

  test('are of the files that were kept, also of earlier versions; without --kept, of none of those', async () => {
    const rows = [
      rowOf('r1', {
        takes: [song('music/a.mp3', { kept: true }), song('music/b.mp3', { kept: false }), song('music/c.mp3')],
      }),
      rowOf('r2', { takes: [{ ...song('music/old.mp3', { kept: true }), superseded: true }, song('music/new.mp3')] }),
      rowOf('r3', { takes: [song('music/gone.mp3')], isRemoved: true }),
    ];
    expect(await reportOf(rows, { isKeptOnly: true })).toMatchObject({
      added: ['music/a.mp3', 'music/old.mp3'],
      unkept: 3,
    });
    expect(filesIn(out)).toEqual(['datapackage.json', 'music/a.mp3', 'music/old.mp3']);
    out = join(temporaryFolder(), 'all');
    expect(await reportOf(rows)).toMatchObject({
      added: ['music/a.mp3', 'music/b.mp3', 'music/c.mp3', 'music/new.mp3'],
      unkept: 0,
    });
  });

  test('are named by a template with folders, safe, and one beside the other', async () => {
    const rows = [
      rowOf('r1', {
        cells: { mood: 'Calm/../../x' },
        body: { title: 'CON' },
        takes: [song('m/1.mp3'), song('m/2.mp3')],
      }),
      rowOf('r2', { cells: { mood: '' }, body: { title: 'datapackage' }, takes: [song('m/3.mp3')] }),
      rowOf('r3', { cells: { mood: 'calm-..-..-X' }, body: { title: 'con' }, takes: [song('m/4.mp3')] }),
    ];
    await reportOf(rows, { template: '{mood}/{operation}/{title}' });
    expect(filesIn(out)).toEqual([
      'Calm-..-..-x/music/CON-take1.mp3',
      'Calm-..-..-x/music/CON-take2.mp3',
      'calm-..-..-X/music/_con.mp3',
      'datapackage.json',
      'other/music/datapackage.mp3',
    ]);
    out = join(temporaryFolder(), 'flat');
    await reportOf(rows, { template: 'same' });
    expect(filesIn(out)).toEqual(['datapackage.json', 'same-2.mp3', 'same-take1.mp3', 'same-take2.mp3', 'same.mp3']);
  });

  test('are named by every column that a template may name, however its header is written', async () => {
    const headers = ['row', 'operation', ' Mood ', 'Comment'];
    const rows = [rowOf('r1', { cells: { ' Mood ': 'calm', Comment: 'first' }, takes: [song('music/r1.mp3')] })];
    const columns = nameColumnsOf({ headers, sheet: PLAIN_SHEET });
    const template = columns
      .filter((column) => column !== 'operation')
      .map((column) => `{${column}}`)
      .join('-');
    expect(template).toBe('{Mood}-{Comment}-{note}');
    const list = await deliveryListOf({ ...batch(), headers }, rows, { isKeptOnly: false, template });
    expect(list.items.map(({ place }) => place.stem)).toEqual(['calm-first-first']);
  });

  test('replace nothing, whatever lies there, and leave the folder by no link', async () => {
    mkdirSync(join(out, 'music'), { recursive: true });
    writeFileSync(join(out, 'music', 'r1.mp3'), 'mine');
    const rows = [rowOf('r1', { takes: [song('music/r1.mp3')] })];
    expect(await reportOf(rows)).toMatchObject({ added: ['music/r1-2.mp3'] });
    expect(readFileSync(join(out, 'music', 'r1.mp3'), 'utf8')).toBe('mine');
    const elsewhere = temporaryFolder();
    out = temporaryFolder();
    symlinkSync(elsewhere, join(out, 'music'));
    const link = join(out, 'music');
    expect(await failureOf(rows)).toMatchObject({
      code: 'DISK_DENIED',
      message: `${out} cannot be used: ${link} leads out of the folder of the delivery through a link.`,
    });
    expect(filesIn(elsewhere)).toEqual([]);
    rmSync(elsewhere, { recursive: true });
    const inTheWay = `${out} cannot be used: ${link} is a file, or a link that leads nowhere, where a folder should be.`;
    expect(await failureOf(rows)).toMatchObject({ message: inTheWay });
    rmSync(link);
    writeFileSync(link, 'theirs');
    expect(await failureOf(rows)).toMatchObject({ message: inTheWay });
    expect(await failureOf(rows, { template: 'music/{operation}/{row}' })).toMatchObject({ message: inTheWay });
    out = link;
    expect(await failureOf(rows)).toMatchObject({
      message: `${link} cannot be used: something that is not a folder, such as a file or a pipe, has its name.`,
    });
  });

  test('are of the verified file or of none: a changed original is named, and keeps no other file back', async () => {
    const rows = ['r1', 'r2', 'r3'].map((id) => rowOf(id, { takes: [song(`music/${id}.mp3`)] }));
    const original = join(media, 'music', 'r2.mp3');
    const bytes = readFileSync(original);
    writeFileSync(original, Buffer.concat([bytes.subarray(0, -1), Buffer.from([7])]));
    expect(await failureOf(rows, { hasTags: true })).toMatchObject({ code: 'OUTPUT_UNVERIFIABLE' });
    expect(filesIn(out)).toEqual(['datapackage.json', 'music/r1.mp3', 'music/r3.mp3']);
    writeFileSync(original, bytes);
    expect(await reportOf(rows, { hasTags: true })).toMatchObject({ had: 2, added: ['music/r2.mp3'] });
  });
});

describe('again', () => {
  const two = (): readonly ExportedRow[] => ['r1', 'r2'].map((id) => rowOf(id, { takes: [song(`music/${id}.mp3`)] }));

  test('only what is new is added, whatever it is called now; what is gone comes back', async () => {
    await reportOf(two(), { hasTags: true });
    const before = statSync(join(out, 'music/r1.mp3')).mtimeMs;
    const three = [...two(), rowOf('r3', { takes: [song('music/r3.mp3')] })];
    expect(await reportOf(three, { template: 'all/{row}' })).toMatchObject({ added: ['all/r3.mp3'], had: 2 });
    expect(statSync(join(out, 'music/r1.mp3')).mtimeMs).toBe(before);
    expect(packageIn(out).resources.map(({ path }) => path)).toEqual(['music/r1.mp3', 'music/r2.mp3', 'all/r3.mp3']);
    rmSync(join(out, 'music/r2.mp3'));
    writeFileSync(join(out, 'all/r3.mp3'), 'edited');
    expect(await reportOf(three)).toMatchObject({ added: ['music/r2.mp3'], had: 2, changed: ['all/r3.mp3'] });
    expect(packageIn(out).resources).toHaveLength(3);
    expect(readFileSync(join(out, 'all/r3.mp3'), 'utf8')).toBe('edited');
  });

  test('with XMP, what is there gets it; with tags, what stays without is counted, and what to do', async () => {
    await reportOf(two());
    const again = await reportOf(two(), { hasTags: true, hasSidecars: true });
    expect(again).toMatchObject({ added: [], had: 2, sidecars: 2, tagless: 2 });
    expect(deliveryOutcome(again)).toBe('delivered');
    expect(deliveryWords(again, 'terminal')).toContain(
      '2 files delivered before stay without tags: nothing is replaced. For tags, deliver to another folder, or delete them here first.',
    );
    expect(packageIn(out).resources.map(({ path, sidecar }) => [path, sidecar])).toEqual([
      ['music/r1.mp3', 'music/r1.mp3.xmp'],
      ['music/r2.mp3', 'music/r2.mp3.xmp'],
    ]);
    expect(readFileSync(join(out, 'music/r2.mp3.xmp'), 'utf8')).toContain('trainedAlgorithmicMedia');
    expect(readFileSync(join(out, 'music/r1.mp3'))).toEqual(MP3);
    expect(await reportOf(two(), { hasTags: true, hasSidecars: true })).toMatchObject({ sidecars: 0, tagless: 0 });
  });

  test('what has the name of a listed XMP file without being a file is told as another one’s', async () => {
    await reportOf(two(), { hasSidecars: true });
    const [one, other] = ['music/r1.mp3.xmp', 'music/r2.mp3.xmp'].map((path) => join(out, path));
    for (const path of [one, other]) rmSync(path ?? '');
    mkdirSync(one ?? '');
    symlinkSync(join(out, 'nowhere'), other ?? '');
    const again = await reportOf(two(), { hasSidecars: true });
    expect(again).toMatchObject({ sidecars: 0, changed: [], noSidecars: ['music/r1.mp3', 'music/r2.mp3'] });
    expect([statSync(one ?? '').isDirectory(), readdirSync(join(out, 'music')).length]).toEqual([true, 4]);
  });

  test('no XMP goes beside what was changed, or in the place of another file', async () => {
    await reportOf(two());
    writeFileSync(join(out, 'music/r1.mp3'), Buffer.alloc(MP3?.length ?? 0));
    writeFileSync(join(out, 'music/r2.mp3.xmp'), 'theirs');
    const again = await reportOf(two(), { hasSidecars: true });
    expect(again).toMatchObject({ sidecars: 0, changed: ['music/r1.mp3'], noSidecars: ['music/r2.mp3'] });
    expect(readFileSync(join(out, 'music/r2.mp3.xmp'), 'utf8')).toBe('theirs');
    expect(existsSync(join(out, 'music/r1.mp3.xmp'))).toBe(false);
    expect(packageIn(out).resources.every(({ sidecar }) => sidecar === undefined)).toBe(true);
  });

  test('files of an export that was killed before it listed them are taken for what they are', async () => {
    for (const hasTags of [false, true]) {
      out = join(temporaryFolder(), 'killed');
      await reportOf(two(), { hasTags, hasSidecars: true, hasTimeline: true });
      rmSync(join(out, 'datapackage.json'));
      mkdirSync(join(out, '.nocturne-delivery'));
      writeFileSync(join(out, '.nocturne-delivery', markOf(NO_PROCESS)), 'half of a file');
      const files = filesIn(out).filter((file) => !file.startsWith('.'));
      await reportOf(two(), { hasTags, hasSidecars: true, hasTimeline: true });
      expect(filesIn(out)).toEqual(['datapackage.json', ...files]);
    }
  });

  test('a room for parts that is a link is refused, and nothing is removed where it leads', async () => {
    const elsewhere = temporaryFolder();
    const old = join(elsewhere, '00000000-1-0b6ff8d2-2f0e-4a55-9d58-1f6a3c9f7f10');
    writeFileSync(old, 'theirs');
    utimesSync(old, 0, 0);
    mkdirSync(out);
    symlinkSync(elsewhere, join(out, '.nocturne-delivery'));
    expect(await failureOf(two())).toMatchObject({ message: expect.stringContaining('.nocturne-delivery') as string });
    expect(existsSync(old)).toBe(true);
  });

  test('what is not ours among the parts stays there', async () => {
    const room = join(out, '.nocturne-delivery');
    mkdirSync(room, { recursive: true });
    const theirs = ['notes.txt', '20260101-1-notes.txt', '20260101-1-photos', `${markOf(NO_PROCESS)}.txt`].toSorted();
    for (const name of theirs) {
      writeFileSync(join(room, name), 'theirs');
      utimesSync(join(room, name), 0, 0);
    }
    await reportOf(two());
    expect(readdirSync(room).toSorted()).toEqual(theirs);
  });

  test('what cannot be removed of the parts is not in the way', async () => {
    const left = join(out, '.nocturne-delivery', markOf(NO_PROCESS));
    mkdirSync(left, { recursive: true });
    expect((await reportOf(two())).added).toHaveLength(2);
    expect(existsSync(left)).toBe(true);
  });

  test('a folder that is not for deliveries is refused, and left as it is', async () => {
    mkdirSync(out);
    writeFileSync(join(out, 'datapackage.json'), '{"name":"theirs","resources":[]}');
    expect(await failureOf(two())).toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('not a package that') as string,
    });
    expect(filesIn(out)).toEqual(['datapackage.json']);
  });
});

describe('a media folder', () => {
  const rows = (): readonly ExportedRow[] => [
    rowOf('r1', { cells: { mood: 'calm' }, takes: [song('music/r1.mp3', { kept: true })] }),
  ];
  /** Everything below a folder, links as such. */
  const all = (folder: string): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const refusal = async (folder: string, wish: Partial<DeliveryWish> = {}, given?: Partial<DeliveryRun>) => {
    const before = [all(media), all(dirname(media))];
    const delivered = await run(rows(), { folder, ...wish }, given);
    expect([all(media), all(dirname(media))]).toEqual(before);
    return delivered.ok ? 'delivered' : `${delivered.error.code}: ${delivered.error.message}`;
  };

  beforeEach(() => {
    media = join(temporaryFolder(), 'media');
    rows();
  });

  test('takes no delivery, itself or inside, by whatever way', async () => {
    const links = temporaryFolder();
    symlinkSync(media, join(links, 'link'));
    symlinkSync(join(media, 'music'), join(links, 'songs'));
    for (const folder of [media, `${media}/`, join(links, 'link')])
      expect(await refusal(folder)).toBe(
        `INPUT_INVALID: ${folder} is the media folder of “Night”: a delivery goes into a folder of its own, outside the media folder.`,
      );
    for (const folder of [join(media, 'new', 'one'), join(links, 'link', 'new'), join(links, 'songs')])
      expect(await refusal(folder)).toContain(`is inside the media folder of “Night”, ${media}:`);
    // A folder that the delivery would use, too.
    out = temporaryFolder();
    symlinkSync(media, join(out, 'music'));
    expect(await refusal(out)).toContain(`${join(out, 'music')} is the media folder of “Night”`);
    expect(await refusal(join(media, 'night.zip'), { isZip: true })).toContain('is the media folder of “Night”');
    // The batch may know its folder by a link.
    const real = `${media}-real`;
    renameSync(media, real);
    symlinkSync(real, media);
    expect(await refusal(join(real, 'new'))).toContain(`is inside the media folder of “Night”, ${real}:`);
  });

  test('is in nobody’s way where the names lead elsewhere, and refused where they lead into it', async () => {
    const above = dirname(media);
    expect(await refusal(above, { template: 'media/{row}' })).toContain(`${media} is the media folder of “Night”`);
    expect(await reportOf(rows(), { folder: above, template: '{mood}/{row}' })).toMatchObject({
      added: ['calm/r1.mp3'],
    });
  });

  test('of another batch is refused by its name, and by its mark where the name is not known', async () => {
    const other = temporaryFolder();
    const named = { id: 'b2', name: 'Second', settings: { ...batch().settings, folder: join(other, 'away') } };
    mkdirSync(join(other, 'away'));
    expect(await refusal(join(other, 'away', 'x'), {}, { batches: [batch(), named] })).toContain('of “Second”');
    const folderIdentity = '7f7b5f0e-0d0b-4c39-9a61-6d4a6ee2f9a1';
    writeFileSync(join(other, '.nocturne-folder.json'), JSON.stringify({ version: 1, folder: folderIdentity }));
    const moved = { ...named, settings: { ...named.settings, folder: '/elsewhere', folderIdentity } };
    expect(await refusal(join(other, 'x'), {}, { batches: [batch(), moved] })).toContain(`of “Second”, ${other}`);
    expect(await refusal(other)).toContain(`${other} is the media folder of a batch:`);
  });
});

describe('where nothing is to be delivered', () => {
  test.each([
    [['r1'], 'the one file of this batch is not kept'],
    [['r1', 'r2'], 'none of the 2 files of this batch is kept'],
    [[], 'no verified file yet'],
  ])('nothing is written, and the words say what to do: %j', async (ids, words) => {
    const rows = ids.map((id) => rowOf(id, { takes: [song(`m/${id}.mp3`)] }));
    for (const isZip of [false, true]) {
      const report = await reportOf(rows, { isKeptOnly: true, isZip, folder: join(dirname(out), 'a', 'new') });
      expect(deliveryOutcome(report)).toBe('nothing');
      expect(deliveryWords(report, 'terminal')).toEqual([expect.stringContaining(words)]);
      // In the window, there is a button for it.
      expect(deliveryWords(report, 'window').join()).not.toContain('nocturne ');
    }
    expect(readdirSync(dirname(out))).toEqual([]);
  });
});

describe('a ZIP', () => {
  const rows = (): readonly ExportedRow[] => [rowOf('r1', { body: { title: '夜' }, takes: [song('music/r1.mp3')] })];

  test('holds what the folder would, media as they are', async () => {
    const zip = join(temporaryFolder(), 'night.zip');
    await reportOf(rows(), { folder: zip, isZip: true, template: '{title}' });
    const held = unzipSync(readFileSync(zip));
    expect(Object.keys(held)).toEqual(['datapackage.json', '夜.mp3']);
    expect(Buffer.from(held['夜.mp3'] ?? []).equals(MP3 ?? Buffer.alloc(0))).toBe(true);
    expect(filesIn(dirname(zip))).toEqual(['night.zip']);
    const before = sha256(readFileSync(zip));
    expect(await failureOf(rows(), { folder: zip, isZip: true })).toMatchObject({ code: 'INPUT_INVALID' });
    expect(sha256(readFileSync(zip))).toBe(before);
  });

  test('holds nothing that an earlier export has left beside it', async () => {
    const zip = join(temporaryFolder(), 'night.zip');
    const left = join(dirname(zip), '.night.zip.nocturne-delivery');
    mkdirSync(left);
    writeFileSync(join(left, 'nobody-kept-this.mp3'), 'x');
    await reportOf(rows(), { folder: zip, isZip: true });
    expect(Object.keys(unzipSync(readFileSync(zip))).filter((name) => name.includes('nobody'))).toEqual([]);
    expect(readdirSync(dirname(zip)).toSorted()).toEqual(['.night.zip.nocturne-delivery', 'night.zip']);
  });

  test('takes away what one that was killed has left beside it, and nothing of one that is under way', async () => {
    const zip = join(temporaryFolder(), 'night.zip');
    const folder = dirname(zip);
    const nameOf = (mark: string): string => `.night.zip.nocturne-${mark}`;
    const dead = nameOf(markOf(NO_PROCESS));
    // An earlier version's name has six characters in place of the unique number.
    const older = nameOf(markOf(NO_PROCESS).replace(/[^-]+(?:-[^-]+){4}$/u, 'aBc123'));
    const stays = [markOf(process.ppid), ownMark(), '20260101-99-my photos', '20260101-99-photos'].map(nameOf);
    for (const name of [dead, older, ...stays]) {
      mkdirSync(join(folder, name, 'files'), { recursive: true });
      utimesSync(join(folder, name), 0, 0);
    }
    const link = nameOf(markOf(NO_PROCESS));
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, 'theirs'), 'x');
    symlinkSync(elsewhere, join(folder, link));
    await reportOf(rows(), { folder: zip, isZip: true });
    expect(readdirSync(folder).toSorted()).toEqual([...stays, link, 'night.zip'].toSorted());
    expect(filesIn(elsewhere)).toEqual(['theirs']);
  });

  test('of more than it takes is refused before anything is copied', async () => {
    const [large = rows()[0]] = rows();
    const tasks = large?.tasks.map((task) => ({
      ...task,
      outputs: task.outputs.map((output) => ({ ...output, bytes: 2 ** 32 })),
    }));
    const zip = join(temporaryFolder(), 'night.zip');
    const refused = await failureOf([{ ...large, tasks } as ExportedRow], { folder: zip, isZip: true });
    expect(refused.message).toContain('4 GiB');
    expect(filesIn(dirname(zip))).toEqual([]);
    const [first, ...rest] = Array.from({ length: 33_000 }, () => large);
    const many = { ...first, tasks: [first, ...rest].flatMap((row) => row?.tasks ?? []) } as ExportedRow;
    expect((await failureOf([many], { folder: zip, isZip: true, hasSidecars: true })).message).toContain(
      '66,001 files',
    );
    expect(filesIn(dirname(zip))).toEqual([]);
  });
});

test('a media folder that is not there is said to be missing', async () => {
  const rows = [rowOf('r1', { takes: [song('music/r1.mp3')] })];
  renameSync(media, `${media}-away`);
  expect(await failureOf(rows)).toMatchObject({ code: 'DISK_DENIED' });
});
