/** Main's handlers for the gateways that the user keeps, each with its profile. */
import { sayError } from '../../shared/domain/base/reason.ts';
import { join } from 'node:path';
import { writeWhole } from '../../engine/whole-file.ts';
import { parseLossless } from '../../shared/domain/base/json.ts';
import { ok, present } from '../../shared/domain/base/result.ts';
import type { accountRoutes } from '../../shared/ipc/accounts.ts';
import type { SavedGateway, SettingsView } from '../../shared/ipc/app.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { profileRoutes } from '../../shared/ipc/profiles.ts';
import { words } from '../../shared/words/words.ts';
import type { Applied } from '../services/gateway-settings.ts';
import { chosenAccess, noSuchGateway, profileNamed } from '../services/kept-profiles.ts';
import { currentSettings, type HandlerContext, saved } from './app-handlers.ts';
import type { HandlersOf } from './bridge.ts';

/** Makes the handlers of the routes about profiles, and about the accounts that are made from them. */
export function profileHandlers(context: HandlerContext): HandlersOf<typeof profileRoutes & typeof accountRoutes> {
  const { engine, gateway, profiles: kept, desktop, settings, documentsFolder } = context;
  const whenDone = (reply: Reply<undefined>): Reply<SettingsView> => (reply.ok ? ok(currentSettings(context)) : reply);
  const whenMade = (reply: Reply<string>): Reply<SavedGateway> =>
    reply.ok ? ok({ settings: currentSettings(context), profile: reply.value }) : reply;
  const whenAgreed = (reply: Reply<Applied>): Reply<SettingsView | undefined> =>
    reply.ok ? ok(reply.value.applied ? currentSettings(context) : undefined) : reply;
  return {
    'profile.keyTrust': ({ profile: name, batchId }) => {
      const profile = profileNamed(settings.current, name);
      if (profile === undefined) return noSuchGateway(name ?? '');
      return engine.request('profile.keyTrust', { profile, ...present({ batchId }) });
    },
    'profile.learned': ({ profile: name }) => {
      const profile = profileNamed(settings.current, name);
      return profile === undefined ? noSuchGateway(name) : engine.request('profile.learned', { profile });
    },
    'profile.takeProposal': async ({ profile, path, value }) => {
      const json = parseLossless(value);
      if (json === undefined) return refuse('invalid-input', words.desktop.notJson);
      return whenAgreed(await gateway.takeProposal({ path, value: json }, profile));
    },
    'account.test': async (chosen) => {
      const access = chosenAccess(chosen, settings.current);
      return access.ok ? engine.request('account.test', access.value) : refuse('refused', access.error, 'gateway');
    },
    'account.balance': async (chosen) => {
      const access = chosenAccess(chosen, settings.current);
      return access.ok ? engine.request('account.balance', access.value) : refuse('refused', access.error);
    },
    'profile.use': ({ profile }) => whenDone(kept.use(profile)),
    'profile.create': async ({ text }) =>
      text === undefined ? whenMade(kept.create()) : saved(context, await gateway.importProfileText(text)),
    'profile.duplicate': ({ profile }) => whenMade(kept.duplicate(profile)),
    'profile.rename': ({ profile, to }) => whenDone(kept.rename(profile, to)),
    'profile.remove': async ({ profile }) => {
      const batches = await engine.request('batch.list', undefined);
      return whenAgreed(await kept.remove(profile, batches.ok ? batches.value : []));
    },
    'profile.export': async ({ profile: asked }) => {
      const chosen = profileNamed(settings.current, asked);
      if (chosen === undefined) return noSuchGateway(asked);
      const name = asked.replaceAll(/[^\p{L}\p{N} _-]/gu, '').trim();
      const file = await desktop.chooseNewFile({
        title: words.settings.gateways.exportTitle,
        path: join(documentsFolder, `${name === '' ? 'profile' : name}.json`),
        kind: { name: words.desktop.choose.kind.profiles, extension: 'json' },
      });
      if (file === undefined) return ok(undefined);
      // It may have been saved again while the dialog was open.
      const profile = profileNamed(settings.current, asked) ?? chosen;
      try {
        await writeWhole(file, `${JSON.stringify(profile, undefined, 2)}\n`, 0o600);
        return ok({ file });
      } catch (error) {
        return refuse('refused', words.desktop.cannotWrite(file, sayError(error)));
      }
    },
  };
}
