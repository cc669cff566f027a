/** Forecasts a run for the start form. Runs in the engine's process. */
import { foretellRun, freeBytes, type Engine } from '../../engine/index.ts';
import { listOf, ok, present } from '../../shared/domain/base/result.ts';
import { rehearsalProfile } from '../../shared/domain/gateway/profile-presets.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import { costsOf, priceOf, runnableRows, type CheckedSheet } from '../../shared/domain/sheet/row.ts';
import { accountsOf, dearestPrices } from '../../shared/domain/task/accounts/account.ts';
import { isCanaryUsual } from '../../shared/domain/task/canary.ts';
import { releasedTasks } from '../../shared/domain/task/plan-tasks.ts';
import type { Forecast } from '../../shared/domain/task/forecast/forecast.ts';
import { failedBehind } from '../../shared/domain/task/task.ts';
import type { WaitingWork } from '../../shared/domain/task/forecast/run-facts.ts';
import { workOfRows, type RunSettings } from '../../shared/domain/task/forecast/run-terms.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { ForecastView, ReleaseCostView } from '../../shared/ipc/forecast.ts';
import { noSuchBatch } from '../engine-process/batch-reader.ts';
import type { EngineInput } from '../engine-process/engine-protocol.ts';
import { words } from '../../shared/words/words.ts';

type Question = EngineInput<'start.forecast'>;

/** @param sheet The opened sheet that the question names, if it names one. */
export async function forecastOf(
  engine: Engine,
  sheet: CheckedSheet | undefined,
  question: Question,
): Promise<Reply<ForecastView>> {
  if (question.of.kind === 'batch') return ofBatch(engine, question.of.batchId, question);
  if (sheet === undefined) return refuse('not-found', words.desktop.sheet.gone);
  const rows = runnableRows(sheet);
  const invalid = sheet.rows.filter(({ skip }) => !skip).length - rows.length;
  const { rehearsal = false } = question;
  const canary = question.canary ?? isCanaryUsual(rows.length, rehearsal);
  const several = rehearsal ? {} : present({ accounts: question.accounts });
  const gates = question.gates ?? undefined;
  const settings = { ...settingsOf({ ...question, rehearsal, canary }), ...several, ...present({ gates }) };
  return answer(engine, workOfRows(rows, invalid), settings, question.folder);
}

async function ofBatch(engine: Engine, batchId: string, question: Question): Promise<Reply<ForecastView>> {
  const { store } = engine;
  const batch = await store.batch(batchId);
  if (batch === undefined) return noSuchBatch();
  const { settings, state } = batch;
  const {
    rehearsal = settings.rehearsal,
    maxSubmits = settings.maxSubmits,
    maxCost = settings.maxCost,
    canary = settings.canary !== undefined,
    schedule = settings.schedule,
    gates = settings.gates,
  } = question;
  // A batch that has begun keeps its gateways.
  const isOther = state === 'ready' && (question.accounts !== undefined || settings.accounts === undefined);
  const { profile, accounts } = isOther ? question : settings;
  const asked = settingsOf({ profile, rehearsal, maxSubmits, maxCost, canary, schedule });
  const wanted = { ...asked, ...(rehearsal ? {} : present({ accounts })), ...present({ gates: gates ?? undefined }) };
  const work = await store.waitingWork(batchId, Date.now());
  return answer(engine, work, wanted, question.folder ?? settings.folder, batchId);
}

const ROWS_AT_A_TIME = 500;

/**
 * What the new and changed rows of a batch cost once they run, by its own prices, and which limit keeps some of it back. In a
 * paused batch, all that waits goes on with them.
 */
