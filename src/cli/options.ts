/** The options that several commands have, as they are given. What they say is read in given.ts. */
import type { Command } from 'commander';

/** Options that every command has. */
export interface CommonOptions {
  readonly data?: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** Adds the options that every command has. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'folder of the store', undefined)
    .option('--json', 'one JSON document, or one event a line for commands that take long')
    .option('--quiet', 'print problems only');
}

/** Options that say how a sheet's file is read. */
export interface SheetOptions {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly sheet?: string;
  readonly headerLine?: string;
}

/** Adds the options that say how a sheet's file is read. */
export function withSheetOptions(command: Command): Command {
  return command
    .option('--encoding <name>', 'encoding of a CSV or TSV file, where it is not recognised correctly')
    .option(
      '--delimiter <char>',
      'character between the cells of a text file, or tab, where it is not recognised correctly',
    )
    .option('--sheet <name>', 'sheet of a workbook; the first visible one by default')
    .option('--header-line <n>', 'line of the header, where titles stand above it');
}

/** Options that say what the headers and cells of a sheet mean. */
export interface MeaningOptions extends CommonOptions {
  readonly operation?: string;
  readonly map?: readonly string[];
  readonly set?: readonly string[];
  readonly choices?: string;
  readonly lists?: string;
}

/** Adds the options that say what the headers and cells of a sheet mean. */
export function withMeaningOptions(command: Command): Command {
  return command
    .option('--operation <name>', 'operation of rows that name none')
    .option(
      '--map <header=column>',
      'what a header means; nothing after = leaves the column out; may be given several times',
      collect,
    )
    .option(
      '--set <name=value>',
      'what {name} stands for where no column has that name; may be given several times',
      collect,
    )
    .option('--choices <how>', 'draw one of {a|b} for each row, or expand them into rows of their own', 'draw')
    .option('--lists <dir>', 'folder of the lists that __name__ draws from, name.txt with one item a line');
}

/** Options that name a profile and the address of a gateway. */
export interface ProfileOptions {
  readonly profile?: string;
  readonly baseUrl?: string;
}

/** Options of a command that sends the key. */
export interface KeyOptions extends CommonOptions {
  readonly keyFile?: string;
  readonly sendKeyTo?: string;
}

/** Adds the options of a command that sends the key. */
export function withKeyOptions(command: Command): Command {
  return command
    .option('--key-file <file>', 'file that holds the key')
    .option('--send-key-to <origin>', 'send the key to this origin as well, although it belongs to another');
}

/** Gathers an option that is given several times; one that takes all words after it would take the batch's name, too. */
export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}
