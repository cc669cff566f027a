import type { RouteInput } from '../../shared/ipc/contract.ts';
import type { ColumnView, SheetView } from '../../shared/ipc/opening.ts';

/** How an opened sheet is understood, as the user may change it. */
export type SheetUnderstanding = Omit<RouteInput<'sheet.interpret'>, 'sheetId'>;

/** How it is understood now. Only what the user said is said again: the rest is found out anew. */
export function understandingOf(sheet: SheetView): SheetUnderstanding {
  const { columns, defaultOperation, corrections, variables, choices } = sheet;
  const said = columns.filter(({ how }) => how === 'chosen' || how === 'ignored');
  return {
    mapping: Object.fromEntries(said.map(({ header, column }) => [header, column])),
    ...(defaultOperation === undefined ? {} : { defaultOperation }),
    ...(corrections === undefined ? {} : { corrections }),
    variables: Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== '')),
    choices,
  };
}

/** One text that is read instead of another in every row. */
export interface Correction {
  readonly header: string;
  readonly written: string;
  readonly instead: string;
}

/** What is read instead of what cells say. */
export function correctionsOf({ corrections = {} }: Pick<SheetView, 'corrections'>): readonly Correction[] {
  return Object.entries(corrections).flatMap(([header, texts]) =>
    Object.entries(texts).map(([written, instead]) => ({ header, written, instead })),
  );
}

/** The corrections with one more, in place of an earlier one of the same text. */
export function withCorrection(sheet: SheetView, { header, written, instead }: Correction) {
  const { corrections = {} } = sheet;
  return { ...corrections, [header]: { ...corrections[header], [written]: instead } };
}

/** The corrections without one of them. */
export function withoutCorrection(sheet: SheetView, { header, written }: Correction) {
  const { [written]: _, ...others } = sheet.corrections?.[header] ?? {};
  const { [header]: __, ...headers } = sheet.corrections ?? {};
  return Object.keys(others).length === 0 ? headers : { ...headers, [header]: others };
}

/** True for a header that was taken for something that its user has not said. */
export function isToBeConfirmed({ how }: ColumnView): boolean {
  return how === 'alike' || how === 'synonym';
}

/** The mapping with everything confirmed that was only taken for something. */
export function confirmedMapping(sheet: SheetView): SheetUnderstanding['mapping'] {
  const taken = sheet.columns.filter(isToBeConfirmed).map(({ header, column }) => [header, column] as const);
  return { ...understandingOf(sheet).mapping, ...Object.fromEntries(taken) };
}

/** What of a sheet its user should look at before it runs; empty where all of it is plain. */
export function openQuestions(
  sheet: SheetView,
): readonly ('operation' | 'columns' | 'variables' | 'lists' | 'choices')[] {
  const { columns, needsOperation, variables, lists, choiceCells } = sheet;
  const isUnsure = columns.some((column) => isToBeConfirmed(column) || isLikelyMisspelt(column));
  return [
    ...(needsOperation ? (['operation'] as const) : []),
    ...(isUnsure ? (['columns'] as const) : []),
    ...(Object.values(variables).includes('') ? (['variables'] as const) : []),
    ...(lists.some(({ isThere }) => !isThere) ? (['lists'] as const) : []),
    ...(choiceCells > 0 ? (['choices'] as const) : []),
  ];
}

/** Unknown headers are mostly the user's own; one that is near to one of ours may be a mistake. */
function isLikelyMisspelt({ how, suggestions }: ColumnView): boolean {
  return how === 'unknown' && suggestions.length > 0;
}
