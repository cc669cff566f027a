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
import type { TaskReader } from '../../engine/index.ts';
import { EXIT, type ExitCode } from '../ending.ts';
import { present } from '../../shared/domain/base/result.ts';
import { amountsOf, type Money, moneyText, spentOf } from '../../shared/domain/base/money.ts';
import { unheldLine, unheldOf, workerLines, workersOf, type WorkerView } from '../fleet/workers-view.ts';
import { dataDirOf, isWorkedOn, namedBatch, placeOf, serverOf, withStore } from '../with-store.ts';
import type { CommonOptions } from '../options/common-options.ts';
import { countText, visibleLine } from '../../shared/domain/base/text.ts';

/** Shows one batch, or all of them. Only reads: it works beside the process that owns the store. */
export async function statusCommand(
  console: Console,
  named: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> {
  // Asked before the batches are read: if the owner ended in between, finished batches would look interrupted.
  const isRunByNobody = !isWorkedOn(options);
  const isShared = serverOf(options) !== undefined;
  return withStore(options, async ({ store, views, fleet, zone }) => {
    const all = await store.batches();
    const batches = named === undefined ? all : [await namedBatch(store, named)];
    const fleetNow = isShared ? await fleet?.() : undefined;
    const workers = fleetNow && workersOf(fleetNow, all);
    console.document(
      await Promise.all(
        batches.map(async (batch) => {
          const { tasks, rows, submitsUsed } = await summaryOf(views, batch.id);
          const { id, name, state, pause, createdAt, startedAt, finishedAt, settings, rowCount, taskCount } = batch;
          const times = {
            createdAt: iso(createdAt),
            startedAt: iso(startedAt),
            finishedAt: iso(state === 'finished' ? finishedAt : undefined),
          };
          const { folder, rehearsal, maxSubmits, maxCost, fuse, schedule, priority, gates } = settings;
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
            gates,
            ...(await accountFacts(batch, store)),
            ...scheduleFacts(schedule),
            ...(isRunByNobody ? {} : waitFact(batch, Date.now())),
            rowCount,
            taskCount,
            tasks,
            rows,
            submitsUsed,
            ...(await putFactsOf(batch, options)).facts,
            ...present({ workers: workers?.map(workerFacts), unheld: fleetNow && unheldOf(fleetNow, batch) }),
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
      if (isInterrupted && !isShared && !batch.settings.rehearsal) {
        console.line(`    Interrupted; continue with: nocturne resume ${batch.id}`);
      }
      const pause = pauseText(batch);
      if (pause !== undefined) console.line(`    ${pause}`);
      for (const line of accountLines(await accountFacts(batch, store))) console.line(`    ${line}`);
      for (const text of stopTexts(batch)) console.line(`    ${text}`);
      const { line: files } = await putFactsOf(batch, options);
      if (files !== undefined) console.line(`    ${visibleLine(files, 2000)}`);
      for (const unheld of fleetNow === undefined ? [] : unheldOf(fleetNow, batch))
        console.line(`    ${unheldLine(unheld)}`);
    }
    if (fleetNow !== undefined && workers !== undefined) {
      for (const line of workerLines(workers, fleetNow.at, batches)) console.line(line);
    }
    const byZone = zone === undefined ? '' : ` · nights and months by the clock of ${zone}`;
    if (named === undefined) console.line(`Store: ${placeOf(options)}${byZone}`);
    return Promise.resolve(EXIT.done);
  });
}

/** Most batches have no place for files, and load nothing for one. */
async function putFactsOf(
  batch: BatchRecord,
  options: CommonOptions,
): Promise<{ readonly facts: object; readonly line?: string }> {
  if (batch.settings.filesPlace === undefined) return { facts: {} };
  const { readPutFacts } = await import('../files-place/given-place.ts');
  return readPutFacts(dataDirOf(options), batch);
}

/** The accounts of a batch with several, and what was sent and spent with each. */
async function accountFacts({ id, settings, stops }: BatchRecord, store: Pick<TaskReader, 'spending'>) {
  if (settings.accounts === undefined) return {};
  const { batches } = await store.spending(Date.now(), [id]);
  const accounts = accountsOf(settings).map(({ name, profile, limit }) => {
    const { requests = 0, micros = {}, unpriced = 0 } = batches.get(id)?.accounts?.get(name)?.spent ?? {};
    const spent = amountsOf(new Map(Object.entries(micros)));
    return { name, baseUrl: profile.baseUrl, limit, requests, spent, unpriced, stop: stops?.[name] };
  });
  return { accounts, choice: settings.accounts.choice ?? 'first' };
}

function accountLines({ accounts = [] }: Awaited<ReturnType<typeof accountFacts>>): readonly string[] {
  return accounts.map(({ name, baseUrl, limit, requests, spent, stop }) => {
    const of = limit?.requests === undefined ? '' : ` of ${countText(limit.requests)}`;
    const money = limit?.cost === undefined ? spent.map(moneyText).join(' and ') : spentWords(spent, limit.cost);
    const parts = [
      `${countText(requests)}${of} paid ${requests === 1 && of === '' ? 'request' : 'requests'}`,
      money,
      baseUrl,
    ];
    const standing = stop === undefined ? '' : ' (stands still)';
    return `account ${visibleLine(name, 60)}${standing}: ${parts.filter((part) => part !== '').join(' · ')}`;
  });
}

function spentWords(spent: readonly Money[], limit: Money): string {
  const { amount = 0 } = spent.find(({ currency }) => currency === limit.currency) ?? {};
  return spentOf({ amount, currency: limit.currency }, limit);
}

/** Moments as in every document: in UTC. */
function scheduleFacts(schedule: Schedule | undefined) {
  if (schedule === undefined) return {};
  const { startAt, finishBy, windows, zone } = schedule;
  return { schedule: { startAt: iso(startAt), windows, zone, finishBy: iso(finishBy) } };
}

function workerFacts({ name, since, seen, accounts, clockAheadMs }: WorkerView) {
  return { name, since: iso(since), seen: iso(seen), accounts, clockAheadMs };
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
