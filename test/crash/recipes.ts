import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { chainedRows, mixedRows, rowsWithoutWav, singleRow, songRows } from './sheet.ts';

/** A kind of night: what is asked for, and how the gateway behaves. */
export interface Recipe {
  readonly rows: readonly Row[];
  readonly behaviour: BehaviourInput;
  /** According to its profile, the gateway keeps keys of requests for this many hours of the engine's clock. */
  readonly keepHours?: number;
}

/** Durations of minutes shrunk to a fraction of a second. */
const FAST: BehaviourInput = { timeScale: 0.001, media: { detail: 'tiny' } };

const ROWS = 14;
const FEW_ROWS = 6;
const CHAINED_ROWS = 20;

export const RECIPES = {
  plain: { rows: mixedRows(ROWS), behaviour: FAST },
  /**
   * Files that are short and files that stream, each with a folder of its own: in a shared one, the syncs for one kind
   * could hide that none are made for the other.
   */
  'songs-and-films': { rows: rowsWithoutWav(FEW_ROWS), behaviour: { ...FAST, media: { detail: 'full' } } },
  /** Downloads break off, and files change between one request and the next; many are so long that they stream. */
  'changing-files': {
    rows: mixedRows(ROWS),
    behaviour: {
      ...FAST,
      media: { detail: 'full' },
      faults: [
        // Fewer than the tries that a download has, so that it never fails for good.
        { kind: 'truncated', when: 'download', fraction: 0.6, probability: 0.5, times: 5 },
        { kind: 'replaced', when: 'download', probability: 0.3 },
      ],
    },
  },
  /** Answers are lost before and after the charge, polls fail, files are on another host. */
  'bad-network': {
    rows: mixedRows(ROWS),
    behaviour: {
      ...FAST,
      // Without ranges: a file cut at a smaller declared length would pass for a whole one when the rest is asked for.
      media: { detail: 'tiny', redirect: 'cross-origin', ranges: false },
      faults: [
        { kind: 'lost', when: 'submit', charged: true, probability: 0.1 },
        // The same body meets the same fault each time it is sent: without an end, the user would resubmit it for ever.
        { kind: 'lost', when: 'submit', charged: false, probability: 0.1, times: 3 },
        { kind: 'http', when: 'poll', status: 502, probability: 0.05 },
        // The same half of a file three times would be believed.
        { kind: 'truncated', when: 'download', lengthDeclared: false, probability: 0.2, times: 2 },
      ],
    },
  },
  /** Rows that refer to rows, some of whose answers are lost. */
  chained: {
    rows: chainedRows(CHAINED_ROWS),
    behaviour: { ...FAST, faults: [{ kind: 'lost', when: 'submit', charged: true, probability: 0.1 }] },
  },
  /** What others wait for takes two seconds. */
  'slow-song': {
    rows: songRows(),
    behaviour: {
      ...FAST,
      durations: { 'musicgen/music/generate': { law: 'uniform', minSeconds: 2000, maxSeconds: 2000 } },
    },
  },
  'lost-answers': {
    rows: mixedRows(FEW_ROWS),
    behaviour: { ...FAST, faults: [{ kind: 'lost', when: 'submit', charged: true, nth: [1, 4] }] },
  },
  /** Answers are lost at a gateway that keeps keys of requests: the engine settles that by itself. */
  keyed: {
    rows: mixedRows(FEW_ROWS),
    behaviour: {
      ...FAST,
      idempotency: { onDuplicate: 'replay' },
      faults: [{ kind: 'lost', when: 'submit', charged: true, nth: [1, 3, 4, 6] }],
    },
    keepHours: 24,
  },
  /**
   * A gateway that keeps a key for 2.5 s, 50 s of the engine, and loses the answer twice: the third time is too late.
   */
  'forgotten-key': {
    rows: singleRow('musicgen/music/lyrics'),
    behaviour: {
      ...FAST,
      idempotency: { onDuplicate: 'replay', keepHours: 2.5 / 3600 },
      faults: [{ kind: 'lost', when: 'submit', charged: true, nth: [1, 2] }],
    },
    keepHours: 50 / 3600,
  },
  'redirected-submits': {
    rows: mixedRows(FEW_ROWS),
    behaviour: { ...FAST, faults: [{ kind: 'redirect', when: 'submit', nth: [2] }] },
  },
  /**
   * Its first download breaks off, and at the second the file has changed. There is only one file: otherwise the second
   * download would be the other file's.
   */
  'one-changing-song': {
    rows: singleRow('musicgen/music/generate'),
    behaviour: {
      ...FAST,
      results: { clips: 1 },
      faults: [
        { kind: 'truncated', when: 'download', fraction: 0.6, nth: [1] },
        { kind: 'replaced', when: 'download', nth: [2] },
      ],
    },
  },
} as const satisfies Record<string, Recipe>;

export type RecipeName = keyof typeof RECIPES;

/** The nights over which the kills are spread; about every second one passes the points of rows that refer to rows. */
export const CAMPAIGN_RECIPES: readonly RecipeName[] = [
  'plain',
  'chained',
  'changing-files',
  'chained',
  'bad-network',
  'chained',
  'keyed',
];
