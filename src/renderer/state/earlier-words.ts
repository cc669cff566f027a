import type { SheetView } from '../../shared/ipc/views.ts';
import { countOf } from '../format/numbers.ts';
import { formatDayAndClock } from '../format/times.ts';
import { visibleLine } from '../format/visible-text.ts';

/** What is said of a batch that was made of the same file before. A rehearsal costs nothing, so nothing is paid again. */
export function earlierWords(
  { name, createdAt, rehearsal }: NonNullable<SheetView['earlier']>,
  submits: number,
  timeZone?: string,
): { readonly title: string; readonly text: string } {
  const as = `before as ${visibleLine(name)} on ${formatDayAndClock(createdAt, timeZone)}.`;
  if (rehearsal) return { title: `Rehearsed ${as}`, text: 'Nothing was paid for that.' };
  return {
    title: `Imported ${as}`,
    text: `Starting it on your gateway renders and pays for ${countOf(submits, 'paid request')} again.`,
  };
}
