/** Main's handlers for the routes of the application itself: settings, gateway, keys, profile, store, log and help. */
import { sayError } from '../../shared/domain/base/reason.ts';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { ok } from '../../shared/domain/base/result.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { FAMILIES, type Family, type OperationPath, OPERATIONS } from '../../shared/domain/operations/operations.ts';
import {
  type appRoutes,
  type GatewayView,
  isCurrentElectron,
  licensedPackages,
  type SavedGateway,
  type SettingsView,
  type WindowMenus,
} from '../../shared/ipc/app.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { localDate } from '../../shared/domain/base/text.ts';
import type { EngineHost, EngineProcess } from '../engine-process/engine-host.ts';
import type { SettingsFile } from '../services/app-settings.ts';
import type { GatewaySettings, Saved } from '../services/gateway-settings.ts';
import { type KeptProfiles, noSuchGateway, profileNamed, profilesOf } from '../services/kept-profiles.ts';
import type { StoreChoice } from '../shell/store-choice.ts';
import type { Desktop } from '../shell/desktop.ts';
import type { EventFeed, HandlersOf } from './bridge.ts';
import type { PresenceContext } from './presence-handlers.ts';
import type { Thumbnails } from '../thumbnails/thumbnails.ts';
import type { Updates } from '../updates/updates.ts';
import { words } from '../../shared/words/words.ts';

const PROFILE_MAX_BYTES = 500_000;

/** A page of the documentation and its source, for a checkout in which the pages have not been built. */
const HELP_FILES = {
  readme: { page: 'index.html', source: 'README.md' },
  operations: { page: 'operations.html', source: 'docs/operations.md' },
  'your-data': { page: 'your-data.html', source: 'docs/your-data.md' },
} as const;

/** What the handlers work with. */
export interface HandlerContext extends PresenceContext {
  readonly updates: Updates;
  readonly engine: EngineHost;
  readonly settings: SettingsFile;
  readonly gateway: GatewaySettings;
  readonly profiles: KeptProfiles;
  readonly feed: EventFeed;
  readonly desktop: Desktop;
  readonly app: {
    readonly version: string;
    readonly platform: string;
    readonly electron: string;
    readonly folder: string;
    readonly isPackaged: boolean;
    /** Where the build puts what it makes for users: the documentation, the licences. */
    readonly madeFolder: string;
  };
  /** The folder with the store, the settings and the logs. */
  readonly dataFolder: string;
  /** Whether a batch is at work. */
  readonly isNightRunning: () => boolean;
  readonly store: StoreChoice;
  readonly thumbnails: Pick<Thumbnails, 'keepOnly' | 'soundOf'>;
  /** A process of the engine that waits for its first message. */
  readonly spawnEngine: () => EngineProcess;
  /** Another store is chosen; the engine on it starts after this. */
  readonly onStoreChanged: () => void;
  /** Restarts the application. */
  readonly restart: () => void;
  readonly logFolder: string;
  /** Every key and token that is known: no text for others may hold one. */
  readonly secrets: () => readonly string[];
  /** The folder for new batches if the settings name none. */
  readonly documentsFolder: string;
  readonly applyTheme: (theme: SettingsView['theme']) => void;
  /** Makes the whole program speak the language of the settings; the window opens again in it. */
  readonly applyLanguage: () => void;
  /** Shows in the menu bar what the window offers now. */
  readonly offerMenus: (menus: WindowMenus) => void;
}

/** The folder for new batches, unless the user chooses another. */
export function defaultFolder({ settings, documentsFolder }: HandlerContext): string {
  const chosen = settings.current.defaultFolder;
  return isAbsolute(chosen) ? chosen : join(documentsFolder, 'Nocturne');
}

/** The settings as the window may see them. */
export function currentSettings(context: HandlerContext): SettingsView {
  const { theme, language, profile } = context.settings.current;
  const { baseUrl, name: profileName } = profile;
  const all = profilesOf(context.settings.current);
  const profiles = all.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b, 'en'));
  return {
    theme,
    language,
    baseUrl,
    profileName,
    profiles,
    currencies: currenciesIn([profile]),
    gateways: all.map(gatewayView),
    currenciesOfAll: currenciesIn(all),
    defaultFolder: defaultFolder(context),
  };
}

function gatewayView({ name, baseUrl, allowPlainHttp, limits, status, ...rest }: Profile): GatewayView {
  const hasTable = (scope: Family | OperationPath): boolean => Object.keys(status[scope] ?? {}).length > 0;
  return {
    profile: name,
    baseUrl,
    allowPlainHttp,
    currencies: currenciesIn([rest]),
    priced: Object.keys(rest.prices).length,
    requestsPerSecond: limits.requestsPerSecond,
    atOnce: limits.activePerFamily,
    knownStatuses: FAMILIES.filter(
      (family) => hasTable(family) || OPERATIONS.some((one) => one.family === family && hasTable(one.path)),
    ),
  };
}

