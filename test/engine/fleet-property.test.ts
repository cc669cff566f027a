/**
 * Several workers on one store, whatever befalls them: judged by what the gateways were sent, not by what the store says.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchAccounts } from '../../src/shared/domain/task/accounts/account.ts';
import { profileAt } from '../support/accounts-night.ts';
import { FleetNight, rowOf, type FleetProcess } from '../support/fleet-night.ts';
import { rows } from '../support/night-harness.ts';
import { accepted, rendered, RUNNING, type ScriptedGateway } from '../support/scripted-gateway.ts';

const DEEDS = [
  'stop',
  'go-on',
  'cut',
  'heal',
  'slow-down',
  'catch-up',
  'kill',
  'end',
  'spawn',
  'pause',
  'start',
] as const;

interface Step {
  readonly afterMs: number;
  readonly deed: (typeof DEEDS)[number];
  readonly which: number;
}

interface Plan {
  readonly accounts: number;
  readonly rows: number;
  readonly workers: number;
  /** At most so many paid requests. */
  readonly cap: number;
  /** How long gateways take to answer a submit, and to render; each is used in turn. */
  readonly answerMs: readonly number[];
  readonly renderMs: number;
  /** How long a way to the store takes, worker by worker. */
  readonly wayMs: readonly number[];
  readonly steps: readonly Step[];
}

const plans: fc.Arbitrary<Plan> = fc.record({
  accounts: fc.integer({ min: 1, max: 3 }),
  rows: fc.integer({ min: 4, max: 14 }),
  workers: fc.integer({ min: 2, max: 3 }),
  cap: fc.integer({ min: 3, max: 20 }),
  answerMs: fc.array(fc.constantFrom(0, 50, 900, 8_000, 45_000), { minLength: 1, maxLength: 5 }),
  renderMs: fc.constantFrom(100, 5_000, 20_000),
  wayMs: fc.array(fc.constantFrom(0, 7, 20), { minLength: 1, maxLength: 3 }),
  steps: fc.array(
    fc.record({
      afterMs: fc.constantFrom(0, 10, 300, 1_000, 4_000, 12_000, 40_000),
      deed: fc.constantFrom(...DEEDS),
      which: fc.nat(5),
    }),
    { maxLength: 14 },
  ),
});

/** What a gateway has charged, and when it was asked. */
interface Seen {
  readonly charged: string[];
  readonly askedAt: number[];
}

function behave(fleet: FleetNight, gateway: ScriptedGateway, { answerMs, renderMs }: Plan, seen: Seen): void {
  const doneAt = new Map<string, number>();
  const { clock } = fleet;
  gateway.onSubmit = ({ body }, nth) => {
    const code = `${gateway.origin} ${nth}`;
    seen.charged.push(rowOf(body));
    seen.askedAt.push(clock.monotonic());
    doneAt.set(code, clock.monotonic() + renderMs);
    const ms = answerMs[nth % answerMs.length] ?? 0;
    if (ms === 0) return accepted(code);
    return new Promise((resolve) => void clock.setTimer(ms, () => resolve(accepted(code))));
  };
  gateway.onPoll = (code) => {
    seen.askedAt.push(clock.monotonic());
    if ((doneAt.get(code) ?? Number.POSITIVE_INFINITY) > clock.monotonic()) return RUNNING;
    return rendered(`https://media.example/${encodeURIComponent(code)}.mp3`);
  };
}

