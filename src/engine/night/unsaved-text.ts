import { visibleLine } from '../../shared/domain/base/visible-text.ts';
import type { Unsaved } from './unsaved.ts';

/** Rows that are named one by one. */
const NAMED = 20;

/** What could not be saved at the end of a night and what that means, as lines for the user; none where all was. */
export function unsavedText(unsaved: readonly Unsaved[]): readonly string[] {
  if (unsaved.length === 0) return [];
  const submits = unsaved.filter(({ kind }) => kind === 'submit');
  const others = unsaved.length - submits.length;
  const lines = submits.slice(0, NAMED).map(({ row, take, taskCode }) => {
    const which = `Row ${visibleLine(row, 60)}, take ${take}`;
    return taskCode === undefined
      ? `${which}: its paid request has no answer that is saved. Next time it is shown as “outcome unknown”.`
      : `${which}: the gateway accepted it. Next time it is shown as “outcome unknown”: adopt task code ${visibleLine(taskCode, 300)}.`;
  });
  if (submits.length > NAMED) lines.push(`And ${submits.length - NAMED} more paid requests, likewise.`);
  if (others > 0) {
    lines.push(
      `${others} ${others === 1 ? 'result is' : 'results are'} asked for again next time; nothing of it is lost.`,
    );
  }
  return ['Not everything could be saved before Nocturne closed. Nothing is sent twice because of it.', ...lines];
}
