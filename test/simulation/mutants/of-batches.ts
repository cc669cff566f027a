import type { DeliberateFault } from '../../support/patch-modules.ts';

/** Bugs with whole batches: their order, those that are put away, and what is said about their files. */
export const OF_BATCHES: readonly DeliberateFault[] = [
  {
    name: 'a batch passes one whose folder is being checked',
    patches: [
      {
        module: 'night/submit-step.ts',
        find: 'maySubmit(night, batch) && !waitsForTurn(night, batch);',
        replace: 'maySubmit(night, batch);',
      },
    ],
  },
  {
    name: 'batches that were moved up take turns with the others',
    patches: [
      {
        module: 'night/batches/turns.ts',
        find: 'return a.priority === b.priority ? a.lastTurn < b.lastTurn : a.priority > b.priority;',
        replace: 'return a.lastTurn < b.lastTurn;',
      },
    ],
  },
  {
    name: 'equal batches take no turns',
    patches: [
      {
        module: 'night/batches/turns.ts',
        find: 'return a.priority === b.priority ? a.lastTurn < b.lastTurn : a.priority > b.priority;',
        replace: 'return a.priority > b.priority;',
      },
    ],
  },
  {
    name: 'a batch that is to go first joins the one that does',
    patches: [
      {
        module: 'commands/batch-config.ts',
        find: 'const among = { others: others.map(priorityOf), running };',
        replace: 'const among = { others: [], running };',
      },
    ],
  },
  {
    name: 'a batch that runs is deleted',
    patches: [
      {
        module: 'night/batches/shelf.ts',
        find: 'const facts = { state: now.state,',
        replace: "const facts = { state: 'paused' as const,",
      },
    ],
  },
  {
    name: 'a batch is deleted although something of it is at the gateway',
    patches: [
      {
        module: 'night/batches/shelf.ts',
        find: 'whyNot = is ===',
        replace: 'for (const status of TASK_STATUSES) takes[status] = 0;\n    whyNot = is ===',
      },
    ],
  },
  {
    name: 'what is deleted is gone an hour later',
    patches: [
      {
        module: 'night/batches/shelf.ts',
        find: '(removableFrom(settings.shelf) ?? Infinity) <= now',
        replace: 'settings.shelf.at + 3_600_000 <= now',
      },
      {
        module: 'store/sheets/remove-batch.ts',
        find: 'if (from === undefined || from > now || record.state',
        replace: 'if (from === undefined || record.state',
      },
    ],
  },
  {
    name: 'what a removed batch has paid is forgotten',
    patches: [
      {
        module: 'store/sheets/remove-batch.ts',
        find: "'UPDATE attempts SET body = ?, answer = NULL,",
        replace: "'UPDATE attempts SET body = ?, price = NULL, answer = NULL,",
      },
    ],
  },
  {
    name: 'a file that is rejected stays where it is',
    patches: [
      {
        module: 'review/tidy-files.ts',
        find: 'if (to === undefined || file === undefined) return;',
        replace: "if (to?.startsWith('rejected/') !== false || file === undefined) return;",
      },
    ],
  },
  {
    name: 'a picked file that is rejected stays picked',
    patches: [
      {
        module: 'review/file-review.ts',
        find: '...(isUnpicked && { pickedAt: null }),',
        replace: '...(picked === false && { pickedAt: null }),',
      },
    ],
  },
  {
    name: 'a batch that was deleted is there again after a restart',
    patches: [
      {
        module: 'night/batches/shelf.ts',
        find: "if (settings.shelf?.is !== 'deleted') continue;",
        replace: "if (settings.shelf?.is !== 'deleted') continue;\n    await configure(id, withoutShelf);",
      },
    ],
  },
  {
    name: 'the folder: one that was good counts as good for an hour',
    patches: [
      {
        module: 'night/submits/choose-submits.ts',
        find: 'const FOLDER_CHECK_MS = 15_000;',
        replace: 'const FOLDER_CHECK_MS = 3_600_000;',
      },
    ],
  },
  {
    name: 'the folder: one that was denied is not looked at again',
    patches: [
      {
        module: 'night/batches/night-batches.ts',
        find: 'if (!isDiskPause(batch.record) || batch.isFolderChecking',
        replace:
          "if (!isDiskPause(batch.record) || refusalOfDisk(batch.record).code === 'DISK_DENIED' || batch.isFolderChecking",
      },
    ],
  },
];
