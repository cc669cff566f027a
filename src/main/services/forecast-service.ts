/** Forecasts a run for the start form. Runs in the engine's process. */
import { foretellRun, freeBytes, type Engine } from '../../engine/index.ts';
import { present, ok } from '../../shared/domain/base/result.ts';
import { rehearsalProfile } from '../../shared/domain/gateway/profile-presets.ts';
import { runnableRows, type CheckedSheet } from '../../shared/domain/sheet/row.ts';
import { isCanaryUsual } from '../../shared/domain/task/canary.ts';
import type { Forecast } from '../../shared/domain/task/forecast/forecast.ts';
import type { WaitingWork } from '../../shared/domain/task/forecast/run-facts.ts';
import { workOfRows, type RunSettings } from '../../shared/domain/task/forecast/run-terms.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { ForecastView } from '../../shared/ipc/forecast.ts';
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
