/** Work that takes longer than a moment: what is under way, how far it is, and the way to end it. */
import { z } from 'zod';
import { engine, id, none, type Seen } from './route.ts';

/** What of the window's wishes is shown as work under way, each by its request to the engine. */
export const WORK_NAMES = [
  'batch.cancel',
  'batch.cancelRows',
  'batch.configure',
  'batch.create',
  'batch.deliver',
  'batch.export',
  'batch.localFiles',
  'batch.new',
  'batch.release',
  'batch.retry',
  'batch.turn',
  'evidence.write',
  'files.delete',
  'gates.preview',
  'results.write',
  'sheet.apply',
  'sheet.compare',
  'sheet.copy',
  'sheet.edit',
  'sheet.find',
  'sheet.paste',
  'sheet.redo',
  'sheet.undo',
  'store.backup',
] as const;
export type WorkName = (typeof WORK_NAMES)[number];

const workView = z.strictObject({
  workId: z.string(),
  name: z.enum(WORK_NAMES),
  /** The batch that it is about. */
  batchId: z.string().exactOptional(),
  /** How much of how much is done; absent where that is not known. */
  progress: z.strictObject({ done: z.number(), of: z.number() }).exactOptional(),
  /** The same in words, where a share does not say enough. */
  detail: z.string().exactOptional(),
  /** It can be ended now without leaving anything half done. */
  isCancellable: z.boolean(),
});
export type WorkView = Seen<typeof workView>;

/** All of it, in the order in which it began. */
export const worksView = z.strictObject({ works: z.array(workView) });

export const workRoutes = {
  'work.list': engine.quick(none, worksView),
  /** Ends work that can be ended; what asked for it is answered then. Nothing happens if it is over, or cannot be ended any more. */
  'work.cancel': engine.quick(z.strictObject({ workId: id }), none),
};
