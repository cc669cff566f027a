/**
 * The messages between main and the engine's process, defined once: both sides parse against it. The key crosses here,
 * in memory, and nowhere else.
 */
import { gateSettingsSchema } from '../../shared/domain/gates/gate-settings.ts';
import { z } from 'zod';
import { profileSchema } from '../../shared/domain/gateway/profile.ts';
import { batchView, deliveryView, schedule } from '../../shared/ipc/batches.ts';
import {
  type EventName,
  IPC_ERROR_CODES,
  REFUSED_FIELDS,
  type MainRouteName,
  type News,
  news,
  type Reply,
  type RouteInput,
  type RouteName,
  routes,
  type Routes,
} from '../../shared/ipc/contract.ts';
import { forecastQuestion, forecastView } from '../../shared/ipc/forecast.ts';
import { editResult } from '../../shared/ipc/editing.ts';
import { differenceView } from '../../shared/ipc/living.ts';
import { sheetView } from '../../shared/ipc/opening.ts';
import { type Added, batchRef, engine, id, money, none, type Seen, rowRef } from '../../shared/ipc/route.ts';
import { rowsFound, viewPage } from '../../shared/ipc/rows.ts';
import { storeFound, storeView } from '../../shared/ipc/store.ts';
import { LANGUAGES } from '../../shared/words/domain-words.ts';
import type { WorkWatch } from '../../engine/index.ts';
import { keptMappings } from '../services/remembered-sheets.ts';

/** The prices in the gateway's profile, to say what a sheet costs. */
const prices = profileSchema.shape.prices.optional();
const keyPlace = z.strictObject({ origin: z.string(), name: z.string().exactOptional() });
/** Several accounts of a batch, like `BatchAccounts`: the profile of the first is given beside them. */
const accountTerms = z.strictObject({
  name: z.string(),
  keyName: z.string().exactOptional(),
  limit: z.strictObject({ requests: z.int().exactOptional(), cost: money.exactOptional() }).exactOptional(),
});
const accounts = z.strictObject({
  first: accountTerms,
  others: z.array(accountTerms.extend({ profile: profileSchema })),
  choice: z.literal('cheapest').exactOptional(),
});
const access = z.strictObject({ profile: profileSchema, keyName: z.string().optional() });
const clipboard = z.strictObject({ html: z.string(), text: z.string() });
/** What main knows and opening a sheet needs, including the last mapping of its headers. */
const sheetContext = { prices, kept: keptMappings.optional() };

/** What main adds to the input of routes that ask for it; see `createRoutes` for its sources. */
const ADDED = {
  profile: z.strictObject({ profile: profileSchema }),
  /** All kept profiles, the present one first. */
  profiles: z.strictObject({ profiles: z.array(profileSchema).min(1) }),
  prices: z.strictObject({ prices }),
  clipboard,
} as const satisfies Record<Added, z.ZodObject>;
export type Additions = { readonly [A in Added]: Seen<(typeof ADDED)[A]> };

/** Routes of the window that main passes on unchanged, except for its additions. */
export type PassedRouteName = Exclude<RouteName, MainRouteName>;
type WithAdded<I, A> = A extends Added ? (I extends undefined ? Additions[A] : I & Additions[A]) : I;
type PassedRequests = {
  readonly [R in PassedRouteName]: {
    readonly kind: Routes[R]['kind'];
    readonly input: z.ZodType<WithAdded<RouteInput<R>, Routes[R]['adds']>>;
    readonly output: Routes[R]['output'];
  };
};

const storeFacts = z.strictObject({
  problem: z.string().optional(),
  schema: z.number().optional(),
  knownSchema: z.number(),
  sqlite: z.string().optional(),
  bytes: z.number().optional(),
  logBytes: z.number().optional(),
  freeBytes: z.number().optional(),
  copies: z.number(),
  hasOwner: z.boolean(),
  counts: z.record(z.string(), z.array(z.strictObject({ word: z.unknown(), n: z.number() }))),
  batches: z.array(
    z.strictObject({
      state: z.unknown(),
      pause: z.unknown(),
      rows: z.number(),
      tasks: z.number(),
      rehearsal: z.boolean(),
      maxSubmits: z.number().optional(),
      fuse: z.number().optional(),
    }),
  ),
});

