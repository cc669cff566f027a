import { foretell, recordOf, type Forecast } from '../../shared/domain/task/forecast/forecast.ts';
import type { WaitingWork } from '../../shared/domain/task/forecast/run-facts.ts';
import { termsOf, type RunSettings } from '../../shared/domain/task/forecast/run-terms.ts';
import { dayOfNight } from '../../shared/domain/task/night.ts';
import { NOTHING_SPENT } from '../../shared/domain/task/spending.ts';
import type { TaskStore } from '../ports.ts';

type KnownOfRuns = Pick<TaskStore, 'gatewayFacts' | 'spending' | 'spendingLimits'>;

/**
 * What a run that begins at `now` will be, by what is known of its gateway and by what the limits of spending leave.
 * @param batchId The batch that the work is of, if it is one already.
 */
export async function foretellRun(
  store: KnownOfRuns,
  work: WaitingWork,
  settings: RunSettings,
  now: number,
  batchId?: string,
): Promise<Forecast> {
  const [facts, limits, { night, month, batches }] = await Promise.all([
    store.gatewayFacts(settings.profile.baseUrl, settings.rehearsal, now),
    store.spendingLimits(),
    store.spending(now, batchId === undefined ? [] : [batchId]),
  ]);
  const { spent: batch = NOTHING_SPENT } = (batchId === undefined ? undefined : batches.get(batchId)) ?? {};
  return foretell(work, facts, termsOf(settings, now, { limits, batch, night, month, zone: zoneHere() }));
}

function zoneHere(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Keeps the forecast of a batch that is about to start at `now`; one that goes on in the same night keeps its own. */
export async function keepForetold(
  store: KnownOfRuns & Pick<TaskStore, 'batch' | 'waitingWork' | 'keepForecast'>,
  batchId: string,
  now: number,
): Promise<void> {
  const batch = await store.batch(batchId);
  if (batch === undefined || batch.state === 'running') return;
  const { from } = dayOfNight(now, zoneHere());
  if (batch.state === 'paused' && batch.forecast !== undefined && batch.forecast.at >= from) return;
  const work = await store.waitingWork(batchId, now);
  // A retry that only asks for what was paid for makes no request.
  if (work.queue.length === 0) return;
  await store.keepForecast(batchId, recordOf(await foretellRun(store, work, batch.settings, now, batchId)));
}
