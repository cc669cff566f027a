/**
 * Every route and every event between the window and the application, once. Both sides parse against it; a missing or
 * an extra handler does not compile. There is no route that reads the key, and none that takes a path.
 */
import { z } from 'zod';
import { STATUS_ANSWERS } from '../domain/gateway/seen-status.ts';
import { sheetEvents, sheetRoutes } from './sheet-routes.ts';
import { rowFilter, rowKeys, rowSort } from './sheet-views.ts';
import {
  batchView,
  rowDetail,
  rowEvidence,
  rowView,
  sheetView,
  shownOutcome,
  shownTake,
  shownTakes,
  statusQuestion,
  unknownSummary,
} from './views.ts';

const none = z.undefined();
const batchId = z.strictObject({ batchId: z.string().max(64) });
/** Rows of a batch by their keys; without them, all that the route is about. */
const someRows = batchId.extend({ rows: rowKeys.optional() });
/** A row by its key: of two rows with one id each is itself. */
const rowRef = batchId.extend({ key: z.int().min(0) });

export const theme = z.enum(['system', 'light', 'dark']);

export const settingsView = z.strictObject({
  theme,
  /** Base URL of the gateway, empty before the first run's question is answered. */
  baseUrl: z.string(),
  profileName: z.string(),
  /** Plain http to a private network is allowed by the profile. */
  allowPlainHttp: z.boolean(),
  /** The folder that new batches are offered, for display. */
  defaultFolder: z.string(),
});
export type SettingsView = z.infer<typeof settingsView>;

/** The key for the gateway of the settings, and where keys are kept. `memory`: this machine has no keyring, the key is gone when the application closes. */
export const keyStatus = z.strictObject({
  present: z.boolean(),
  last4: z.string(),
  storage: z.enum(['keyring', 'memory']),
  /** The origin that it was entered for; it is sent to no other. */
  origin: z.string(),
  /** Every key that is kept, by its origin. */
  kept: z.array(z.strictObject({ origin: z.string(), last4: z.string() })),
});
export type KeyStatus = z.infer<typeof keyStatus>;

const gatewayOrigin = z.string().max(2048).optional();

const query = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) =>
  ({ kind: 'query', input, output }) as const;
const command = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) =>
  ({ kind: 'command', input, output }) as const;

export const routes = {
  'app.info': query(
    none,
    z.strictObject({
      version: z.string(),
      platform: z.string(),
      safeMode: z.string().optional(),
      /** The version of an Electron that gets no security fixes any more. */
      outdatedElectron: z.string().optional(),
    }),
  ),
  'settings.get': query(none, settingsView),
  'settings.update': command(z.strictObject({ theme: theme.optional() }), settingsView),

  /**
   * Sets the base URL. Keys stay with the origins that they were entered for. Here and with a profile, the user confirms a
   * change that leads elsewhere or settles outcomes in a box of the system; undefined where the answer was no.
   */
  'gateway.setBaseUrl': command(z.strictObject({ baseUrl: z.string().max(2048) }), settingsView.optional()),
  /** Keeps a key for an origin: that of the base URL where none is named. */
  'key.set': command(z.strictObject({ key: z.string().min(1).max(4096), origin: gatewayOrigin }), keyStatus),
  'key.clear': command(z.strictObject({ origin: gatewayOrigin }), keyStatus),
  'key.status': query(none, keyStatus),
  /** The whole profile as indented JSON, for the settings' editor. */
  'profile.get': query(none, z.strictObject({ text: z.string() })),
  'profile.set': command(z.strictObject({ text: z.string().max(500_000) }), settingsView.optional()),
  /** Opens a dialog, and shows what the file changes; undefined when either was cancelled. */
  'profile.import': command(none, settingsView.optional()),

  /** Opens a dialog; undefined when it was cancelled. */
  'sheet.choose': command(none, sheetView.optional()),
  'sheet.sample': command(
    z.strictObject({ sample: z.enum(['night', 'chain', 'all-operations', 'mistakes']) }),
    sheetView,
  ),
  'folder.choose': command(none, z.strictObject({ folderId: z.string(), path: z.string() }).optional()),

  'batch.create': command(
    z.strictObject({
      sheetId: z.string().max(64),
      name: z.string().min(1).max(200),
      /** From `folder.choose`; without it, a new folder inside the default one. */
      folderId: z.string().max(64).optional(),
      /** Render on the built-in gateway, for nothing. */
      rehearsal: z.boolean(),
      maxSubmits: z.int().min(1).max(1_000_000).optional(),
      start: z.boolean(),
    }),
    batchView,
  ),
  'batch.list': query(none, z.array(batchView)),
  'batch.get': query(batchId, batchView),
  /** `submits`: as many as the user was shown. Where edits that were under way ask for more by then, it is refused. */
  'batch.start': command(batchId.extend({ submits: z.int().min(0).optional() }), batchView),
  'batch.pause': command(batchId, batchView),
  'batch.resume': command(batchId, batchView),
  /** Cancels everything of the batch that is not done yet. */
  'batch.cancel': command(batchId, batchView),
  /** Failed and cancelled takes as they are now: of the rows with these keys, or all of the batch. */
  'batch.retryable': query(someRows, z.strictObject({ takes: shownTakes })),
  /** Retries failed and cancelled takes that were shown. */
  'batch.retry': command(batchId.extend({ takes: shownTakes }), shownOutcome),
  /** Cancels what is not done yet of the rows with these keys. */
  'batch.cancelRows': command(batchId.extend({ rows: rowKeys }), z.strictObject({ tasks: z.int() })),
  /** Gives a take whose submit's outcome is unknown the code that the gateway accepted it under. */
  'batch.adopt': command(batchId.extend({ take: shownTake, taskCode: z.string().min(1).max(4096) }), none),
  /** Resubmits or writes off takes that were shown with an unknown outcome of their submit. */
  'batch.settle': command(
    batchId.extend({ takes: shownTakes, decision: z.enum(['resubmit', 'write-off']) }),
    shownOutcome,
  ),
  /** The takes whose submit's outcome is unknown, and what a new submit of them would cost. */
  'batch.unknown': query(someRows, unknownSummary),
  /**
   * Whether a status that was asked about means a failure: kept in the profile, and not asked again. A yes is confirmed in
   * a box of the system; gives how many failures are certain by it, or undefined where the box said no.
   */
  'batch.answerStatus': command(
    batchId.extend({ question: statusQuestion, answer: z.enum(STATUS_ANSWERS) }),
    z.strictObject({ tasks: z.int() }).optional(),
  ),
  'batch.openFolder': command(batchId, none),
  'batch.openGallery': command(batchId, none),

  'rows.page': query(
    z.strictObject({
      batchId: z.string().max(64),
      filter: rowFilter,
      sort: rowSort,
      offset: z.int().min(0),
      limit: z.int().min(1).max(500),
      /** With the cells of the sheet. */
      withCells: z.boolean().optional(),
    }),
    z.strictObject({ sequence: z.int(), total: z.int(), rows: z.array(rowView) }),
  ),
  'row.detail': query(rowRef, rowDetail),
  'row.evidence': query(rowRef, rowEvidence),
  /**
   * Opens a dialog and writes the evidence byte for byte into a file: of the named rows, or of all takes whose submit's
   * outcome is unknown. Undefined when it was cancelled.
   */
  'evidence.export': command(someRows, z.strictObject({ takes: z.int(), file: z.string() }).optional()),
  'file.showInFolder': command(z.strictObject({ fileId: z.string().max(64) }), none),

  /** Starts an engine again that was not started any more. */
  'engine.retry': command(none, none),
  /** Opens a dialog and writes a sound copy of the store; undefined when it was cancelled. */
  'store.backup': command(none, z.strictObject({ file: z.string() }).optional()),
  'log.openFolder': command(none, none),

  'help.open': command(z.strictObject({ topic: z.enum(['readme', 'operations']) }), none),

  ...sheetRoutes,
} as const;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
export type RouteInput<R extends RouteName> = z.infer<Routes[R]['input']>;
export type RouteOutput<R extends RouteName> = z.infer<Routes[R]['output']>;

