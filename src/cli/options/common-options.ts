/** The options that several commands share, as they are given. given.ts reads their values. */
import type { Command } from 'commander';
import { wrongUsage } from '../ending.ts';

/** Options of every command. */
export interface CommonOptions {
  readonly data?: string;
  readonly store?: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** Adds the options of every command. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'store folder', undefined)
    .option(
      '--store <url>',
      'store on PostgreSQL, as postgres://USER@HOST/DATABASE; NOCTURNE_STORE by default; --data then holds only the lists and notes',
    )
    .option('--json', 'print one JSON document, or one event per line for long commands')
    .option('--quiet', 'print problems only');
}

/** Options for reading a sheet's file. */
export interface SheetOptions {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly sheet?: string;
  readonly headerLine?: string;
}

/** Adds the options for reading a sheet's file. */
export function withSheetOptions(command: Command): Command {
  return command
    .option('--encoding <name>', 'encoding of a CSV or TSV file, if it is not recognised correctly')
    .option(
      '--delimiter <char>',
      'character between the cells of a text file, or tab, if it is not recognised correctly',
    )
    .option('--sheet <name>', 'sheet of a workbook; the first visible one by default')
    .option('--header-line <n>', 'line of the header, if there are titles above it');
}

/** Adds the option for the place of files of this computer. */
export function withFilesPlace(command: Command): Command {
  return command.option(
    '--files-place <file>',
    'where to put files on this computer that the sheet names, for the gateway to read: described in this file',
  );
}

/** Options for the gates that look at files. */
export interface GateOptions {
  readonly gates?: string;
  readonly gate?: readonly string[];
  readonly gateAgain?: string;
}

/** Adds the options for gates. */
export function withGateOptions(command: Command): Command {
  return command
    .option(
      '--gates <file>',
      'gates that look at each file: a JSON file of them, default for all with their usual values, or off',
    )
    .option('--gate <name>', 'this gate, such as black, or black=30 with a value of its own; can be repeated', collect);
}

/** The same for a run, which may act on what the gates flag. */
export function withGatesOfRun(command: Command): Command {
  return withGateOptions(command).option(
    '--gate-again <n>',
    'render a take with a flagged file again, at most this many times; each is one more paid request',
  );
}

/** Options for the meaning of a sheet's headers and cells. */
export interface MeaningOptions extends CommonOptions {
  readonly operation?: string;
  readonly map?: readonly string[];
  readonly set?: readonly string[];
  readonly choices?: string;
  readonly lists?: string;
}

/** Adds the options for the meaning of a sheet's headers and cells. */
export function withMeaningOptions(command: Command): Command {
  return command
    .option('--operation <name>', 'operation of rows that do not name one')
    .option(
      '--map <header=column>',
      'what a header means; nothing after = leaves the column out; can be repeated',
      collect,
    )
    .option('--set <name=value>', 'what {name} stands for if no column has that name; can be repeated', collect)
    .option('--choices <how>', 'draw one of {a|b} for each row, or expand it into one row for each choice', 'draw')
    .option('--lists <dir>', 'folder of the lists that __name__ draws from: name.txt, one item per line');
}

/** Options that give a profile and the address of a gateway. */
export interface ProfileOptions {
  readonly profile?: string;
  readonly baseUrl?: string;
}

/** Options of a command that sends the key. */
export interface KeyOptions extends CommonOptions {
  readonly keyFile?: string;
  readonly accountKey?: readonly string[];
  readonly sendKeyTo?: string;
}

/** Adds the options of a command that sends the keys of a batch. */
export function withKeyOptions(command: Command): Command {
  return withAccountKeys(withOneKeyOptions(command));
}

/** Adds the option for the keys of accounts. */
export function withAccountKeys(command: Command): Command {
  return command.option('--account-key <name=file>', 'file that holds the key of an account; can be repeated', collect);
}

/** Adds the options of a command that sends the key of one gateway. */
export function withOneKeyOptions(command: Command): Command {
  return command
    .option('--key-file <file>', 'file that holds the key')
    .option('--send-key-to <origin>', 'send the key to this origin as well, although it belongs to another');
}

/** What each account may send and spend. */
export interface AccountLimitOptions {
  readonly accountMaxRequests?: readonly string[];
  readonly accountMaxCost?: readonly string[];
}

/** Options that name the accounts of a new batch. */
export interface AccountOptions extends ProfileOptions, AccountLimitOptions {
  readonly account?: readonly string[];
  readonly cheapest?: true;
}

/** Adds the options for the limits of accounts. */
export function withAccountLimits(command: Command): Command {
  return command
    .option('--account-max-requests <name=n>', 'the most paid requests with an account; off lifts the limit', collect)
    .option('--account-max-cost <name=amount>', 'the most money with an account; off lifts the limit', collect);
}

/** Adds the options that name the accounts of a new batch. */
export function withAccountOptions(command: Command): Command {
  return withAccountLimits(
    command
      .option(
        '--account <name=profile>',
        'one of several accounts, with the profile of its gateway, in place of --profile; a row goes to the first one with room; can be repeated',
        collect,
      )
      .option('--cheapest', 'of the accounts with room, a row goes to the one where it costs least'),
  );
}

/** Options of a command with which a night goes on, for a user who is asleep. */
export interface NightOptions {
  readonly notify?: string;
  readonly then?: string;
}

/** Adds the options for a user who is asleep. */
export function withNightOptions(command: Command): Command {
  return command
    .option('--notify <file>', 'tell me when the night ends or needs me, by the ways in this file')
    .option('--then <action>', 'what to do once nothing more happens by itself: quit, sleep or shutdown', 'quit');
}

/** Gathers an option that can be repeated; an option that takes all words after it would take the batch's name, too. */
export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

/** A whole number of an option, within bounds; undefined if the option is not given. Throws {@link CommandFailure}. */
export function wholeNumber(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw wrongUsage(
    `${name} ${text}: not a whole number from ${least} to ${most}`,
    `Give a number, such as ${name} ${least}.`,
  );
}
