/** The profiles that the user keeps, and what nights have shown of the gateway of the present one. */
import { z } from 'zod';
import { OPERATION_PATHS } from '../domain/operations/operations.ts';
import { SEEN_OUTCOMES } from '../domain/gateway/seen-status.ts';
import { settingsView } from './app.ts';
import { engine, id, main, money, none, type Seen } from './route.ts';

const operation = z.enum(OPERATION_PATHS);
const profileName = z.string().min(1).max(200);

/** Tables of what was counted, and the settings that follow from it. */
export const learnedView = z.strictObject({
  statuses: z.array(
    z.strictObject({
      operation,
      status: z.string(),
      hasUrl: z.boolean(),
      hasEnded: z.boolean(),
      hasMessage: z.boolean(),
      became: z.enum(SEEN_OUTCOMES),
      tasks: z.int(),
    }),
  ),
  /** Answers that looked alike, in words. */
  answers: z.array(z.strictObject({ operation, words: z.string(), fields: z.string(), answers: z.int() })),
  /** Numbers that came with answers, in words. */
  measures: z.array(z.strictObject({ operation, words: z.string(), answers: z.int() })),
  /** How long renderings take, in seconds. */
  times: z.array(z.strictObject({ operation, tasks: z.int(), median: z.number(), longest: z.number() })),
  proposals: z.array(
    z.strictObject({
      path: z.array(z.string()),
      /** As JSON. */
      value: z.string(),
      evidence: z.string(),
      /** What of the profile would change. */
      changes: z.array(
        z.strictObject({ path: z.string(), before: z.string().optional(), after: z.string().optional() }),
      ),
    }),
  ),
});
export type LearnedView = Seen<typeof learnedView>;

/** What is known of whether a gateway charges only once for one key of a request, as its profile says. */
export const keyTrustView = z.strictObject({
  header: z.string(),
  /** Absent if nobody has tried. */
  proof: z.strictObject({ verdict: z.enum(['passed', 'refuted']), at: z.number() }).optional(),
  /** Of one request of an operation, by the profile. */
  prices: z.partialRecord(operation, money),
  /** The batch that tried it last. */
  lastProbe: id.optional(),
});
export type KeyTrustView = Seen<typeof keyTrustView>;

export const profileRoutes = {
  /**
   * The keys of requests at the gateway of the settings' profile, or of a batch's; undefined if the profile does not say
   * that it keeps them, and for a batch that is there to try them.
   */
  'profile.keyTrust': engine.quick(z.strictObject({ batchId: id.optional() }), keyTrustView.optional(), 'profile'),
  /** What was seen of the gateway of the settings' profile. */
  'profile.learned': engine.query(none, learnedView, 'profile'),
  /** Takes a proposal into the profile, where the user agrees; undefined if the answer was no. */
  'profile.takeProposal': main.command(
    z.strictObject({ path: z.array(z.string().max(200)).min(1).max(4), value: z.string().max(2000) }),
    settingsView.optional(),
  ),
  /** Makes a profile that is kept the present one: later batches start with it. */
  'profile.use': main.command(z.strictObject({ name: profileName }), settingsView),
  /** Copies the present profile and makes the copy the present one. */
  'profile.duplicate': main.command(none, settingsView),
  'profile.rename': main.command(z.strictObject({ name: profileName }), settingsView),
  /** Removes the present profile, where the user agrees; another one becomes the present. Undefined: the answer was no. */
  'profile.remove': main.command(none, settingsView.optional()),
  /** Opens a dialog and writes the present profile to a file; undefined if the user cancelled. It never has a key in it. */
  'profile.export': main.command(none, z.strictObject({ file: z.string() }).optional()),
};
