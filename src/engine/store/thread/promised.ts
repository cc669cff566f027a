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
