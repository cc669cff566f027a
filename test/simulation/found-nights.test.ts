/** Nights that simulation has found, made as small as possible: what was wrong in them is fixed. */
import { expect, test } from 'vitest';
import { runNight } from './night.ts';
import type { BatchPlan, NightPlan } from './plan.ts';
import { SimDisk } from './sim-disk.ts';

/** A night of rows that are rendered in two seconds, with the differences that a test needs. */
function night(batch: Pick<BatchPlan, 'rows'> & Partial<BatchPlan>, different: Partial<NightPlan>): NightPlan {
  return {
    seed: 1,
    batches: [{ account: 0, places: 2, perSecond: 2, downloads: 2, isStated: true, ...batch }],
    law: { kind: 'fixed', ms: 2000 },
    shape: 'text',
    addressMs: 172_800_000,
    store: 'at-once',
    faults: [],
    spells: [],
    deeds: [],
    ...different,
  };
}

/** The file is imported again as the sheet was, and what needs a request may run. */
const IMPORT = { kind: 'import', batch: 0, rows: [], isTurned: false, withDependents: false, releases: true } as const;
const START = { atMs: 0, deed: { kind: 'start', batch: 0 } } as const;
const FOUND: Readonly<Record<string, NightPlan>> = {
  'an undo of keeping a take that is asked for no longer leaves the takes that were finished beside it': night(
    { rows: [{ id: 'b0r0', takes: 3 }] },
    {
      deeds: [
        START,
        { atMs: 60_000, deed: { kind: 'render-again', batch: 0, rows: ['b0r0'] } },
        { atMs: 61_000, deed: { kind: 'takes', row: 'b0r0', takes: 2 } },
        { atMs: 62_000, deed: { kind: 'run-drafts', batch: 0 } },
        { atMs: 120_000, deed: { kind: 'keep-earlier', batch: 0, rows: ['b0r0'] } },
        { atMs: 121_000, deed: { kind: 'undo', batch: 0 } },
      ],
    },
  ),
  'a row that refers to one whose id is written in other letters from now on is done, and pays no second time': night(
    {
      rows: [
        { id: 'b0r1', takes: 1 },
        { id: 'b0r2', takes: 1, after: 'b0r1' },
      ],
      places: 4,
      perSecond: 10,
    },
    { deeds: [START, { atMs: 60_000, deed: { kind: 'rename', row: 'b0r1', nth: 0, id: 'B0R1' } }] },
  ),
  'an undo that a full disk refuses undoes the same edit once there is room, and not the one before it': night(
    {
      rows: [
        { id: 'b0r0', takes: 1 },
        { id: 'b0r1', takes: 1 },
      ],
    },
    {
      spells: [{ kind: 'store', fromMs: 3000, forMs: 5000 }],
      deeds: [
        { atMs: 1000, deed: { kind: 'remove', row: 'b0r0' } },
        { atMs: 2000, deed: { kind: 'edit', row: 'b0r1', version: 1 } },
        { atMs: 4000, deed: { kind: 'undo', batch: 0 } },
        { atMs: 9000, deed: { kind: 'undo', batch: 0 } },
      ],
    },
  ),
  'a batch whose own folder is back goes on, beside one for which another folder has taken its place': night(
    { rows: [] },
    {
      batches: [
        { rows: [{ id: 'b0r0', takes: 1 }], account: 1, places: 1, perSecond: 1, downloads: 1, isStated: true },
        {
          rows: [
            { id: 'b1r1', takes: 2 },
            { id: 'b1r4', takes: 1 },
            { id: 'b1r5', takes: 1 },
            { id: 'b1r6', takes: 1 },
          ],
          account: 1,
          places: 2,
          perSecond: 1,
          downloads: 1,
          isStated: true,
        },
      ],
      law: { kind: 'fixed', ms: 600_000 },
      spells: [{ kind: 'replaced', fromMs: 1_712_604, forMs: 180_000 }],
      deeds: [
        { atMs: 0, deed: { kind: 'start', batch: 1 } },
        { atMs: 301_000, deed: { kind: 'start', batch: 0 } },
        { atMs: 1_882_000, deed: { kind: 'start', batch: 1 } },
      ],
    },
  ),
  'a take that is being written off is retried with all that have failed': night(
    { rows: [{ id: 'b0r0', takes: 1 }], places: 1, downloads: 1, keys: 'ignored' },
    {
      seed: 878_103_910,
      law: { kind: 'fixed', ms: 600_000 },
      addressMs: 300_000,
      faults: [{ at: 'submit', row: 'b0r0', nth: 1, does: 'conflict' }],
      // What comes while the machine sleeps comes at once when it wakes.
      deeds: [
        START,
        { atMs: 4000, deed: { kind: 'takes', row: 'b0r0', takes: 1 } },
        { atMs: 12_000, deed: { kind: 'pause', batch: 0 } },
        { atMs: 60_000, deed: { kind: 'sleep', forMs: 32_400_000 } },
        { atMs: 102_000, deed: { kind: 'retry-all', batch: 0 } },
        { atMs: 107_000, deed: { kind: 'write-off', row: 'b0r0' } },
      ],
    },
  ),
  'a row goes where the take was made that is picked last': night(
    {
      rows: [
        { id: 'b0r0', takes: 3, pick: true },
        { id: 'b0r1', takes: 1, after: 'b0r0' },
        { id: 'b0r3', takes: 1 },
        { id: 'b0r4', takes: 2 },
      ],
      account: 1,
      downloads: 1,
      isShared: 'cheapest',
    },
    {
      seed: 7863,
      addressMs: 300_000,
      law: { kind: 'lognormal', ms: 20_000, spread: 1 },
      store: 'stalling',
      deeds: [
        START,
        { atMs: 18_000, deed: { kind: 'pick', row: 'b0r0', nth: 2 } },
        { atMs: 26_000, deed: { kind: 'pick', row: 'b0r0', nth: 2 } },
        { atMs: 41_000, deed: { kind: 'unpick', row: 'b0r0', nth: 3 } },
      ],
    },
  ),
  'of two picks in the same moment the second one holds': night(
    {
      rows: [
        { id: 'b0r7', takes: 3, pick: true },
        { id: 'b0r10', takes: 1, after: 'b0r7' },
      ],
    },
    {
      seed: 21_564,
      // All of them wait until the process is there again.
      deeds: [
        START,
        { atMs: 12_000, deed: { kind: 'kill', turns: 19, downMs: 3_600_000 } },
        { atMs: 13_000, deed: { kind: 'unpick', row: 'b0r7', nth: 3 } },
        { atMs: 13_000, deed: { kind: 'pick', row: 'b0r7', nth: 1 } },
        { atMs: 16_000, deed: { kind: 'pick', row: 'b0r7', nth: 2 } },
      ],
    },
  ),
  'a hold is not overtaken by what the user wanted before it': night(
    {
      rows: [
        { id: 'b0r1', takes: 1 },
        { id: 'b0r4', takes: 1 },
      ],
      perSecond: 10,
      downloads: 3,
    },
    {
      seed: 369,
      addressMs: 3_600_000,
      store: 'stalling',
      deeds: [
        { atMs: 1000, deed: { kind: 'turn', row: 'b0r1', turn: 'release' } },
        { atMs: 1000, deed: { kind: 'turn', row: 'b0r1', turn: 'release' } },
        { atMs: 2000, deed: { kind: 'turn', row: 'b0r4', turn: 'next' } },
        { atMs: 2885, deed: { kind: 'turn', row: 'b0r4', turn: 'hold' } },
        { atMs: 41_000, deed: { kind: 'start', batch: 0 } },
      ],
    },
  ),
  'a request whose answer was lost is not sent again under its key while its row is held': night(
    { rows: [{ id: 'b0r0', takes: 1 }], places: 1, perSecond: 1, isShared: 'cheapest', keys: 'kept' },
    {
      seed: 3110,
      addressMs: 300_000,
      faults: [{ at: 'submit', row: 'b0r0', nth: 1, does: 'silent' }],
      deeds: [START, { atMs: 5000, deed: { kind: 'turn', row: 'b0r0', turn: 'hold' } }],
    },
  ),
  'the hours that a machine slept on files are not learned as the time of a rendering': night(
    {
      rows: [
        { id: 'b0r5', takes: 1, fails: true },
        { id: 'b0r6', takes: 1 },
        { id: 'b0r8', takes: 1 },
        { id: 'b0r9', takes: 1 },
      ],
      account: 1,
      perSecond: 10,
      isStated: false,
    },
    {
      seed: 4661,
      law: { kind: 'queue', ms: 2000, places: 1 },
      addressMs: 3_600_000,
      spells: [{ kind: 'disk', fromMs: 6277, forMs: 1_200_000 }],
      deeds: [
        START,
        { atMs: 22_000, deed: { kind: 'sleep', forMs: 32_400_000 } },
        { atMs: 43_000, deed: { kind: 'profile', batch: 0, isStated: true, path: '/v2' } },
      ],
    },
  ),
  'a leap of the clock between a question and its answer is not learned as the time of a rendering': {
    ...night({ rows: [] }, { seed: 5440, law: { kind: 'fixed', ms: 90_000 }, addressMs: 3_600_000 }),
    batches: [
      {
        rows: [
          { id: 'b0r1', takes: 1 },
          { id: 'b0r3', takes: 1 },
        ],
        account: 1,
        places: 1,
        perSecond: 1,
        downloads: 3,
        isStated: true,
      },
      {
        rows: [
          { id: 'b1r0', takes: 1 },
          { id: 'b1r1', takes: 1 },
          { id: 'b1r4', takes: 1 },
        ],
        account: 1,
        places: 4,
        perSecond: 1,
        downloads: 2,
        isStated: true,
        isShared: 'cheapest',
        keys: 'forgotten',
        again: 2,
      },
    ],
    deeds: [
      START,
      { atMs: 0, deed: { kind: 'start', batch: 1 } },
      { atMs: 2000, deed: { kind: 'turn', row: 'b0r1', turn: 'hold' } },
      { atMs: 93_642, deed: { kind: 'leap', byMs: 93_600_000 } },
    ],
  },
  'a rendering is not overdue while its account had no key to ask with, behind another pause': night(
    {
      rows: [
        { id: 'b0r1', takes: 1 },
        { id: 'b0r2', takes: 1 },
      ],
      places: 3,
      cap: 1,
    },
    {
      seed: 8479,
      law: { kind: 'fixed', ms: 600_000 },
      addressMs: 3_600_000,
      deeds: [
        START,
        { atMs: 519, deed: { kind: 'key', account: 0, key: 'none' } },
        { atMs: 38_083_000, deed: { kind: 'cap', batch: 0, cap: null } },
      ],
    },
  ),
  'after a clock that was an hour ahead for a moment, a rendering does not wait for that hour': night(
    {
      rows: [
        { id: 'b0r13', takes: 1 },
        { id: 'b0r14', takes: 1 },
        { id: 'b0r16', takes: 1 },
        { id: 'b0r17', takes: 1 },
      ],
      places: 3,
      perSecond: 10,
      canary: true,
    },
    {
      seed: 8489,
      deeds: [
        START,
        { atMs: 4000, deed: { kind: 'leap', byMs: 3_600_000 } },
        { atMs: 5000, deed: { kind: 'leap', byMs: -3_600_000 } },
        { atMs: 6000, deed: { kind: 'kill', turns: 8, downMs: 500 } },
      ],
    },
  ),
  'a row that was held while the clock was set back a day does not wait for that day': night(
    {
      rows: [
        { id: 'b1r2', takes: 1 },
        { id: 'b1r5', takes: 2 },
        { id: 'b1r9', takes: 1 },
      ],
      places: 4,
      downloads: 4,
    },
    {
      seed: 1000410,
      deeds: [
        START,
        { atMs: 0, deed: { kind: 'leap', byMs: -93_600_000 } },
        { atMs: 1000, deed: { kind: 'turn', row: 'b1r9', turn: 'hold' } },
        { atMs: 756_000, deed: { kind: 'kill', turns: 17, downMs: 500 } },
      ],
    },
  ),
  'a row that could not be sent yet waits again once its edit is undone': night(
    { rows: [{ id: 'b0r3', takes: 1 }] },
    {
      seed: 158,
      store: 'at-once',
      spells: [{ kind: 'outage', fromMs: 15_061, forMs: 1_200_000 }],
      deeds: [
        { atMs: 42_000, deed: { kind: 'start', batch: 0 } },
        { atMs: 436_000, deed: { kind: 'edit', row: 'b0r3', version: 1 } },
        { atMs: 436_000, deed: { kind: 'undo', batch: 0 } },
      ],
    },
  ),
  'a row of a file may refer to one that the file has no more, and that is kept': night(
    {
      rows: [
        { id: 'b2r0', takes: 1 },
        { id: 'b2r1', takes: 1, after: 'b2r0' },
        { id: 'b2r3', takes: 1, after: 'b2r1' },
      ],
    },
    {
      seed: 1_036_188,
      deeds: [
        {
          atMs: 57_000,
          deed: {
            kind: 'import',
            batch: 0,
            rows: [{ row: 'b2r1', version: 1, takes: 1 }],
            gone: ['b2r0'],
            isTurned: false,
            removed: 'keep',
            withDependents: false,
            releases: false,
          },
        },
      ],
    },
  ),
  'a batch pauses once all that is left of it is a request to be sent again with an account that is stopped': night(
    {
      rows: [
        { id: 'b0r0', takes: 1 },
        { id: 'b0r1', takes: 1 },
        { id: 'b0r2', takes: 1, after: 'b0r1' },
        { id: 'b0r3', takes: 1 },
        { id: 'b0r4', takes: 1 },
        { id: 'b0r5', takes: 2 },
        { id: 'b0r6', takes: 1, after: 'b0r4' },
        { id: 'b0r7', takes: 1 },
        { id: 'b0r8', takes: 1 },
        { id: 'b0r13', takes: 1 },
      ],
      places: 3,
      perSecond: 10,
      downloads: 1,
      isShared: 'in-order',
      keys: 'ignored',
    },
    {
      seed: 1_053_044,
      store: 'stalling',
      law: { kind: 'fixed', ms: 20_000 },
      faults: [
        { at: 'submit', row: 'b0r5', nth: 1, does: 'other-code' },
        { at: 'submit', row: 'b0r8', nth: 1, does: 'html' },
      ],
      deeds: [{ atMs: 0, deed: { kind: 'profile', batch: 0, isStated: true, path: '/v2' } }],
    },
  ),
  'a row that waits to be rendered again waits for that, too, once a later edit of it is undone': {
    ...night({ rows: [] }, { spending: { night: { requests: 2 } } }),
    batches: [
      { rows: [{ id: 'b0r0', takes: 1 }], account: 1, places: 5, perSecond: 10, downloads: 3, isStated: true },
      { rows: [{ id: 'b1r0', takes: 1 }], account: 1, places: 3, perSecond: 2, downloads: 1, isStated: true },
    ],
    deeds: [
      START,
      { atMs: 0, deed: { kind: 'start', batch: 1 } },
      { atMs: 24_000, deed: { kind: 'render-again', batch: 0, rows: ['b0r0'] } },
      { atMs: 33_000, deed: { kind: 'run-drafts', batch: 0 } },
      { atMs: 33_582, deed: { kind: 'edit', row: 'b0r0', version: 1 } },
      { atMs: 42_000, deed: { kind: 'undo', batch: 0 } },
    ],
  },
  'a row that waits to be rendered again waits for that, too, once its removal is undone, though the clock was put back':
    night(
      { rows: [{ id: 'b0r0', takes: 1 }], places: 1, perSecond: 1, downloads: 1, isStated: true },
      {
        law: { kind: 'fixed', ms: 20_000 },
        deeds: [
          { atMs: 16_000, deed: { kind: 'leap', byMs: -3_600_000 } },
          { atMs: 16_000, deed: { kind: 'start', batch: 0 } },
          { atMs: 583_000, deed: { kind: 'render-again', batch: 0, rows: ['b0r0'] } },
          { atMs: 583_986, deed: { kind: 'remove', row: 'b0r0' } },
          { atMs: 608_000, deed: { kind: 'undo', batch: 0 } },
        ],
      },
    ),
  'an edit that the user has ended while the disk was full is not carried out by the next process': night(
    {
      rows: [
        { id: 'b0r0', takes: 1 },
        { id: 'b0r1', takes: 1 },
      ],
    },
    {
      store: 'slow',
      spells: [{ kind: 'store', fromMs: 1600, forMs: 3000 }],
      deeds: [
        { atMs: 1000, deed: { kind: 'edit-all', batch: 0, does: 'words', version: 1, lines: 401, endsIn: 19 } },
        { atMs: 60_000, deed: { kind: 'close', downMs: 500 } },
      ],
    },
  ),
  'a row that was to be rendered again is so once more after two undos, though its words came back and the clock was put back':
    night(
      { rows: [{ id: 'b0r0', takes: 1 }] },
      {
        law: { kind: 'fixed', ms: 20_000 },
        deeds: [
          { atMs: 22_000, deed: { kind: 'leap', byMs: -93_600_000 } },
          { atMs: 271_000, deed: { kind: 'start', batch: 0 } },
          { atMs: 356_000, deed: { kind: 'render-again', batch: 0, rows: ['b0r0'] } },
          { atMs: 563_000, deed: { kind: 'edit', row: 'b0r0', version: 1 } },
          { atMs: 648_000, deed: { kind: 'edit', row: 'b0r0', version: 0 } },
          { atMs: 676_000, deed: { kind: 'undo', batch: 0 } },
          { atMs: 761_000, deed: { kind: 'undo', batch: 0 } },
        ],
      },
    ),
  'a row that waits for a word to be rendered again goes on waiting for it where a file takes another take of it away':
    night(
      { rows: [{ id: 'b0r0', takes: 2 }], account: 1, places: 4, perSecond: 10, downloads: 3, canary: true },
      {
        seed: 41_001_719,
        addressMs: 300_000,
        deeds: [
          { atMs: 2000, deed: { kind: 'start', batch: 0 } },
          { atMs: 2896, deed: { kind: 'pause', batch: 0 } },
          { atMs: 11_000, deed: { kind: 'render-again', batch: 0, rows: ['b0r0'] } },
          {
            atMs: 20_000,
            deed: {
              kind: 'import',
              batch: 0,
              rows: [{ row: 'b0r0', version: 0, takes: 1 }],
              gone: [],
              isTurned: false,
              removed: 'keep',
              withDependents: false,
              releases: true,
            },
          },
        ],
      },
    ),
  'what becomes of an edit that the user has ended is told at the end, where the disk stays full until then': night(
    {
      rows: [
        { id: 'b0r0', takes: 1 },
        { id: 'b0r1', takes: 1 },
      ],
    },
    {
      store: 'slow',
      spells: [{ kind: 'store', fromMs: 1600, forMs: 60_000 }],
      deeds: [
        { atMs: 1000, deed: { kind: 'edit-all', batch: 0, does: 'words', version: 1, lines: 401, endsIn: 19 } },
        { atMs: 4000, deed: { kind: 'close', downMs: 60_000 } },
      ],
    },
  ),
  'a file is compared while an undo is on its way, which leaves less to pay for than was shown': {
    ...night(
      { rows: [] },
      {
        seed: 127_103_908,
        law: { kind: 'fixed', ms: 20_000 },
        spending: { night: { cost: { amount: 0.31, currency: 'EUR' } } },
        store: 'slow',
      },
    ),
    batches: [
      { rows: [{ id: 'b0r1', takes: 1 }], account: 0, places: 2, perSecond: 1, downloads: 1, isStated: true },
      { rows: [{ id: 'b1r0', takes: 1 }], account: 0, places: 4, perSecond: 10, downloads: 4, isStated: true },
    ],
    deeds: [
      { atMs: 3000, deed: { kind: 'close', downMs: 60_000 } },
      { atMs: 34_000, deed: { kind: 'start', batch: 1 } },
      { atMs: 185_000, deed: { kind: 'render-again', batch: 1, rows: ['b1r0'] } },
      { atMs: 185_000, deed: { kind: 'takes', row: 'b1r0', takes: 3 } },
      { atMs: 185_000, deed: { kind: 'edit', row: 'b1r0', version: 1 } },
      { atMs: 188_000, deed: { kind: 'edit', row: 'b1r0', version: 0 } },
      { atMs: 191_338, deed: { kind: 'run-drafts', batch: 1 } },
      { atMs: 191_368, deed: { kind: 'undo', batch: 1 } },
      { atMs: 216_368, deed: { kind: 'undo', batch: 1 } },
      {
        atMs: 216_368,
        deed: {
          kind: 'import',
          batch: 1,
          rows: [{ row: 'b1r0', version: 0, takes: 2 }],
          gone: [],
          isTurned: false,
          removed: 'keep',
          withDependents: false,
          releases: true,
        },
      },
    ],
  },
  'an undo of files that were kept has those rendered again, and no take that was run since': night(
    { rows: [{ id: 'b0r1', takes: 1 }], places: 4, perSecond: 1, downloads: 4 },
    {
      seed: 119_919_329,
      law: { kind: 'fixed', ms: 20_000 },
      deeds: [
        { atMs: 145_000, deed: { kind: 'start', batch: 0 } },
        { atMs: 190_000, deed: { kind: 'render-again', batch: 0, rows: ['b0r1'] } },
        { atMs: 193_000, deed: { kind: 'takes', row: 'b0r1', takes: 3 } },
        { atMs: 230_000, deed: { kind: 'keep-earlier', batch: 0, rows: ['b0r1'] } },
        { atMs: 230_000, deed: { kind: 'run-drafts', batch: 0 } },
        { atMs: 291_000, deed: { kind: 'undo', batch: 0 } },
      ],
    },
  ),
  'of files that were rendered twice again, a row keeps the newest, though the clock was put back': night(
    { rows: [{ id: 'b1r0', takes: 1 }], perSecond: 10, downloads: 1 },
    {
      seed: 700_000_475,
      law: { kind: 'fixed', ms: 20_000 },
      deeds: [
        START,
        { atMs: 0, deed: { kind: 'leap', byMs: -93_600_000 } },
        { atMs: 125_000, deed: { kind: 'render-again', batch: 0, rows: ['b1r0'] } },
        { atMs: 125_000, deed: { kind: 'run-drafts', batch: 0 } },
        { atMs: 195_000, deed: { kind: 'render-again', batch: 0, rows: ['b1r0'] } },
        { atMs: 195_274, deed: { kind: 'keep-earlier', batch: 0, rows: ['b1r0'] } },
      ],
    },
  ),
  'the next edit finds an undo of many rows carried out, though the disk refused to note that it was': night(
    {
      rows: [
        { id: 'b0r0', takes: 1 },
        { id: 'b0r1', takes: 1 },
      ],
    },
    {
      seed: 700_003_198,
      store: 'quick',
      spells: [{ kind: 'store', fromMs: 43_182, forMs: 2000 }],
      deeds: [
        { atMs: 40_150, deed: { kind: 'edit-all', batch: 0, does: 'words', version: 2, lines: 601 } },
        { atMs: 40_150, deed: { kind: 'edit-all', batch: 0, does: 'takes', version: 2, lines: 401 } },
        { atMs: 42_000, deed: { kind: 'undo', batch: 0 } },
        { atMs: 43_150, deed: { kind: 'undo', batch: 0 } },
        { atMs: 45_000, deed: { kind: 'edit', row: 'b0r0', version: 0 } },
      ],
    },
  ),
  'a batch does not lose its turn to one whose folder is checked more quickly': {
    ...night({ rows: [] }, { seed: 820_000_495, law: { kind: 'lognormal', ms: 600_000, spread: 0.5 } }),
    store: 'stalling',
    batches: [
      {
        rows: [{ id: 'b0r0', takes: 1 }],
        account: 0,
        places: 1,
        perSecond: 0.2,
        downloads: 4,
        cap: 2,
        isStated: true,
      },
      {
        rows: [
          { id: 'b1r0', takes: 1 },
          { id: 'b1r2', takes: 1 },
          { id: 'b1r3', takes: 2 },
        ],
        account: 0,
        places: 1,
        perSecond: 1,
        downloads: 3,
        isStated: true,
      },
      {
        rows: [{ id: 'b2r0', takes: 1 }],
        account: 0,
        places: 1,
        perSecond: 1,
        downloads: 1,
        isStated: true,
      },
    ],
    faults: [{ at: 'file', row: 'b0r0', nth: 1, does: 'wrong' }],
    deeds: [
      START,
      { atMs: 0, deed: { kind: 'start', batch: 1 } },
      { atMs: 77_000, deed: { kind: 'queue', batch: 1, to: 'in-turn' } },
      { atMs: 366_000, deed: { kind: 'start', batch: 2 } },
      { atMs: 5_429_000, deed: { kind: 'cap', batch: 0, cap: null } },
      { atMs: 5_429_000, deed: { kind: 'start', batch: 0 } },
      { atMs: 7_237_000, deed: { kind: 'keep-earlier', batch: 0, rows: [] } },
    ],
  },
  'a removed row comes back after its id was given to another and the clock was put back': night(
    { rows: [{ id: 'b0r1', takes: 1 }], places: 3, perSecond: 10, downloads: 4 },
    {
      seed: 158_611_341,
      law: { kind: 'fixed', ms: 20_000 },
      addressMs: 300_000,
      faults: [{ at: 'submit', row: 'b0r1', nth: 1, does: 'invalid' }],
      deeds: [
        START,
        { atMs: 16_000, deed: { kind: 'remove', row: 'b0r1' } },
        {
          atMs: 20_000,
          deed: { ...IMPORT, gone: [], removed: 'remove' },
        },
        { atMs: 79_000, deed: { kind: 'leap', byMs: -3_600_000 } },
        { atMs: 264_000, deed: { kind: 'remove', row: 'b0r1' } },
        { atMs: 309_000, deed: { kind: 'undo', batch: 0 } },
      ],
    },
  ),
  'a row that refers to one that only the batch has waits for a word after an import': night(
    {
      rows: [
        { id: 'b0r3', takes: 1 },
        { id: 'b0r9', takes: 1, after: 'b0r3' },
      ],
      places: 3,
      perSecond: 1,
      downloads: 2,
    },
    {
      seed: 136_489_828,
      law: { kind: 'fixed', ms: 2000 },
      addressMs: 3_600_000,
      deeds: [
        { atMs: 59_000, deed: { kind: 'start', batch: 0 } },
        { atMs: 206_000, deed: { kind: 'edit', row: 'b0r9', version: 2 } },
        {
          atMs: 229_000,
          deed: { ...IMPORT, gone: ['b0r3'], removed: 'keep' },
        },
      ],
    },
  ),
  'a row that is removed while a file is compared is not paid for in place of one that was shown': night(
    {
      rows: [
        { id: 'b0r0', takes: 1 },
        { id: 'b0r11', takes: 1 },
      ],
      places: 4,
      perSecond: 2,
      downloads: 1,
    },
    {
      seed: 810_002_370,
      law: { kind: 'fixed', ms: 600_000 },
      addressMs: 172_800_000,
      store: 'slow',
      deeds: [
        { atMs: 3_005_000, deed: { kind: 'start', batch: 0 } },
        { atMs: 16_238_000, deed: { kind: 'remove', row: 'b0r0' } },
        { atMs: 19_243_000, deed: { kind: 'undo', batch: 0 } },
        {
          atMs: 19_243_301,
          deed: { ...IMPORT, gone: [], removed: 'keep' },
        },
        { atMs: 19_243_331, deed: { kind: 'remove', row: 'b0r11' } },
      ],
    },
  ),
  'an edit that is ended while the application closes is taken back before it has closed': {
    ...night(
      { rows: [{ id: 'b0r1', takes: 1 }], places: 3, perSecond: 0.2, downloads: 4 },
      {
        seed: 810_003_773,
        law: { kind: 'fixed', ms: 2000 },
        addressMs: 172_800_000,
        store: 'slow',
        deeds: [
          { atMs: 0, deed: { kind: 'edit-all', batch: 0, does: 'words', version: 0, lines: 601, endsIn: 40 } },
          { atMs: 0, deed: { kind: 'start', batch: 1 } },
          { atMs: 500, deed: { kind: 'close', downMs: 60_000 } },
        ],
      },
    ),
    batches: [
      { rows: [{ id: 'b0r1', takes: 1 }], account: 0, places: 3, perSecond: 0.2, downloads: 4, isStated: true },
      { rows: [{ id: 'b2r2', takes: 1 }], account: 0, places: 2, perSecond: 2, downloads: 4, isStated: true },
    ],
    spending: {
      night: { cost: { amount: 0.63, currency: 'EUR' } },
      month: { cost: { amount: 1.07, currency: 'EUR' } },
    },
  },
  'a removed row that comes back leaves its id to a row in flight': {
    ...night({ rows: [] }, { seed: 841_000_622, law: { kind: 'fixed', ms: 20000 }, addressMs: 300000 }),
    batches: [
      { rows: [{ id: 'b0r70', takes: 1 }], account: 1, places: 1, perSecond: 2, downloads: 4, isStated: true },
      { rows: [{ id: 'b1r1', takes: 1 }], account: 0, places: 2, perSecond: 0.2, downloads: 4, isStated: true },
      {
        rows: [
          { id: 'b2r0', takes: 1 },
          { id: 'b2r1', takes: 1 },
        ],
        account: 1,
        places: 4,
        perSecond: 2,
        downloads: 4,
        isStated: true,
      },
    ],
    faults: [{ at: 'submit', row: 'b2r0', nth: 1, does: 'rate-after' }],
    deeds: [
      { atMs: 0, deed: { kind: 'start', batch: 1 } },
      { atMs: 0, deed: { kind: 'duplicate', batch: 2, rows: ['b2r1'] } },
      { atMs: 14000, deed: { kind: 'undo', batch: 0 } },
      { atMs: 33093, deed: { kind: 'start', batch: 2 } },
      { atMs: 45000, deed: { kind: 'redo', batch: 2 } },
      { atMs: 66000, deed: { kind: 'redo', batch: 2 } },
      { atMs: 69000, deed: { kind: 'rename', row: 'b2r1', nth: 1, id: 'X' } },
      { atMs: 72000, deed: { kind: 'render-again', batch: 2, rows: ['b2r0'] } },
      { atMs: 72030, deed: { kind: 'remove', row: 'b2r1' } },
      { atMs: 72030, deed: { kind: 'rename', row: 'b2r0', nth: 1, id: 'X' } },
      { atMs: 72060, deed: { kind: 'run-drafts', batch: 2 } },
      { atMs: 93060, deed: { kind: 'undo', batch: 2 } },
      { atMs: 114060, deed: { kind: 'duplicate', batch: 2, rows: ['b2r0', 'b2r1'] } },
    ],
  },
  'a row is paid for once more that was under way when the user had it rendered again, and had ended by the time that was done':
    {
      ...night(
        { rows: [] },
        { seed: 44_116_016, law: { kind: 'heavy', ms: 20000 }, addressMs: 3600000, store: 'stalling' },
      ),
      batches: [
        {
          rows: [
            { id: 'b0r0', takes: 1 },
            { id: 'b0r1', takes: 1 },
          ],
          account: 1,
          places: 4,
          perSecond: 0.2,
          downloads: 1,
          isStated: true,
          isShared: 'cheapest',
        },
        { rows: [{ id: 'b1r5', takes: 1 }], account: 1, places: 4, perSecond: 2, downloads: 2, isStated: true },
      ],
      deeds: [
        { atMs: 0, deed: { kind: 'start', batch: 0 } },
        { atMs: 45000, deed: { kind: 'render-again', batch: 0, rows: ['b0r0'] } },
      ],
    },
  'a row that an undo brings back waits for the user’s word in a batch whose start the disk has refused to store at first':
    night(
      { rows: [{ id: 'b0r0', takes: 1 }], account: 1, places: 5, perSecond: 10, downloads: 3 },
      {
        seed: 878_004_288,
        spells: [{ kind: 'store', fromMs: 29_059, forMs: 2000 }],
        deeds: [
          { atMs: 0, deed: { kind: 'edit-all', batch: 0, does: 'remove', version: 2, lines: 601 } },
          { atMs: 30_000, deed: { kind: 'run-drafts', batch: 0 } },
          { atMs: 32_000, deed: { kind: 'undo', batch: 0 } },
        ],
      },
    ),
  'a batch whose row is to be sent just as the one that it refers to changes loses that turn': {
    ...night(
      { rows: [] },
      { seed: 878_007_303, law: { kind: 'fixed', ms: 90_000 }, addressMs: 300_000, store: 'slow' },
    ),
    batches: [
      {
        rows: [
          { id: 'b1r0', takes: 2 },
          { id: 'b1r1', takes: 1, after: 'b1r0' },
          { id: 'b1r2', takes: 1 },
        ],
        account: 0,
        places: 2,
        perSecond: 10,
        downloads: 4,
        isStated: true,
      },
      { rows: [{ id: 'b2r0', takes: 2 }], account: 0, places: 2, perSecond: 10, downloads: 4, isStated: true },
    ],
    deeds: [START],
  },
  'the rest of a kind is not silently held up by its first row once that is on hold with an unknown outcome': night(
    {
      rows: [
        { id: 'b1r0', takes: 1 },
        { id: 'b1r1', takes: 1 },
      ],
      account: 0,
      places: 5,
      perSecond: 2,
      downloads: 2,
      keys: 'kept',
      canary: true,
    },
    {
      seed: 878_013_578,
      law: { kind: 'fixed', ms: 2000 },
      faults: [{ at: 'submit', row: 'b1r0', nth: 1, does: 'moved' }],
      deeds: [START, { atMs: 4000, deed: { kind: 'turn', row: 'b1r0', turn: 'hold' } }],
    },
  ),
};

test.each(Object.entries(FOUND))('%s', async (_, plan) => {
  expect((await runNight(plan, { disk: new SimDisk() })).violations).toEqual([]);
});