/** Requests of main alone: to carry out routes that it answers itself, and for its own purposes. */
const ownRequests = {
  'batch.answerStatus': engine.command(routes['batch.answerStatus'].input, z.strictObject({ tasks: z.int() })),
  'rows.page': engine.quick(routes['rows.page'].input, viewPage),
  'rows.get': engine.quick(routes['rows.get'].input, rowsFound),
  /**
   * Reads and checks a sheet and keeps it under `sheetId` until a batch is made from it. Undefined if it was closed or
   * read in another way before that was done.
   */
  'sheet.open': engine.command(
    z.strictObject({
      sheetId: id,
      /** It comes with the application and is not one of the user's files. */
      isSample: z.literal(true).optional(),
      path: z.string(),
      name: z.string(),
      ...sheetContext,
    }),
    sheetView.optional(),
  ),
  'sheet.interpret': engine.command(routes['sheet.interpret'].input.extend({ prices }), sheetView),
  /** Gives an opened sheet, or a batch, the place that a file describes. */
  'sheet.place': engine.command(z.strictObject({ sheetId: id, path: z.string(), prices }), sheetView),
  'batch.place': engine.command(batchRef.extend({ path: z.string() }), batchView),
  /** Opens the table in the clipboard as a sheet. */
  'sheet.openTable': engine.command(
    z.strictObject({ sheetId: id, name: z.string(), ...clipboard.shape, ...sheetContext }),
    sheetView.optional(),
  ),
  'row.text': engine.query(rowRef.extend({ what: z.enum(['prompt', 'curl']) }), z.strictObject({ text: z.string() })),
  'sheet.copy': engine.command(routes['sheet.copy'].input, z.strictObject({ result: editResult, ...clipboard.shape })),
  /** Without a path, the batch's own file. */
  'sheet.compare': engine.command(batchRef.extend({ path: z.string().optional() }), differenceView),
  'results.write': engine.command(
    batchRef.extend({
      into: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('copy') }),
        z.strictObject({ kind: z.literal('original') }),
        z.strictObject({ kind: z.literal('file'), file: z.string() }),
      ]),
    }),
    z.strictObject({ file: z.string(), notes: z.array(z.string()) }),
  ),
  'start.forecast': engine.query(
    forecastQuestion.extend({
      accounts: accounts.nullable().optional(),
      /** Absolute path of the media folder; without one, the batch's own. */
      folder: z.string().optional(),
      /** Of the real gateway. */
      profile: profileSchema,
    }),
    forecastView,
  ),
  'batch.create': engine.command(
    z.strictObject({
      sheetId: id,
      name: z.string(),
      /** Absolute path of the media folder. */
      folder: z.string(),
      rehearsal: z.boolean(),
      /** The profile of the real gateway or of the first account; a rehearsal has its own. */
      profile: profileSchema,
      accounts: accounts.optional(),
      maxSubmits: z.int().optional(),
      maxCost: money.optional(),
      fuse: z.int().optional(),
      canary: z.boolean().optional(),
      picks: z.boolean().optional(),
      schedule: schedule.optional(),
      gates: gateSettingsSchema.optional(),
      start: z.boolean(),
    }),
    batchView,
  ),
  'profile.learned': engine.query(z.strictObject({ profile: profileSchema }), routes['profile.learned'].output),
  'profile.keyTrust': engine.quick(
    z.strictObject({ batchId: id.optional(), profile: profileSchema }),
    routes['profile.keyTrust'].output,
  ),
  'account.test': engine.query(access, routes['account.test'].output),
  'account.balance': engine.query(access, routes['account.balance'].output),
  /** Starts at once, at the real gateway, whose request keys it tries. */
  'batch.probe': engine.command(
    routes['batch.probe'].input.extend({ folder: z.string(), profile: profileSchema }),
    batchView,
  ),
  /** A batch that is not started: from a template, or with the rows of another batch. */
  'batch.new': engine.command(
    z.strictObject({
      from: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('template'), template: z.string(), name: z.string() }),
        z.strictObject({ kind: z.literal('batch'), batchId: id }),
      ]),
      folder: z.string(),
      rehearsal: z.boolean(),
      profile: profileSchema,
    }),
    batchView,
  ),
  'batch.configure': engine.command(
    routes['batch.configure'].input.omit({ folderId: true }).extend({
      folder: z.string().optional(),
      /** The profile of the real gateway, or of the first of the new accounts. */
      profile: profileSchema,
      accounts: accounts.nullable().optional(),
    }),
    batchView,
  ),
  /**
   * The media folder; refused if a store on a server names a folder that, on this computer, is not this batch's own.
   */
  'batch.folder': engine.query(batchRef, z.strictObject({ folder: z.string() })),
  /** Brings the folder's documents up to date. */
  'batch.export': engine.command(batchRef, z.strictObject({ folder: z.string() })),
  /** @param folder Absolute path of the folder that the delivery goes to; a ZIP gets a free name in it. */
  'batch.deliver': engine.command(
    routes['batch.deliver'].input.omit({ folderId: true }).extend({ folder: z.string() }),
    deliveryView,
  ),
  /** Where a file is on the disk; finds only files inside their media folder. */
  'file.locate': engine.quick(
    z.strictObject({ fileId: id }),
    z.strictObject({ path: z.string(), mediaType: z.string(), bytes: z.number(), sha256: z.string().optional() }),
  ),
  /** Writes evidence into a file, replacing it; returns the number of takes. */
  'evidence.write': engine.command(
    routes['evidence.export'].input.extend({ file: z.string() }),
    z.strictObject({ takes: z.int() }),
  ),
  /** Writes a consistent copy of the store into a file, replacing it. */
  'store.backup': engine.command(z.strictObject({ file: z.string() }), none),
  /** What is in a backup; refused if it cannot be restored. */
  'store.inspect': engine.query(
    z.strictObject({ file: z.string() }),
    z.strictObject({ batches: z.int(), newestAt: z.number().optional(), brings: z.array(z.string()) }),
  ),
  /** What a helper needs to know about the store. */
  'store.facts': engine.query(none, storeFacts),
  /** Sets or removes the engine's key for an origin, or the key with a name there: done in a moment. */
  'key.set': engine.quick(keyPlace.extend({ key: z.string().optional() }), none),
  /** The computer is about to sleep: nothing new is sent. */
  'engine.sleep': engine.quick(none, none),
  /** The computer is awake again: what is rendering is looked at first. */
  'engine.wake': engine.quick(none, none),
  /**
   * Ends everything in good order, and reports each step; the process exits after it has answered. Returns what was
   * left undone, in words.
   */
  'engine.stop': engine.command(none, z.strictObject({ unsaved: z.array(z.string()) })),
} satisfies Readonly<Record<string, unknown>> & { readonly [R in PassedRouteName]?: never };

