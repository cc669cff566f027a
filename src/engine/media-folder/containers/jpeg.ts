import { reason } from '../../../shared/domain/base/reason.ts';
import { type ByteSource, broken, TOO_MANY_PIECES, whole, type ContainerCheck } from './container-check.ts';

const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const START_OF_IMAGE_BYTES = 2;
/** Segments before and between scans: a dozen in most pictures, a few thousand if a profile comes in parts. */
const MAX_SEGMENTS = 100_000;

/** Start-of-frame markers: C0 to CF, except the tables (C4, C8, CC). */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Markers without a length: TEM and the restart markers. */
function standsAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

/** Walks the segments and the scans up to the end-of-image marker. Source: JPEG (ITU-T T.81), annex B. */
export async function checkJpeg(source: ByteSource): Promise<ContainerCheck> {
  let position = START_OF_IMAGE_BYTES;
  let sawFrame = false;
  let sawScan = false;
  for (let segments = 0; ; segments += 1) {
    if (segments > MAX_SEGMENTS) return broken('jpeg', TOO_MANY_PIECES);
    const head = source.held(position, 4) ?? (await source.read(position, 4));
    if (head.length < 2) return broken('jpeg', reason('media.cutEndMarker'));
    if (head[0] !== 0xff) return broken('jpeg', reason('media.damagedAt', position));
    const marker = head[1] ?? 0;
    if (marker === 0xff) {
      position = await lastOfPadding(source, position);
    } else if (marker === END_OF_IMAGE) {
      return sawFrame && sawScan ? whole('jpeg') : broken('jpeg', reason('media.noPicture'));
    } else if (standsAlone(marker)) {
      position += 2;
    } else {
      if (head.length < 4) return broken('jpeg', reason('media.cutEndMarker'));
      const length = head.readUInt16BE(2);
      if (length < 2) return broken('jpeg', reason('media.damagedSegment', position));
      position += 2 + length;
      sawFrame ||= isStartOfFrame(marker);
      if (marker === START_OF_SCAN) {
        sawScan = true;
        const next = await endOfScan(source, position);
        if (next === undefined) return broken('jpeg', reason('media.cutPicture'));
        position = next;
      }
    }
  }
}

/** The position of the last FF in a run: any number of them may precede a marker. */
async function lastOfPadding(source: ByteSource, from: number): Promise<number> {
  let position = from;
  for (;;) {
    const stretch = await source.stretch(position);
    let run = 0;
    while (run < stretch.length && stretch[run] === 0xff) run += 1;
    position += run;
    if (run < stretch.length || stretch.length === 0) return position - 1;
  }
}

/** The position of the first marker after entropy-coded data; undefined if there is none. */
async function endOfScan(source: ByteSource, from: number): Promise<number | undefined> {
  let position = from;
  while (position < source.size) {
    const stretch = await source.stretch(position);
    let at = stretch.indexOf(0xff);
    while (at >= 0 && at + 1 < stretch.length) {
      const next = stretch[at + 1] ?? 0;
      // FF00 is a stuffed byte, D0 to D7 restart the decoder, FF is padding before a marker.
      if (next !== 0x00 && next !== 0xff && !standsAlone(next)) return position + at;
      at = stretch.indexOf(0xff, next === 0xff ? at + 1 : at + 2);
    }
    // An FF in the last position is read again together with the byte after it.
    const step = at >= 0 ? at : stretch.length;
    if (step === 0) return undefined;
    position += step;
  }
  return undefined;
}
