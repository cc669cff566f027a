/**
 * Deliberate faults of workers that share a store, each put back where the sound code keeps a promise, with a night in
 * which it must be found.
 */
import type { DeliberateFault, ModulePatch } from '../../support/patch-modules.ts';
import type { Fault } from './fleet-faults.ts';
import type { FleetOracleName } from './fleet-oracle.ts';

/** A small fleet, and what is done to it again and again. */
export interface FleetTrial {
  readonly workers: number;
  readonly accounts: number;
  readonly rows: number;
  readonly faults: readonly Fault[];
  /** The most paid requests of the night. */
  readonly cap?: number;
  /** How much longer everything takes on its way to the server, in milliseconds. */
  readonly lagMs?: number;
  readonly leaseSeconds?: number;
  /** How long renderings take, as a share of the usual time. */
  readonly timeScale?: number;
}

export interface FleetMutant extends DeliberateFault {
  readonly foundBy: readonly FleetOracleName[];
  readonly trial: keyof typeof FLEET_TRIALS;
}

export const FLEET_TRIALS = {
  /** Its requests reach the server when somebody else has the account. */
  'heard late': { workers: 2, accounts: 2, rows: 50, faults: times(3, { kind: 'heard late' }) },
  /** It stands still right before its intent, and goes on when somebody else has the account. */
  'sure of its lease': {
    workers: 2,
    accounts: 2,
    rows: 40,
    faults: times(2, { kind: 'stopped at a point', point: 'submit.before-intent', isTaken: true }),
  },
  /** The same when it has just received an answer. */
  'late answer': {
    workers: 2,
    accounts: 2,
    rows: 40,
    faults: times(2, { kind: 'stopped at a point', point: 'submit.answered', isTaken: true }),
  },
  'lost answer': { workers: 2, accounts: 2, rows: 30, faults: times(2, { kind: 'answer lost' }) },
  /** Nobody else is there to take its account. */
  alone: { workers: 1, accounts: 2, rows: 30, faults: times(2, { kind: 'stopped' }) },
  /** Nothing is done to the workers, and there is more to ask than the limits allow. */
  undisturbed: { workers: 2, accounts: 2, rows: 60, faults: [] },
  /** Renderings take so long that all places are full. */
  'long renderings': { workers: 2, accounts: 2, rows: 24, faults: [], timeScale: 1 },
  /** Several workers come to the end of a limit at once. */
  'end of a limit': { workers: 3, accounts: 3, rows: 40, faults: [], cap: 21, lagMs: 25, leaseSeconds: 20 },
} as const satisfies Readonly<Record<string, FleetTrial>>;

const POST = 'await gateway.submit(call)';
const IS_HELD = 'const isHeld = (): boolean => !held.isOver && holdsStill(clock, held);';
/** It believes for ever what it was told once. */
const SURE: ModulePatch = {
  module: 'night/fleet/lane-leases.ts',
  find: IS_HELD,
  replace: 'const isHeld = (): boolean => !held.isOver;',
};

export const FLEET_MUTANTS: readonly FleetMutant[] = [
  {
    name: 'no epoch in the write',
    patches: [
      {
        module: 'store/tasks/commit-changes.ts',
        find: 'if (under === undefined) return false;',
        replace: 'if (under !== null) return false;',
      },
    ],
    foundBy: ['written without the right'],
    trial: 'heard late',
  },
  {
    name: 'permission by its own belief, not by the commit of its intent',
    patches: [
      SURE,
      // A refused commit also ends the right, and is noticed again before anything leaves.
      {
        module: 'night/submits/send-submits.ts',
        find: "if (!right.isHeld()) return reason('heldBack.account');",
        replace: '',
      },
      {
        module: 'night/submits/send-submits.ts',
        find: "if (outcome.kind === 'committed' && made.body !== undefined && !isClosed) {",
        replace: 'if (made.body !== undefined && !isClosed) {',
      },
      {
        module: 'night/submits/send-submits.ts',
        find: 'send(night, made, outcome.task, made.body)',
        replace: 'send(night, made, outcome.task ?? made.task, made.body)',
      },
    ],
    foundBy: ['charge without an intent', 'duplicate charge'],
    trial: 'sure of its lease',
  },
  /** What a queue that retries submits would do: no submit is in a queue, so here the worker itself retries. */
  {
    name: 'sends again what was not answered',
    patches: [
      {
        module: 'night/submits/send-submits.ts',
        find: `const came = notNow === undefined ? ${POST} : undefined;`,
        replace: `let came = ${POST}; if (came.raw === undefined) came = ${POST};`,
      },
    ],
    foundBy: ['duplicate charge'],
    trial: 'lost answer',
  },
  {
    name: 'renews a lease that has ended',
    patches: [
      SURE,
      {
        module: 'store/leases/lease-records.ts',
        find: 'AND epoch = ? AND holder = ? AND until > ?',
        replace: 'AND epoch = ? AND holder = ? AND (until > ? OR 1 = 1)',
      },
    ],
    foundBy: ['lease renewed after its end'],
    trial: 'alone',
  },
  {
    name: 'looks at limits before the transaction, not in it',
    patches: [
      {
        module: 'store/tasks/commit-changes.ts',
        find: 'if (isMore && !fitsLimits(',
        replace: 'if (isMore && Date.now() < 0 && !fitsLimits(',
      },
    ],
    foundBy: ['cap passed'],
    trial: 'end of a limit',
  },
  {
    name: 'permission by job: fetches what it was offered without the lease of that download',
    patches: [
      {
        module: 'night/fleet/fleet-downloads.ts',
        find: 'const taken = await this.#rights.take(taskId).catch(onTrouble);',
        replace: `const offered = await night.store.task(taskId);
          const any = { isHeld: () => true, lost: new AbortController().signal };
          const taken = offered?.status === 'downloading' ? { task: offered, right: any } : undefined;`,
      },
      {
        module: 'night/fleet/download-rights.ts',
        find: 'if (this.#held.get(fence.account)?.right',
        replace: 'if (fence === undefined || this.#held.get(fence.account)?.right',
      },
    ],
    foundBy: ['written without the right'],
    trial: 'undisturbed',
  },
  {
    name: 'takes more places of an account than there are',
    patches: [
      {
        module: 'night/submits/choose-submits.ts',
        find: 'return profile.limits.activePerFamily[family] - ',
        replace: 'return 100 + profile.limits.activePerFamily[family] - ',
      },
    ],
    foundBy: ['limit passed'],
    trial: 'long renderings',
  },
  {
    name: 'asks an account as often as it likes',
    patches: [
      {
        module: 'night/lanes.ts',
        find: 'if (now < this.#holdUntil || this.#tokens < 1 || left < 1) {',
        replace: 'if (now < this.#holdUntil) {',
      },
      {
        module: 'night/lanes.ts',
        find: 'now < this.#holdUntil ? 0 : Math.max(0, Math.floor(this.#tokens))',
        replace: 'now < this.#holdUntil ? 0 : 100',
      },
    ],
    foundBy: ['limit passed'],
    trial: 'undisturbed',
  },
  {
    name: 'drops a task code that comes late',
    patches: [
      {
        module: 'night/submits/record-answer.ts',
        find: 'await noteLate(night, task, { sent, event: eventFor(outcome), answer: answerFor(outcome), ...rest });',
        replace: '',
      },
    ],
    foundBy: ['lost task code'],
    trial: 'late answer',
  },
];

function times(count: number, fault: Fault): readonly Fault[] {
  return Array.from({ length: count }, () => fault);
}
