/** Where the store is: on this computer, or on a server on which workers render. */
import { z } from 'zod';
import { engine, main, none, type Seen } from './route.ts';

const address = z.string().min(1).max(2000);
const password = z.string().min(1).max(1000);

/** A live worker: its name, and the gateway of each account that it has. */
const worker = z.strictObject({
  name: z.string(),
  gateways: z.array(z.string()),
  /** It takes no accounts, because its clock differs from the store's. */
  isClockOff: z.literal(true).exactOptional(),
});

export const storeView = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('folder') }),
  z.strictObject({
    kind: z.literal('server'),
    /** Without a password. */
    address: z.string(),
    /** The same, as it is shown: without connection options. */
    shown: z.string(),
    hasPassword: z.boolean(),
    /** Since when it has not answered, in milliseconds since the epoch; absent while it answers. */
    awaySince: z.number().exactOptional(),
    /** In order of their names; absent until the store has been asked. */
    workers: z.array(worker).exactOptional(),
  }),
]);
export type StorePlaceView = Seen<typeof storeView>;
export type ShownWorker = Seen<typeof worker>;

/** What is at an address, as far as it can be read. */
export const storeFound = z.strictObject({
  shown: z.string(),
  /** Why it cannot be used, as sentences. */
  problem: z.string().exactOptional(),
  /** There is none yet: the first start on it makes one. */
  isNew: z.boolean(),
  batches: z.int(),
  workers: z.array(worker),
  /** The version of the server, such as 15.8, and that of the store's tables. */
  server: z.string().exactOptional(),
  schema: z.int().exactOptional(),
});
export type StoreFound = Seen<typeof storeFound>;

export const storeRoutes = {
  'store.get': main.query(none, storeView),
  /** Says what is at an address. Without a password, the one that was entered for the address before is used. */
  'store.test': main.command(z.strictObject({ address, password: password.optional() }), storeFound.optional()),
  /**
   * Ends the engine and starts it on another store, once the user has agreed in a box of the system; undefined if the
   * answer was no.
   */
  'store.use': main.command(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('folder') }),
      z.strictObject({ kind: z.literal('server'), address, password: password.optional() }),
    ]),
    storeView.optional(),
  ),
  /** Puts the command that starts a worker on the store into the clipboard. */
  'store.copyWorker': main.command(none, none),
  /** Pauses every batch that runs; what is rendering is still fetched. */
  'batch.pauseAll': engine.command(none, z.strictObject({ batches: z.int() })),
};
