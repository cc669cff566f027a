/**
 * Main's handlers for Nocturne while nobody is watching: staying awake, opening at login, the end of the night, and
 * messages.
 */
import { sayError } from '../../shared/domain/base/reason.ts';
import { ok } from '../../shared/domain/base/result.ts';
import { refuse } from '../../shared/ipc/contract.ts';
import type { presenceRoutes } from '../../shared/ipc/presence.ts';
import type { Presence } from '../presence/presence.ts';
import type { TellingService } from '../presence/telling-service.ts';
import type { HandlersOf } from './bridge.ts';
import { words } from '../../shared/words/words.ts';

/** What these handlers work with. */
export interface PresenceContext {
  readonly presence: Presence;
  readonly telling: TellingService;
}

/** Makes the handlers of the presence's routes. */
export function presenceHandlers({ presence, telling }: PresenceContext): HandlersOf<typeof presenceRoutes> {
  return {
    'presence.get': () => ok(presence.view),
    'presence.set': (change) => {
      try {
        presence.set(change);
      } catch (error) {
        const reason = sayError(error);
        return refuse('refused', words.desktop.window.notSet(reason));
      }
      return ok(presence.view);
    },
    'presence.callOff': () => {
      presence.userActs();
      return ok(presence.view);
    },
    'telling.set': (change) => {
      telling.setGeneral(change);
      return ok(presence.view);
    },
    'telling.setAddress': (change) => {
      const set = telling.setAddress(change);
      return set.ok ? ok(presence.view) : set;
    },
    'telling.setCommand': async ({ argv }) => {
      const set = await telling.setCommand(argv);
      if (!set.ok) return set;
      return ok(set.value ? presence.view : undefined);
    },
    'telling.test': async ({ way }) => {
      const { isOk, text } = await telling.test(way);
      return ok({ isOk, text });
    },
  };
}
