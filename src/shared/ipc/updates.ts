/** Newer versions of Nocturne: whether there is one, and what puts it in place. */
import { z } from 'zod';
import { main, none, type Seen } from './route.ts';

const release = z.strictObject({
  version: z.string(),
  /** Such as `2026-11-23`. */
  date: z.string(),
  notes: z.string(),
  /** The page from which the user can get it. */
  page: z.string(),
  /** The size of the download; undefined if the user gets it. */
  bytes: z.int().optional(),
  /** The version before, to which the user may go back. */
  isOlder: z.boolean(),
});
export type ShownRelease = Seen<typeof release>;

export const updatesView = z.strictObject({
  version: z.string(),
  /** Who puts an update in place; `nobody`: this copy was made without a feed of releases, or is a checkout. */
  by: z.enum(['program', 'user', 'nobody']),
  /** The host that is asked whether there is a newer version. */
  host: z.string(),
  /** The host is asked once a day. */
  isAutomatic: z.boolean(),
  /** When an answer was last a valid one, in milliseconds since the epoch. */
  lookedAt: z.number().optional(),
  step: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.enum(['idle', 'looking']) }),
    z.strictObject({ kind: z.enum(['found', 'ready', 'installing']), release }),
    z.strictObject({ kind: z.literal('fetching'), release, receivedBytes: z.number() }),
  ]),
  /** The version before this one, if it can be had. */
  previous: release.optional(),
  /** What went wrong last, in sentences. */
  problem: z.string().optional(),
});
export type UpdatesView = Seen<typeof updatesView>;

const named = z.strictObject({ version: z.string().max(40) });

export const updateRoutes = {
  'updates.get': main.query(none, updatesView),
  'updates.set': main.command(z.strictObject({ isAutomatic: z.boolean() }), updatesView),
  /** Asks whether there is a newer version. */
  'updates.look': main.command(none, updatesView),
  /** Begins to fetch a version that was found, or the one before. Its progress comes as events. */
  'updates.fetch': main.command(named, updatesView),
  /** Ends the fetching. */
  'updates.cancel': main.command(none, updatesView),
  /** Backs up the store, ends the application, and starts the version that was fetched. Refused during a night. */
  'updates.install': main.command(named, updatesView),
};
