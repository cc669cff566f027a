import { gatewayKey } from '../../../shared/domain/task/batch.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import type { AnswerShape, Measure } from '../../../shared/domain/gateway/learned/answer-look.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { PollReport, SubmitReport } from '../../ports/media-gateway.ts';
import type { Night } from '../night.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Lane } from '../lanes.ts';
import type { Entry } from '../task-journal.ts';

/** An answer that is later than its deadline was slept through: its time says nothing about the gateway. */
const SLACK_SECONDS = 10;
const MANY_ACTIVE = 500;

/** Counts what the answer to a poll looked like. Returns what is to be committed with it. */
export function countPoll(
  night: Night,
  batch: NightBatch,
  task: Task,
  report: PollReport,
  became: AnswerShape['became'],
): Pick<Entry, 'learned'> {
  return counted(night, batch, task, report, { call: 'poll', became });
}

/** The same for a submit, while the gateway has the task or has just refused it. `sentAt`: by the night's clock. */
export function countSubmit(
  night: Night,
  batch: NightBatch,
  { lane, profile }: NightAccount,
  task: Task,
  report: SubmitReport,
  sentAt: number,
): Pick<Entry, 'learned'> {
  const { kind } = report.outcome;
  // Without an answer, there is nothing to count.
  if (kind === 'not-sent') return {};
  const seconds = (night.clock.now() - sentAt) / 1000;
  const isTold = seconds >= 0 && seconds <= profile.deadlines.submitSeconds + SLACK_SECONDS;
  return counted(night, batch, task, report, { call: 'submit', became: kind }, [
    ...(isTold ? [{ kind: 'submit-seconds', at: '', value: seconds } as const] : []),
    ...(kind === 'accepted' || kind === 'rate-limited' ? activeThen(night, lane, task, kind) : []),
  ]);
}

/**
 * How many tasks of the family the gateway had, including this one. Only the gateway knows whether it has the tasks
 * that are being submitted just now: an accepted submit proves that the limit is at least this many, a refused one that
 * it is at most this many.
 */
function activeThen(
  night: Night,
  lane: Lane,
  { id, family }: Task,
  kind: 'accepted' | 'rate-limited',
): readonly Measure[] {
  const all = night.batches.atGateway(lane, family);
  if (kind === 'rate-limited') return [{ kind: 'refused-active', at: '', value: all }];
  // This many tasks say nothing about a limit, and counting them would take time.
  if (all > MANY_ACTIVE) return [];
  const submitting = [...night.batches.all.values()]
    .flatMap((batch) => night.active.ofBatch(batch.id).filter((task) => batch.accountOf(task).lane === lane))
    .filter((task) => task.id !== id && task.family === family && task.status === 'submitting');
  return [{ kind: 'accepted-active', at: '', value: Math.max(1, all - submitting.length) }];
}

function counted(
  night: Night,
  batch: NightBatch,
  { account, operation }: Task,
  { raw, sight }: SubmitReport | PollReport,
  what: Pick<AnswerShape, 'call' | 'became'>,
  measured: readonly Measure[] = [],
): Pick<Entry, 'learned'> {
  const { settings } = batch.record;
  if (raw === undefined || sight === undefined || settings.rehearsal) return {};
  const shape = { ...what, operation, httpStatus: raw.httpStatus, ...sight.look };
  const gateway = gatewayKey(batch.id, settings, account);
  return present({ learned: night.tally.count(gateway, shape, [...sight.measures, ...measured], night.clock.now()) });
}
