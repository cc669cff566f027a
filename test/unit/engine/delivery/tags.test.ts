import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tagFile, fileCarriesCredentials } from '../../../../src/engine/delivery/tags/tag-file.ts';
import { boxOf } from '../../../../src/engine/delivery/tags/film-tags.ts';
import { jpegSegment, pngChunk } from '../../../../src/engine/delivery/tags/picture-tags.ts';
import { riffChunk } from '../../../../src/engine/delivery/tags/sound-tags.ts';
import { verifyMedia } from '../../../../src/engine/media-folder/checks/verify-media.ts';
import { DIGITAL_SOURCE_TYPE, type MediaAbout } from '../../../../src/shared/domain/delivery/media-about.ts';
import { decodedChecksum, exiftoolTags, ffprobeOf, mutagenTags } from '../../../support/other-programs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const MEDIA = new URL('../../../fixtures/media/', import.meta.url);
const ABOUT: MediaAbout = {
  title: 'Lanterns — 夜',
  prompt: 'Lanterns over the <canal> & "夜"',
  lyrics: '[Verse]\nNacht über 夜 «x»\n[Chorus]\nla',
  model: 'm-5',
  rating: 4,
};
const COVER = { data: bytesOf('picture.jpg'), mediaType: 'image/jpeg' } as const;

function bytesOf(name: string): Buffer {
  return readFileSync(new URL(name, MEDIA));
}

function put(name: string, bytes: Uint8Array): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

async function tagged(
  name: string,
  mediaType: string,
  bytes: Uint8Array = bytesOf(name),
): Promise<{ readonly from: string; readonly to: string }> {
  const from = put(name, bytes);
  const to = join(temporaryFolder(), name);
  expect(await tagFile(from, to, mediaType, ABOUT, COVER)).toEqual({ kind: 'tagged' });
  expect(readFileSync(from).equals(bytes)).toBe(true);
  return { from, to };
}

const XMP = {
  'XMP-dc:Title': ABOUT.title,
  'XMP-dc:Description': ABOUT.prompt,
  'XMP-xmpDM:Lyrics': ABOUT.lyrics,
  'XMP-iptcExt:AIPromptInformation': ABOUT.prompt,
  'XMP-iptcExt:AISystemUsed': ABOUT.model,
  'XMP-xmp:Rating': ABOUT.rating,
  'XMP-iptcExt:DigitalSourceType': DIGITAL_SOURCE_TYPE,
};

describe('other programs find every tag, and the same sound and picture', () => {
  test.each(['tone-cbr.mp3', 'tone-vbr.mp3', 'tone-id3v1.mp3', 'tone-bare.mp3'])('%s', async (name) => {
    const { from, to } = await tagged(name, 'audio/mpeg');
    expect(exiftoolTags(to)).toMatchObject(XMP);
    expect(mutagenTags(to)).toMatchObject({
      TIT2: ABOUT.title,
      'COMM::und': ABOUT.prompt,
      'USLT::und': ABOUT.lyrics,
      'TXXX:PROMPT': ABOUT.prompt,
      'TXXX:MODEL': ABOUT.model,
      'TXXX:DIGITALSOURCETYPE': DIGITAL_SOURCE_TYPE,
      'APIC:': expect.anything() as unknown,
    });
    expect(ffprobeOf(to).tags).toMatchObject({ title: ABOUT.title, 'lyrics-und': ABOUT.lyrics });
    expect(ffprobeOf(to).streams.some(({ disposition }) => disposition.attached_pic === 1)).toBe(true);
    expect(decodedChecksum(to)).toBe(decodedChecksum(from));
  });

  test('FLAC, with the checksum of its sound', async () => {
    const { from, to } = await tagged('tone.flac', 'audio/flac');
    expect(mutagenTags(to)).toMatchObject({
      title: [ABOUT.title],
      comment: [ABOUT.prompt],
      lyrics: [ABOUT.lyrics],
      prompt: [ABOUT.prompt],
      model: [ABOUT.model],
      digitalsourcetype: [DIGITAL_SOURCE_TYPE],
    });
    expect(exiftoolTags(to)).toMatchObject({
      'FLAC:MD5Signature': exiftoolTags(from)['FLAC:MD5Signature'],
      'FLAC:PictureMIMEType': 'image/jpeg',
    });
    expect(decodedChecksum(to)).toBe(decodedChecksum(from));
  });

  test('WAV', async () => {
    const { from, to } = await tagged('tone.wav', 'audio/wav');
    expect(exiftoolTags(to)).toMatchObject(XMP);
    expect(mutagenTags(to)).toMatchObject({ TIT2: ABOUT.title, 'USLT::und': ABOUT.lyrics, 'TXXX:MODEL': ABOUT.model });
    expect(decodedChecksum(to)).toBe(decodedChecksum(from));
  });

  test.each([
    ['tone.m4a', 'audio/mp4'],
    ['clip.mp4', 'video/mp4'],
    ['clip-faststart.mp4', 'video/mp4'],
  ])('%s', async (name, mediaType) => {
    const { from, to } = await tagged(name, mediaType);
    expect(exiftoolTags(to)).toMatchObject(XMP);
    expect(mutagenTags(to)).toMatchObject({
      '©nam': [ABOUT.title],
      '©cmt': [ABOUT.prompt],
      '©lyr': [ABOUT.lyrics],
      '©too': [ABOUT.model],
      covr: [expect.anything() as unknown],
    });
    expect(ffprobeOf(to).tags).toMatchObject({ title: ABOUT.title, comment: ABOUT.prompt });
    expect(decodedChecksum(to)).toBe(decodedChecksum(from));
  });

  test.each([
    ['picture.png', 'image/png'],
    ['picture.jpg', 'image/jpeg'],
    ['picture-progressive.jpg', 'image/jpeg'],
  ])('%s', async (name, mediaType) => {
    const { from, to } = await tagged(name, mediaType);
    const found = exiftoolTags(to);
    expect(found).toMatchObject(XMP);
    expect(Object.keys(found).filter((key) => /Warning|Error/u.test(key))).toEqual([]);
    expect(decodedChecksum(to)).toBe(decodedChecksum(from));
  });
});

