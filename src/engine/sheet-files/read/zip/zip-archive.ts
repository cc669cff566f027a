import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { quoteCell } from '../../../../shared/domain/cells/cell-value.ts';
import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';

/**
 * A ZIP archive in memory, for untrusted files. A library would allocate what the directory declares and go on
 * inflating to any size; here one limit covers everything that is ever inflated, as it is inflated. Format: PKWARE
 * APPNOTE 6.3, sections 4.3 and 4.5.3.
 */
export interface ZipArchive {
  /** Names of the entries as used for lookups: lower case, with `/`, without a first slash. */
  readonly names: ReadonlySet<string>;
  /** Names of the entries as written, in their order. */
  readonly written: readonly string[];
  /** The bytes of an entry; undefined if none has this name. Names are compared in the form of `names`. */
  readonly read: (name: string) => Result<Buffer | undefined, SheetProblem>;
  /**
   * Passes on the bytes of an entry piece by piece, while another thread inflates the next ones, until `take` returns
   * false: in that case the inflated bytes do not count against the limit.
   */
  readonly pour: (name: string, take: TakeBytes) => Promise<Result<Poured, SheetProblem>>;
}

/** Takes some bytes; returns false if it wants no more. */
export type TakeBytes = (bytes: Buffer) => boolean;

/** How the inflating of an entry ended; `missing` if none has this name. */
export type Poured = 'whole' | 'stopped' | 'missing';

interface ZipEntry {
  readonly name: string;
  readonly written: string;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const LONGEST_COMMENT = 0xffff;
const IN_ZIP64 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
const MOST_ENTRIES = 10_000;

/** Opens an archive of which at most `mostBytes` are ever inflated. */
export function openZip(bytes: Buffer, mostBytes: number): Result<ZipArchive, SheetProblem> {
  let entries: Result<Map<string, ZipEntry>, SheetProblem>;
  try {
    entries = readDirectory(bytes);
  } catch (error) {
    // A Buffer throws this for every offset outside it.
    if (error instanceof RangeError) return err(damagedArchive(domainWords.problems.file.damage.outside));
    throw error;
  }
  if (!entries.ok) return entries;
  const found = entries.value;
  let declared = 0;
  for (const entry of found.values()) declared += entry.bytes;
  if (declared > mostBytes) return err(tooLarge(mostBytes));
  let left = mostBytes;
  return ok({
    names: new Set(found.keys()),
    written: Array.from(found.values(), (entry) => entry.written),
    read: (name) => {
      const entry = found.get(foldEntryName(name));
      if (!entry) return ok(undefined);
      const content = readEntry(bytes, entry, left, mostBytes);
      if (content.ok) left -= content.value.length;
      return content;
    },
    pour: async (name, take) => {
      const entry = found.get(foldEntryName(name));
      if (!entry) return ok('missing');
      const poured = await pourEntry(bytes, entry, { left, mostBytes }, take);
      if (poured.ok && poured.value === 'whole') left -= entry.bytes;
      return poured;
    },
  });
}

/** A name as used for lookups: lower case, with `/`, without a first slash. */
export function foldEntryName(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}

function readDirectory(bytes: Buffer): Result<Map<string, ZipEntry>, SheetProblem> {
  const end = findEnd(bytes);
  if (end === undefined) return err(damagedArchive(domainWords.problems.file.damage.noEnd));
  let count = bytes.readUInt16LE(end + 10);
  let offset = bytes.readUInt32LE(end + 16);
  const locator = end - ZIP64_LOCATOR_BYTES;
  if (locator >= 0 && bytes.readUInt32LE(locator) === ZIP64_LOCATOR_SIGNATURE) {
    const zip64End = readUInt64(bytes, locator + 8);
    if (bytes.readUInt32LE(zip64End) !== ZIP64_END_SIGNATURE)
      return err(damagedArchive(domainWords.problems.file.damage.noEnd));
    count = readUInt64(bytes, zip64End + 32);
    offset = readUInt64(bytes, zip64End + 48);
  }
  if (count > MOST_ENTRIES) return err(damagedArchive(domainWords.problems.file.damage.entries(count)));
  const entries = new Map<string, ZipEntry>();
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(offset) !== ENTRY_SIGNATURE)
      return err(damagedArchive(domainWords.problems.file.damage.directory));
    if (bytes.readUInt16LE(offset + 8) & 1) return err(encryptedArchive());
    const entry = readDirectoryEntry(bytes, offset);
    // Programs may differ in which of the two they read.
    if (entries.has(entry.name))
      return err(damagedArchive(domainWords.problems.file.damage.twice(quoteCell(entry.name))));
    entries.set(entry.name, entry);
    offset += ENTRY_BYTES + [28, 30, 32].reduce((sum, place) => sum + bytes.readUInt16LE(offset + place), 0);
  }
  return ok(entries);
}

function findEnd(bytes: Buffer): number | undefined {
  const last = bytes.length - END_BYTES;
  for (let offset = last; offset >= Math.max(0, last - LONGEST_COMMENT); offset--) {
    if (bytes.readUInt32LE(offset) === END_SIGNATURE) return offset;
  }
  return undefined;
}

