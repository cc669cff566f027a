import path from 'node:path';
import { itemsByName, readWordLists } from '../engine/index.ts';
import { PLAIN_SHEET, type SheetSettings } from '../shared/domain/task/batch.ts';
import { findOperation, OPERATIONS, type OperationPath } from '../shared/domain/operations/operations.ts';
import { nearestName } from '../shared/domain/base/nearest-name.ts';
import type { CheckOptions } from '../shared/domain/sheet/sheet-checker.ts';
import type { SheetSource } from '../shared/domain/sheet/sheet-raw.ts';
import { visibleLine } from '../shared/domain/base/text.ts';
import type { Console } from './console.ts';
import { wrongUsage } from './ending.ts';
import { dataDirOf } from './with-store.ts';
import type { MeaningOptions } from './options/common-options.ts';

/** What the headers and cells of a sheet mean. */
export type SheetMeaning = Required<Pick<CheckOptions, 'mapping' | 'variables' | 'lists' | 'choices'>> &
  Pick<CheckOptions, 'defaultOperation'>;

/** Reads the options; prints which lists cannot be used. Throws {@link CommandFailure}. */
export async function sheetMeaning(console: Console, options: MeaningOptions): Promise<SheetMeaning> {
  const { operation } = options;
  return {
    ...(operation === undefined ? {} : { defaultOperation: operationNamed(operation) }),
    mapping: Object.fromEntries((options.map ?? []).map(mappingOf)),
    variables: Object.fromEntries((options.set ?? []).map(variableOf)),
    choices: choicesOf(options.choices ?? 'draw'),
    lists: await listsOf(console, options),
  };
}

/** What a batch keeps about its sheet. */
export function settingsOf(meaning: SheetMeaning, source: SheetSource | undefined): SheetSettings {
  const { defaultOperation, mapping, variables, choices } = meaning;
  return {
    ...PLAIN_SHEET,
    mapping,
    variables,
    choices,
    ...(defaultOperation === undefined ? {} : { defaultOperation }),
    ...(source === undefined ? {} : { source }),
  };
}

function operationNamed(name: string): OperationPath {
  const operation = findOperation(name);
  if (operation !== undefined) return operation.path;
  const names = OPERATIONS.map(({ short }) => short);
  const nearest = nearestName(name, names);
  throw wrongUsage(
    `--operation ${name}: there is no such operation`,
    `${nearest === undefined ? '' : `Did you mean ${nearest}? `}The operations are ${names.join(', ')}.`,
  );
}

/** A header may contain a `=`, a column never does. */
function mappingOf(text: string): readonly [string, string] {
  const at = text.lastIndexOf('=');
  const header = text.slice(0, Math.max(0, at)).trim();
  if (header !== '') return [header, text.slice(at + 1).trim()];
  throw wrongUsage(
    `--map ${text}: not a header and a column`,
    'Give both, such as --map "Prompt text=prompt", or --map "My notes=" to leave a column out.',
  );
}

function variableOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(0, at)).trim();
  if (name !== '') return [name, text.slice(at + 1)];
  throw wrongUsage(
    `--set ${text}: not a name and a value`,
    'Give both, such as --set "mood=calm"; {mood} in a cell then stands for calm.',
  );
}

function choicesOf(how: string): 'draw' | 'expand' {
  if (how === 'draw' || how === 'expand') return how;
  throw wrongUsage(`--choices ${how}: not known`, 'Give draw or expand.');
}

/** The lists of words by their names; prints which cannot be used. Throws {@link CommandFailure}. */
export async function listsOf(
  console: Console,
  options: Pick<MeaningOptions, 'lists' | 'data'>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const folder = options.lists === undefined ? path.join(dataDirOf(options), 'lists') : path.resolve(options.lists);
  const read = await readWordLists(folder);
  if (!read.ok) throw wrongUsage(read.error, 'Give a readable folder with --lists.');
  for (const problem of read.value.problems) console.problem(`warning: ${visibleLine(problem, 400)}`);
  if (options.lists !== undefined && read.value.lists.length === 0) {
    throw wrongUsage(
      `--lists ${options.lists}: no lists found`,
      'Give a folder with files such as animals.txt, one item per line.',
    );
  }
  return itemsByName(read.value.lists);
}
