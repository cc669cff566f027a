import { foretell, recordOf, type Forecast } from '../../shared/domain/task/forecast/forecast.ts';
import { accountsOf } from '../../shared/domain/task/accounts/account.ts';
import type { GatewayFacts, WaitingWork } from '../../shared/domain/task/forecast/run-facts.ts';
import { termsOf, type RunSettings } from '../../shared/domain/task/forecast/run-terms.ts';
import { dayOfNight } from '../../shared/domain/task/night-record.ts';
import { isSameLimit, NOTHING_SPENT, ownLimit } from '../../shared/domain/task/spending.ts';
import type { TaskStore } from '../ports/task-store.ts';

type KnownOfRuns = Pick<TaskStore, 'gatewayFacts' | 'spending' | 'spendingLimits'>;

/**
 * Forecasts a run that begins at `now`, from what is known about its gateway and what the spending limits leave.
 * @param batchId The batch that the work belongs to, if there is one already.
 */
export async function foretellRun(
  store: KnownOfRuns,
  work: WaitingWork,
  settings: RunSettings,
  now: number,
  batchId?: string,
): Promise<Forecast> {
  const addresses = [...new Set(accountsOf(settings).map(({ profile }) => profile.baseUrl))];
  const [facts, limits, { night, month, batches }] = await Promise.all([
    Promise.all(addresses.map((baseUrl) => store.gatewayFacts(baseUrl, settings.rehearsal, now))),
    store.spendingLimits(),
    store.spending(now, batchId === undefined ? [] : [batchId]),
  ]);
  const { spent: batch = NOTHING_SPENT } = (batchId === undefined ? undefined : batches.get(batchId)) ?? {};
  return foretell(work, together(facts), termsOf(settings, now, { limits, batch, night, month, zone: zoneHere() }));
}

/**
 * What is known about several gateways: for each kind, what the first gateway that knows it says; the highest charge of
 * all.
 */
function together(facts: readonly GatewayFacts[]): GatewayFacts {
  return {
    times: facts.flatMap(({ times }) => times),
    sizes: facts.flatMap(({ sizes }) => sizes),
    stated: facts.flatMap(({ stated }) => stated).toSorted((a, b) => b.cost.amount - a.cost.amount),
  };
}

function zoneHere(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Keeps the forecast of a batch that is about to start at `now`; a batch that goes on in the same night, under the same
 * limit, keeps its own.
 */
export async function keepForetold(
  store: KnownOfRuns & Pick<TaskStore, 'batch' | 'waitingWork' | 'keepForecast'>,
  batchId: string,
  now: number,
): Promise<void> {
  const batch = await store.batch(batchId);
  if (batch === undefined || batch.state === 'running') return;
  const { from } = dayOfNight(now, zoneHere());
  const limit = ownLimit(batch.settings);
  const { forecast } = batch;
  const isOther = forecast?.limit !== undefined && !isSameLimit(forecast.limit, limit);
  if (batch.state === 'paused' && forecast !== undefined && forecast.at >= from && !isOther) return;
  const work = await store.waitingWork(batchId, now);
  // A retry that only asks for what was already paid for makes no request.
  if (work.queue.length === 0) return;
  const foretold = recordOf(await foretellRun(store, work, batch.settings, now, batchId));
  await store.keepForecast(batchId, { ...foretold, limit });
}