function readDirectoryEntry(bytes: Buffer, start: number): ZipEntry {
  const nameEnd = start + ENTRY_BYTES + bytes.readUInt16LE(start + 28);
  const large = zip64Numbers(bytes.subarray(nameEnd, nameEnd + bytes.readUInt16LE(start + 30)));
  // Numbers that do not fit are in the extra field, in this order, and only those.
  const [size, packedBytes, offset] = [24, 20, 42].map((place) => {
    const value = bytes.readUInt32LE(start + place);
    return value === IN_ZIP64 ? (large.shift() ?? value) : value;
  });
  const written = bytes.toString('utf8', start + ENTRY_BYTES, nameEnd);
  return {
    name: foldEntryName(written),
    written,
    method: bytes.readUInt16LE(start + 10),
    crc: bytes.readUInt32LE(start + 16),
    packedBytes: packedBytes ?? 0,
    bytes: size ?? 0,
    offset: offset ?? 0,
  };
}

function zip64Numbers(extra: Buffer): number[] {
  for (let offset = 0; offset + 4 <= extra.length; offset += 4 + extra.readUInt16LE(offset + 2)) {
    if (extra.readUInt16LE(offset) !== 1) continue;
    const field = extra.subarray(offset + 4, offset + 4 + extra.readUInt16LE(offset + 2));
    return Array.from({ length: Math.floor(field.length / 8) }, (_, index) => readUInt64(field, index * 8));
  }
  return [];
}

function readUInt64(bytes: Buffer, offset: number): number {
  return Number(bytes.readBigUInt64LE(offset));
}

function readEntry(bytes: Buffer, entry: ZipEntry, left: number, mostBytes: number): Result<Buffer, SheetProblem> {
  const packed = packedBytes(bytes, entry);
  if (!packed.ok) return packed;
  const content = entry.method === STORED ? packed : inflate(entry.name, packed.value, left, mostBytes);
  if (!content.ok) return content;
  if (content.value.length > left) return err(tooLarge(mostBytes));
  if (content.value.length !== entry.bytes || crc32(content.value) !== entry.crc) return err(differs(entry));
  return content;
}

function packedBytes(
  bytes: Buffer,
  { name, offset, method, packedBytes: length }: ZipEntry,
): Result<Buffer, SheetProblem> {
  if (offset + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(offset) !== LOCAL_SIGNATURE) {
    return err(damagedArchive(domainWords.problems.file.damage.missing(name)));
  }
  const start = offset + LOCAL_BYTES + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const packed = bytes.subarray(start, start + length);
  if (packed.length !== length) return err(damagedArchive(domainWords.problems.file.damage.cutOff(name)));
  if (method === STORED || method === DEFLATED) return ok(packed);
  return err(damagedArchive(domainWords.problems.file.damage.compression(name)));
}

function inflate(name: string, packed: Buffer, left: number, mostBytes: number): Result<Buffer, SheetProblem> {
  try {
    return ok(inflateRawSync(packed, { maxOutputLength: Math.max(1, left) }));
  } catch (error) {
    return err(inflateProblem(name, error, mostBytes));
  }
}

/** Bytes passed on at once: few enough for a processor's cache, and enough to be worth a thread. */
const PIECE_BYTES = 256 * 1024;

async function pourEntry(
  bytes: Buffer,
  entry: ZipEntry,
  { left, mostBytes }: { readonly left: number; readonly mostBytes: number },
  take: TakeBytes,
): Promise<Result<Poured, SheetProblem>> {
  const packed = packedBytes(bytes, entry);
  if (!packed.ok) return packed;
  let length = 0;
  let crc = 0;
  try {
    for await (const piece of entry.method === STORED ? [packed.value] : inflatePieces(packed.value)) {
      length += piece.length;
      if (length > left) return err(tooLarge(mostBytes));
      crc = crc32(piece, crc);
      if (!take(piece)) return ok('stopped');
    }
  } catch (error) {
    return err(inflateProblem(entry.name, error, mostBytes));
  }
  return length === entry.bytes && crc === entry.crc ? ok('whole') : err(differs(entry));
}

function inflatePieces(packed: Buffer): AsyncIterable<Buffer> {
  const stream = createInflateRaw({ chunkSize: PIECE_BYTES });
  stream.end(packed);
  return stream;
}

function inflateProblem(name: string, error: unknown, mostBytes: number): SheetProblem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(mostBytes);
  if (code.startsWith('Z_')) return damagedArchive(domainWords.problems.file.damage.packed(name));
  throw error;
}

function differs({ name }: ZipEntry): SheetProblem {
  return damagedArchive(domainWords.problems.file.damage.differs(name));
}

/** The problem of a workbook with a damaged file. */
export function damagedArchive(how: string): SheetProblem {
  return {
    severity: 'error',
    code: 'unreadable',
    ...domainWords.problems.file.damaged(how),
  };
}

function tooLarge(mostBytes: number): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    ...domainWords.problems.file.unpackedTooLarge(mostBytes / 1024 / 1024),
  };
}

function encryptedArchive(): SheetProblem {
  return {
    severity: 'error',
    code: 'encrypted',
    ...domainWords.problems.file.password.file,
  };
}
