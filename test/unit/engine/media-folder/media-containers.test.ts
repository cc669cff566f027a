import { readFileSync, readdirSync } from 'node:fs';
import * as fc from 'fast-check';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inEnglish, say } from '../../../../src/shared/domain/base/reason.ts';
import { speakLanguage } from '../../../../src/shared/words/catalogues.ts';
import { memorySource } from '../../../../src/engine/media-folder/containers/container-check.ts';
import { verifySource } from '../../../../src/engine/media-folder/checks/verify-media.ts';
import type { MediaCheck } from '../../../../src/engine/media-folder/checks/verify-media.ts';
import { forgetfulSource } from '../../../support/forgetful-source.ts';

const FOLDER = new URL('../../../fixtures/media/', import.meta.url);

function fixture(name: string): Buffer {
  return readFileSync(new URL(name, FOLDER));
}

function check(bytes: Uint8Array): Promise<MediaCheck> {
  return verifySource(memorySource(bytes));
}

const EXPECTED: Readonly<Record<string, string>> = {
  'clip-faststart.mp4': 'video/mp4',
  'clip-fragmented.mp4': 'video/mp4',
  'clip-indexed.mp4': 'video/mp4',
  'clip-live.webm': 'video/webm',
  'clip.mov': 'video/quicktime',
  'clip.mp4': 'video/mp4',
  'clip.ogv': 'video/ogg',
  'clip.webm': 'video/webm',
  'picture-animated.gif': 'image/gif',
  'picture-animated.webp': 'image/webp',
  'picture-lossless.webp': 'image/webp',
  'picture-progressive.jpg': 'image/jpeg',
  'picture.gif': 'image/gif',
  'picture.jpg': 'image/jpeg',
  'picture.png': 'image/png',
  'picture.webp': 'image/webp',
  'tone-bare.mp3': 'audio/mpeg',
  'tone-cbr.mp3': 'audio/mpeg',
  'tone-id3v1.mp3': 'audio/mpeg',
  'tone-opus.ogg': 'audio/ogg',
  'tone-piped.wav': 'audio/wav',
  'tone-vbr.mp3': 'audio/mpeg',
  'tone-vorbis.ogg': 'audio/ogg',
  'tone.flac': 'audio/flac',
  'tone.m4a': 'audio/mp4',
  'tone.wav': 'audio/wav',
  'tone.webm': 'audio/webm',
};

/** Formats that leave their end open: no cut can be seen, and none is called proven. */
const OPEN_ENDED: ReadonlySet<string> = new Set(['clip-live.webm', 'tone-piped.wav']);

/**
 * Cuts that the format does not show: between two bare frames; before a tag or an index that stands after the media.
 * At all of them every sample that is left is whole.
 */
const INVISIBLE_CUTS: Readonly<Record<string, (length: number) => boolean>> = {
  'tone-bare.mp3': (length) => length >= 208 && mp3FramesEndAt(length),
  'tone-id3v1.mp3': (length) => length === 3821,
  'clip-indexed.mp4': (length) => length === 3722,
};

/** 64 kbit/s at 44,100 Hz: frames of 208 and 209 bytes. */
function mp3FramesEndAt(length: number): boolean {
  const frames = Math.round(length / 208.98);
  return length === Math.floor(frames * 208.9796) || length === Math.ceil(frames * 208.9796);
}

test('every fixture is expected, and every expected one is there', () => {
  expect(
    readdirSync(FOLDER)
      .filter((name) => name !== 'README.md')
      .sort(),
  ).toEqual(Object.keys(EXPECTED).sort());
});

describe.each(Object.entries(EXPECTED))('%s', (name, mediaType) => {
  const bytes = fixture(name);

  test('is judged by bytes that are at hand, not by such that were read before', async () => {
    for (let cut = 0; cut < 64; cut += 1) {
      const part = bytes.subarray(0, bytes.length - cut);
      expect(await verifySource(forgetfulSource(part))).toEqual(await check(part));
    }
  });

  test('is recognised and whole', async () => {
    expect(await check(bytes)).toMatchObject({ kind: 'media', type: { mediaType }, endProven: !OPEN_ENDED.has(name) });
  });

  test('is not called whole after a cut, wherever it is', async () => {
    const missed: number[] = [];
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = await check(bytes.subarray(0, length));
      const isExcused = INVISIBLE_CUTS[name]?.(length) === true;
      if (cut.kind === 'media' && cut.endProven && !isExcused) missed.push(length);
    }
    expect(missed).toEqual([]);
  });
});

