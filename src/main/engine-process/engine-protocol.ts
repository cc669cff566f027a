/**
 * What main and the engine's process say to each other, once: both sides parse against it. The key crosses here, in
 * memory, and nowhere else.
 */
import { z } from 'zod';
import { routes, type Reply } from '../../shared/ipc/contract.ts';
import { editResult, sheetDifference } from '../../shared/ipc/sheet-views.ts';
import { batchView, rowView, sheetView } from '../../shared/ipc/views.ts';
import { profileSchema } from '../../shared/domain/gateway/profile.ts';
import { keptMappings } from '../services/kept-mappings.ts';

const none = z.undefined();
const id = z.string().max(64);
/** By the profile of the gateway, to say what a sheet costs. */
const prices = profileSchema.shape.prices.optional();
/** What main knows and the opening of a sheet needs: also what its headers were taken for the last time. */
const sheetContext = { prices, kept: keptMappings.optional() };

/** Requests that main makes of the engine. Those of the window's contract pass through as they are. */
export const engineRequests = {
  'batch.list': routes['batch.list'],
  'batch.get': routes['batch.get'],
  'batch.start': routes['batch.start'],
  'batch.pause': routes['batch.pause'],
  /** With the profile of the settings, which may have been corrected since it paused. */
  'batch.resume': {
    input: routes['batch.resume'].input.extend({ profile: profileSchema }),
    output: routes['batch.resume'].output,
  },
  'batch.cancel': routes['batch.cancel'],
  'batch.retryable': routes['batch.retryable'],
  'batch.retry': routes['batch.retry'],
  'batch.cancelRows': routes['batch.cancelRows'],
  'batch.adopt': routes['batch.adopt'],
  'batch.settle': routes['batch.settle'],
  'batch.unknown': routes['batch.unknown'],
  'batch.answerStatus': {
    input: routes['batch.answerStatus'].input,
    output: z.strictObject({ tasks: z.int() }),
  },
  'row.detail': routes['row.detail'],
  'row.evidence': routes['row.evidence'],
  'rows.page': {
    input: routes['rows.page'].input,
    output: z.strictObject({ total: z.int(), rows: z.array(rowView) }),
  },
  /** Reads and checks a sheet and keeps it under `sheetId` until a batch is made of it. */
  'sheet.open': {
    input: z.strictObject({
      sheetId: id,
      /** It comes with the application: it is no file of the user's. */
      isSample: z.literal(true).optional(),
      path: z.string(),
      name: z.string(),
      ...sheetContext,
    }),
    output: sheetView,
  },
  'sheet.reread': { input: routes['sheet.reread'].input.extend({ prices }), output: sheetView },
  'sheet.interpret': { input: routes['sheet.interpret'].input.extend({ prices }), output: sheetView },
  /** Opens what was found in the clipboard as a sheet. */
  'sheet.openTable': {
    input: z.strictObject({ sheetId: id, name: z.string(), html: z.string(), text: z.string(), ...sheetContext }),
    output: sheetView.optional(),
  },
  'sheet.get': routes['sheet.get'],
  'sheet.problems': routes['sheet.problems'],
  'sheet.cell': routes['sheet.cell'],
  'sheet.preview': routes['sheet.preview'],
  'sheet.place': routes['sheet.place'],
  'sheet.find': routes['sheet.find'],
  'sheet.edit': routes['sheet.edit'],
  'sheet.undo': routes['sheet.undo'],
  'sheet.redo': routes['sheet.redo'],
  'sheet.copy': {
    input: routes['sheet.copy'].input,
    output: z.strictObject({ result: editResult, html: z.string(), text: z.string() }),
  },
  'sheet.keys': routes['sheet.keys'],
  'sheet.pasteSize': {
    input: z.strictObject({ html: z.string(), text: z.string() }),
    output: routes['sheet.pasteSize'].output,
  },
  'sheet.paste': {
    input: routes['sheet.paste'].input.extend({ html: z.string(), text: z.string() }),
    output: editResult,
  },
  'sheet.compare': {
    /** Without a path, the batch's own file. */
    input: z.strictObject({ batchId: id, path: z.string().optional() }),
    output: sheetDifference,
  },
  'sheet.apply': routes['sheet.apply'],
  'sheet.watch': routes['sheet.watch'],
  'results.write': {
    input: z.strictObject({
      batchId: id,
      into: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('copy') }),
        z.strictObject({ kind: z.literal('original') }),
        z.strictObject({ kind: z.literal('file'), file: z.string() }),
      ]),
    }),
    output: z.strictObject({ file: z.string() }),
  },
  'batch.release': routes['batch.release'],
  /** A batch that is not started: from a template, or with the rows of another batch. */
  'batch.new': {
    input: z.strictObject({
      from: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('template'), template: z.string(), name: z.string() }),
        z.strictObject({ kind: z.literal('batch'), batchId: id }),
      ]),
      folder: z.string(),
      rehearsal: z.boolean(),
      profile: profileSchema,
    }),
    output: batchView,
  },
  'batch.configure': {
    input: routes['batch.configure'].input.omit({ folderId: true }).extend({
      folder: z.string().optional(),
      /** Of the real gateway. */
      profile: profileSchema,
    }),
    output: batchView,
  },
  'batch.cost': { input: routes['batch.cost'].input.extend({ prices }), output: routes['batch.cost'].output },
  'lists.get': routes['lists.get'],
  'lists.set': routes['lists.set'],
  'lists.remove': routes['lists.remove'],
  'batch.create': {
    input: z.strictObject({
      sheetId: id,
      name: z.string(),
      /** Absolute path of the media folder. */
      folder: z.string(),
      rehearsal: z.boolean(),
      /** Of the real gateway; a rehearsal has one of its own. */
      profile: profileSchema,
      maxSubmits: z.int().optional(),
      start: z.boolean(),
    }),
    output: batchView,
  },
  /** Brings the folder's documents up to date. */
  'batch.export': { input: z.strictObject({ batchId: id }), output: z.strictObject({ folder: z.string() }) },
  /** Where a file lies on the disk; only files that lie inside their media folder are found. */
  'file.locate': {
    input: z.strictObject({ fileId: id }),
    output: z.strictObject({ path: z.string(), mediaType: z.string(), bytes: z.number() }),
  },
  /** Writes evidence into a file, which is replaced; gives the number of takes. */
  'evidence.write': {
    input: routes['evidence.export'].input.extend({ file: z.string() }),
    output: z.strictObject({ takes: z.int() }),
  },
  /** Writes a sound copy of the store into a file, which is replaced. */
  'store.backup': { input: z.strictObject({ file: z.string() }), output: none },
  /** Gives the engine the key of an origin, or takes it away. */
  'key.set': { input: z.strictObject({ origin: z.string(), key: z.string().optional() }), output: none },
  /**
   * Ends everything in good order, and tells of each step; the process exits after it has answered. Gives what was left
   * undone, in words.
   */
  'engine.stop': { input: none, output: z.strictObject({ unsaved: z.array(z.string()) }) },
} as const satisfies Record<string, { readonly input: z.ZodType; readonly output: z.ZodType }>;