/** Events carry a sequence number of their own, without gaps; after a gap the view asks for fresh pages. */
export const events = {
  /** What changed in a batch since the last event: its head, and the rows concerned (at most 500, else `rowsStale`). */
  'batch.changed': z.strictObject({
    sequence: z.int(),
    batch: batchView,
    rows: z.array(rowView),
    /** More rows changed than are sent: ask for the page again. */
    rowsStale: z.boolean(),
  }),
  /** Batches came or went. */
  'batch.listChanged': z.strictObject({ sequence: z.int() }),
  /** A sheet was dropped on the window or opened with the application. */
  'sheet.opened': z.strictObject({ sequence: z.int(), sheet: sheetView }),
  'engine.stateChanged': z.strictObject({
    sequence: z.int(),
    /** `read-only`: the store can be looked at; every command is refused. */
    state: z.enum(['starting', 'ready', 'restarted', 'read-only', 'failed']),
    message: z.string(),
  }),
  'settings.changed': z.strictObject({ sequence: z.int(), settings: settingsView, key: keyStatus }),
  /** Something the user should know now, with what to do about it. */
  notice: z.strictObject({
    sequence: z.int(),
    level: z.enum(['info', 'warning', 'error']),
    title: z.string(),
    message: z.string(),
  }),

  ...sheetEvents,
} as const;

export type Events = typeof events;
export type EventName = keyof Events;
export type EventPayload<E extends EventName> = z.infer<Events[E]>;

/** An answer across the boundary; it never rejects. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: IpcError };

export const IPC_ERROR_CODES = [
  'invalid-input',
  'forbidden',
  'not-found',
  'refused',
  'unavailable',
  'internal',
] as const;

export interface IpcError {
  readonly code: (typeof IPC_ERROR_CODES)[number];
  /** A title and what to do, for the user. */
  readonly message: string;
}

/** The whole bridge (two functions, nothing more), as the window sees it at `window.nocturne`. */
export interface Bridge {
  request(route: RouteName, input: unknown): Promise<Reply<unknown>>;
  /** Calls back for every event until the returned function is called. */
  subscribe(listener: (event: EventName, payload: unknown) => void): () => void;
}

export const REQUEST_CHANNEL = 'nocturne:request';
export const EVENT_CHANNEL = 'nocturne:event';
/** From the preload alone, for files dropped by the user's own hand. */
export const DROP_CHANNEL = 'nocturne:drop';
