import type { DeliberateFault } from '../../support/patch-modules.ts';

/** Bugs with which row or take goes next: picks, canaries, gates, holds and the accounts that rows stay with. */
export const OF_TURNS: readonly DeliberateFault[] = [
  {
    name: 'a row goes on with the first take, where the user is to pick one',
    patches: [
      {
        module: 'night/row-source.ts',
        find: "return { kind: 'coming', awaitsPick: true };",
        replace: '{}',
      },
    ],
  },
  {
    name: 'a pick that is taken back is gone on with',
    patches: [
      {
        module: 'night/row-source.ts',
        find: 'if (picked !== undefined) {',
        replace: `const former = (globalThis.formerPicks ??= new WeakMap());
  if (!former.has(store)) former.set(store, new Map());
  if (picked !== undefined) former.get(store).set(rowId, picked);
  const last = former.get(store).get(rowId);
  if (picked === undefined && last !== undefined && tasks.some(({ id, status }) => id === last.take.id && status === 'done'))
    return { kind: 'done', task: last.take, picked: last.output.index, basis };
  if (picked !== undefined) {`,
      },
    ],
  },
  {
    name: 'the rest of a kind goes with its first',
    patches: [
      {
        module: 'store/tasks/canary-queue.ts',
        find: "if (standing === 'fresh') found.push(...firstOf(kind, 1));",
        replace: "if (standing === 'fresh') found.push(...firstOf(kind, limit));",
      },
    ],
  },
  {
    name: 'the first of a kind is forgotten while it is under way',
    patches: [
      {
        module: 'store/tasks/canary-queue.ts',
        find: 'if (known !== undefined) return known;',
        replace: '',
      },
    ],
  },
  {
    name: 'a flagged take is rendered again once too often',
    patches: [
      {
        module: 'night/gates/gate-watch.ts',
        find: 'if (ending.aborted || !isToMakeAgain(task, timesAgain(batch.record, task))) return;',
        replace: 'if (ending.aborted || !isToMakeAgain(task, timesAgain(batch.record, task) * 2)) return;',
      },
      {
        module: 'store/tasks/task-plans.ts',
        find: '!isToMakeAgain(flagged, timesAgain(record, flagged))',
        replace: '!isToMakeAgain(flagged, timesAgain(record, flagged) * 2)',
      },
    ],
  },
  {
    name: 'what is said of the turn of rows overtakes what was said before',
    patches: [
      {
        module: 'commands/take-decisions.ts',
        find: 'await this.#rowTurns.take(async () => {',
        replace: 'await (async (work) => work())(async () => {',
      },
    ],
  },
  {
    name: 'a request of a held row is sent again under its key',
    patches: [
      {
        module: 'night/charges/ask-again.ts',
        find: 'return ask && !isHeld && mayPay(night, batch) && night.isAwake();',
        replace: 'return ask && mayPay(night, batch) && night.isAwake();',
      },
      {
        module: 'night/charges/ask-again.ts',
        find: 'night.active.get(task.id)?.onHold !== true &&',
        replace: '',
      },
    ],
  },
  {
    name: 'a row stays with the account of a take that is no longer picked',
    patches: [
      {
        module: 'night/submits/prepare-body.ts',
        find: 'if (to === undefined || !mayFollow(task, to)) return unresolved(elsewhere);',
        replace: 'return unresolved(elsewhere);',
      },
    ],
  },
];
