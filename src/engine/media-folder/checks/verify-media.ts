import type { FileHandle } from 'node:fs/promises';
import { MEDIA_TYPES, type MediaType } from '../../../shared/domain/files/media-type.ts';
import { reason, type Reason } from '../../../shared/domain/base/reason.ts';
import { assertNever, present } from '../../../shared/domain/base/result.ts';
import { fileSource, type ByteSource, type ContainerCheck } from '../containers/container-check.ts';
import { checkFlac } from '../containers/flac.ts';
import { checkGif } from '../containers/gif.ts';
import { checkIsoBmff } from '../containers/iso-bmff.ts';
import { checkJpeg } from '../containers/jpeg.ts';
import { checkMp3, id3v2Bytes, readMp3Frame } from '../containers/mp3.ts';
import { checkOgg } from '../containers/ogg.ts';
import { checkPng } from '../containers/png.ts';
import { checkRiff } from '../containers/riff.ts';
import { checkWebm } from '../containers/webm.ts';

/** What a file is, judged only by its bytes. */
export type MediaCheck =
  /** `endProven`: the format itself proves where the file ends. `seconds`: how long it plays, if that is known. */
  | { readonly kind: 'media'; readonly type: MediaType; readonly endProven: boolean; readonly seconds?: number }
  /** Begins as this type but is cut off or damaged; `reason` is a predicate, such as "is cut off inside a chunk". */
  | { readonly kind: 'broken'; readonly type: MediaType; readonly reason: Reason }
  /** Cannot be verified; `reason` is a predicate, such as "is a web page". */
  | { readonly kind: 'unknown'; readonly reason: Reason; readonly isText: boolean }
  /** Could not be checked to the end; `reason` is a predicate, such as "could not be checked within 10 seconds". */
  | { readonly kind: 'unchecked'; readonly reason: Reason };

const EXCERPT_BYTES = 120;

/** Examines the bytes of an open file: magic number, then container. Never decodes; memory use is bounded. */
export async function verifyMedia(file: FileHandle, bytes: number): Promise<MediaCheck> {
  return verifySource(fileSource(file, bytes));
}

/** {@link verifyMedia} over any source of bytes. */
export async function verifySource(source: ByteSource): Promise<MediaCheck> {
  const container = await sniffContainer(source);
  const check = container === undefined ? undefined : await checkContainer(container, source);
  if (check === undefined) return describeUnknown(source);
  const type = MEDIA_TYPES[check.type];
  switch (check.kind) {
    case 'whole':
      return { kind: 'media', type, endProven: check.endProven, ...present({ seconds: check.seconds }) };
    case 'broken':
      return { kind: 'broken', type, reason: check.reason };
    default:
      return assertNever(check);
  }
}

async function checkContainer(container: ContainerName, source: ByteSource): Promise<ContainerCheck | undefined> {
  switch (container) {
    case 'png':
      return checkPng(source);
    case 'jpeg':
      return checkJpeg(source);
    case 'gif':
      return checkGif(source);
    case 'wav':
    case 'webp':
      return checkRiff(source, container);
    case 'mp3':
      return checkMp3(source);
    case 'flac':
      return checkFlac(source);
    case 'ogg':
      return checkOgg(source);
    case 'ebml':
      return checkWebm(source);
    case 'iso-bmff':
      return checkIsoBmff(source);
    default:
      return assertNever(container);
  }
}

async function describeUnknown(source: ByteSource): Promise<MediaCheck> {
  // The excerpt may end in the middle of a character.
  const head = (await source.read(0, EXCERPT_BYTES)).toString('utf8').replace(/\u{fffd}$/u, '');
  if (/^\u{feff}?\s*<(?:!doctype\s+html|html|head|body)\b/iu.test(head)) {
    return { kind: 'unknown', reason: reason('media.webPage'), isText: true };
  }
  // Text has no control characters; they must not reach a screen either.
  if (/[\p{Cc}\u{fffd}]/u.test(head.replaceAll(/[\t\r\n]/gu, ' '))) {
    return { kind: 'unknown', reason: reason('media.unknownKind'), isText: false };
  }
  const excerpt = head.replaceAll(/\s+/gu, ' ').trim();
  return { kind: 'unknown', reason: reason('media.textBegins', excerpt), isText: true };
}

/** The containers that their first bytes identify. */
export type ContainerName = 'png' | 'jpeg' | 'gif' | 'wav' | 'webp' | 'mp3' | 'flac' | 'ogg' | 'ebml' | 'iso-bmff';

const SNIFF_BYTES = 64;

/** Recognises a container by its magic number; undefined for anything else, such as a web page. */
export async function sniffContainer(source: ByteSource): Promise<ContainerName | undefined> {
  const head = await source.read(0, SNIFF_BYTES);
  const text = head.toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/u.test(text)) return 'gif';
  if (/^RIFF[\s\S]{4}WAVE/u.test(text)) return 'wav';
  if (/^RIFF[\s\S]{4}WEBP/u.test(text)) return 'webp';
  if (text.startsWith('fLaC')) return 'flac';
  if (text.startsWith('OggS\0')) return 'ogg';
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'ebml';
  if (/^[\s\S]{4}(?:ftyp|moov|mdat|wide|free|skip|styp)/u.test(text)) return 'iso-bmff';
  if (text.startsWith('ID3')) {
    const tag = await id3v2Bytes(source, 0);
    return (await source.read(tag, 4)).toString('latin1') === 'fLaC' ? 'flac' : 'mp3';
  }
  if (await beginsWithFrames(source)) return 'mp3';
  return undefined;
}

/** Two sync bytes are a weak magic number, so the second frame must also be where the first one says. */
async function beginsWithFrames(source: ByteSource): Promise<boolean> {
  const first = readMp3Frame(await source.read(0, 4));
  if (first === undefined) return false;
  const second = await source.read(first.bytes, 4);
  return second.length < 4 || readMp3Frame(second)?.sampleRate === first.sampleRate;
}
