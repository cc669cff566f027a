import { quoteCell } from '../../../../shared/domain/cells/cell-value.ts';
import { err, ok } from '../../../../shared/domain/base/result.ts';
import type { Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { damagedArchive } from '../zip/zip-archive.ts';

/** A sheet as the workbook lists it. */
export interface ListedSheet {
  readonly name: string;
  readonly isHidden: boolean;
}

/**
 * How much a sheet is wanted, 0 for not at all: by its name, however its letters are written, or for being visible where
 * no name is given. The first one of those that are wanted most is the one.
 */
export function sheetRank(sheet: ListedSheet, wanted: string | undefined): number {
  if (wanted === undefined) return sheet.isHidden ? 1 : 2;
  if (sheet.name === wanted) return 2;
  return fold(sheet.name) === fold(wanted) ? 1 : 0;
}

/**
 * The sheets to look into for something to read, the first of them first: the one that is wanted, or where nobody names
 * one, those that are visible, because people leave an empty sheet in front of the one that they mean.
 */
export function sheetsToRead<S extends ListedSheet>(
  sheets: readonly S[],
  wanted: string | undefined,
): Result<readonly [S, ...S[]], SheetProblem> {
  const chosen = chooseSheet(sheets, wanted);
  if (!chosen.ok) return chosen;
  const first = chosen.value;
  if (wanted !== undefined) return ok([first]);
  return ok([first, ...sheets.filter((sheet) => sheet !== first && !sheet.isHidden)]);
}

/** The sheet that is wanted most; the problem names the sheets that there are. */
function chooseSheet<S extends ListedSheet>(sheets: readonly S[], wanted: string | undefined): Result<S, SheetProblem> {
  const ranked = (rank: number): S | undefined => sheets.find((sheet) => sheetRank(sheet, wanted) === rank);
  const sheet = ranked(2) ?? ranked(1);
  if (sheet) return ok(sheet);
  if (wanted === undefined) return err(damagedArchive('it has no sheet'));
  return err({
    severity: 'error',
    code: 'unreadable',
    message: `The workbook has no sheet ${quoteCell(wanted)}.`,
    remedy: `Its sheets are ${sheets.map((one) => quoteCell(one.name)).join(', ')}.`,
  });
}

function fold(name: string): string {
  return name.trim().toLowerCase();
}

/** The sheets that one can choose between: those that the workbook shows, in their order. */
export function visibleNames(sheets: readonly ListedSheet[]): readonly string[] {
  return sheets.filter((sheet) => !sheet.isHidden).map((sheet) => sheet.name);
}

/** Says that there are more sheets than the one that was read, where nobody chose it. */
export function otherSheets(
  sheets: readonly ListedSheet[],
  read: ListedSheet,
  wanted: string | undefined,
): SheetProblem[] {
  const others = sheets.filter((sheet) => sheet !== read && !sheet.isHidden);
  if (wanted !== undefined || others.length === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'other-sheets',
      message: `Only the sheet ${quoteCell(read.name)} is read; the workbook also has ${others.map((one) => quoteCell(one.name)).join(', ')}.`,
      remedy: 'If another one is meant, make it the first one or choose it by its name.',
    },
  ];
}
