import { quoteCell } from '../../../../shared/domain/cells/cell-value.ts';
import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';
import { damagedArchive } from '../zip/zip-archive.ts';

/** A sheet as the workbook lists it. */
export interface ListedSheet {
  readonly name: string;
  readonly isHidden: boolean;
}

/**
 * How well a sheet matches, 0 for not at all: by its name in any letter case, or by being visible if no name is given.
 * The first of the best matches is chosen.
 */
export function sheetRank(sheet: ListedSheet, wanted: string | undefined): number {
  if (wanted === undefined) return sheet.isHidden ? 1 : 2;
  if (sheet.name === wanted) return 2;
  return fold(sheet.name) === fold(wanted) ? 1 : 0;
}

/**
 * The sheets to search for content, in this order: the named one, or else the visible ones, because people leave an
 * empty sheet before the one that they use.
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

/** The best matching sheet; the problem lists the existing sheets. */
function chooseSheet<S extends ListedSheet>(sheets: readonly S[], wanted: string | undefined): Result<S, SheetProblem> {
  const ranked = (rank: number): S | undefined => sheets.find((sheet) => sheetRank(sheet, wanted) === rank);
  const sheet = ranked(2) ?? ranked(1);
  if (sheet) return ok(sheet);
  if (wanted === undefined) return err(damagedArchive(domainWords.problems.file.damage.noSheet));
  return err({
    severity: 'error',
    code: 'unreadable',
    ...domainWords.problems.file.noSuchSheet(
      quoteCell(wanted),
      sheets.map((one) => quoteCell(one.name)),
    ),
  });
}

function fold(name: string): string {
  return name.trim().toLowerCase();
}

/** The sheets to choose from: the visible ones, in their order. */
export function visibleNames(sheets: readonly ListedSheet[]): readonly string[] {
  return sheets.filter((sheet) => !sheet.isHidden).map((sheet) => sheet.name);
}

/** Reports that there are more sheets than the one that was read, if nobody chose it. */
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
      ...domainWords.problems.file.otherSheets(
        quoteCell(read.name),
        others.map((one) => quoteCell(one.name)),
      ),
    },
  ];
}
