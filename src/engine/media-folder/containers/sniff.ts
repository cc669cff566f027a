import type { ByteSource } from './byte-source.ts';
import { id3v2Bytes, readMp3Frame } from './mp3.ts';

/** The containers that can be told apart by their first bytes. */
export type ContainerName = 'png' | 'jpeg' | 'gif' | 'wav' | 'webp' | 'mp3' | 'flac' | 'ogg' | 'ebml' | 'iso-bmff';

const SNIFF_BYTES = 64;

/** Tells a container by its magic number; undefined for anything else, such as a web page. */
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

/** Two bytes of sync are a weak magic number: the frame after the first must stand where the first one says. */
async function beginsWithFrames(source: ByteSource): Promise<boolean> {
  const first = readMp3Frame(await source.read(0, 4));
  if (first === undefined) return false;
  const second = await source.read(first.bytes, 4);
  return second.length < 4 || readMp3Frame(second)?.sampleRate === first.sampleRate;
}