describe('damage', () => {
  test.each(['picture.png', 'tone.flac', 'tone-vorbis.ogg', 'tone-opus.ogg', 'clip.ogv'])(
    '%s: a flipped bit anywhere after the first bytes is found by its checksums',
    async (name) => {
      const bytes = fixture(name);
      const from = name === 'tone.flac' ? bytes.indexOf(Buffer.from([0xff, 0xf8]), 42) : 8;
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: from, max: bytes.length - 1 }),
          fc.integer({ min: 0, max: 7 }),
          async (at, bit) => {
            const damaged = Buffer.from(bytes);
            damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
            expect((await check(damaged)).kind).not.toBe('media');
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  test('any bytes after any magic number come to a verdict', async () => {
    const heads = Object.keys(EXPECTED).map((name) => fixture(name));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...heads),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.uint8Array({ maxLength: 300 }),
        async (head, share, tail) => {
          const verdict = await check(Buffer.concat([head.subarray(0, Math.floor(head.length * share)), tail]));
          expect(['media', 'broken', 'unknown']).toContain(verdict.kind);
        },
      ),
      { numRuns: 1500 },
    );
  });

  test('lengths of four gigabytes and of zero neither hang nor count as whole', async () => {
    const mp4 = fixture('clip.mp4');
    mp4.writeUInt32BE(0xffff_ffff, 0);
    expect((await check(mp4)).kind).toBe('broken');
    const webp = fixture('picture.webp');
    webp.writeUInt32LE(0xffff_fff0, 16);
    expect((await check(webp)).kind).toBe('broken');
  });

  test.each([
    ['Info', '1549a966'],
    ['Tracks', '1654ae6b'],
  ])('of a WebM file that repeats its element %s, only the first is read', async (_, id) => {
    const element = (name: string, body: Buffer): Buffer => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(0x1000_0000 + body.length);
      return Buffer.concat([Buffer.from(name, 'hex'), length, body]);
    };
    // Nothing but empty elements, of two bytes each.
    const header = element(id, Buffer.alloc(2000, Buffer.from('ec80', 'hex')));
    const readsOf = async (times: number): Promise<number> => {
      const tracks = element('1654ae6b', element('ae', element('83', Buffer.from([1]))));
      const cluster = element('1f43b675', element('e7', Buffer.from([0])));
      const segment = Buffer.concat([...Array.from({ length: times }, () => header), tracks, cluster]);
      const ebml = element('1a45dfa3', element('4282', Buffer.from('webm')));
      const source = memorySource(Buffer.concat([ebml, element('18538067', segment)]));
      let reads = 0;
      const held: typeof source.held = (...part) => {
        reads += 1;
        return source.held(...part);
      };
      const read: typeof source.read = (...part) => {
        reads += 1;
        return source.read(...part);
      };
      expect(await verifySource({ ...source, held, read })).toMatchObject({ kind: 'media' });
      return reads;
    };
    // Each copy is passed over in one step.
    expect((await readsOf(21)) - (await readsOf(1))).toBe(20);
  });

  test('an MP3 that announces its frames, and not its bytes, is counted', async () => {
    const bytes = fixture('tone-cbr.mp3');
    const at = bytes.indexOf('Info');
    bytes.writeUInt32BE(1, at + 4);
    expect(await check(bytes)).toMatchObject({ kind: 'media' });
    const lastTwo = bytes.lastIndexOf(Buffer.from([0xff, 0xfb]), bytes.lastIndexOf(Buffer.from([0xff, 0xfb])) - 1);
    expect(await check(bytes.subarray(0, lastTwo))).toMatchObject({ kind: 'broken' });
  });

  test('a header that speaks of samples that are not in the file is not enough', async () => {
    const bytes = fixture('clip-faststart.mp4');
    const mdat = bytes.indexOf('mdat') - 4;
    const shorter = Buffer.concat([
      bytes.subarray(0, mdat),
      Buffer.from([0, 0, 0, 16]),
      bytes.subarray(mdat + 4, mdat + 16),
    ]);
    expect(await check(shorter)).toMatchObject({ kind: 'broken' });
  });
});

