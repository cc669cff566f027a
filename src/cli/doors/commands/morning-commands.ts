/** The morning: what became of the night, its files, and what is left to settle. */
import { z } from 'zod';
import { readLedger } from '../../../engine/index.ts';
import { err, ok, present } from '../../../shared/domain/base/result.ts';
import { LEDGER_GROUPS, STAGES } from '../../../shared/domain/ledger/take-stage.ts';
import type { RowFile } from '../../../shared/domain/task/batch-view.ts';
import { ledgerDocument, momentOf, withRows } from '../../commands/ledger.ts';
import { refuseSettling, refuseUnknownRow } from '../../commands/resume.ts';
import { lookingAt, refusal, type DoorAnswer, type Looking } from '../door-answer.ts';
import { doorCommand } from '../door-command.ts';
import { batchId, doorBatch, doorFailure, doorFile, isoTime, shownFailure, shownFile } from '../views.ts';
import { NO_BATCH, run, shown } from './batch-commands.ts';

const MOST_ROWS = 10_000;
/** Rows of a group that the ledger names. */
const ROWS_NAMED = 100;
const oneBatch = z.strictObject({ batchId });
const rowIds = z.array(z.string().min(1).max(200)).min(1).max(MOST_ROWS);
const settled = z.object({ takes: z.int().describe('How many takes this was done for.'), batch: doorBatch });

const retryRows = doorCommand({
  name: 'retry_rows',
  title: 'Retry failed rows',
  description:
    'Tries failed rows again: those that are named, or all of the batch. What the gateway still has is fetched; the rest is paid for again, up to the cap.',
  effect: 'pays',
  input: oneBatch.extend({ rows: rowIds.optional().describe('Ids of rows; all failed rows without it.') }),
  output: settled,
  run: (host, { batchId: id, rows }) =>
    host.work(async (engine) => {
      const batch = await engine.store.batch(id);
      if (batch === undefined) return NO_BATCH;
      for (const row of rows ?? []) await refuseUnknownRow(engine, batch, row);
      const wanted = rows && new Set(rows);
      const ended = await engine.views.takesByStatus(id, wanted === undefined ? ['failed'] : ['failed', 'cancelled']);
      const named = wanted && new Set((await engine.views.rowsByIds(id, [...wanted])).map(({ key }) => key));
      const again = ended.filter(({ row }) => named === undefined || named.has(row));
      if (again.length === 0) return refusal('refused', 'None of these rows has failed.', 'See list_rows.');
      let takes = 0;
      const begun = await run(
        host,
        engine,
        batch,
        async () => {
          takes = await engine.retry(id, rows);
          return ok(undefined);
        },
        again.map(({ operation }) => operation),
      );
      return begun.ok ? withTakes(lookingAt(engine), id, takes) : begun;
    }),
});

const resolveRow = doorCommand({
  name: 'resolve_row',
  title: 'Settle a paid request with an unknown outcome',
  description:
    'Settles a row whose paid request has an unknown outcome: adopt, if the gateway accepted it under a task code (it is asked first); or resubmit, which is a new paid request, and may be charged twice. Only the user can know which: ask them. write_off_rows gives rows up.',
  effect: 'pays',
  input: oneBatch.extend({
    row: z.string().min(1).max(200),
    decision: z.enum(['adopt', 'resubmit']),
    taskCode: z.string().min(1).max(4096).optional().describe('With adopt: the gateway’s code of the task.'),
  }),
  output: settled,
  run: (host, { batchId: id, row, decision, taskCode }) =>
    host.work(async (engine) => {
      const batch = await engine.store.batch(id);
      if (batch === undefined) return NO_BATCH;
      if ((decision === 'adopt') !== (taskCode !== undefined)) {
        return refusal(
          'invalid-input',
          'A task code belongs to adopt, and to nothing else.',
          'Give taskCode with adopt.',
        );
      }
      await refuseUnknownRow(engine, batch, row);
      if (decision === 'resubmit') await refuseSettling(engine, batch, [row]);
      const unknown = (await engine.store.tasksOfRow(id, row)).filter(({ status }) => status === 'submit-unknown');
      let takes = 0;
      const begun = await run(
        host,
        engine,
        batch,
        async (): Promise<DoorAnswer<unknown>> => {
          const resolved = await engine.resolve(
            id,
            row,
            taskCode === undefined ? { kind: 'resubmit' } : { kind: 'adopt', taskCode },
          );
          if (!resolved.ok) return refusal('refused', resolved.error.message, resolved.error.remedy);
          takes = resolved.value;
          return resolved;
        },
        decision === 'adopt' ? [] : unknown.map(({ operation }) => operation),
      );
      return begun.ok ? withTakes(lookingAt(engine), id, takes) : begun;
    }),
});

const writeOffRows = doorCommand({
  name: 'write_off_rows',
  title: 'Give rows up',
  description: 'Gives rows up whose paid request has an unknown outcome: they count as failed. Sends nothing.',
  effect: 'changes',
  isIdempotent: true,
  input: oneBatch.extend({ rows: rowIds }),
  output: settled,
  run: (host, { batchId: id, rows }) =>
    host.work(async (engine) => {
      const batch = await engine.store.batch(id);
      if (batch === undefined) return NO_BATCH;
      for (const row of rows) await refuseUnknownRow(engine, batch, row);
      let takes = 0;
      for (const row of rows) {
        const resolved = await engine.resolve(id, row, { kind: 'write-off' });
        if (resolved.ok) takes += resolved.value;
      }
      return withTakes(lookingAt(engine), id, takes);
    }),
});

async function withTakes(view: Looking, id: string, takes: number): Promise<DoorAnswer<z.input<typeof settled>>> {
  const batch = await shown(view, id);
  return batch.ok ? ok({ takes, ...batch.value }) : batch;
}

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
  description: 'Lists the rows of a batch that failed or need a decision, with the gateway’s own words and a remedy.',
  effect: 'looks',
  input: oneBatch.extend({ offset: z.int().min(0).optional(), limit: z.int().min(1).max(500).optional() }),
  output: z.object({
    total: z.int(),
    rows: z.array(
      z.object({ row: z.string(), label: z.string(), status: z.string(), failure: doorFailure.optional() }),
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
        rows: page.rows.map(({ row, label, status, failure }) => ({
          row,
          label,
          status,
          ...(failure && { failure: shownFailure(failure) }),
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

/** A row in a page has its first files only. */
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

export const MORNING_COMMANDS = [
  readTheLedger,
  listFailures,
  listFiles,
  exportFolder,
  retryRows,
  resolveRow,
  writeOffRows,
];
