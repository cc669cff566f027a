/** The morning: what became of the night, its files, and what is left to settle. */
import { z } from 'zod';
import { readLedger } from '../../../engine/index.ts';
import { remedyOf } from '../../../shared/domain/base/failure.ts';
import { err, ok, present } from '../../../shared/domain/base/result.ts';
import { LEDGER_GROUPS, STAGES } from '../../../shared/domain/ledger/take-stage.ts';
import type { RowFile } from '../../../shared/domain/task/views/row-summary.ts';
import { ledgerDocument, momentOf, withRows } from '../../commands/ledger.ts';
import { refusal, type Looking } from '../door-answer.ts';
import { doorCommand } from '../door-command.ts';
import { batchId, doorFailure, doorFile, isoTime, NO_BATCH, oneBatch, shownFailure, shownFile } from '../views.ts';
import { sheetProblemView, problemViews } from './sheet-commands.ts';

/** Rows of a group that the ledger names. */
const ROWS_NAMED = 100;

const charges = z.object({ planned: z.number(), reserved: z.number(), spent: z.number(), unknown: z.number() });

const readTheLedger = doorCommand({
  name: 'read_ledger',
  title: 'Ledger of a night',
  description:
    'Says what became of the last night, or of another one, a batch, or all since a day: how many takes came how far, what was paid, and what is left to do, by groups with their rows.',
  effect: 'looks',
  input: z.strictObject({
    batchId: batchId.optional(),
    night: z.int().min(1).optional().describe('The number of a night.'),
    since: z.string().max(20).optional().describe('A day, such as 2026-11-21, or a day with a time.'),
  }),
  output: z.object({
    stages: z.record(z.string(), z.int()).describe('How many takes have reached each stage.'),
    requests: charges.describe('Paid requests.'),
    money: z.array(charges.extend({ currency: z.string() })),
    unpriced: charges,
    groups: z.array(
      z.object({
        what: z.string(),
        do: z.string().describe('What to do about it.'),
        group: z.enum(LEDGER_GROUPS),
        batch: batchId,
        needsYou: z.boolean(),
        takes: z.int(),
        rows: z.array(z.string()).describe('The first 100 of them.'),
        codes: z.array(z.string()),
        waitsUntil: z.iso.datetime().optional(),
      }),
    ),
    night: z.object({ id: z.int(), beganAt: z.iso.datetime(), endedAt: z.iso.datetime().optional() }).optional(),
    batches: z.array(z.object({ id: batchId, name: z.string(), rehearsal: z.boolean() })),
  }),
  run: (host, question) => {
    const { batchId: id, night, since } = question;
    if ([id, night, since].filter((one) => one !== undefined).length > 1) {
      return Promise.resolve(refusal('invalid-input', 'More than one ledger is named.', 'Name one of them, or none.'));
    }
    const from = since === undefined ? undefined : momentOf(since);
    return host.look(async (view) => {
      const wanted = present({ batchId: id, night, since: from });
      const ledger = await readLedger(view, wanted, { now: Date.now(), isAtWork: view.isAtWork });
      if (ledger === undefined)
        return refusal('not-found', 'There is no such night or batch.', 'Ask for list_batches.');
      const { groups } = ledgerDocument(
        ledger,
        await withRows({ ...view, close: () => undefined }, ledger, ROWS_NAMED),
      );
      const { money, stages, batches } = ledger;
      return ok({
        stages: Object.fromEntries(STAGES.map((stage) => [stage, stages[stage]])),
        requests: money.requests,
        money: money.money.map((one) => ({ ...one })),
        unpriced: money.unpriced,
        groups: groups.map((one) => ({ ...one, rows: [...one.rows], codes: [...one.codes] })),
        ...(ledger.night && {
          night: {
            id: ledger.night.id,
            beganAt: new Date(ledger.night.beganAt).toISOString(),
            ...present({ endedAt: isoTime(ledger.night.endedAt) }),
          },
        }),
        batches: batches.map(({ id: of, name, rehearsal }) => ({ id: of, name, rehearsal })),
      });
    });
  },
});

