/** The window's part of importing sheets, with an application that answers when the test says so. */
import type { IpcClient } from '../../../src/renderer/ipc-client.ts';
import { BringingIn, type BringingInPorts } from '../../../src/renderer/state/opening/bringing-in.ts';
import { LeftSheets } from '../../../src/renderer/state/opening/left-sheets.ts';
import { NewBatches, type NewBatchesPorts } from '../../../src/renderer/state/opening/new-batches.ts';
import { StartForms } from '../../../src/renderer/state/opening/start-forms.ts';
import type { Reply, RouteName } from '../../../src/shared/ipc/contract.ts';
import type { ColumnView, SheetBeginning, SheetView } from '../../../src/shared/ipc/opening.ts';

export const column = (header: string, how: ColumnView['how'], name = '', suggestions: string[] = []): ColumnView => ({
  header,
  column: name,
  also: [],
  how,
  suggestions,
});

/** Answers that say no. */
export const REFUSED: Reply<unknown> = { ok: false, error: { code: 'refused', message: 'No.' } };
export const NOT_FOUND: Reply<unknown> = { ok: false, error: { code: 'not-found', message: 'Gone.' } };
export const UNAVAILABLE: Reply<unknown> = { ok: false, error: { code: 'unavailable', message: 'Away.' } };
const replyOf = (answer: unknown): Reply<unknown> =>
  [REFUSED, NOT_FOUND, UNAVAILABLE].find((no) => no === answer) ?? { ok: true, value: answer };

export type Answers = Partial<Record<RouteName, (input: never) => unknown>>;

interface RigOptions {
  readonly lacksGateway?: boolean;
  /** Of batches that are there. */
  readonly names?: readonly string[];
  /** What an earlier page has kept about sheets that were left. */
  readonly kept?: string | undefined;
  /** Whether the browser's storage takes a text. */
  readonly fits?: (text: string) => boolean;
  /** The page ends before it would keep what has changed. */
  readonly isCutShort?: boolean;
}

export function bringingInRig(
  answers: Answers = {},
  { lacksGateway = true, names = [], kept: keptBefore, fits = () => true, isCutShort = false }: RigOptions = {},
) {
  let kept = keptBefore;
  const asked: { readonly route: RouteName; readonly input: unknown; readonly answer: () => void }[] = [];
  const shown: unknown[] = [];
  const notices: string[] = [];
  /** The titles of those that are no longer true. */
  const done: string[] = [];
  let undo: (() => void) | undefined;
  let isShown = true;
  let isHeld: (route: RouteName) => boolean = () => false;
  const request = ((route: RouteName, input: unknown) =>
    new Promise<Reply<unknown>>((resolve) => {
      const make = answers[route];
      const answer = (): void => resolve(replyOf(make === undefined ? REFUSED : make(input as never)));
      asked.push({ route, input, answer });
      if (!isHeld(route)) answer();
    })) as IpcClient['request'];
  const startForms = new StartForms();
  const ask = (async (route: RouteName, ...input: [never]) => {
    const reply = await request(route, ...input);
    if (!reply.ok) notices.push(`Refused: ${route}`);
    return reply;
  }) as IpcClient['request'];
  const both: Pick<
    BringingInPorts & NewBatchesPorts,
    'ask' | 'askFrom' | 'notices' | 'forms' | 'lacksGateway' | 'batchNames'
  > = {
    ask,
    askFrom: (_, route, ...input) => request(route, ...input),
    notices: {
      show: ({ title, action }) => {
        undo = action?.run;
        return notices.push(title);
      },
      setDone: (id) => done.push(notices[id - 1] ?? ''),
    },
    forms: startForms,
    lacksGateway: () => lacksGateway,
    batchNames: () => names,
  };
  const newBatches: NewBatches = new NewBatches({
    ...both,
    openSheet: () => bringIn.store.getState().open,
    onImporting: () => bringIn.keeping.importing(),
    onRefused: () => bringIn.keeping.note(),
    onImported: (sheetId) => bringIn.imported(sheetId),
    currencies: () => [],
    onBatch: (batch) => void shown.push(['head', batch.state]),
    here: () => {
      const before = isShown;
      return () => isShown === before;
    },
    onMade: () => undefined,
    showBatch: (batchId) => void shown.push(['batch', batchId]),
    showProblems: (batchId) => void shown.push(['problems', batchId]),
    showCell: async (...place) => void shown.push(['cell', ...place]),
  });
  const bringIn = new BringingIn({
    ...both,
    request,
    left: new LeftSheets(keptBefore, (text) => {
      if (!fits(text)) throw new Error('The storage is full.');
      kept = text;
    }),
    importing: (sheetId) => newBatches.importing(sheetId),
    isShown: () => isShown,
    // What is said is kept at once.
    schedule: (callback) => {
      if (!isCutShort) callback();
      return () => undefined;
    },
    importUnstarted: (open, chosen) => newBatches.importUnstarted(open, chosen),
    showSheet: () => void shown.push('sheet'),
    goHome: () => void shown.push('home'),
  });
  return {
    bringIn,
    newBatches,
    startForms,
    asked,
    shown,
    notices,
    done,
    /** Answers nothing from here on, or nothing to these routes, until the test does. */
    hold: (which: (route: RouteName) => boolean = () => true) => {
      isHeld = which;
    },
    kept: () => kept,
    /** The user goes to another screen. */
    goElsewhere: () => {
      isShown = false;
    },
    undo: () => undo?.(),
    open: (): SheetBeginning | SheetView | undefined => bringIn.store.getState().open?.sheet,
  };
}
