import { present } from '../../../shared/domain/base/result.ts';
import type { RouteInput } from '../../../shared/ipc/contract.ts';
import type { ColumnView, SheetBeginning, SheetView } from '../../../shared/ipc/opening.ts';

/** How Nocturne interprets an opened sheet, as far as the user can change it. */
export type SheetUnderstanding = Omit<RouteInput<'sheet.interpret'>, 'sheetId'>;

/** Whether all of a sheet is known, and not only its beginning. */
export function isWhole(sheet: SheetBeginning | SheetView): sheet is SheetView {
  return 'rowCount' in sheet;
}

/** The current interpretation. It contains only what the user said: everything else is recognised again. */
export function understandingOf(sheet: SheetBeginning): SheetUnderstanding {
  const { columns, defaultOperation, corrections, variables, choices, accounts } = sheet;
  const said = columns.filter(({ how }) => how === 'chosen' || how === 'ignored');
  return {
    mapping: Object.fromEntries(said.map(({ header, column }) => [header, column])),
    ...(defaultOperation === undefined ? {} : { defaultOperation }),
    ...(corrections === undefined ? {} : { corrections }),
    ...(accounts === undefined ? {} : { accounts }),
    variables: Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== '')),
    choices,
    ...(isWhole(sheet) && sheet.ignored.length > 0
      ? { ignored: sheet.ignored.map(({ code, column }) => present({ code, column })) }
      : {}),
  };
}

/** The present interpretation with everything that was said earlier; what was not said then stays as it is now. */
export function withUnderstanding(now: SheetUnderstanding, said: SheetUnderstanding): SheetUnderstanding {
  const corrections = Object.fromEntries(
    Object.keys({ ...now.corrections, ...said.corrections }).map((header) => [
      header,
      { ...now.corrections?.[header], ...said.corrections?.[header] },
    ]),
  );
  return {
    ...now,
    ...said,
    mapping: { ...now.mapping, ...said.mapping },
    ...(Object.keys(corrections).length === 0 ? {} : { corrections }),
    variables: { ...now.variables, ...said.variables },
  };
}

/** What was said, as far as it is about a sheet with these headers. */
export function understandingFor(headers: readonly string[], said: SheetUnderstanding): SheetUnderstanding {
  const ofThese = <T>(by: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(by).filter(([header]) => headers.includes(header)));
  const { mapping, corrections, ...others } = said;
  return {
    ...others,
    mapping: ofThese(mapping),
    ...(corrections === undefined ? {} : { corrections: ofThese(corrections) }),
  };
}

/** One text, and the text that replaces it in every row. */
export interface Correction {
  readonly header: string;
  readonly written: string;
  readonly instead: string;
}

/** The user's corrections of cell texts. */
export function correctionsOf({ corrections = {} }: Pick<SheetView, 'corrections'>): readonly Correction[] {
  return Object.entries(corrections).flatMap(([header, texts]) =>
    Object.entries(texts).map(([written, instead]) => ({ header, written, instead })),
  );
}

/** The corrections plus some, each of which replaces an earlier one of the same text. */
export function withCorrections(
  more: readonly Correction[],
  { corrections = {} }: Pick<SheetBeginning, 'corrections'> = {},
): NonNullable<SheetBeginning['corrections']> {
  const all = new Map(Object.entries(corrections).map(([header, texts]) => [header, new Map(Object.entries(texts))]));
  for (const { header, written, instead } of more) {
    const texts = all.get(header) ?? new Map<string, string>();
    all.set(header, texts.set(written, instead));
  }
  return Object.fromEntries(Array.from(all, ([header, texts]) => [header, Object.fromEntries(texts)]));
}

/** The corrections without one of them. */
export function withoutCorrection(sheet: SheetBeginning, { header, written }: Correction) {
  const { [written]: _, ...others } = sheet.corrections?.[header] ?? {};
  const { [header]: __, ...headers } = sheet.corrections ?? {};
  return Object.keys(others).length === 0 ? headers : { ...headers, [header]: others };
}

/** True for a header that Nocturne mapped without the user's word. */
export function isToBeConfirmed({ how }: ColumnView): boolean {
  return how === 'alike' || how === 'synonym';
}

/** The mapping, with everything confirmed that Nocturne mapped by itself. */
export function confirmedMapping(sheet: SheetBeginning): SheetUnderstanding['mapping'] {
  const taken = sheet.columns.filter(isToBeConfirmed).map(({ header, column }) => [header, column] as const);
  return { ...understandingOf(sheet).mapping, ...Object.fromEntries(taken) };
}

/** What the user should look at before the sheet runs; empty if everything is clear. */
export function openQuestions(
  sheet: SheetBeginning | SheetView,
): readonly ('operation' | 'columns' | 'variables' | 'lists' | 'choices')[] {
  const { columns, needsOperation, variables, lists } = sheet;
  const isUnsure = columns.some((column) => isToBeConfirmed(column) || mayBeMeant(column));
  return [
    ...(needsOperation ? (['operation'] as const) : []),
    ...(isUnsure ? (['columns'] as const) : []),
    ...(Object.values(variables).includes('') ? (['variables'] as const) : []),
    ...(lists.some(({ isThere }) => !isThere) ? (['lists'] as const) : []),
    ...(isWhole(sheet) && sheet.choiceCells > 0 ? (['choices'] as const) : []),
  ];
}

/** Most unknown headers are the user's own; one that is close to one of ours, or often means it, may be meant for it. */
export function mayBeMeant({ how, suggestions }: ColumnView): boolean {
  return how === 'unknown' && suggestions.length > 0;
}
