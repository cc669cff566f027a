import { countText } from '../../shared/domain/base/text.ts';
import path from 'node:path';
import { loadSheet } from '../../engine/index.ts';
import { describeColumns } from '../../shared/domain/sheet/describe-columns.ts';
import { operationOf, OPERATIONS } from '../../shared/domain/operations/operations.ts';
import { present } from '../../shared/domain/base/result.ts';
import { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { DEFAULT_PROFILE } from '../../shared/domain/gateway/profile.ts';
import { runnableRows, type CheckedSheet, costsOf, costText } from '../../shared/domain/sheet/row.ts';
import { noOperationWords } from '../../shared/domain/sheet/problems.ts';
import type { Console } from '../console.ts';
import { count, matchesApart, problemTexts } from '../describe.ts';
import { EXIT, type ExitCode } from '../ending.ts';
import { filesPlaceOf, sayFiles, withFilesOf, type FilesPlaceOptions } from '../files-place/given-place.ts';
import { readKey, readProfile, sheetReading } from '../given.ts';
import type { MeaningOptions, SheetOptions } from '../options/common-options.ts';
import { sheetMeaning } from '../sheet-meaning.ts';

export interface CheckCommandOptions extends SheetOptions, MeaningOptions, FilesPlaceOptions {
  readonly profile?: string;
  readonly account?: readonly string[];
}

/** Reads a sheet and prints everything that is wrong with it; sends nothing. */
export async function checkCommand(
  console: Console,
  sheetFile: string,
  options: CheckCommandOptions,
): Promise<ExitCode> {
  // A profile that cannot be used would stop a run as surely as an invalid sheet.
  const { prices } = options.profile === undefined ? DEFAULT_PROFILE : readProfile(options.profile);
  const meaning = await sheetMeaning(console, options);
  const key = readKey(undefined);
  const keyFinder = new KeyFinder(key === undefined ? [] : [key]);
  console.hideKeys(keyFinder);
  const sheetPath = path.resolve(sheetFile);
  const place = filesPlaceOf(options);
  const loaded = await loadSheet(sheetPath, {
    ...sheetReading(options),
    ...meaning,
    prices,
    keyFinder,
    // Given as for a run, but only the names matter here.
    ...present({ accounts: options.account?.map((text) => text.replace(/=.*$/su, '')) }),
    putsFiles: place !== undefined,
  });
  const { sheet, files } = await withFilesOf(loaded, sheetPath, place);
  const running = runnableRows(sheet);
  const costs = costsOf(running, prices);
  const errors = sheet.problems.filter((problem) => problem.severity === 'error').length;
  const plan = runnable(sheet);
  console.document({
    sheet: sheetPath,
    rows: sheet.rows.length,
    runnableRows: plan.rows,
    submits: plan.submits,
    ...costs,
    columns: describeColumns(sheet.headers, meaning.mapping),
    errors,
    warnings: sheet.problems.length - errors,
    problems: sheet.problems,
    ...(place === undefined ? {} : { localFiles: files }),
  });
  const { matched, rest: wrong } = matchesApart(sheet, meaning.mapping);
  for (const line of matched) console.line(line);
  for (const { severity, text } of problemTexts(wrong, sheet)) {
    if (severity === 'error') console.problem(text);
    else console.line(text);
  }
  if (sheet.problems.some(({ code }) => code === 'header-matched')) {
    console.line('Change the mapping of a header with: --map "HEADER=COLUMN" (nothing after = leaves it out)');
  }
  console.line(
    `${rowWords(sheet)}, ${countText(plan.rows)} can run with ${count(plan.submits, 'paid request')}; ` +
      `${count(errors, 'error')}, ${count(wrong.length - errors, 'warning')}`,
  );
  sayFiles(console, { files }, place);
  if (costs.costs.length > 0) {
    const rest = costs.takesWithoutPrice;
    console.line(
      `By the profile’s prices: ${costText(costs)}${rest > 0 ? `, and ${count(rest, 'paid request')} without a price` : ''}`,
    );
  }
  for (const { short, path: operation } of OPERATIONS) {
    const rows = running.filter((row) => row.operation === operation).length;
    if (rows > 0) console.line(`  ${short.padEnd(14)} ${count(rows, 'row')}  (${operationOf(operation).title})`);
  }
  return errors > 0 ? EXIT.usage : EXIT.done;
}

function rowWords({ rows, withoutOperation }: CheckedSheet): string {
  return withoutOperation === undefined ? count(rows.length, 'row') : noOperationWords(withoutOperation.length);
}

/** What a run of the sheet would render: rows without errors that are not skipped, and their takes. */
export function runnable(sheet: CheckedSheet): { readonly rows: number; readonly submits: number } {
  const rows = runnableRows(sheet);
  return { rows: rows.length, submits: rows.reduce((sum, row) => sum + row.takes, 0) };
}
