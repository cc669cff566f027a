/** The gateways that the user keeps, each with its profile, and what nights have shown about them. */
import { z } from 'zod';
import { OPERATION_PATHS } from '../domain/operations/operations.ts';
import { SEEN_OUTCOMES } from '../domain/gateway/seen-status.ts';
import { profileText, savedGateway, settingsView } from './app.ts';
import { id, main, money, profileName, type Seen } from './route.ts';

const operation = z.enum(OPERATION_PATHS);
/** One of the kept gateways. */
const gateway = z.strictObject({ profile: profileName });

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
      /** What would change in the profile. */
      changes: z.array(
        z.strictObject({ path: z.string(), before: z.string().optional(), after: z.string().optional() }),
      ),
    }),
  ),
});
export type LearnedView = Seen<typeof learnedView>;

/** What is known about whether a gateway charges only once for one request key, as its profile says. */
export const keyTrustView = z.strictObject({
  header: z.string(),
  /** Absent if nobody has tried. */
  proof: z.strictObject({ verdict: z.enum(['passed', 'refuted']), at: z.number() }).optional(),
  /** The price of one request, by operation, according to the profile. */
  prices: z.partialRecord(operation, money),
  /** The batch that tried it last. */
  lastProbe: id.optional(),
});
export type KeyTrustView = Seen<typeof keyTrustView>;

export const profileRoutes = {
  /**
   * What is known about request keys at a gateway, by default the one that new batches use, or at a batch's gateway;
   * undefined if its profile does not say that it keeps keys, and for a batch that exists to try them.
   */
  'profile.keyTrust': main.query(
    z.strictObject({ profile: profileName.optional(), batchId: id.optional() }),
    keyTrustView.optional(),
  ),
  /** What was seen at a gateway. */
  'profile.learned': main.query(gateway, learnedView),
  /** Puts a proposal into the profile if the user agrees; undefined if the answer was no. */
  'profile.takeProposal': main.command(
    gateway.extend({ path: z.array(z.string().max(200)).min(1).max(4), value: z.string().max(2000) }),
    settingsView.optional(),
  ),
  /** Later batches start with this gateway. */
  'profile.use': main.command(gateway, settingsView),
  /**
   * Adds a gateway that leads nowhere yet, under a name of its own. With a text, adds the one that the text describes,
   * like `profile.import`.
   */
  'profile.create': main.command(z.strictObject({ text: profileText.optional() }), savedGateway.optional()),
  /** Copies a gateway under a name of its own. */
  'profile.duplicate': main.command(gateway, savedGateway),
  'profile.rename': main.command(gateway.extend({ to: profileName }), settingsView),
  /** Removes a gateway if the user agrees; undefined if the answer was no. */
  'profile.remove': main.command(gateway, settingsView.optional()),
  /**
   * Opens a dialog and writes the profile to a file; undefined if the user cancelled. The file never contains a key.
   */
  'profile.export': main.command(gateway, z.strictObject({ file: z.string() }).optional()),
};