async function carryOut(plan: Plan): Promise<void> {
  const fleet = new FleetNight();
  const profiles = Array.from({ length: plan.accounts }, (_, i) => ({
    name: `a${i + 1}`,
    keyName: `a${i + 1}`,
    profile: profileAt(`a${i + 1}`, { places: 3 }),
  }));
  const [first, ...others] = profiles;
  if (first === undefined) throw new Error('No accounts');
  const { profile, ...terms } = first;
  const accounts: BatchAccounts = { first: terms, others };
  const batchId = await fleet.bringIn(rows(plan.rows), { profile, accounts, maxSubmits: plan.cap });
  const seen = profiles.map((one): Seen => {
    const log: Seen = { charged: [], askedAt: [] };
    behave(fleet, fleet.gatewayAt(one.profile.baseUrl), plan, log);
    return log;
  });
  const charged = (): readonly string[] => seen.flatMap((log) => log.charged);
  let named = 0;
  const spawn = (): Promise<FleetProcess> => {
    named += 1;
    return fleet.worker(`w${named}`, true, plan.wayMs[named % plan.wayMs.length]);
  };
  const user = await fleet.worker('window', false);
  await user.scheduler.start(batchId);
  for (let i = 0; i < plan.workers; i += 1) await spawn();
  for (const { afterMs, deed, which } of plan.steps) {
    await fleet.clock.advance(afterMs);
    const living = fleet.workers.filter((one) => one !== user && !one.isGone);
    const worker = living[which % Math.max(1, living.length)];
    if (deed === 'spawn' && living.length < 4) await spawn();
    else if (deed === 'pause') await user.scheduler.pauseByUser(batchId);
    else if (deed === 'start') await user.scheduler.start(batchId);
    else if (worker !== undefined) await befall(fleet, worker, deed);
    expect(charged().length).toBeLessThanOrEqual(plan.cap);
    if (deed === 'pause') {
      // It holds from its commit on: what leaves after it was committed before.
      const sent = charged().length;
      await fleet.clock.advance(1);
      expect(charged().length).toBe(sent);
    }
  }
  for (const worker of fleet.workers) {
    worker.isCutOff = false;
    worker.catchUp();
    worker.goOn();
  }
  await spawn();
  await user.scheduler.start(batchId);
  const isOver = async (): Promise<boolean> => {
    const left = (await fleet.tasks(batchId)).map(({ status }) => status);
    const isWorking = left.some((status) => ['submitting', 'rendering', 'downloading'].includes(status));
    return !isWorking && ['finished', 'paused'].includes((await fleet.state(batchId)) ?? '');
  };
  for (let hours = 0; hours < 1 && !(await isOver()); hours += 5 / 3600) await fleet.clock.advance(5_000);
  // Whoever comes late has come by then.
  await fleet.clock.advance(60_000);
  // No row is paid for twice, and no limit is passed.
  expect(charged().toSorted()).toEqual([...new Set(charged())].toSorted());
  expect(charged().length).toBeLessThanOrEqual(plan.cap);
  // No row is lost: it has its file, or waits for the user, or was never sent because of the limit.
  const tasks = await fleet.tasks(batchId);
  for (const { rowId, status, taskCode, attempts } of tasks) {
    const isCharged = charged().includes(rowId);
    if (isCharged) expect([rowId, status]).toEqual([rowId, expect.stringMatching(/^(done|submit-unknown)$/)]);
    else expect([rowId, status]).toEqual([rowId, expect.stringMatching(/^(queued|submit-unknown)$/)]);
    if (status === 'done') expect([rowId, taskCode !== undefined, attempts]).toEqual([rowId, true, 1]);
  }
  const used = charged().length;
  const queued = tasks.filter(({ status }) => status === 'queued').length;
  // Those that wait do so because of the limit, by what may have been charged.
  const unknown = tasks.filter(({ status, rowId }) => status === 'submit-unknown' && !charged().includes(rowId)).length;
  if (queued > 0) expect(used + unknown).toBe(plan.cap);
  expect(await fleet.state(batchId)).toBe(queued > 0 ? 'paused' : 'finished');
  expect(fleet.bugs).toEqual([]);
  for (const worker of fleet.workers) worker.kill();
}

async function befall(fleet: FleetNight, worker: FleetProcess, deed: Step['deed']): Promise<void> {
  switch (deed) {
    case 'stop':
      return worker.stop();
    case 'go-on':
      return worker.goOn();
    case 'cut':
      worker.isCutOff = true;
      return;
    case 'heal':
      worker.isCutOff = false;
      return;
    case 'slow-down':
      return worker.slowDown();
    case 'catch-up':
      return worker.catchUp();
    case 'kill':
      return worker.kill();
    case 'end': {
      // Meanwhile the others go on.
      void worker.end();
      return fleet.clock.advance(100);
    }
    case 'spawn':
    case 'pause':
    case 'start':
      return undefined;
  }
}

test('whatever befalls the workers, no row is paid for twice, none is lost, and no limit is passed', async () => {
  await fc.assert(fc.asyncProperty(plans, carryOut), { numRuns: 12, seed: 13 });
}, 120_000);
