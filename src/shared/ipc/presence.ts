/**
 * Nocturne while nobody is watching: staying awake, opening at login, what it does after the night, and how it notifies
 * its user.
 */
import { z } from 'zod';
import { AFTER_NIGHT } from '../domain/telling/night-news.ts';
import { WAY_NAMES } from '../domain/telling/ways.ts';
import { main, none, type Seen } from './route.ts';

const afterNight = z.enum(AFTER_NIGHT);
const url = z.string().max(2000);

/** What came of the last message that was sent this way. */
const outcome = z.strictObject({ at: z.number(), isOk: z.boolean(), text: z.string() });
const addressView = z.strictObject({
  /** Empty: not set. */
  url,
  allowPlainHttp: z.boolean(),
  hasSecret: z.boolean(),
  last: outcome.optional(),
});

export const presenceView = z.strictObject({
  /** The computer is kept awake while there is work. */
  keepAwake: z.boolean(),
  /** Nocturne opens when the user logs in, and continues a night. */
  atLogin: z.boolean(),
  /** What is done once the night that is under way is at rest. */
  afterNight,
  /** It is about to be done; `seconds` are left to call it off. */
  warning: z.strictObject({ action: afterNight.exclude(['nothing']), seconds: z.int() }).optional(),
  telling: z.strictObject({
    /** The system's own notifications. */
    system: z.boolean(),
    /** Names of batches may leave this machine. */
    names: z.boolean(),
    ntfy: addressView,
    webhook: addressView,
    command: z.strictObject({ argv: z.array(z.string()), last: outcome.optional() }),
    /** `memory`: no keyring, so tokens and secrets go with the application. */
    storage: z.enum(['keyring', 'memory']),
  }),
});
export type PresenceView = Seen<typeof presenceView>;

export const presenceRoutes = {
  'presence.get': main.query(none, presenceView),
  'presence.set': main.command(
    z.strictObject({
      keepAwake: z.boolean().optional(),
      atLogin: z.boolean().optional(),
      afterNight: afterNight.optional(),
    }),
    presenceView,
  ),
  /** Calls off what was about to be done after the night. */
  'presence.callOff': main.command(none, presenceView),
  'telling.set': main.command(
    z.strictObject({ system: z.boolean().optional(), names: z.boolean().optional() }),
    presenceView,
  ),
  /**
   * An empty address removes it with its secret. Without a new secret, the one for this origin stays, if there is one.
   */
  'telling.setAddress': main.command(
    z.strictObject({
      way: z.enum(['ntfy', 'webhook']),
      url,
      allowPlainHttp: z.boolean(),
      secret: z.string().max(1000).optional(),
    }),
    presenceView,
  ),
  /**
   * Without arguments, the command is removed. The user confirms a program in a box of the system; undefined if the
   * answer was no.
   */
  'telling.setCommand': main.command(
    z.strictObject({ argv: z.array(z.string().max(4000)).max(50) }),
    presenceView.optional(),
  ),
  /** Sends a test this way, once, and says what came of it. */
  'telling.test': main.command(
    z.strictObject({ way: z.enum([...WAY_NAMES, 'system']) }),
    z.strictObject({ isOk: z.boolean(), text: z.string() }),
  ),
};
