import { FAMILIES, type Family } from '../../operations/operations.ts';
import type { ForetoldPicture } from './forecast-record.ts';
import type { Stay } from './simulate-night.ts';

/** As many parts as a card, or a line of a terminal, can show. */
export const PICTURE_PARTS = 48;

/** Draws a night from when something was at the gateway. */
export function drawNight(
  stays: readonly Stay[],
  night: {
    readonly from: number;
    readonly to: number;
    readonly places: Readonly<Record<Family, number>>;
    readonly open: (at: number) => number;
  },
): ForetoldPicture {
  const { from, to, places, open } = night;
  const partMs = Math.max(1, to - from) / PICTURE_PARTS;
  const busyMs = new Map<Family, number[]>();
  for (const stay of stays) {
    const parts = busyMs.get(stay.family) ?? Array.from({ length: PICTURE_PARTS }, () => 0);
    busyMs.set(stay.family, parts);
    const first = Math.max(0, Math.floor((stay.from - from) / partMs));
    const last = Math.min(PICTURE_PARTS - 1, Math.floor((stay.to - from) / partMs));
    for (let part = first; part <= last; part += 1) {
      const begins = from + part * partMs;
      const overlap = Math.min(stay.to, begins + partMs) - Math.max(stay.from, begins);
      parts[part] = (parts[part] ?? 0) + Math.max(0, overlap);
    }
  }
  return {
    from,
    to,
    open: Array.from({ length: PICTURE_PARTS }, (_, part) => open(from + part * partMs) < from + (part + 1) * partMs),
    families: FAMILIES.flatMap((family) => {
      const parts = busyMs.get(family);
      return parts === undefined
        ? []
        : [{ family, busy: parts.map((ms) => Math.min(1, ms / (partMs * places[family]))) }];
    }),
  };
}
