/** The living sheet: a batch and the file that it came from, which keeps changing; and results written beside it. */
import { z } from 'zod';
import { batchView } from './batches.ts';
import { batchSheetView } from './editing.ts';
import { batchRef, cost, engine, id, main, none, type Seen } from './route.ts';

/** One row of the comparison of a batch with its file. */
export const rowDifference = z.strictObject({
  kind: z.enum(['new', 'changed', 'details', 'removed', 'locked']),
  row: z.string(),
  line: z.int(),
  label: z.string(),
  /** The cells that differ; texts are cut. */
  changes: z.array(z.strictObject({ header: z.string(), before: z.string(), after: z.string() })),
  /** Why a row that differs stays as it is. */
  reason: z.string().optional(),
});

/** What taking a re-imported file over does. */
const differenceOfFile = z.strictObject({
  counts: z.strictObject({
    new: z.int(),
    /** Their requests have changed: they render again. */
    changed: z.int(),
    /** Only notes, names or priorities differ: nothing renders again. */
    details: z.int(),
    unchanged: z.int(),
    removed: z.int(),
    /** They are in flight and stay as they are. */
    locked: z.int(),
    /** Not changed themselves, but refer to a changed row. */
    dependent: z.int(),
    invalid: z.int(),
  }),
  /** Submits that applying it needs, without the dependent rows. `dependentSubmits` are those of the dependent rows. */
  submits: z.int(),
  dependentSubmits: z.int(),
  cost,
  /** The first 500 rows that differ. */
  rows: z.array(rowDifference),
  errorCount: z.int(),
  warningCount: z.int(),
});

/** A re-imported file beside the batch that was made from it. */
export const differenceView = differenceOfFile.extend({
  differenceId: z.string(),
  batchId: z.string(),
  file: z.string(),
  headersAdded: z.array(z.string()),
  headersRemoved: z.array(z.string()),
  /** What is different if the rows that are no longer in the file are kept; absent if nothing is. */
  kept: differenceOfFile.optional(),
});
export type DifferenceView = Seen<typeof differenceView>;

export const livingRoutes = {
  /** Re-imports the batch's file, or another one from a dialog, and compares; undefined if the user cancelled. */
  'sheet.compare': main.command(batchRef.extend({ isChosen: z.boolean() }), differenceView.optional()),
  'sheet.apply': engine.command(
    z.strictObject({
      differenceId: id,
      /** What to do with rows that are no longer in the file. */
      removed: z.enum(['keep', 'remove']),
      /** Rows that refer to a changed one render again too. */
      withDependents: z.boolean(),
      /** Also runs the new and changed rows. Refused for a batch that was not started. */
      start: z.boolean(),
    }),
    z.strictObject({ batch: batchView, tasks: z.int() }),
  ),
  'sheet.watch': engine.command(batchRef.extend({ isWatched: z.boolean() }), batchSheetView),
  /** Writes the results as columns: into a copy beside the original, a file that a dialog asks for, or the original. */
  'results.write': main.command(
    batchRef.extend({ into: z.enum(['copy', 'chosen', 'original']) }),
    z.strictObject({ file: z.string(), notes: z.array(z.string()), resultsId: id }).optional(),
  ),
  /** Shows a file with results in its folder. */
  'results.show': main.command(z.strictObject({ resultsId: id }), none),
};
