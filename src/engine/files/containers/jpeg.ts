import { STRETCH_BYTES } from './byte-source.ts';
import type { ByteSource } from './byte-source.ts';
import { broken, whole } from './container-check.ts';
import type { ContainerCheck } from './container-check.ts';

const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const START_OF_IMAGE_BYTES = 2;

/** Start-of-frame markers: C0 to CF without the tables (C4, C8, CC) among them. */
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
  for (;;) {
    const head = await source.read(position, 4);
    if (head.length < 2) return broken('jpeg', 'is cut off before its end marker');
    if (head[0] !== 0xff) return broken('jpeg', `is damaged at byte ${position}`);
    const marker = head[1] ?? 0;
    if (marker === 0xff) {
      position += 1;
    } else if (marker === END_OF_IMAGE) {
      return sawFrame && sawScan ? whole('jpeg') : broken('jpeg', 'has no picture in it');
    } else if (standsAlone(marker)) {
      position += 2;
    } else {
      if (head.length < 4) return broken('jpeg', 'is cut off before its end marker');
      const length = head.readUInt16BE(2);
      if (length < 2) return broken('jpeg', `has a damaged segment at byte ${position}`);
      position += 2 + length;
      sawFrame ||= isStartOfFrame(marker);
      if (marker === START_OF_SCAN) {
        sawScan = true;
        const next = await endOfScan(source, position);
        if (next === undefined) return broken('jpeg', 'is cut off inside its picture');
        position = next;
      }
    }
  }
}

/** The place of the first marker after entropy-coded data; undefined when there is none. */
async function endOfScan(source: ByteSource, from: number): Promise<number | undefined> {
  let position = from;
  while (position < source.size) {
    const stretch = await source.read(position, STRETCH_BYTES);
    let at = stretch.indexOf(0xff);
    while (at >= 0 && at + 1 < stretch.length) {
      const next = stretch[at + 1] ?? 0;
      // FF00 is a stuffed byte, D0 to D7 restart the decoder, FF is padding before a marker.
      if (next !== 0x00 && next !== 0xff && !standsAlone(next)) return position + at;
      at = stretch.indexOf(0xff, next === 0xff ? at + 1 : at + 2);
    }
    // An FF in the last place is looked at again together with the byte after it.
    const step = at >= 0 ? at : stretch.length;
    if (step === 0) return undefined;
    position += step;
  }
  return undefined;
}
