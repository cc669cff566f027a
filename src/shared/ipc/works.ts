/** Work that takes longer than a moment: what is under way, how far it is, and the way to end it. */
import { z } from 'zod';
import { engine, id, none, type Seen } from './route.ts';

/**
 * The requests to the engine that are shown as work under way. Cancellable work leaves nothing half done when it is
 * ended early. Kept work is what the user did in a window that is closing: the engine does not end before it.
 */
export const WORKS = {
  'batch.cancel': {},
  'batch.cancelRows': {},
  'batch.configure': {},
  'batch.create': { isCancellable: true, isKept: true },
  'batch.deliver': { isCancellable: true },
  'batch.export': { isCancellable: true },
  'batch.localFiles': {},
  'batch.new': { isCancellable: true, isKept: true },
  'batch.release': {},
  'batch.retry': {},
  'batch.turn': {},
  'evidence.write': {},
  'files.delete': { isCancellable: true },
  'gates.preview': { isCancellable: true },
  'results.write': { isCancellable: true },
  'sheet.apply': { isCancellable: true },
  'sheet.compare': { isCancellable: true },
  'sheet.copy': { isCancellable: true },
  'sheet.edit': { isCancellable: true, isKept: true },
  'sheet.find': { isCancellable: true },
  'sheet.paste': { isCancellable: true, isKept: true },
  'sheet.redo': { isCancellable: true, isKept: true },
  'sheet.undo': { isCancellable: true, isKept: true },
  'store.backup': { isCancellable: true },
} as const satisfies Readonly<Record<string, { readonly isCancellable?: true; readonly isKept?: true }>>;
export type WorkName = keyof typeof WORKS;

const workView = z.strictObject({
  workId: z.string(),
  name: z.enum(Object.keys(WORKS) as WorkName[]),
  /** The batch that it is about. */
  batchId: z.string().exactOptional(),
  /** How much of how much is done; absent where that is not known. */
  progress: z.strictObject({ done: z.number(), of: z.number() }).exactOptional(),
  /** The same in words, if a share does not say enough. */
  detail: z.string().exactOptional(),
  /** It can be ended now without leaving anything half done. */
  isCancellable: z.boolean(),
});
export type WorkView = Seen<typeof workView>;

/** All work, in the order in which it began. */
export const worksView = z.strictObject({ works: z.array(workView) });

export const workRoutes = {
  'work.list': engine.quick(none, worksView),
  /**
   * Ends work that can be ended; the request that asked for it is answered then. Nothing happens if the work is over or
   * can no longer be ended.
   */
  'work.cancel': engine.quick(z.strictObject({ workId: id }), none),
};
