import { parseArgs } from 'node:util';
import { err, ok, type Result } from '../../src/shared/domain/base/result.ts';

/** What the user of the bench asked for. */
export interface BenchOptions {
  /** Entries to measure; none: all. */
  readonly names: readonly string[];
  /** Another commit of ours to compare this tree with. */
  readonly compareWith: string | undefined;
  /** Runs of each side in a comparison. */
  readonly pairs: number;
  /** Factor on the numbers of rows and files: below 1 to try out an entry. */
  readonly scale: number;
  /** Rounds in turn; undefined: as many as an entry needs. */
  readonly rounds: number | undefined;
  /** Folder of an installed SheetJS, which is not among our packages. */
  readonly sheetjs: string | undefined;
  /** Whether the largest night runs with all of its rows. */
  readonly isLong: boolean;
  /** A file to write the goals to, in Markdown. */
  readonly goals: string | undefined;
}

export const USAGE = `Usage: npm run bench -- [NAME…] [--scale FACTOR] [--rounds COUNT] [--sheetjs FOLDER] [--long] [--goals FILE]
       npm run bench -- --compare REF [NAME…] [--pairs COUNT] [--scale FACTOR]`;

/** Enough for an interval that one bad moment of the machine on either side does not affect. */
export const DEFAULT_PAIRS = 8;

/** Parses the arguments of the bench; the error says what is wrong with them. */
export function parseOptions(args: readonly string[], known: readonly string[]): Result<BenchOptions, string> {
  const parsed = parse(args);
  if (!parsed.ok) return parsed;
  const { values, positionals: names } = parsed.value;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) return err(`No such entry: ${unknown.join(', ')}. Entries: ${known.join(', ')}.`);
  const scale = Number(values.scale ?? 1);
  if (!(scale > 0 && scale <= 1)) return err('--scale is a factor above 0, and at most 1.');
  const pairs = Number(values.pairs ?? DEFAULT_PAIRS);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (![pairs, rounds ?? 1].every((count) => Number.isSafeInteger(count) && count > 0))
    return err('--pairs and --rounds are counts of at least 1.');
  if (values.compare === '') return err('--compare needs a commit, such as main or HEAD~1.');
  const { compare: compareWith, sheetjs, long: isLong = false, goals } = values;
  return ok({ names, compareWith, pairs, scale, rounds, sheetjs, isLong, goals });
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return ok(
      parseArgs({
        args: [...args],
        allowPositionals: true,
        options: {
          compare: text,
          pairs: text,
          scale: text,
          rounds: text,
          sheetjs: text,
          goals: text,
          long: { type: 'boolean' },
        },
      }),
    );
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}
