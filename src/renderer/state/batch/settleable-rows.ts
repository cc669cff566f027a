import type { RowFilter } from '../../../shared/ipc/rows.ts';

/**
 * The rows that a bulk decision is about: those unknown in a selection of several, else all while nothing but unknown
 * rows is shown. Never more than the user sees: another filter beside that one leaves only the selection.
 */
export function settleableRows(
  { status, operation, text }: RowFilter,
  unknownChosen: readonly number[],
): readonly number[] | 'all' | undefined {
  if (unknownChosen.length > 0) return unknownChosen;
  const showsUnknown = status?.length === 1 && status[0] === 'submit-unknown';
  return showsUnknown && operation === undefined && text === undefined ? 'all' : undefined;
}
