import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryWish } from '../../../../src/engine/delivery/deliver.ts';
import { deliveryWords, type DeliveryProgress } from '../../../../src/shared/domain/delivery/delivery-report.ts';
import type { ExportedRow } from '../../../../src/shared/domain/task/views/exported-row.ts';
import type { Verdict } from '../../../../src/shared/domain/review/verdict.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { deliveryForEach, filesIn, MP3, packageIn, song } from './deliver-rig.ts';

let media: string;
let out: string;
const { rowOf, run, reportOf } = deliveryForEach(
  (given) => {
    ({ media, out } = given);
  },
  () => ({ media, out }),
);

describe('a delivery that is watched', () => {
  const three = (): readonly ExportedRow[] =>
    ['r1', 'r2', 'r3'].map((id) => rowOf(id, { takes: [song(`m/${id}.mp3`)] }));
  const size = MP3?.length ?? 0;

  test('says how far it is, of what is new', async () => {
    await reportOf(three().slice(0, 1));
    const told: DeliveryProgress[] = [];
    await run(three(), {}, { onProgress: (progress) => told.push(progress) });
    expect(told).toEqual(
      [0, 1, 2].map((files) => ({ step: 'copying', files, ofFiles: 2, bytes: files * size, ofBytes: 2 * size })),
    );
  });

  test('is cancelled between two files: those that are there are whole and listed, and the next one goes on', async () => {
    const cancelling = new AbortController();
    const onProgress = ({ files }: DeliveryProgress): void => {
      if (files === 2) cancelling.abort();
    };
    const stopped = await run(three(), { hasTimeline: true }, { signal: cancelling.signal, onProgress });
    expect(stopped).toMatchObject({ ok: true, value: { added: ['m/r1.mp3', 'm/r2.mp3'], left: 1 } });
    expect(stopped.ok && deliveryWords(stopped.value, 'window')).toContain(
      '1 file not delivered: the delivery was cancelled. Deliver again to continue.',
    );
    expect(filesIn(out)).toEqual(['datapackage.json', 'm/r1.mp3', 'm/r2.mp3']);
    expect(packageIn(out).resources.map(({ path }) => path)).toEqual(['m/r1.mp3', 'm/r2.mp3']);
    expect(await reportOf(three())).toMatchObject({ added: ['m/r3.mp3'], had: 2, left: 0 });
  });

  test('is cancelled before its first file, and leaves nothing', async () => {
    expect(await run(three(), {}, { signal: AbortSignal.abort() })).toMatchObject({ ok: true, value: { left: 3 } });
    expect(filesIn(out)).toEqual([]);
  });

  test.each(['copying', 'packing'] as const)('leaves nothing of a ZIP that is cancelled while %s', async (step) => {
    const zip = join(temporaryFolder(), 'night.zip');
    const cancelling = new AbortController();
    const onProgress = (progress: DeliveryProgress): void => {
      if (progress.step === step && progress.files === 1) cancelling.abort();
    };
    const stopped = await run(three(), { folder: zip, isZip: true }, { signal: cancelling.signal, onProgress });
    expect(stopped).toMatchObject({ ok: true, value: { added: [], left: 3 } });
    expect(readdirSync(dirname(zip))).toEqual([]);
  });
});

