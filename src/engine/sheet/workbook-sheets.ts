import { quoteCell } from '../../shared/domain/cell-value.ts';
import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import { damagedArchive } from './zip-archive.ts';

/** A sheet as the workbook lists it. */
export interface ListedSheet {
  readonly name: string;
  readonly isHidden: boolean;
}

/**
 * The sheet of this name, however its letters are written; without a name the first one that is visible. The problem
 * names the sheets that there are.
 */
export function chooseSheet<S extends ListedSheet>(
  sheets: readonly S[],
  wanted: string | undefined,
): Result<S, SheetProblem> {
  const sheet =
    wanted === undefined
      ? (sheets.find((one) => !one.isHidden) ?? sheets[0])
      : (sheets.find((one) => one.name === wanted) ?? sheets.find((one) => fold(one.name) === fold(wanted)));
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