export async function costOfRelease(engine: Engine, batchId: string): Promise<Reply<ReleaseCostView>> {
  const { store } = engine;
  const batch = await store.batch(batchId);
  if (batch === undefined) return noSuchBatch();
  const now = Date.now();
  const drafts = await draftTakes(engine, batchId, now);
  const failed = drafts.rows.length === 0 ? [] : await listOf(store.tasksByStatus(['failed'], batchId));
  const following = failedBehind(failed, drafts.rows);
  const run = [...drafts.takes, ...following.map(({ operation }) => ({ operation, takes: 1 }))];
  const takes = new Map<OperationPath, number>();
  for (const { operation, takes: some } of run) add(takes, operation, some);
  if (batch.state === 'paused') {
    for await (const { operation } of store.tasksByStatus(['queued'], batchId)) add(takes, operation, 1);
  }
  const prices = batch.settings.rehearsal ? {} : dearestPrices(accountsOf(batch.settings));
  const all = listed(takes);
  const unpriced = all.filter(({ operation }) => priceOf(prices, operation) === undefined);
  const work = withMore(await store.waitingWork(batchId, now), run);
  const { beyondLimit, stop } = await foretellRun(store, work, batch.settings, now, batchId);
  return ok({
    following: following.length,
    cost: costsOf(all, prices).costs.map(({ amount, currency }) => ({ amount, currency })),
    unpriced: unpriced.map(({ operation, takes: requests }) => ({ operation, requests })),
    beyondLimit,
    ...present({ stop: stop && { ...stop, limit: { ...stop.limit }, operations: [...stop.operations] } }),
  });
}

interface DraftTakes {
  readonly operation: OperationPath;
  readonly takes: number;
}

function add(sums: Map<OperationPath, number>, operation: OperationPath, takes: number): void {
  sums.set(operation, (sums.get(operation) ?? 0) + takes);
}

function listed(sums: ReadonlyMap<OperationPath, number>): readonly DraftTakes[] {
  return Array.from(sums, ([operation, takes]) => ({ operation, takes }));
}

/** The takes that the drafts of a batch get once they run, and the ids of these rows. */
async function draftTakes({ rows }: Engine, batchId: string, now: number) {
  const keys = await rows.draftKeys(batchId);
  const ids: string[] = [];
  const takes = new Map<OperationPath, number>();
  for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
    const some = await rows.rowsByKeys(batchId, keys.slice(from, from + ROWS_AT_A_TIME));
    for (const { row, position, problems, tasks } of some) {
      const isBlocked = problems.some(({ severity }) => severity === 'error');
      const { length: added } = releasedTasks({ row, position, isBlocked }, tasks, { batchId, now });
      const { id, operation } = row;
      ids.push(id);
      if (operation !== undefined && added > 0) add(takes, operation, added);
    }
  }
  return { takes: listed(takes), rows: ids };
}

/** The waiting work, and these takes behind it: enough for what limits leave, not for when it ends. */
function withMore(work: WaitingWork, more: readonly DraftTakes[]): WaitingWork {
  const kinds = more.map(({ operation }) => ({ operation, model: '', requestKind: 0, isVerified: true }));
  const added = more.flatMap(({ takes }, at) => Array.from({ length: takes }, () => work.kinds.length + at));
  return { ...work, kinds: [...work.kinds, ...kinds], queue: [...Array.from(work.queue), ...added] };
}

function settingsOf(
  asked: Pick<Question, 'profile' | 'maxSubmits' | 'maxCost' | 'schedule'> & {
    readonly rehearsal: boolean;
    readonly canary: boolean;
  },
): RunSettings {
  const { profile, rehearsal, maxSubmits, maxCost, canary, schedule } = asked;
  return {
    profile: rehearsal ? rehearsalProfile(profile.baseUrl) : profile,
    rehearsal,
    ...present({
      maxSubmits: maxSubmits === 0 ? undefined : maxSubmits,
      maxCost: maxCost ?? undefined,
      schedule: schedule ? present(schedule) : undefined,
    }),
    ...(canary ? { canary: 'first' as const } : {}),
  };
}

async function answer(
  { store }: Engine,
  work: WaitingWork,
  settings: RunSettings,
  folder: string | undefined,
  batchId?: string,
): Promise<Reply<ForecastView>> {
  const free = folder === undefined ? undefined : await freeBytes(folder);
  return ok(viewOf(await foretellRun(store, work, settings, Date.now(), batchId), free));
}

function viewOf(forecast: Forecast, free: number | undefined): ForecastView {
  const { at: _, windows: _windows, kinds, cost, unpriced, picture, again, ...rest } = forecast;
  return {
    ...rest,
    cost: [...cost],
    unpriced: [...unpriced],
    kinds: kinds.length,
    ...present({ picture, freeBytes: free, again: again && { ...again, cost: [...again.cost] } }),
  };
}