export type EngineRequests = PassedRequests & typeof ownRequests;
export type EngineRequestName = keyof EngineRequests;
export type EngineInput<N extends EngineRequestName> = Seen<EngineRequests[N]['input']>;
export type EngineOutput<N extends EngineRequestName> = Seen<EngineRequests[N]['output']>;

/** One handler for each request of main; a missing or an extra one does not compile. */
export type EngineHandlers = {
  readonly [N in EngineRequestName]: (
    input: EngineInput<N>,
    watch?: WorkWatch,
  ) => Promise<Reply<EngineOutput<N>>> | Reply<EngineOutput<N>>;
};

/** The routes that main passes on. */
const PASSED_ROUTES = (Object.keys(routes) as RouteName[]).filter(
  (name): name is PassedRouteName => routes[name].answeredBy === 'engine',
);

/** Main's requests to the engine. */
export const engineRequests = {
  ...(Object.fromEntries(PASSED_ROUTES.map((name) => [name, passed(name)])) as unknown as PassedRequests),
  ...ownRequests,
};

function passed(name: PassedRouteName) {
  const { kind, input, output, adds } = routes[name];
  if (adds === undefined) return { kind, input, output };
  const added = ADDED[adds];
  return { kind, input: input instanceof z.ZodObject ? input.extend(added.shape) : added, output };
}

const REQUEST_NAMES = Object.keys(engineRequests) as [EngineRequestName, ...EngineRequestName[]];

/** What the window is told about the engine's work: events of the contract, which main only numbers. */
const TOLD = [
  'batch.changed',
  'sheet.changed',
  'sheet.beginning',
  'sheet.progress',
  'batch.listChanged',
  'sheet.fileChanged',
  'work.changed',
  'notice',
] as const satisfies readonly EventName[];
type Told = (typeof TOLD)[number];
export type EngineEvent = { [E in Told]: { readonly event: E; readonly payload: News<E> } }[Told];

