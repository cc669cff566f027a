/**
 * Every route and every event between the window and the application, once. Both sides parse against it; a missing or
 * an extra handler does not compile. No route reads the key, and none takes a path.
 */
import { z } from 'zod';
import { domainWords } from '../words/domain-words.ts';
import { err, type Result } from '../domain/base/result.ts';
import { accountRoutes } from './accounts.ts';
import { appRoutes, keyStatus, settingsView, supportRoutes } from './app.ts';
import { batchRoutes, batchView, spendingRoutes } from './batches.ts';
import { batchSheetView, editingRoutes } from './editing.ts';
import { ledgerRoutes } from './ledger.ts';
import { forecastRoutes } from './forecast.ts';
import { fileRoutes } from './files.ts';
import { livingRoutes } from './living.ts';
import { presenceRoutes, presenceView } from './presence.ts';
import { openingRoutes, sheetBeginning, sheetView } from './opening.ts';
import { profileRoutes } from './profiles.ts';
import type { Seen } from './route.ts';
import { rowRoutes, rowView } from './rows.ts';
import { storeRoutes, storeView } from './store.ts';
import { updateRoutes, updatesView } from './updates.ts';
import { workRoutes, worksView } from './works.ts';

/** One file per subject; each route says whether main or the engine answers it. */
export const routes = {
  ...appRoutes,
  ...openingRoutes,
  ...batchRoutes,
  ...rowRoutes,
  ...fileRoutes,
  ...editingRoutes,
  ...livingRoutes,
  ...ledgerRoutes,
  ...spendingRoutes,
  ...presenceRoutes,
  ...profileRoutes,
  ...forecastRoutes,
  ...accountRoutes,
  ...supportRoutes,
  ...updateRoutes,
  ...storeRoutes,
  ...workRoutes,
};

export type Routes = typeof routes;
export type RouteName = keyof Routes;
export type RouteInput<R extends RouteName> = Seen<Routes[R]['input']>;
export type RouteOutput<R extends RouteName> = Seen<Routes[R]['output']>;
/** The routes that main answers itself; all others are the engine's. */
export type MainRouteName = { [R in RouteName]: Routes[R]['answeredBy'] extends 'main' ? R : never }[RouteName];

/** What each event tells. */
export const news = {
  /** What changed in a batch since the last event: its head, and the rows (at most 500, otherwise `rowsStale`). */
  'batch.changed': z.strictObject({
    batch: batchView,
    rows: z.array(rowView),
    /** More rows changed than are sent: ask for the page again. */
    rowsStale: z.boolean(),
  }),
  /** Batches came or went. */
  'batch.listChanged': z.strictObject({}),
  /** A sheet was dropped on the window or opened with the application. */
  'sheet.opened': z.strictObject({ sheet: sheetView }),
  /** The user wants to see what became of the last night: a notification about it was clicked. */
  'ledger.wanted': z.strictObject({}),
  /** The folder of a batch was opened with the application. */
  'batch.wanted': z.strictObject({ batchId: z.string() }),
  /** In the menu, the user asked for the version and the licences. */
  'about.wanted': z.strictObject({}),
  /** The user chose a command of the window in the menu bar; by now it may no longer do anything. */
  'command.wanted': z.strictObject({ id: z.string() }),
  /** The user wants to read what a helper needs to know. */
  'diagnostics.wanted': z.strictObject({}),
  'engine.stateChanged': z.strictObject({
    /** `read-only`: the store can be read; every command is refused. */
    state: z.enum(['starting', 'ready', 'restarted', 'read-only', 'failed']),
    message: z.string(),
  }),
  /** Another store is used, or what is known about its server or its workers has changed. */
  'store.changed': z.strictObject({ store: storeView }),
  'settings.changed': z.strictObject({ settings: settingsView, key: keyStatus }),
  /** The settings for when nobody is watching, or what is about to be done after the night, have changed. */
  'presence.changed': presenceView,
  /** What is known about newer versions, or how far the download of one is. */
  'updates.changed': updatesView,
  /** Something that the user should know now, with what to do about it. */
  notice: z.strictObject({
    level: z.enum(['info', 'warning', 'error']),
    title: z.string(),
    message: z.string(),
    /** It came when perhaps nobody was looking: it is unread until the user sees it among the notices. */
    isKept: z.literal(true).optional(),
    /** The batch that it is about. */
    batchId: z.string().optional(),
    /** When it came, in milliseconds since the epoch, if there was no window then. */
    at: z.number().optional(),
    /** It was said before and is no longer true, for the reason that this gives in a word. */
    done: z.string().optional(),
  }),

  /**
   * The first rows of a large file are there; the rest comes with the answer to the request that opened it, or not at
   * all.
   */
  'sheet.beginning': z.strictObject({ sheet: sheetBeginning }),
  /** A sheet is being read: the number of rows read so far. */
  'sheet.progress': z.strictObject({ sheetId: z.string(), rows: z.int() }),
  /**
   * The sheet of a batch was edited: its columns, its problems and what can be undone. Comes before the edit's answer.
   */
  'sheet.changed': z.strictObject({
    batchId: z.string(),
    sheet: batchSheetView,
    /** All changed rows, with their cells; without rows, some may have come, gone or moved: ask for the view again. */
    rows: z.array(rowView).optional(),
  }),
  /** What is under way, or how far it is, has changed. */
  'work.changed': worksView,
  /** A watched file has changed. */
  'sheet.fileChanged': z.strictObject({ batchId: z.string(), name: z.string() }),
};

