import { existsSync, lstatSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type * as WriteTimeline from '../../../../src/engine/delivery/write-timeline.ts';
import {
  deliveryOutcome,
  deliveryWords,
  type DeliveryProgress,
} from '../../../../src/shared/domain/delivery/delivery-report.ts';
import type { ExportedRow } from '../../../../src/shared/domain/task/views/exported-row.ts';
import { exiftoolTags, mutagenTags } from '../../../support/other-programs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { deliveryForEach, filesIn, MEDIA, MP3, MP4, packageIn, PNG, sha256, song } from './deliver-rig.ts';

/** What happens while the lengths of films are read. */
const timeline = vi.hoisted(() => ({ meanwhile: async (): Promise<void> => undefined }));

vi.mock('../../../../src/engine/delivery/write-timeline.ts', async (original) => {
  const { writeTimeline } = await original<typeof WriteTimeline>();
  const write: typeof writeTimeline = async (...args) => {
    await timeline.meanwhile();
    return writeTimeline(...args);
  };
  return { writeTimeline: write };
});

const LYRICS = Buffer.from(JSON.stringify({ lyrics: 'Sleep now,\nmoon of 夜' }));

let media: string;
let out: string;
const { rowOf, run, reportOf, failureOf } = deliveryForEach(
  (given) => {
    ({ media, out } = given);
  },
  () => ({ media, out }),
);

describe('what is told of a file', () => {
  const link = (row: string, ...path: string[]): ExportedRow['row']['links'] => [
    {
      column: 'prompt',
      value: { kind: 'text', text: [{ row, path: { kind: 'result', path }, text: `${row}.result.${path.join('.')}` }] },
    },
  ];

  test('goes into its tags, with lyrics and cover that other rows give', async () => {
    const rows = [
      rowOf('words', {
        operation: 'musicgen/music/lyrics',
        takes: [{ path: 'data/words.json', bytes: LYRICS, mediaType: 'application/json' }],
      }),
      rowOf('art', {
        operation: 'videogen-b/image/generate',
        takes: [{ path: 'image/art.png', bytes: PNG, mediaType: 'image/png' }],
      }),
      rowOf('s1', {
        body: { title: 'Moon', prompt: '{{words.result.lyrics}}', tags: ['slow', 'soft'], model: 'm1' },
        cells: { prompt: '{{words.result.lyrics}}', cover: '{{art.output.1.url}}' },
        links: link('words', 'lyrics'),
        takes: [song('music/s1.mp3', { rating: 5 })],
      }),
      rowOf('wav', {
        operation: 'musicgen/music/wav',
        cells: { clip_id: '{{s1.taskId}}' },
        takes: [{ path: 'music/w.wav', bytes: readFileSync(new URL('tone.wav', MEDIA)), mediaType: 'audio/wav' }],
      }),
    ];
    const report = await reportOf(rows, { hasTags: true });
    expect(report.untagged).toMatchObject([{ path: 'data/words.json' }]);
    expect(mutagenTags(join(out, 'music/s1.mp3'))).toMatchObject({
      TIT2: 'Moon',
      'USLT::und': 'Sleep now,\nmoon of 夜',
      'COMM::und': 'slow, soft',
      'APIC:': expect.anything() as unknown,
    });
    expect(mutagenTags(join(out, 'music/w.wav'))).toMatchObject({ TIT2: 'Moon', 'TXXX:MODEL': 'm1' });
    const listed = packageIn(out).resources.find(({ path }) => path === 'music/s1.mp3');
    expect(listed?.hash).toBe(`sha256:${sha256(readFileSync(join(out, 'music/s1.mp3')))}`);
    expect(listed?.original).toBe(`sha256:${sha256(MP3 ?? Buffer.alloc(0))}`);
  });

  test('lies beside it with --xmp, and the copy is the original', async () => {
    const rows = [
      rowOf('s1', { body: { title: 'A & B <c>', prompt: 'one\u0001 two' }, takes: [song('music/s1.mp3')] }),
    ];
    await reportOf(rows, { hasSidecars: true });
    expect(readFileSync(join(out, 'music/s1.mp3')).equals(MP3 ?? Buffer.alloc(0))).toBe(true);
    expect(exiftoolTags(join(out, 'music/s1.mp3.xmp'))).toMatchObject({
      'XMP-dc:Title': 'A & B <c>',
      'XMP-dc:Description': 'one\u{fffd} two',
    });
  });

  test('content credentials: the copy is the original, byte for byte, and the tags lie beside it', async () => {
    const box = Buffer.from(
      `00000020${Buffer.from('uuid').toString('hex')}d8fec3d61b0e483c92975828877ec4810000000000000000`,
      'hex',
    );
    const signed = Buffer.concat([MP4 ?? Buffer.alloc(0), box]);
    const rows = [
      rowOf('f1', {
        operation: 'videogen-a/video/generate',
        body: { prompt: 'a moon' },
        takes: [{ path: 'video/f1.mp4', bytes: signed, mediaType: 'video/mp4' }],
      }),
    ];
    expect(await reportOf(rows, { hasTags: true })).toMatchObject({
      withCredentials: ['video/f1.mp4'],
      untagged: [{ path: 'video/f1.mp4', why: expect.stringContaining('content credentials') as string }],
    });
    expect(readFileSync(join(out, 'video/f1.mp4')).equals(signed)).toBe(true);
    expect(exiftoolTags(join(out, 'video/f1.mp4.xmp'))).toMatchObject({ 'XMP-dc:Description': 'a moon' });
    expect(packageIn(out).resources).toMatchObject([{ contentCredentials: true, sidecar: 'video/f1.mp4.xmp' }]);
  });
});

describe('a timeline', () => {
  const film = (id: string): ExportedRow =>
    rowOf(id, {
      operation: 'videogen-a/video/generate',
      body: { title: `Film ${id}` },
      takes: [{ path: `video/${id} #1.mp4`, bytes: MP4, mediaType: 'video/mp4' }],
    });

  test('has films and songs in the order of the sheet, as long as they are', async () => {
    await reportOf([film('f2')], { hasTimeline: true });
    const rows = [film('f1'), rowOf('s1', { takes: [song('music/s1.mp3')] }), film('f2')];
    expect((await reportOf(rows, { hasTimeline: true })).timeline).toEqual({
      path: 'timeline.otio',
      clips: 3,
      left: [],
    });
    const read = JSON.parse(readFileSync(join(out, 'timeline.otio'), 'utf8')) as {
      readonly tracks: {
        readonly children: readonly { readonly kind: string; readonly children: readonly object[] }[];
      };
    };
    const [video, audio] = read.tracks.children;
    expect(read).toMatchObject({ OTIO_SCHEMA: 'Timeline.1', tracks: { OTIO_SCHEMA: 'Stack.1' } });
    expect([video?.kind, audio?.kind]).toEqual(['Video', 'Audio']);
    // As ffprobe says of it: six pictures, ten a second.
    const clip = (name: string, url: string) => ({
      OTIO_SCHEMA: 'Clip.2',
      name,
      source_range: {
        duration: { value: 6, rate: 10 },
        start_time: { value: 0 },
      },
      media_references: { DEFAULT_MEDIA: { OTIO_SCHEMA: 'ExternalReference.1', target_url: url } },
    });
    expect(video?.children).toMatchObject([
      clip('Film f1', 'video/f1%20%231.mp4'),
      clip('Film f2', 'video/f2%20%231.mp4'),
    ]);
    expect(audio?.children).toMatchObject([{ name: 's1', source_range: { duration: { rate: 44_100 } } }]);
  });

  test('that somebody has worked on stays, and the next lies beside it', async () => {
    await reportOf([film('f1')], { hasTimeline: true });
    writeFileSync(join(out, 'timeline.otio'), 'mine');
    await reportOf([film('f1'), film('f2')], { hasTimeline: true });
    expect(readFileSync(join(out, 'timeline.otio'), 'utf8')).toBe('mine');
    expect(existsSync(join(out, 'timeline-2.otio'))).toBe(true);
  });

  test('whose package names a file elsewhere is refused, and that file stays', async () => {
    await reportOf([film('f1')], { hasTimeline: true });
    const elsewhere = join(temporaryFolder(), 'paid.mp4');
    writeFileSync(elsewhere, 'paid');
    const given = packageIn(out);
    const timeline = { path: relative(out, elsewhere), hash: `sha256:${sha256(Buffer.from('paid'))}` };
    writeFileSync(
      join(out, 'datapackage.json'),
      JSON.stringify({ ...given, nocturne: { ...given.nocturne, timeline } }),
    );
    const refused = await failureOf([film('f1')], { hasTimeline: true });
    expect(readFileSync(elsewhere, 'utf8')).toBe('paid');
    expect(refused).toMatchObject({ code: 'INPUT_INVALID', message: expect.stringContaining('outside') as string });
  });

  test('is not begun once the delivery is cancelled, and that is said; the next one writes it', async () => {
    const cancelling = new AbortController();
    const onProgress = ({ files }: DeliveryProgress): void => {
      if (files === 1) cancelling.abort();
    };
    const stopped = await run([film('f1')], { hasTimeline: true }, { signal: cancelling.signal, onProgress });
    expect(stopped).toMatchObject({ ok: true, value: { added: ['video/f1 #1.mp4'], left: 0 } });
    if (!stopped.ok) throw new Error(stopped.error.message);
    expect(deliveryOutcome(stopped.value)).toBe('cancelled');
    expect(deliveryWords(stopped.value, 'window')).toContain(
      'No timeline was written: the delivery was cancelled. Deliver again to write it.',
    );
    expect(filesIn(out)).toEqual(['datapackage.json', 'video/f1 #1.mp4']);
    expect(await reportOf([film('f1')], { hasTimeline: true })).toMatchObject({ had: 1, timeline: { clips: 1 } });
  });

  test('takes its time, in which another delivery into the folder stays listed', async () => {
    timeline.meanwhile = async () => {
      timeline.meanwhile = async () => undefined;
      await reportOf([film('f2')]);
    };
    await reportOf([film('f1')], { hasTimeline: true });
    const { resources, nocturne } = packageIn(out);
    expect(resources.map(({ path }) => path).toSorted()).toEqual(['video/f1 #1.mp4', 'video/f2 #1.mp4']);
    expect(resources.find(({ row }) => row === 'f1')).toHaveProperty('length');
    expect(nocturne).toHaveProperty('timeline.path', 'timeline.otio');
  });

  test('is read through no link: neither its own name nor the folder of a film', async () => {
    await reportOf([film('f1')]);
    const elsewhere = join(temporaryFolder(), 'away');
    renameSync(join(out, 'video'), elsewhere);
    symlinkSync(elsewhere, join(out, 'video'));
    symlinkSync(join(elsewhere, 'none'), join(out, 'timeline.otio'));
    expect(await reportOf([film('f1')], { hasTimeline: true })).toMatchObject({
      changed: ['video/f1 #1.mp4'],
      timeline: { path: 'timeline-2.otio', clips: 0, left: ['video/f1 #1.mp4'] },
    });
    expect(lstatSync(join(out, 'timeline.otio')).isSymbolicLink()).toBe(true);
  });
});