test('what is wrong with a file is said in the language of the window', async () => {
  speakLanguage('zh-Hans');
  onTestFinished(() => speakLanguage('en'));
  const said = new Set<string>();
  for (const name of Object.keys(EXPECTED)) {
    const bytes = fixture(name);
    for (const part of [0.2, 0.5, 0.9]) {
      const judged = await check(bytes.subarray(0, Math.floor(bytes.length * part)));
      if (judged.kind === 'broken') said.add(say(judged.reason));
    }
  }
  expect([...said].filter((text) => !/\p{Script=Han}/u.test(text) || /[a-z] [a-z]/u.test(text))).toEqual([]);
  expect(said.size).toBeGreaterThan(10);
});

describe('how long it plays', () => {
  /** Films whose writer had not counted them when it wrote the header, and one without sound. */
  const UNKNOWN: ReadonlySet<string> = new Set([
    'clip-fragmented.mp4',
    'clip-indexed.mp4',
    'clip-live.webm',
    'clip.ogv',
  ]);

  async function secondsOf(bytes: Uint8Array): Promise<number | undefined> {
    const judged = await check(bytes);
    return judged.kind === 'media' ? judged.seconds : undefined;
  }

  test.each(Object.entries(EXPECTED))('%s: as another reader says', async (name, mediaType) => {
    const bytes = fixture(name);
    const seconds = await secondsOf(bytes);
    if (mediaType.startsWith('image/') || UNKNOWN.has(name)) {
      expect(seconds).toBeUndefined();
      return;
    }
    const other = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    // A sound is filled up to whole frames.
    expect(Math.abs((seconds ?? 0) - (await other.computeDuration()))).toBeLessThan(0.06);
  });

  test.each([
    ['clip.mp4', 'mvhd', 20, 'writeUInt32BE', 0xffff_fffe],
    ['clip.mp4', 'mvhd', 20, 'writeUInt32BE', 0xffff_ffff],
    ['clip.mp4', 'mvhd', 16, 'writeUInt32BE', 0],
    ['clip.webm', '\x44\x89\x88', 3, 'writeDoubleBE', Number.NaN],
    ['clip.webm', '\x44\x89\x88', 3, 'writeDoubleBE', 1e12],
    ['clip.webm', '\x44\x89\x88', 3, 'writeDoubleBE', -5],
    ['tone.wav', 'fmt ', 16, 'writeUInt32LE', 0],
  ] as const)('%s: a length that cannot be is not known (%#)', async (name, sign, offset, write, value) => {
    const bytes = fixture(name);
    const at = bytes.indexOf(sign, 0, 'latin1');
    expect(at).toBeGreaterThan(0);
    expect(await secondsOf(bytes)).toBeGreaterThan(0);
    bytes[write](value, at + offset);
    expect(await check(bytes)).toMatchObject({ kind: 'media' });
    expect(await secondsOf(bytes)).toBeUndefined();
  });
});

function whyUnknown(judged: MediaCheck): string | undefined {
  return judged.kind === 'unknown' ? inEnglish(judged.reason) : undefined;
}

describe('what is no media', () => {
  test.each([
    ['<!DOCTYPE html><html><body>Not found</body></html>', 'is a web page'],
    ['\uFEFF  <HTML lang="en">', 'is a web page'],
    [
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
      'is text that begins with “<?xml version="1.0"?>',
    ],
    ['Just words', 'is text that begins with “Just words”'],
    ['\u001B[2Jcleared', 'is of a kind that cannot be verified'],
    ['%PDF-1.7\n\u0000\u0001', 'is of a kind that cannot be verified'],
  ])('%j', async (text, why) => {
    expect(whyUnknown(await check(Buffer.from(text)))).toContain(why);
  });

  test('JSON is what a server says, not what was paid for', async () => {
    const judged = await check(Buffer.from('{"error":"gone"}'));
    expect(judged).toMatchObject({ kind: 'unknown', isText: true });
    expect(whyUnknown(judged)).toBe('is text that begins with “{"error":"gone"}”');
  });
});