const listFailures = doorCommand({
  name: 'list_failures',
  title: 'What needs somebody',
  description:
    'Lists the rows of a batch that failed, need a decision, or cannot run as they are: with the gateway’s own words, or with what is wrong in the sheet, and a remedy.',
  effect: 'looks',
  input: oneBatch.extend({ offset: z.int().min(0).optional(), limit: z.int().min(1).max(500).optional() }),
  output: z.object({
    total: z.int(),
    rows: z.array(
      z.object({
        row: z.string(),
        label: z.string(),
        status: z.string(),
        failure: doorFailure.optional(),
        problem: sheetProblemView
          .optional()
          .describe('Of an invalid row: the first thing that is wrong with it in the sheet.'),
      }),
    ),
  }),
  run: (host, { batchId: id, offset = 0, limit = 100 }) =>
    host.look(async ({ store, views }) => {
      if ((await store.batch(id)) === undefined) return NO_BATCH;
      const page = await views.rowPage(id, {
        filter: { status: ['failed', 'submit-unknown', 'invalid'] },
        offset,
        limit,
      });
      return ok({
        total: page.total,
        rows: page.rows.map(({ row, label, status, failure, problem }) => ({
          row,
          label,
          status,
          ...(failure && { failure: { ...shownFailure(failure), remedy: remedyOf(failure.code, status) } }),
          ...(status === 'invalid' && present({ problem: problem && problemViews([problem])[0] })),
        })),
      });
    }),
});

const listFiles = doorCommand({
  name: 'list_files',
  title: 'Files of a batch',
  description: 'Lists the verified files of a batch by row, in pages of rows.',
  effect: 'looks',
  input: oneBatch.extend({
    offset: z.int().min(0).optional().describe('In rows.'),
    limit: z.int().min(1).max(200).optional().describe('In rows; 100 by default.'),
  }),
  output: z.object({
    folder: z.string(),
    rows: z.int().describe('Of the batch: pages go up to this number.'),
    files: z.array(doorFile.extend({ row: z.string() })),
  }),
  run: (host, { batchId: id, offset = 0, limit = 100 }) =>
    host.look(async ({ store, views }) => {
      const batch = await store.batch(id);
      if (batch === undefined) return NO_BATCH;
      const page = await views.rowPage(id, { offset, limit });
      const files = await Promise.all(
        page.rows.map(async ({ row, key, files: first, fileCount }) => {
          const all = fileCount > first.length ? await allFiles(views, id, key) : first;
          return all.map((file) => ({ ...shownFile(file), row }));
        }),
      );
      return ok({ folder: batch.settings.folder, rows: page.total, files: files.flat() });
    }),
});

/** All files of a row: on a page, a row only has its first ones. */
async function allFiles(views: Looking['views'], id: string, key: number): Promise<readonly RowFile[]> {
  const detail = await views.rowDetail(id, key);
  return (detail?.tasks ?? []).flatMap(({ outputs }) =>
    outputs.flatMap(({ outputId, state, path, mediaType, bytes }) =>
      state === 'verified' && path !== undefined && mediaType !== undefined
        ? [{ outputId, path, mediaType, bytes: bytes ?? 0 }]
        : [],
    ),
  );
}

const exportFolder = doorCommand({
  name: 'export_batch',
  title: 'Write the documents of a batch',
  description: 'Writes manifest, results sheet and gallery into the folder of a batch, as they are now.',
  effect: 'changes',
  isIdempotent: true,
  input: oneBatch,
  output: z.object({ folder: z.string() }),
  run: (host, { batchId: id }) =>
    host.work(async (engine) => {
      const batch = await engine.store.batch(id);
      if (batch === undefined) return NO_BATCH;
      const problem = await engine.exportBatch(id);
      if (problem === undefined) return ok({ folder: batch.settings.folder });
      const { message, remedy } = shownFailure(problem);
      return err({ kind: 'refused', message, remedy });
    }),
});

export const MORNING_COMMANDS = [readTheLedger, listFailures, listFiles, exportFolder];
