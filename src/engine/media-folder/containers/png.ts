import { reason } from '../../../shared/domain/base/reason.ts';
import { crc32 } from 'node:zlib';
import { STRETCH_BYTES, type ByteSource, broken, whole, type ContainerCheck } from './container-check.ts';

const SIGNATURE_BYTES = 8;
/** The length and type before the data, and the checksum after it. */
const CHUNK_OVERHEAD_BYTES = 12;

/** Walks the chunks up to IEND and checks the checksum of each. Source: PNG (ISO/IEC 15948), 5.3. */
export async function checkPng(source: ByteSource): Promise<ContainerCheck> {
  let position = SIGNATURE_BYTES;
  let sawHeader = false;
  let sawData = false;
  for (;;) {
    const head = source.held(position, 8) ?? (await source.read(position, 8));
    if (head.length < 8) return broken('png', reason('media.noLastChunk'));
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if (!isChunkType(head)) return broken('png', reason('media.damagedChunkAt', position));
    if (position + CHUNK_OVERHEAD_BYTES + length > source.size) return broken('png', reason('media.cutAChunk', type));
    if (!sawHeader && type !== 'IHDR') return broken('png', reason('media.noHeaderFirst'));
    if (!(await checksumFits(source, position, length))) return broken('png', reason('media.damagedChunk', type));
    sawHeader = true;
    sawData ||= type === 'IDAT';
    if (type === 'IEND') return sawData ? whole('png') : broken('png', reason('media.noPicture'));
    position += CHUNK_OVERHEAD_BYTES + length;
  }
}

/** Four letters. */
function isChunkType(head: Buffer): boolean {
  for (let at = 4; at < 8; at += 1) {
    const lower = (head[at] ?? 0) | 0x20;
    if (lower < 0x61 || lower > 0x7a) return false;
  }
  return true;
}

async function checksumFits(source: ByteSource, chunkAt: number, length: number): Promise<boolean> {
  const end = chunkAt + 8 + length;
  let crc = 0;
  for (let at = chunkAt + 4; at < end; at += STRETCH_BYTES) {
    const length = Math.min(STRETCH_BYTES, end - at);
    crc = crc32(source.held(at, length) ?? (await source.read(at, length)), crc);
  }
  const stored = source.held(end, 4) ?? (await source.read(end, 4));
  return stored.length === 4 && stored.readUInt32BE(0) === crc;
}
