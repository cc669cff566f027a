/** What is left of a night: failed rows to try again, and paid requests with an unknown outcome to settle. */
import { z } from 'zod';
import type { Engine } from '../../../engine/index.ts';
import { listOf, ok } from '../../../shared/domain/base/result.ts';
import { say } from '../../../shared/domain/base/reason.ts';
import { countOf } from '../../../shared/domain/base/text.ts';
import { transition } from '../../../shared/domain/task/task-machine.ts';
import { failedBehind, isSuspectedFailure, type Task } from '../../../shared/domain/task/task.ts';
import { refuseSettling, refuseUnknownRow } from '../../commands/resume.ts';
import { statusHint, summaryOf } from '../../describe.ts';
import { questionsOf } from '../../run-batch.ts';
import { lookingAt, refusal, type DoorAnswer, type Looking } from '../door-answer.ts';
import { doorCommand } from '../door-command.ts';
import { doorBatch, NO_BATCH, oneBatch, shown } from '../views.ts';
import { run } from './batch-commands.ts';

const MOST_ROWS = 10_000;
const rowIds = z.array(z.string().min(1).max(200)).min(1).max(MOST_ROWS);
const settled = z.object({ takes: z.int().describe('How many takes this was done for.'), batch: doorBatch });

const retryRows = doorCommand({
  name: 'retry_rows',
  title: 'Retry failed rows',
  description:
    'Tries failed rows again: those that are named, or all of the batch. Where the gateway may still have a result, it is asked for it, which costs nothing; the rest is paid for again, up to the cap. The answer says how many of each. A batch that was never started stays so.',
  effect: 'pays',
  input: oneBatch.extend({ rows: rowIds.optional().describe('Ids of rows; all failed rows without it.') }),
  output: settled.extend({
    paid: z.int().describe('How many are paid for again, with those that failed only because of these rows.'),
    askedAgain: z
      .int()
      .describe('For how many the gateway is asked again for what it may still have: nothing is paid.'),
    message: z.string().describe('The same in words, with what to do where only a failure was inferred.'),
  }),
  run: (host, { batchId: id, rows }) =>
    host.work(async (engine) => {
      const batch = await engine.store.batch(id);
      if (batch === undefined) return NO_BATCH;
      for (const row of rows ?? []) await refuseUnknownRow(engine, batch, row);
      const { paid, askedAgain } = await retriesOf(engine, id, rows);
      if (paid.length + askedAgain.length === 0) return NOTHING_TO_RETRY;
      const questions = await questionsOf(engine, batch, await summaryOf(engine.views, id));
      let takes = 0;
      const begin = async (): Promise<DoorAnswer<unknown>> => {
        takes = await engine.decisions.retry(id, rows);
        return ok(undefined);
      };
      const isReady = batch.state === 'ready';
      const operations = paid.map(({ operation }) => operation);
      const begun = await (isReady ? begin() : run(host, engine, batch, begin, operations));
      if (!begun.ok) return begun;
      const answer = await withTakes(lookingAt(engine), id, takes);
      if (!answer.ok) return answer;
      const counts = { paid: isReady ? 0 : paid.length, askedAgain: askedAgain.length };
      const isInferred = askedAgain.some(isSuspectedFailure);
      const message = [
        ...(isReady ? [NEVER_STARTED] : retriesInWords(counts)),
        ...(isInferred ? questions.map((question) => statusHint(question)) : []),
      ].join(' ');
      return ok({ ...answer.value, ...counts, message });
    }),
});

const NEVER_STARTED =
  'The batch was never started, so nothing is paid for yet: start_batch starts it, with all of its rows.';

const NOTHING_TO_RETRY = refusal('refused', 'None of these rows has failed.', 'See list_rows.');

/**
 * What a retry of these rows, or of all that failed, would pay for, and what it would only ask the gateway about. What
 * failed only because of these rows goes on with them.
 */
async function retriesOf(
  engine: Engine,
  id: string,
  rows: readonly string[] | undefined,
): Promise<Record<'paid' | 'askedAgain', readonly Task[]>> {
  const { store } = engine;
  const allFailed = await listOf(store.tasksByStatus(['failed'], id));
  const tasks =
    rows === undefined
      ? allFailed
      : (await Promise.all([...new Set(rows)].map((row) => store.tasksOfRow(id, row)))).flat();
  const retried = tasks.flatMap((task) => {
    const tried = transition(task, { kind: 'user-retry' }, Date.now());
    return tried.ok ? [{ task, isPaid: tried.value.status === 'queued' }] : [];
  });
  const of = (isPaid: boolean): readonly Task[] =>
    retried.filter((one) => one.isPaid === isPaid).map(({ task }) => task);
  const known = new Set(retried.map(({ task }) => task.id));
  const retriedRows = retried.flatMap(({ task }) => (task.onHold === true ? [] : task.rowId));
  const behind = failedBehind(allFailed, retriedRows).filter((task) => !known.has(task.id));
  return { paid: [...of(true), ...behind], askedAgain: of(false) };
}

function retriesInWords({ paid, askedAgain }: Record<'paid' | 'askedAgain', number>): readonly string[] {
  return [
    ...(paid > 0 ? [`${countOf(paid, 'take')} paid for again.`] : []),
    ...(askedAgain > 0
      ? [`For ${countOf(askedAgain, 'take')} the gateway is asked again for the result, and nothing is paid.`]
      : []),
  ];
}

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
          const resolved = await engine.decisions.resolve(
            id,
            row,
            taskCode === undefined ? { kind: 'resubmit' } : { kind: 'adopt', taskCode },
          );
          if (!resolved.ok) return refusal('refused', say(resolved.error.message), say(resolved.error.remedy));
          takes = resolved.value;
          return resolved;
        },
        decision === 'adopt' ? [] : unknown.map(({ operation }) => operation),
        // The gateway is asked about the task code by this process.
        decision === 'adopt',
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
        const resolved = await engine.decisions.resolve(id, row, { kind: 'write-off' });
        if (resolved.ok) takes += resolved.value;
      }
      return withTakes(lookingAt(engine), id, takes);
    }),
});

async function withTakes(view: Looking, id: string, takes: number): Promise<DoorAnswer<z.input<typeof settled>>> {
  const batch = await shown(view, id);
  return batch.ok ? ok({ takes, ...batch.value }) : batch;
}

export const SETTLING_COMMANDS = [retryRows, resolveRow, writeOffRows];