function currenciesIn(profiles: readonly Pick<Profile, 'prices'>[]): string[] {
  const prices = profiles.flatMap((profile) => Object.values(profile.prices));
  return [...new Set(prices.flatMap((price) => price?.currency ?? []))];
}

/** A gateway as it was saved, with the settings as they are now; undefined if the user said no. */
export function saved(context: HandlerContext, reply: Reply<Saved>): Reply<SavedGateway | undefined> {
  if (!reply.ok) return reply;
  const { applied, name } = reply.value;
  return ok(applied ? { settings: currentSettings(context), profile: name } : undefined);
}

/** Asks where to put a new file that is named after today's date. */
export function chooseDatedFile(
  { desktop, documentsFolder }: HandlerContext,
  title: string,
  name: string,
  kind: { readonly name: string; readonly extension: string },
): Promise<string | undefined> {
  return desktop.chooseNewFile({
    title,
    path: join(documentsFolder, `${name}-${localDate(Date.now())}.${kind.extension}`),
    kind,
  });
}

/** Makes the handlers of the application's routes. */
export function appHandlers(context: HandlerContext): HandlersOf<typeof appRoutes> {
  const { engine, settings, gateway, feed, desktop } = context;
  return {
    'app.info': () => {
      const { state, message } = engine.state;
      const { version, platform, electron } = context.app;
      return ok({
        version,
        platform,
        safeMode: state === 'failed' || state === 'read-only' ? message : undefined,
        outdatedElectron: isCurrentElectron(electron) ? undefined : electron,
      });
    },
    'app.licences': async () => {
      try {
        const text = await readFile(join(context.app.madeFolder, 'licences.json'), 'utf8');
        return ok(licensedPackages.parse(JSON.parse(text)));
      } catch {
        return refuse('unavailable', words.desktop.window.licencesMissing);
      }
    },
    'menu.offer': (menus) => {
      context.offerMenus(menus);
      return ok(undefined);
    },
    'settings.get': () => ok(currentSettings(context)),
    'settings.update': ({ theme, language }) => {
      if (theme !== undefined) {
        settings.update({ theme });
        context.applyTheme(theme);
        feed.emit('settings.changed', { settings: currentSettings(context), key: gateway.keyStatus });
      }
      if (language !== undefined && language !== settings.current.language) {
        settings.update({ language });
        context.applyLanguage();
      }
      return ok(currentSettings(context));
    },
    'gateway.setBaseUrl': async ({ baseUrl, profile }) => {
      const reply = await gateway.setBaseUrl(baseUrl, profile);
      return reply.ok ? ok(reply.value.applied ? currentSettings(context) : undefined) : reply;
    },
    'key.set': ({ key, origin, name }) => gateway.setKey(key, origin, name),
    'key.clear': ({ origin, name }) => gateway.clearKey(origin, name),
    'key.status': () => ok(gateway.keyStatus),
    'profile.get': (asked) => {
      const profile = profileNamed(settings.current, asked?.profile);
      return profile === undefined
        ? noSuchGateway(asked?.profile ?? '')
        : ok({ text: JSON.stringify(profile, null, 2) });
    },
    'profile.set': async ({ text, profile }) => saved(context, await gateway.setProfileText(text, profile)),
    'profile.import': async () => {
      const path = await desktop.chooseProfile();
      if (path === undefined) return ok(undefined);
      const text = await readProfile(path);
      return text.ok ? saved(context, await gateway.importProfileText(text.value)) : text;
    },
    'engine.retry': () => {
      engine.retry();
      return ok(undefined);
    },
    'store.backup': async () => {
      const { newBackup, kind } = words.desktop.choose;
      const file = await chooseDatedFile(context, newBackup, 'nocturne-store', { name: kind.stores, extension: 'db' });
      if (file === undefined) return ok(undefined);
      const copied = await engine.request('store.backup', { file });
      return copied.ok ? ok({ file }) : copied;
    },
    'log.openFolder': () => desktop.open(context.logFolder),
    'help.open': ({ topic }) => {
      const { page, source } = HELP_FILES[topic];
      const path = join(context.app.madeFolder, 'site', page);
      return desktop.open(existsSync(path) ? path : join(context.app.folder, source));
    },
  };
}

async function readProfile(path: string): Promise<Reply<string>> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return refuse('refused', words.desktop.profile.noFile(path));
    if (found.size > PROFILE_MAX_BYTES) return refuse('refused', words.desktop.profile.tooLarge(path));
    return ok(await readFile(path, 'utf8'));
  } catch (error) {
    return refuse('refused', words.desktop.profile.unreadable(sayError(error)));
  }
}