describe('a file that a review moves in the middle of it', () => {
  const ids = ['r1', 'r2', 'r3'];
  let verdicts: Record<string, Verdict>;
  let paths: Record<string, string>;
  let listed: readonly ExportedRow[];

  beforeEach(() => {
    verdicts = Object.fromEntries(ids.map((id) => [id, { kept: true }]));
    paths = Object.fromEntries(ids.map((id) => [id, `music/${id}.mp3`]));
    listed = ids.map((id) => rowOf(id, { takes: [song(`music/${id}.mp3`)] }));
  });

  /** As the store has it by now. */
  const now = (): readonly ExportedRow[] =>
    listed.map(({ tasks, ...rest }) => {
      const { id } = rest.row;
      const asNow = { path: paths[id] ?? '', verdict: verdicts[id] ?? {} };
      const outputs = tasks.flatMap((task) => task.outputs.map((output) => ({ ...output, ...asNow })));
      return { ...rest, tasks: tasks.map((task) => ({ ...task, outputs })) };
    });
  const moved = (id: string, kept: boolean): void => {
    const to = kept ? `music/${id}.mp3` : `rejected/music/${id}.mp3`;
    mkdirSync(join(media, 'rejected', 'music'), { recursive: true });
    renameSync(join(media, paths[id] ?? ''), join(media, to));
    paths[id] = to;
    verdicts[id] = { kept };
  };
  const delivered = (wish: Partial<DeliveryWish>, deed: () => void) =>
    run(now, wish, {
      onProgress: ({ files }) => {
        if (files === 1) deed();
      },
    });

  test('is left out of what was kept, and counted so', async () => {
    const report = await delivered({ isKeptOnly: true }, () => moved('r2', false));
    expect(report).toMatchObject({ ok: true, value: { added: ['music/r1.mp3', 'music/r3.mp3'], unkept: 1 } });
    expect(filesIn(out)).toEqual(['datapackage.json', 'music/r1.mp3', 'music/r3.mp3']);
  });

  test('keeps its listed name from another file, also where its copy is gone', async () => {
    const titled = (): readonly ExportedRow[] =>
      now().map((one) => ({ ...one, row: { ...one.row, cells: { title: 'Moon' } } }));
    const wish = { isKeptOnly: true, template: '{title}' };
    verdicts = { r2: { kept: true } };
    await run(titled, wish);
    rmSync(join(out, 'Moon.mp3'));
    verdicts = { r2: { kept: true }, r3: { kept: true } };
    const onProgress = ({ files }: DeliveryProgress): void => {
      if (files === 0) moved('r2', false);
    };
    expect(await run(titled, wish, { onProgress })).toMatchObject({ ok: true, value: { unkept: 2 } });
    const paths = packageIn(out).resources.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('makes no ZIP of nothing', async () => {
    const folder = join(temporaryFolder(), 'night.zip');
    let isMoved = false;
    const onProgress = (): void => {
      if (!isMoved) for (const id of ids) moved(id, false);
      isMoved = true;
    };
    const report = await run(now, { isKeptOnly: true, isZip: true, folder }, { onProgress });
    expect(report).toMatchObject({ ok: true, value: { added: [], unkept: 3, left: 0 } });
    expect(readdirSync(dirname(folder))).toEqual([]);
  });

  test('is delivered from where it is where every file is wanted, also back again', async () => {
    expect(await delivered({ template: '{row}' }, () => moved('r2', false))).toMatchObject({
      value: { added: ['r1.mp3', 'r2.mp3', 'r3.mp3'] },
    });
    out = join(temporaryFolder(), 'back');
    expect(await delivered({}, () => moved('r2', true))).toMatchObject({
      value: { added: ['music/r1.mp3', 'music/r2.mp3', 'music/r3.mp3'] },
    });
  });

  test('is told with a true reason where it is gone, beside the others, and where its folder is', async () => {
    const missing = await delivered({}, () => rmSync(join(media, 'music', 'r2.mp3')));
    expect(missing).toMatchObject({ error: { message: expect.stringContaining('music/r2.mp3 is missing') as string } });
    expect(packageIn(out).resources.map(({ path }) => path)).toEqual(['music/r1.mp3', 'music/r3.mp3']);
    rowOf('r2', { takes: [song('music/r2.mp3')] });
    out = join(temporaryFolder(), 'unplugged');
    const unplugged = await delivered({}, () => renameSync(media, `${media}-away`));
    expect(unplugged).toMatchObject({
      error: { message: `${media} cannot be used: it is missing (was a disk unplugged?).` },
    });
  });
});

describe('a folder that goes away or gets full', () => {
  const rows = (): readonly ExportedRow[] =>
    ['r1', 'r2', 'r3'].map((id) => rowOf(id, { takes: [song(`m/${id}.mp3`)] }));

  test('is not made anew, and that is said', async () => {
    const deed = ({ files }: DeliveryProgress): void => {
      if (files === 1) renameSync(out, `${out}-away`);
    };
    expect(await run(rows(), {}, { onProgress: deed })).toMatchObject({
      error: { message: `${out} cannot be used: it is missing (was a disk unplugged?).` },
    });
    expect(existsSync(out)).toBe(false);
    renameSync(`${out}-away`, out);
    expect(await reportOf(rows())).toMatchObject({ added: ['m/r1.mp3', 'm/r2.mp3', 'm/r3.mp3'] });
    expect(filesIn(out)).toEqual(['datapackage.json', 'm/r1.mp3', 'm/r2.mp3', 'm/r3.mp3']);
  });

  test('has what it took listed', async () => {
    // As good as full: the second file has no place.
    mkdirSync(join(out, 'b'), { recursive: true });
    writeFileSync(join(out, 'b', 'x'), 'a file where a folder should be');
    const deed = ({ files }: DeliveryProgress): void => {
      if (files === 1) {
        rmSync(join(out, 'b'), { recursive: true });
        writeFileSync(join(out, 'b'), '');
      }
    };
    const two = [rowOf('r1', { takes: [song('a/1.mp3')] }), rowOf('r2', { takes: [song('b/2.mp3')] })];
    expect(await run(two, {}, { onProgress: deed })).toMatchObject({ ok: false, error: { code: 'DISK_DENIED' } });
    expect(packageIn(out).resources.map(({ path }) => path)).toEqual(['a/1.mp3']);
  });

  test('may be shared with another delivery that ends in the middle of this one', async () => {
    const room = join(out, '.nocturne-delivery');
    const onProgress = ({ files }: DeliveryProgress): void => {
      if (files === 1) rmSync(room, { recursive: true });
    };
    expect(await run(rows(), {}, { onProgress })).toMatchObject({ ok: true, value: { left: 0 } });
    expect(existsSync(room)).toBe(false);
  });
});
