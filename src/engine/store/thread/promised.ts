import type { SheetStore } from '../../sheet-ports.ts';
import type { BatchViews } from '../../../shared/domain/task/batch-view.ts';
import type { TaskStore } from '../../ports.ts';
import type { OpenStore } from '../open/open-store.ts';

/** A port as its caller has it when another thread answers. */
export type Promised<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Later<Answer>
    : Port[Name];
};

/** Only what answers with any iterable, and nothing more, answers piece by piece: a list comes as a whole. */
type Later<Answer> = [Answer] extends [Iterable<infer Item>]
  ? Iterable<Item> extends Answer
    ? AsyncIterable<Item>
    : Promise<Answer>
  : Promise<Answer>;

/** What a store answers, part by part. */
export interface AnsweringParts {
  readonly store: TaskStore;
  readonly sheets: SheetStore;
  readonly views: BatchViews;
  readonly whole: Pick<OpenStore, 'incarnation' | 'checkIntegrity' | 'maintain'>;
}

/** An open store whose answers come later. */
export interface PromisedStore {
  readonly store: Promised<AnsweringParts['store']>;
  readonly sheets: Promised<AnsweringParts['sheets']>;
  readonly views: Promised<AnsweringParts['views']>;
  readonly whole: Promised<AnsweringParts['whole']>;
  /** Waits for everything that was asked, and closes the store. */
  close(): Promise<void>;
}

/** The name of a part. */
export type PartName = keyof AnsweringParts;

type StreamName<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: never[]) => infer Answer
    ? Later<Answer> extends AsyncIterable<unknown>
      ? Name
      : never
    : never;
}[keyof Port];

/** The methods that answer piece by piece; the compiler names one that is missing. */
const STREAMS: { readonly [Part in PartName]: Readonly<Record<StreamName<AnsweringParts[Part]>, true>> } = {
  store: { tasksByStatus: true },
  sheets: { allRows: true },
  views: { exportRows: true },
  whole: {},
};

/** True for a method whose answer comes piece by piece. */
export function isStream(part: PartName, method: string): boolean {
  return Object.hasOwn(STREAMS[part], method);
}

/** What the owner answers although it changes nothing: counts that it keeps, and what is left of an edit. */
const OWNERS: Readonly<Record<'sheets' | 'views', readonly string[]>> = {
  sheets: [
    'change',
    'spreadPositions',
    'noteParts',
    'firstPart',
    'clearParts',
    'unusedCells',
  ] satisfies readonly (keyof SheetStore)[],
  views: ['batchSummary'] satisfies readonly (keyof BatchViews)[],
};

/** True for a question that a reader beside the owner answers, so that no commit waits for it, nor it for a commit. */
export function isReaders(part: PartName, method: string): boolean {
  return (part === 'sheets' || part === 'views') && !OWNERS[part].includes(method);
}

type Callable = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** A part that answers at once, as its caller has it who waits for another thread. */
export function promisedPart<Name extends PartName, Port extends Partial<AnsweringParts[Name]>>(
  part: Name,
  port: Port,
): Promised<Port> {
  const callable = port as unknown as Callable;
  return Object.fromEntries(
    Object.keys(callable).map((method) => [
      method,
      isStream(part, method)
        ? async function* (...args: readonly unknown[]) {
            yield* callable[method]?.(...args) as Iterable<unknown>;
          }
        : async (...args: readonly unknown[]) => callable[method]?.(...args),
    ]),
  ) as unknown as Promised<Port>;
}

/** A store that answers at once, in the thread of its caller, as one that answers later. */
export function promisedStore(opened: OpenStore): PromisedStore {
  return {
    store: promisedPart('store', opened.store),
    sheets: promisedPart('sheets', opened.sheets),
    views: promisedPart('views', opened.views),
    whole: promisedPart('whole', wholeOf(opened)),
    close: async () => opened.close(),
  };
}

/** What concerns a store as a whole, without its parts. */
export function wholeOf(opened: OpenStore): AnsweringParts['whole'] {
  return {
    incarnation: () => opened.incarnation(),
    checkIntegrity: () => opened.checkIntegrity(),
    maintain: () => opened.maintain(),
  };
}
