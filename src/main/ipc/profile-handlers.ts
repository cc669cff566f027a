/** Main's handlers for the profiles that the user keeps. */
import { join } from 'node:path';
import { writeWhole } from '../../engine/whole-file.ts';
import { parseLossless } from '../../shared/domain/base/json.ts';
import { ok } from '../../shared/domain/base/result.ts';
import type { accountRoutes } from '../../shared/ipc/accounts.ts';
import type { SettingsView } from '../../shared/ipc/app.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { profileRoutes } from '../../shared/ipc/profiles.ts';
import { chosenAccess } from '../services/kept-profiles.ts';
import { currentSettings, type HandlerContext } from './app-handlers.ts';
import type { HandlersOf } from './bridge.ts';
import { words } from '../../shared/words/words.ts';

/** Makes the handlers of the routes about profiles, and about the accounts that are made of them. */
export function profileHandlers(context: HandlerContext): HandlersOf<typeof profileRoutes & typeof accountRoutes> {
  const { engine, gateway, profiles: kept, desktop, settings, documentsFolder } = context;
  const whenDone = (reply: Reply<undefined>): Reply<SettingsView> => (reply.ok ? ok(currentSettings(context)) : reply);
  return {
    'profile.takeProposal': async ({ path, value }) => {
      const json = parseLossless(value);
      if (json === undefined) return refuse('invalid-input', words.desktop.notJson);
      const reply = await gateway.takeProposal({ path, value: json });
      return reply.ok ? ok(reply.value.applied ? currentSettings(context) : undefined) : reply;
    },
    'account.test': async (chosen) => {
      const access = chosenAccess(chosen, settings.current);
      return access.ok ? engine.request('account.test', access.value) : refuse('refused', access.error);
    },
    'account.balance': async (chosen) => {
      const access = chosenAccess(chosen, settings.current);
      return access.ok ? engine.request('account.balance', access.value) : refuse('refused', access.error);
    },
    'profile.use': ({ name }) => whenDone(kept.use(name)),
    'profile.duplicate': () => whenDone(kept.duplicate()),
    'profile.rename': ({ name }) => whenDone(kept.rename(name)),
    'profile.remove': async () => {
      const reply = await kept.remove();
      return reply.ok ? ok(reply.value.applied ? currentSettings(context) : undefined) : reply;
    },
    'profile.export': async () => {
      const { profile } = settings.current;
      const name = profile.name.replaceAll(/[^\p{L}\p{N} _-]/gu, '').trim();
      const file = await desktop.chooseNewFile({
        title: words.desktop.choose.newProfile,
        path: join(documentsFolder, `${name === '' ? 'profile' : name}.json`),
        kind: { name: words.desktop.choose.kind.profiles, extension: 'json' },
      });
      if (file === undefined) return ok(undefined);
      try {
        await writeWhole(file, `${JSON.stringify(settings.current.profile, undefined, 2)}\n`, 0o600);
        return ok({ file });
      } catch (error) {
        return refuse(
          'refused',
          words.desktop.cannotWrite(file, error instanceof Error ? error.message : String(error)),
        );
      }
    },
  };
}
