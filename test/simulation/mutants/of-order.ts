import type { DeliberateFault } from '../../support/patch-modules.ts';

/** Bugs of what comes first: commits, pauses, ends, and batches on their way into the night. */
export const OF_ORDER: readonly DeliberateFault[] = [
  {
    name: 'a pause does not wait for intents that are being committed',
    patches: [
      {
        module: 'night/scheduler.ts',
        find: 'await this.untilDone(Promise.all([paused, this.#submitting]));',
        replace: 'await this.untilDone(Promise.all([paused]));',
      },
    ],
  },
  {
    name: 'what the user said meanwhile is not asked before an intent is committed',
    patches: [
      {
        module: 'night/task-journal.ts',
        find: 'if (isWanted?.() === false) return undefined;',
        replace: '',
      },
    ],
  },
  {
    name: 'commits do not wait for each other',
    patches: [
      {
        module: 'night/task-journal.ts',
        find: 'const done = this.#turn.then(work);',
        replace: 'const done = work();',
      },
    ],
  },
  {
    name: 'the end of a night does not wait for answers that were paid for',
    patches: [
      {
        module: 'night/night-end.ts',
        find: 'while (work.size > 0 && clock.monotonic() < endBy) {',
        replace: 'while (work.size > 1e9 && clock.monotonic() < endBy) {',
      },
    ],
  },
  {
    name: 'commits that the disk refused are forgotten',
    patches: [
      {
        module: 'night/task-journal.ts',
        find: '      this.#waiting.unshift(...group);\n      this.#refusal = { error };',
        replace: '      this.#refusal = { error };',
      },
    ],
  },
  {
    name: 'a batch that two take up at once is taken up twice',
    patches: [
      {
        module: 'night/batches/joining.ts',
        find: 'const attaching = this.#attaching.get(batchId) ?? untilDone(this.#attach(batchId));',
        replace: 'const attaching = untilDone(this.#attach(batchId));',
      },
    ],
  },
  {
    name: 'a batch on its way into the night is not waited for',
    patches: [
      {
        module: 'night/batches/joining.ts',
        find: 'await this.#attaching.get(batchId)?.catch(() => undefined);',
        replace: '',
      },
    ],
  },
  {
    name: 'changes of settings do not wait for each other',
    patches: [
      {
        module: 'night/batches/settings-changes.ts',
        find: 'const configured = this.#configuring.then(() => this.#configure(batchId, change, name));',
        replace: 'const configured = this.#configure(batchId, change, name);',
      },
    ],
  },
  {
    name: 'a batch ends although a commit is under way',
    patches: [
      {
        module: 'night/batches/batch-rest.ts',
        find: 'const left = journal.isCommitting ? undefined : work.ifFresh(batchId, clock.now());',
        replace: 'const left = journal === undefined ? undefined : work.ifFresh(batchId, clock.now());',
      },
    ],
  },
  {
    name: 'a batch ends although rows are about to be freed',
    patches: [
      {
        module: 'night/batches/night-batches.ts',
        find: 'const isAtRest = !isBehind && this.rest.isIdle(id);',
        replace: 'const isAtRest = this.rest.isIdle(id);',
      },
    ],
  },
  {
    name: 'a pause of the user holds back what is rendering, too',
    patches: [
      {
        module: 'night/batches/batch-pause.ts',
        find: "?.meanwhile ?? 'all';",
        replace: "?.meanwhile ?? 'nothing';",
      },
    ],
  },
  {
    name: 'a disk that is well again ends every pause',
    patches: [
      {
        module: 'night/batches/night-batches.ts',
        find: 'if (pause?.disk === undefined) return this.start(batch, { still: stops }, false);',
        replace: 'if (pause !== undefined) return this.start(batch, { still: stops }, false);',
      },
    ],
  },
  {
    name: 'a paid request leaves with a key that has replaced the one of its intent',
    patches: [
      {
        module: 'night/submits/send-submits.ts',
        find: 'night.keyFingerprint(account.account) === keyFingerprint ? chosen : KEY_REPLACED;',
        replace: 'chosen;',
      },
    ],
  },
];
