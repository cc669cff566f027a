import type { Console } from '../console.ts';
import { accountsOf } from '../../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { Schedule } from '../../shared/domain/task/schedule.ts';
import {
  count,
  idleRowCounts,
  pauseText,
  standingWords,
  statusCounts,
  stopTexts,
  summaryOf,
  waitFact,
} from '../describe.ts';
import { EXIT, type ExitCode } from '../ending.ts';
import { isWorkedOn, namedBatch, placeOf, withStore } from '../open-store.ts';
import type { CommonOptions } from '../options.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';

/** Shows one batch, or all of them. Only reads: it works beside the process that owns the store. */
export async function statusCommand(
  console: Console,
  named: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> {
  // Asked before the batches are read: an owner that ends in between would leave finished ones looking interrupted.
  const isRunByNobody = !isWorkedOn(options);
  return withStore(options, async ({ store, views }) => {
    const batches = named === undefined ? await store.batches() : [await namedBatch(store, named)];
    console.document(
      await Promise.all(
        batches.map(async (batch) => {
          const { tasks, rows, submitsUsed } = await summaryOf(views, batch.id);
          const { id, name, state, pause, createdAt, startedAt, finishedAt, settings, rowCount, taskCount } = batch;
          const times = { createdAt: iso(createdAt), startedAt: iso(startedAt), finishedAt: iso(finishedAt) };
          const { folder, rehearsal, maxSubmits, maxCost, fuse, schedule, priority } = settings;
          return {
            id,
            name,
            state,
            pause,
            ...times,
            folder,
            rehearsal,
            maxSubmits,
            maxCost,
            fuse,
            priority,
            ...accountFacts(batch),
            ...scheduleFacts(schedule),
            ...(isRunByNobody ? {} : waitFact(batch, Date.now())),
            rowCount,
            taskCount,
            tasks,
            rows,
            submitsUsed,
          };
        }),
      ),
    );
    if (batches.length === 0)
      console.line('There are no batches yet. Import a sheet with: nocturne run SHEET --out DIR');
    for (const batch of batches) {
      const summary = await summaryOf(views, batch.id);
      const isInterrupted = batch.state === 'running' && isRunByNobody;
      const standing = isInterrupted ? 'Interrupted' : standingWords(batch, summary);
      console.line(
        `${batch.id}  ${standing}  ${visibleLine(batch.name, 60)}${batch.settings.rehearsal ? '  (rehearsal)' : ''}`,
      );
      console.line(
        `    ${[statusCounts(summary), ...idleRowCounts(summary)].join(' · ')} · ${count(summary.submitsUsed, 'paid request')} → ${batch.settings.folder}`,
      );
      // A rehearsal’s gateway ended with its process: the command line cannot continue it.
      if (isInterrupted && !batch.settings.rehearsal) {
        console.line(`    Interrupted; continue with: nocturne resume ${batch.id}`);
      }
      const pause = pauseText(batch);
      if (pause !== undefined) console.line(`    ${pause}`);
      for (const text of stopTexts(batch)) console.line(`    ${text}`);
    }
    if (named === undefined) console.line(`Store: ${placeOf(options)}`);
    return Promise.resolve(EXIT.done);
  });
}

/** The accounts of a batch with several. */
function accountFacts({ settings, stops }: BatchRecord) {
  if (settings.accounts === undefined) return {};
  const accounts = accountsOf(settings).map(({ name, profile, limit }) => {
    return { name, baseUrl: profile.baseUrl, limit, stop: stops?.[name] };
  });
  return { accounts, choice: settings.accounts.choice ?? 'first' };
}

/** Moments as in every document: in UTC. */
function scheduleFacts(schedule: Schedule | undefined) {
  if (schedule === undefined) return {};
  const { startAt, finishBy, windows, zone } = schedule;
  return { schedule: { startAt: iso(startAt), windows, zone, finishBy: iso(finishBy) } };
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