test('a tagged file is as whole as the original, by our own readers', async () => {
  for (const [name, mediaType] of [
    ['tone-cbr.mp3', 'audio/mpeg'],
    ['tone.flac', 'audio/flac'],
    ['tone.wav', 'audio/wav'],
    ['tone.m4a', 'audio/mp4'],
    ['clip-faststart.mp4', 'video/mp4'],
    ['picture.png', 'image/png'],
    ['picture.jpg', 'image/jpeg'],
  ] as const) {
    const { to } = await tagged(name, mediaType);
    expect([name, await checkOf(to)]).toEqual([name, await checkOf(put(name, bytesOf(name)))]);
  }
});

test('tags are the same each time, so that an export that was killed finds its files', async () => {
  for (const [name, mediaType] of [
    ['tone-cbr.mp3', 'audio/mpeg'],
    ['clip.mp4', 'video/mp4'],
    ['tone.flac', 'audio/flac'],
  ] as const) {
    const [a, b] = [(await tagged(name, mediaType)).to, (await tagged(name, mediaType)).to];
    expect(sha256(readFileSync(a))).toBe(sha256(readFileSync(b)));
  }
});

test('the tags that a file has stay, unless there are new ones', async () => {
  const once = await tagged('tone-cbr.mp3', 'audio/mpeg');
  const tags = mutagenTags(once.to);
  expect(tags).toMatchObject(mutagenTagsWithout(once.from, ['TIT2', 'COMM::und', 'USLT::und']));
  // Its XMP would have to be mixed with ours.
  const again = join(temporaryFolder(), 'again.mp3');
  expect(await tagFile(once.to, again, 'audio/mpeg', ABOUT, undefined)).toMatchObject({
    kind: 'left',
    why: expect.stringContaining('XMP of its own') as string,
  });
});

test.each([
  ['clip-fragmented.mp4', 'video/mp4'],
  ['clip-indexed.mp4', 'video/mp4'],
  ['clip.mov', 'video/quicktime'],
  ['tone-piped.wav', 'audio/wav'],
  ['picture.webp', 'image/webp'],
])('%s is not built so that tags leave it unharmed, and gets none', async (name, mediaType) => {
  const to = join(temporaryFolder(), name);
  expect(await tagFile(put(name, bytesOf(name)), to, mediaType, ABOUT, COVER)).toMatchObject({ kind: 'left' });
});

describe('content credentials are found', () => {
  const store = Buffer.from(
    '\0\0\0\x28jumb\0\0\0\x20jumdc2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\x03c2pa\0',
    'latin1',
  );
  const png = bytesOf('picture.png');
  const jpeg = bytesOf('picture.jpg');
  const geob = Buffer.concat([Buffer.from('\0application/x-c2pa-manifest-store\0c2pa\0\0', 'latin1'), store]);
  const frame = Buffer.concat([Buffer.from('GEOB\0\0\0', 'latin1'), Buffer.from([geob.length, 0, 0]), geob]);
  const samples: Readonly<Record<string, Buffer>> = {
    png: Buffer.concat([png.subarray(0, 33), pngChunk('caBX', store), png.subarray(33)]),
    jpg: Buffer.concat([
      jpeg.subarray(0, 2),
      jpegSegment(0xeb, Buffer.concat([Buffer.from('JP\0\x01\0\0\0\x01', 'latin1'), store])),
      jpeg.subarray(2),
    ]),
    mp4: Buffer.concat([
      bytesOf('clip.mp4'),
      boxOf('uuid', Buffer.concat([Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex'), store])),
    ]),
    mp3: Buffer.concat([
      Buffer.from('ID3\x04\0\0\0\0', 'latin1'),
      Buffer.from([frame.length >> 7, frame.length & 0x7f]),
      frame,
      bytesOf('tone-bare.mp3'),
    ]),
    wav: withRiffLength(Buffer.concat([bytesOf('tone.wav'), riffChunk('C2PA', store)])),
  };

  test.each(Object.keys(samples))('in %s', async (extension) => {
    const bytes = samples[extension] ?? Buffer.alloc(0);
    expect(await fileCarriesCredentials(put(`sample.${extension}`, bytes))).toBe(true);
  });

  test.each(['picture.png', 'picture.jpg', 'clip.mp4', 'tone-cbr.mp3', 'tone.wav', 'tone.flac', 'clip.webm'])(
    'and not in %s, which has none',
    async (name) => {
      expect(await fileCarriesCredentials(put(name, bytesOf(name)))).toBe(false);
    },
  );
});

function withRiffLength(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function mutagenTagsWithout(path: string, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(mutagenTags(path)).filter(([name]) => !names.includes(name)));
}

async function checkOf(path: string): Promise<unknown> {
  const { open } = await import('node:fs/promises');
  const file = await open(path, 'r');
  try {
    return await verifyMedia(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}