export type EngineRequests = typeof engineRequests;
export type EngineRequestName = keyof EngineRequests;
export type EngineInput<N extends EngineRequestName> = z.output<EngineRequests[N]['input']>;
export type EngineOutput<N extends EngineRequestName> = z.output<EngineRequests[N]['output']>;

/** What the window asks by itself to show something: answered in a moment, however long the sheet is. */
export const QUICK_REQUESTS: ReadonlySet<EngineRequestName> = new Set([
  'batch.list',
  'batch.get',
  'batch.unknown',
  'batch.retryable',
  'rows.page',
  'row.detail',
  'row.evidence',
  'sheet.get',
  'sheet.place',
  'sheet.cell',
  'sheet.preview',
  'lists.get',
  'file.locate',
  'key.set',
]);

const REQUEST_NAMES = Object.keys(engineRequests) as [EngineRequestName, ...EngineRequestName[]];

/** Main → engine. `start` is the first message, once. */
export const toEngine = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('start'),
    storeFolder: z.string(),
    /** Where it is noted which opening of the store was the last. */
    incarnationFile: z.string(),
    keys: z.array(z.strictObject({ origin: z.string(), key: z.string() })),
  }),
  /** A reader of sheets that was asked for; the port to it comes with the message. */
  z.strictObject({ kind: z.literal('sheetReader'), id: z.int() }),
  z.strictObject({
    kind: z.literal('request'),
    id: z.int(),
    name: z.enum(REQUEST_NAMES),
    input: z.unknown(),
  }),
]);
export type ToEngine = z.infer<typeof toEngine>;

/** How often the engine’s process says that it is alive, and how long one tick of main’s count of its silence is. */
export const ALIVE_EVERY_MS = 2_000;

/** Engine → main. */
export const fromEngine = z.discriminatedUnion('kind', [
  /** Its event loop turns. */
  z.strictObject({ kind: z.literal('alive') }),
  z.strictObject({
    kind: z.literal('started'),
    /** Why the store can only be looked at. */
    readOnly: z.string().optional(),
  }),
  /** A step of its ending, and what would be left undone if it were cut off now, in lines for the user. */
  z.strictObject({ kind: z.literal('stopping'), leftUndone: z.array(z.string()) }),
  /** It cannot work with this store; a new start would end the same way. */
  z.strictObject({ kind: z.literal('refused'), message: z.string() }),
  z.strictObject({ kind: z.literal('reply'), id: z.int(), reply: z.custom<Reply<unknown>>(isReply) }),
  /** It needs a process that reads a sheet, and does not need it any more. */
  z.strictObject({ kind: z.literal('sheetReaderWanted'), id: z.int() }),
  z.strictObject({ kind: z.literal('sheetReaderDone'), id: z.int() }),
  z.strictObject({
    kind: z.literal('batchChanged'),
    batch: batchView,
    rows: z.array(rowView),
    rowsStale: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('listChanged') }),
  /** The sheet of a batch was edited. */
  z.strictObject({ kind: z.literal('sheetChanged'), batchId: id }),
  /** A sheet is being opened: rows that were read of it so far. */
  z.strictObject({ kind: z.literal('sheetProgress'), rows: z.int() }),
  /** A watched file has changed. */
  z.strictObject({ kind: z.literal('fileChanged'), batchId: id, name: z.string() }),
  /** What the user should know although nobody asked. */
  z.strictObject({ kind: z.literal('notice'), title: z.string(), message: z.string() }),
]);
export type FromEngine = z.infer<typeof fromEngine>;

function isReply(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'ok' in value && typeof value.ok === 'boolean';
}