export type EventName = keyof typeof news;
export type News<E extends EventName> = Seen<(typeof news)[E]>;
export type EventPayload<E extends EventName> = News<E> & { readonly sequence: number };

/** Events have their own sequence numbers, without gaps; after a gap the view asks for fresh pages. */
export const events = Object.fromEntries(
  Object.entries<z.ZodObject>(news).map(([name, told]) => [name, told.extend({ sequence: z.int() })]),
) as unknown as { readonly [E in EventName]: z.ZodType<EventPayload<E>> };

/** An answer across the boundary; it never rejects. */
export type Reply<T> = Result<T, IpcError>;

export const IPC_ERROR_CODES = [
  'invalid-input',
  'forbidden',
  'not-found',
  'refused',
  'unavailable',
  'internal',
  /** The user has ended it before it was done. */
  'cancelled',
] as const;

/** The fields of a form that a refusal may be about. */
export const REFUSED_FIELDS = ['name', 'folder', 'gateway', 'accounts', 'key', 'place'] as const;
export type RefusedField = (typeof REFUSED_FIELDS)[number];

export interface IpcError {
  readonly code: (typeof IPC_ERROR_CODES)[number];
  /** A title and what to do, for the user. */
  readonly message: string;
  /** The field that it is about, if it is about one. */
  readonly field?: RefusedField;
}

/** A refusal, with a title and what to do; `field` if it is about a field of a form. */
export function refuse(
  code: IpcError['code'],
  message: string,
  field?: RefusedField,
): { readonly ok: false; readonly error: IpcError } {
  return err({ code, message, ...(field === undefined ? {} : { field }) });
}

/** The answer to what only a bug can cause: the details go to the log, not to the window. */
export const INTERNAL_REPLY: Reply<never> = err({
  code: 'internal',
  get message() {
    return domainWords.problems.internal;
  },
});

/** The whole bridge (only two functions), as the window sees it at `window.nocturne`. */
export interface Bridge {
  request(route: RouteName, input: unknown): Promise<Reply<unknown>>;
  /** Calls back for every event until the returned function is called. */
  subscribe(listener: (event: EventName, payload: unknown) => void): () => void;
}

export const REQUEST_CHANNEL = 'nocturne:request';
export const EVENT_CHANNEL = 'nocturne:event';
/** Only from the preload, for files that the user dropped by hand. */
export const DROP_CHANNEL = 'nocturne:drop';
