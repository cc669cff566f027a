import { reason } from '../../../shared/domain/base/reason.ts';
import { type ByteSource, broken, MAX_PIECES, TOO_MANY_PIECES, whole, type ContainerCheck } from './container-check.ts';

/** Element ids. Source: RFC 8794 (EBML) and RFC 9559 (Matroska), 5. */
const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  cluster: 0x1f43b675,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  seekHead: 0x114d9b74,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  cues: 0x1c53bb6b,
  chapters: 0x1043a770,
  tags: 0x1254c367,
  attachments: 0x1941a469,
} as const;

/** Elements of a segment: a cluster of unknown length ends where one of them begins. */
const SEGMENT_CHILDREN: ReadonlySet<number> = new Set([
  ID.cluster,
  ID.tracks,
  ID.seekHead,
  ID.info,
  ID.cues,
  ID.chapters,
  ID.tags,
  ID.attachments,
]);

const VIDEO_TRACK = 1;
/** The longest id plus the longest length. */
const HEAD_BYTES = 12;
/** Headers are small; a longer one is rejected unread. */
const MAX_HEADER_BYTES = 1 << 20;

interface Element {
  readonly id: number;
  readonly bodyAt: number;
  /** Undefined if known only after walking the element. */
  readonly end: number | undefined;
}

async function readElement(source: ByteSource, position: number): Promise<Element | undefined> {
  return elementIn(await source.read(position, HEAD_BYTES), position);
}

/** Reads an id and a length; undefined if they are cut off or not valid numbers. */
function elementIn(head: Buffer, position: number): Element | undefined {
  const idBytes = Math.clz32((head[0] ?? 0) << 24) + 1;
  if (idBytes > 4 || head.length < idBytes + 1) return undefined;
  const sizeBytes = Math.clz32((head[idBytes] ?? 0) << 24) + 1;
  if (sizeBytes > 8 || head.length < idBytes + sizeBytes) return undefined;
  let size = (head[idBytes] ?? 0) & ((1 << (8 - sizeBytes)) - 1);
  let isUnknown = size === (1 << (8 - sizeBytes)) - 1;
  for (let at = idBytes + 1; at < idBytes + sizeBytes; at += 1) {
    const byte = head[at] ?? 0;
    size = size * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  const bodyAt = position + idBytes + sizeBytes;
  return { id: head.readUIntBE(0, idBytes), bodyAt, end: isUnknown ? undefined : bodyAt + size };
}

/** Walks the segment down to its blocks. A recording of unknown length is walked to the end of the file. */
export async function checkWebm(source: ByteSource): Promise<ContainerCheck | undefined> {
  const ebml = await readElement(source, 0);
  if (ebml?.end === undefined || ebml.end - ebml.bodyAt > MAX_HEADER_BYTES) return undefined;
  if (ebml.end > source.size) return broken('webm', reason('media.cutHeader'));
  const docType = await findText(source, ebml);
  if (docType !== 'webm') return undefined;

  const segment = await readElement(source, ebml.end);
  if (segment?.id !== ID.segment) return broken('webm', reason('media.cutHeader'));
  const isOpen = segment.end === undefined;
  const end = segment.end ?? source.size;
  if (end > source.size) return broken('webm', reason('media.cutBytes', end, source.size));
  return walkSegment(source, segment.bodyAt, end, isOpen);
}

async function walkSegment(source: ByteSource, from: number, end: number, isOpen: boolean): Promise<ContainerCheck> {
  let position = from;
  let hasVideo = false;
  let hasTracks = false;
  let clusters = 0;
  let seconds: number | undefined;
  let isInsideCluster = false;
  for (let pieces = 0; position < end; pieces += 1) {
    const head = source.held(position, HEAD_BYTES) ?? (await source.read(position, HEAD_BYTES));
    const element = elementIn(head, position);
    const type = hasTracks && !hasVideo ? 'weba' : 'webm';
    if (element === undefined) return broken(type, reason('media.cutElements'));
    if (pieces === MAX_PIECES) return broken(type, TOO_MANY_PIECES);
    const isChild = SEGMENT_CHILDREN.has(element.id);
    if (isChild) isInsideCluster = false;
    if (element.end === undefined) {
      // Only a cluster may leave its length open; its children follow, each with its own length.
      if (element.id !== ID.cluster) return broken(type, reason('media.damagedAt', position));
      isInsideCluster = true;
      position = element.bodyAt;
    } else {
      if (element.end > end) return broken(type, reason('media.cutLastElement'));
      // Both may be repeated, and then say the same: reading each of millions would take longer than anybody waits.
      if (element.id === ID.info) seconds ??= await secondsIn(source, element.bodyAt, element.end);
      if (element.id === ID.tracks && !hasTracks) {
        hasTracks = true;
        hasVideo = await hasVideoTrack(source, element.bodyAt, element.end);
      }
      position = element.end;
    }
    if (element.id === ID.cluster) clusters += 1;
    else if (!isChild && !isInsideCluster && element.id > 0xff)
      return broken(type, reason('media.damagedAt', element.bodyAt));
  }
  const type = hasTracks && !hasVideo ? 'weba' : 'webm';
  if (!hasTracks || clusters === 0) return broken(type, reason('media.cutFirstPicture'));
  return whole(type, !isOpen, seconds);
}

async function findText(source: ByteSource, parent: Element): Promise<string | undefined> {
  let position = parent.bodyAt;
  while (position < (parent.end ?? 0)) {
    const element = await readElement(source, position);
    if (element?.end === undefined) return undefined;
    if (element.id === ID.docType && element.end - element.bodyAt < 64) {
      return (await source.read(element.bodyAt, element.end - element.bodyAt)).toString('latin1').replace(/\0+$/u, '');
    }
    position = element.end;
  }
  return undefined;
}

/** How long it plays, according to its header; 0 if the header does not say. Source: RFC 9559, 5.1.2. */
async function secondsIn(source: ByteSource, from: number, end: number): Promise<number> {
  let [scale, duration] = [1_000_000, 0];
  if (end - from > MAX_HEADER_BYTES) return 0;
  for (let position = from; position < end;) {
    const element = elementIn(source.held(position, HEAD_BYTES) ?? (await source.read(position, HEAD_BYTES)), position);
    if (element?.end === undefined || element.end > end) return 0;
    const bytes = element.end - element.bodyAt;
    if (element.id === ID.timestampScale && bytes >= 1 && bytes <= 6) {
      scale = (await source.read(element.bodyAt, bytes)).readUIntBE(0, bytes);
    }
    if (element.id === ID.duration && (bytes === 4 || bytes === 8)) {
      const body = await source.read(element.bodyAt, bytes);
      duration = bytes === 4 ? body.readFloatBE(0) : body.readDoubleBE(0);
    }
    position = element.end;
  }
  return (duration * scale) / 1e9;
}

async function hasVideoTrack(source: ByteSource, from: number, end: number): Promise<boolean> {
  let position = from;
  for (let pieces = 0; position < end && pieces < MAX_PIECES; pieces += 1) {
    const head = source.held(position, HEAD_BYTES) ?? (await source.read(position, HEAD_BYTES));
    const element = elementIn(head, position);
    if (element?.end === undefined) return false;
    if (element.id === ID.trackEntry) {
      // A track entry is entered, so that its type is found among its children.
      position = element.bodyAt;
    } else {
      if (element.id === ID.trackType && (await source.read(element.bodyAt, 1))[0] === VIDEO_TRACK) return true;
      position = element.end;
    }
  }
  return false;
}
