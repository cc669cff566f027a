/** What the user says about rendered files, on the command line. */
import type { Engine } from '../../../engine/index.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { visibleLine } from '../../../shared/domain/base/text.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import { BEST_RATING, LONGEST_VERDICT_NOTE, type VerdictChange } from '../../../shared/domain/review/verdict.ts';
import type { Console } from '../../console.ts';
import { count } from '../../describe.ts';
import { EXIT, wrongUsage, type ExitCode } from '../../ending.ts';
import { withBatch } from '../../open-engine.ts';
import type { CommonOptions } from '../../options/common-options.ts';
import { refuseUnknownRow } from '../resume.ts';

export interface ReviewOptions extends CommonOptions {
  readonly row: string;
  readonly take?: string;
  readonly file?: string;
  readonly keep?: true;
  readonly reject?: true;
  readonly rate?: string;
  readonly pick?: true;
  readonly clear?: true;
  readonly note?: string;
}

/** Takes back everything that was said about a file. */
const CLEARED: VerdictChange = { kept: null, rating: null, note: null, pickedAt: null };

/**
 * Records what is said about the files of a row, and brings the documents of the media folder up to date. Sends
 * nothing.
 */
export async function reviewCommand(console: Console, named: string, options: ReviewOptions): Promise<ExitCode> {
  const change = changeOf(options, Date.now());
  const take = placeIn('--take', options.take);
  const file = placeIn('--file', options.file);
  return withBatch(options, named, async (engine, batch) => {
    await refuseUnknownRow(engine, batch, options.row);
    const reviewed = await engine.reviews.review(batch.id, { rowId: options.row, take, file }, change);
    if (!reviewed.ok) throw wrongUsage(reviewed.error.message, reviewed.error.remedy);
    const files = reviewed.value;
    console.event('reviewed', { batch: batch.id, row: options.row, files, ...change });
    console.line(`${count(files.length, 'file')} of row ${visibleLine(options.row, 200)}: ${wordsOf(options)}.`);
    await writeDocuments(console, engine, batch);
    if (options.pick === true)
      console.line(`To render what waited for it, where the batch does not run: nocturne resume ${batch.id}`);
    return EXIT.done;
  });
}

/** What is recorded does not depend on the documents: the next export writes them, too. */
async function writeDocuments(console: Console, engine: Engine, { id }: BatchRecord): Promise<void> {
  const problem = await engine.exportBatch(id, 0);
  if (problem !== undefined)
    console.problem(
      `warning: the manifest does not say so yet: ${problem.message}\n    → nocturne export ${id} --out DIR`,
    );
}

function changeOf(options: ReviewOptions, now: number): VerdictChange {
  const { keep, reject, pick, clear, rate, note } = options;
  if (keep === true && reject === true) throw wrongUsage('Both --keep and --reject are given.', 'Give one of them.');
  if (reject === true && pick === true)
    throw wrongUsage('Both --reject and --pick are given.', 'A rejected file cannot be picked: give one of them.');
  const said = keep ?? reject ?? pick ?? rate ?? note;
  if (clear === true && said !== undefined)
    throw wrongUsage('--clear is given with other options.', 'Give --clear alone: it takes back all that was said.');
  if (clear === true) return CLEARED;
  if (said === undefined)
    throw wrongUsage(
      'Nothing is said about the files.',
      'Give --keep, --reject, --rate N, --pick, --note TEXT or --clear.',
    );
  return {
    ...(keep === true ? { kept: true } : {}),
    // Other rows are not made from a rejected file.
    ...(reject === true ? { kept: false, pickedAt: null } : {}),
    ...(pick === true ? { pickedAt: now } : {}),
    ...present({ rating: rate === undefined ? undefined : ratingIn(rate), note: noteIn(note) }),
  };
}

function ratingIn(text: string): number {
  const rating = Number(text);
  if (/^\d$/u.test(text) && rating <= BEST_RATING) return rating;
  throw wrongUsage(`--rate takes a whole number from 0 to ${BEST_RATING}: ${text}`, 'Correct it.');
}

/** An empty note takes an earlier one back. */
function noteIn(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  if (text.length > LONGEST_VERDICT_NOTE)
    throw wrongUsage(`The note has ${text.length} characters.`, `Shorten it to ${LONGEST_VERDICT_NOTE}.`);
  return text === '' ? null : text;
}

function placeIn(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const place = Number(text);
  if (Number.isSafeInteger(place) && place > 0) return place;
  throw wrongUsage(`${option} takes a whole number from 1 on: ${text}`, 'Correct it.');
}

function wordsOf({ keep, reject, pick, clear, rate, note }: ReviewOptions): string {
  const words = [
    keep === true ? 'kept' : [],
    reject === true ? 'rejected' : [],
    pick === true ? 'picked' : [],
    rate === undefined ? [] : `rated ${rate}`,
    note === undefined ? [] : note === '' ? 'note removed' : 'noted',
    clear === true ? 'no longer reviewed' : [],
  ];
  return words.flat().join(', ');
}
