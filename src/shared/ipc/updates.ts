/** Newer versions of Nocturne: whether there is one, and what puts it in place. */
import { z } from 'zod';
import { main, none, type Seen } from './route.ts';

const release = z.strictObject({
  version: z.string(),
  /** Such as `2026-11-23`. */
  date: z.string(),
  notes: z.string(),
  /** Where a person gets it. */
  page: z.string(),
  /** Of what is fetched; undefined if the user gets it. */
  bytes: z.int().optional(),
  /** The version before, to which the user may go back. */
  isOlder: z.boolean(),
});
export type ShownRelease = Seen<typeof release>;

export const updatesView = z.strictObject({
  version: z.string(),
  /** Who puts an update in place; `nobody`: this copy was made without a feed of releases, or is a checkout. */
  by: z.enum(['program', 'user', 'nobody']),
  /** Who is asked whether there is one. */
  host: z.string(),
  /** It is asked once a day. */
  isAutomatic: z.boolean(),
  /** When the answer was last one that holds, in milliseconds since the epoch. */
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
  /** Begins to fetch a version that was found, or the one before. How it goes comes as an event. */
  'updates.fetch': main.command(named, updatesView),
  /** Ends the fetching. */
  'updates.cancel': main.command(none, updatesView),
  /** Backs the store up, ends the application, and starts the version that was fetched. Refused in a night. */
  'updates.install': main.command(named, updatesView),
};
