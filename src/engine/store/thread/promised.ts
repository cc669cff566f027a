import type { LeaseStore } from '../../ports/fleet.ts';
import type { SheetStore } from '../../ports/sheet-store.ts';
import type { LedgerViews } from '../../../shared/domain/ledger/ledger-view.ts';
import type { BatchViews } from '../../../shared/domain/task/batch-view.ts';
import type { AtOnce } from '../../ports/base.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { Incarnation } from '../open/incarnation.ts';
import type { OpenStore } from '../open/store-on.ts';

/** What concerns a store as a whole. */
interface WholeStore {
  /** Which opening of which store this is; compare with `isOlderCopy`. */
  incarnation(): Promise<Incarnation>;
  /** Every fault that SQLite finds in the database; empty if it is sound. Reads the whole database. */
  checkIntegrity(): Promise<readonly string[]>;
  /** Merges the log into the database and truncates it; for a quiet moment. */
  maintain(): Promise<void>;
}

/** An open store whose answers come later. */
export interface PromisedStore {
  readonly store: TaskStore;
  readonly sheets: SheetStore;
  readonly views: BatchViews;
  readonly ledger: LedgerViews;
  readonly leases: LeaseStore;
  readonly whole: WholeStore;
  /** True if this opening has found an older copy of a store that was used since. */
  readonly isOlderCopy: boolean;
  /** How long the longest question to its owner has been waiting for an answer. */
  waitingMs(): number;
  /** Waits for everything that was asked, and closes the store. */
  close(): Promise<void>;
}

/** Its parts. */
export type Parts = Omit<PromisedStore, 'close' | 'waitingMs' | 'isOlderCopy'>;

/** The name of a part. */
export type PartName = keyof Parts;

type StreamName<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: never[]) => AsyncIterable<unknown> ? Name : never;
}[keyof Port];

/** The methods that answer piece by piece; the compiler names any that is missing. */
const STREAMS: { readonly [Part in PartName]: Readonly<Record<StreamName<Parts[Part]>, true>> } = {
  store: { tasksByStatus: true },
  sheets: { allRows: true },
  views: { exportRows: true },
  ledger: { paidRequests: true },
  leases: {},
  whole: {},
};

/** True for a method whose answer comes piece by piece. */
export function isStream(part: PartName, method: string): boolean {
  return Object.hasOwn(STREAMS[part], method);
}

/** What the owner answers: changes, and what it keeps itself, such as counts and the rest of an edit. */
const OWNERS: Readonly<Record<'sheets' | 'views', readonly string[]>> = {
  sheets: [
    'change',
    'spreadPositions',
    'noteParts',
    'replaceParts',
    'firstPart',
    'clearParts',
    'unusedCells',
  ] satisfies readonly (keyof SheetStore)[],
  views: ['batchSummary'] satisfies readonly (keyof BatchViews)[],
};

/** True for a question that the reader answers, so that no commit waits for it and it waits for none. */
export function isReaders(part: PartName, method: string): boolean {
  // The fleet is read without waiting for whatever the owner is busy with.
  if (part === 'leases') return method === ('fleet' satisfies keyof LeaseStore);
  return part === 'ledger' || ((part === 'sheets' || part === 'views') && !OWNERS[part].includes(method));
}

type Callable = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** Gives a part that answers at once the form of one that answers from another thread. */
export function promisedPart<Name extends PartName>(part: Name, port: AtOnce<Parts[Name]>): Parts[Name] {
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
  ) as unknown as Parts[Name];
}

/** Gives a store that answers at once, in the caller's thread, the form of one that answers later. */
export function promisedStore(opened: OpenStore): PromisedStore {
  const { store, sheets, views, ledger, leases, whole } = answeringParts(opened);
  return {
    store: promisedPart('store', store),
    sheets: promisedPart('sheets', sheets),
    views: promisedPart('views', views),
    ledger: promisedPart('ledger', ledger),
    leases: promisedPart('leases', leases),
    whole: promisedPart('whole', whole),
    isOlderCopy: opened.isOlderCopy,
    waitingMs: () => 0,
    close: async () => opened.close(),
  };
}

/** The parts of a store by name, each with everything that it can be asked. */
export function answeringParts(opened: OpenStore): { readonly [Part in PartName]: AtOnce<Parts[Part]> } {
  const { store, sheets, views, ledger, leases } = opened;
  const whole = {
    incarnation: () => opened.incarnation(),
    checkIntegrity: () => opened.checkIntegrity(),
    maintain: () => opened.maintain(),
  };
  return { store, sheets, views, ledger, leases, whole };
}