/** Tells the window, by way of main. */
export type TellWindow = <E extends Told>(event: E, payload: News<E>) => void;

const told = z.discriminatedUnion(
  'event',
  TOLD.map((event) => z.strictObject({ event: z.literal(event), payload: news[event] })) as unknown as [z.ZodObject],
) as unknown as z.ZodType<EngineEvent>;

const reply = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), value: z.unknown() }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({
      code: z.enum(IPC_ERROR_CODES),
      message: z.string(),
      field: z.enum(REFUSED_FIELDS).exactOptional(),
    }),
  }),
]) satisfies z.ZodType<Reply<unknown>>;

/** A store on a server. The password crosses here, in memory, and nowhere else. */
const serverAccess = z.strictObject({ address: z.string(), password: z.string().exactOptional() });
export type ServerAccess = Seen<typeof serverAccess>;

/** What the engine's process learns about the server besides its work. */
const serverState = storeView.options[1].pick({ awaySince: true, workers: true });
export type ServerState = Seen<typeof serverState>;

/** Main → engine. `start` comes once, after the first `speak`. */
export const toEngine = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('start'),
    storeFolder: z.string(),
    /** The server that has the store, if it is not in the folder. */
    server: serverAccess.exactOptional(),
    /** The file that notes which opening of the store was the last. */
    incarnationFile: z.string(),
    /** Where the window keeps small pictures of files. */
    windowPictures: z.string().exactOptional(),
    keys: z.array(keyPlace.extend({ key: z.string() })),
    /** The user is told that a backup is in place of the store, and need not be told that this is an older copy. */
    isRestoreTold: z.boolean(),
  }),
  /** Sent before the start, and whenever the user chooses another language. */
  z.strictObject({ kind: z.literal('speak'), language: z.enum(LANGUAGES) }),
  /** Instead of a start: puts a backup in place of the store. */
  z.strictObject({
    kind: z.literal('restore'),
    storeFolder: z.string(),
    file: z.string(),
  }),
  /** Instead of a start: says what is at an address. */
  z.strictObject({ kind: z.literal('look'), server: serverAccess }),
  /** The requested reader of sheets; its port comes with the message. */
  z.strictObject({ kind: z.literal('sheetReader'), id: z.int() }),
  z.strictObject({
    kind: z.literal('request'),
    id: z.int(),
    name: z.enum(REQUEST_NAMES),
    input: z.unknown(),
  }),
]);
export type ToEngine = Seen<typeof toEngine>;

/** How often the engine’s process says that it is alive, and the length of a tick in main’s count of its silence. */
export const ALIVE_EVERY_MS = 2_000;

/** Engine → main. */
export const fromEngine = z.discriminatedUnion('kind', [
  /** The engine's event loop turns. */
  z.strictObject({ kind: z.literal('alive') }),
  z.strictObject({
    kind: z.literal('started'),
    /** Why the store can only be read. */
    readOnly: z.string().optional(),
  }),
  /** What came of a backup that the process was to put in place. */
  z.strictObject({ kind: z.literal('restored'), isRestored: z.boolean(), notice: news.notice }),
  z.strictObject({ kind: z.literal('looked'), found: storeFound }),
  /** The server of its store is gone or back, or its workers have changed. */
  z.strictObject({ kind: z.literal('server'), state: serverState }),
  /** A step of its ending, and what would be left undone if it were cut off now, in lines for the user. */
  z.strictObject({ kind: z.literal('stopping'), leftUndone: z.array(z.string()) }),
  /** The engine cannot work with this store; a restart would end the same way. */
  z.strictObject({ kind: z.literal('refused'), message: z.string() }),
  z.strictObject({ kind: z.literal('reply'), id: z.int(), reply }),
  /** The engine needs a process that reads a sheet, or no longer needs it. */
  z.strictObject({ kind: z.literal('sheetReaderWanted'), id: z.int() }),
  z.strictObject({ kind: z.literal('sheetReaderDone'), id: z.int() }),
  /** The window is told something. */
  z.strictObject({ kind: z.literal('event'), told }),
]);
export type FromEngine = Seen<typeof fromEngine>;
