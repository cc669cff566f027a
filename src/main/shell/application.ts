/** Puts the shell together: settings, key, engine, routes, protocols, and the window that they serve. */
import { join } from 'node:path';
import { app, nativeTheme, powerMonitor, powerSaveBlocker, protocol } from 'electron';
import { APP_ORIGIN, APP_SCHEME, isOwnAddress, MEDIA_SCHEME, createAppProtocol } from './app-protocol.ts';
import { NO_MENUS } from './menu-template.ts';
import { setAppMenu, BackgroundTray } from './menus.ts';
import { SettingsFile } from '../services/app-settings.ts';
import { Closing } from './closing.ts';
import { electronDesktop, type Question } from './desktop.ts';
import { EngineHost } from '../engine-process/engine-host.ts';
import { ALIVE_EVERY_MS } from '../engine-process/engine-protocol.ts';
import { GatewaySettings } from '../services/gateway-settings.ts';
import { denyPermissions } from './hardening.ts';
import { createIpcRouter, EventFeed, type MainHandlers } from '../ipc/bridge.ts';
import { KeptProfiles, profilesOf } from '../services/kept-profiles.ts';
import { apartForDebugger, KeyVault } from '../services/key-vault.ts';
import type { Log } from './log.ts';
import { createMediaProtocol } from './media-protocol.ts';
import { spawnEngine, spawnSheetReader } from './own-processes.ts';
import { oneQuestionAtATime } from './profile-question.ts';
import { createRoutes } from '../ipc/route-handlers.ts';
import { loginItem } from '../presence/login-item.ts';
import { Presence } from '../presence/presence.ts';
import { TellingService, type SendByWays } from '../presence/telling-service.ts';
import { systemClock } from '../../engine/system-clock.ts';
import { present } from '../../shared/domain/base/result.ts';
import { speakLanguage } from '../../shared/words/catalogues.ts';
import { words } from '../../shared/words/words.ts';
import { type Language, languageFor } from '../../shared/words/domain-words.ts';
import type { RestoreOutcome } from '../services/restore-note.ts';
import { StoreChoice } from './store-choice.ts';
import type { Unasked } from '../services/unasked-sheet.ts';
import { makeThumbnails } from '../thumbnails/make-thumbnails.ts';
import { ownUpdates } from '../updates/own-updates.ts';
import { WakeKeeper } from './wake-keeper.ts';
import { answerWindow, WindowKeeper } from './window-keeper.ts';
import { askToClose, notifySystem, showOnTaskbar, ownCommand, systemCipher } from './system.ts';

export interface ApplicationOptions {
  readonly log: Log;
  /** The origin of the development server, if there is one. */
  readonly devOrigin: string | undefined;
  /** Whether another program can drive the page: it gets no key that the user has given without it. */
  readonly isDebugged: boolean;
  /** Whether the application was started with the session: without a window, unless somebody is needed. */
  readonly isUnasked: boolean;
  /** The address of the store that this start was given. */
  readonly store?: string;
  /** The outcome for the backup that was put in place before this start. */
  readonly restored?: RestoreOutcome;
  /** Has the application start again once it has ended. */
  readonly restart: () => void;
}

/** The running application. */
export interface Application {
  /** Opens the window, or brings it to the front. */
  showWindow(): void;
  /** Opens what was named on the command line. */
  open(unasked: Unasked): Promise<void>;
  /** Ends the engine in good order; returns what was left undone, in words. */
  stop(): Promise<readonly string[]>;
  /** What is left to do once the application has ended: a new version is put in place. */
  finish(): Promise<void>;
  /** Whether the application may end now; if not, the user is asked. */
  mayQuit(): boolean;
  /** Whether the application continues when its window is closed. */
  readonly isInBackground: boolean;
  /** Ends without a question: the system's session ends. */
  endSession(): void;
  /** Whether the system's session is ending: nobody is there to read anything. */
  readonly isSessionEnding: boolean;
}

/** Builds the application and opens its window. Call it once, when Electron is ready. */
export function startApplication(options: ApplicationOptions): Application {
  const { log, devOrigin, isDebugged, isUnasked, restored, restart, store: given } = options;
  const userData = app.getPath('userData');
  const storeFolder = join(userData, 'store');
  const settings = new SettingsFile(userData, new Date());
  const spoken = (): Language => languageFor(settings.current.language, app.getPreferredSystemLanguages());
  let speaking = spoken();
  speakLanguage(speaking);
  /** What the window offers in the menu bar, and whether there is a window. */
  let offered = NO_MENUS;
  let hasPage = false;
  const feed = new EventFeed((event, payload) => window.send(event, payload));
  const window = new WindowKeeper({
    address: () => `${devOrigin ?? `${APP_ORIGIN}/index.html`}?language=${spoken()}`,
    settings,
    log,
    onPageGone: () => {
      feed.unheard();
      hasPage = false;
      setMenus();
    },
    onReloaded: () => {
      const { stopped, restored: message } = words.desktop.window;
      feed.emit('notice', { level: 'warning', title: stopped, message });
    },
    mayClose: () => closing.mayCloseWindow(),
    onShown: () => closing.windowShown(),
    onSessionEnd: () => endSession(),
  });
  const iconFile = join(app.getAppPath(), 'resources', 'icons', 'nocturne.png');
  const tray = new BackgroundTray(iconFile, {
    showWindow: () => window.show(),
    pauseAll: (batchIds) => {
      for (const batchId of batchIds) void engine.request('batch.pause', { batchId });
    },
    resumeAll: (batchIds) => {
      for (const batchId of batchIds) {
        void engine.request('batch.resume', { batchId, profiles: profilesOf(settings.current) });
      }
    },
    quit: () => app.quit(),
  });
  const closing = new Closing({
    isRunning: () => awake.isRunning,
    ask: () => askToClose(window.current),
    closeWindow: () => window.close(),
    quit: () => app.quit(),
    onBackground: (isInBackground) => tray.setVisible(isInBackground),
    monotonicMs: () => performance.now(),
  });
  let isSessionEnding = false;
  const endSession = (): void => {
    isSessionEnding = true;
    closing.endSession();
  };
  powerMonitor.on('shutdown', endSession);
  // The engine's own clock notices a sleep, too; this tells it before the first timer rings.
  powerMonitor.on('suspend', () => void engine.request('engine.sleep', undefined));
  powerMonitor.on('resume', () => void engine.request('engine.wake', undefined));
  const awake = new WakeKeeper(powerSaveBlocker);
  nativeTheme.themeSource = settings.current.theme;
  denyPermissions(log);
  const rendererFolder = join(import.meta.dirname, '../renderer');
  protocol.handle(APP_SCHEME, createAppProtocol(rendererFolder));
  protocol.handle(
    MEDIA_SCHEME,
    createMediaProtocol(
      (fileId) => engine.request('file.locate', { fileId }),
      (fileId) => thumbnails.of(fileId),
    ),
  );
  // The page loads in a process of its own, while everything that answers it is made here.
  if (isUnasked) closing.startInBackground();
  else window.show();

  const cipher = isDebugged ? apartForDebugger(systemCipher()) : systemCipher();
  const vault = new KeyVault(join(userData, 'key.json'), cipher);
  const thumbnailFolder = join(userData, 'thumbnails');
  const thumbnails = makeThumbnails({
    folder: thumbnailFolder,
    locate: (fileId) => engine.request('file.locate', { fileId }),
    rendererFolder,
    devOrigin,
    log,
  });
  for (const message of [settings.notice, vault.problem]) {
    if (message !== undefined)
      feed.emit('notice', { level: 'warning', title: words.desktop.window.pleaseCheck, message });
  }
  if (restored !== undefined) feed.emit('notice', restored.notice);
  const storeVault = new KeyVault(join(userData, 'store-secrets.json'), cipher);
  const store = new StoreChoice({ dataFolder: userData, vault: storeVault, ...present({ given }) });
  const tellStore = (): void => feed.emit('store.changed', { store: store.view });
  const ownDesktop = electronDesktop(() => window.current, iconFile);
  const desktop = { ...ownDesktop, confirm: oneQuestionAtATime((question) => ownDesktop.confirm(question)) };
  const tellingVault = new KeyVault(join(userData, 'telling-secrets.json'), cipher);
  const telling: TellingService = new TellingService({
    settings,
    vault: tellingVault,
    send: sendByWays,
    isLookedAt: () => window.current?.isFocused() === true,
    notify: (notice) =>
      notifySystem(notice, () => {
        window.show();
        if (notice.opensLedger === true) feed.emit('ledger.wanted', {});
      }),
    confirm: (question) => desktop.confirm(question),
    onChanged: () => feed.emit('presence.changed', presence.view),
    onFailed: ({ title, body }) => feed.emit('notice', { level: 'warning', title, message: body }),
    now: () => Date.now(),
  });
  const presence: Presence = new Presence({
    clock: systemClock,
    settings,
    toldFile: join(userData, 'told.json'),
    awake,
    telling,
    login: loginItem(process.platform, ownCommand(), app, process.env),
    isWatcher: () => store.isShared,
    listBatches: () => engine.request('batch.list', undefined),
    showWindow: () => window.show(),
    showProgress: (progress) => {
      showOnTaskbar(progress, window.current);
      tray.show(progress);
    },
    quit: () => {
      // The warning was the question, and nobody is there to answer another one.
      closing.endSession();
      app.quit();
    },
    power: async (action) => (await import('../../engine/telling/power.ts')).askForPower(action),
    onChanged: (view) => feed.emit('presence.changed', view),
    log,
  });
  const engine = new EngineHost({
    storeFolder,
    server: () => store.server,
    onServer: (state) => {
      store.learn(state);
      tellStore();
    },
    incarnationFile: join(userData, 'incarnations', 'application.json'),
    windowPictures: thumbnailFolder,
    isRestoreTold: restored?.isRestored === true,
    language: spoken,
    spawn: () => spawnEngine(log),
    spawnSheetReader,
    keys: () => vault.keys,
    onState: (state, message) => {
      feed.emit('engine.stateChanged', { state, message });
      if (state === 'failed' || state === 'read-only') {
        presence.engineFailed(message);
        if (isUnasked) window.show();
      }
      if (state === 'ready' || state === 'restarted') {
        void presence.begin().then((isNight) => {
          // Opened with the session for nothing: there is no night to continue.
          if (isUnasked && state === 'ready' && isNight === false && closing.isInBackground) app.quit();
        });
      }
    },
    onEvent: (told) => {
      if (told.event === 'batch.changed') presence.note(told.payload.batch);
      feed.pass(told);
    },
    monotonicMs: () => performance.now(),
    everyTick: (tick) => void setInterval(tick, ALIVE_EVERY_MS),
    log,
  });
  const changing = {
    settings,
    confirm: (question: Question) => desktop.confirm(question),
    onChanged: () => feed.emit('settings.changed', { settings: routes.currentSettings(), key: gateway.keyStatus }),
  };
  const gateway = new GatewaySettings({
    ...changing,
    vault,
    giveKey: (place, key) => void engine.request('key.set', key === undefined ? place : { ...place, key }),
  });
  const endWithoutQuestion = (): void => {
    // Nothing is running, so there is nothing to ask about.
    closing.endSession();
    app.quit();
  };
  const updates = ownUpdates({
    dataFolder: userData,
    storeFolder,
    settings,
    engine,
    isNightRunning: () => awake.isRunning,
    isStoreShared: () => store.isShared,
    confirm: (question) => desktop.confirm(question),
    quit: endWithoutQuestion,
    restart,
    onChanged: (view) => feed.emit('updates.changed', view),
    onNotice: (notice) => feed.emit('notice', notice),
    log,
  });
  const routes = createRoutes({
    updates,
    engine,
    settings,
    gateway,
    profiles: new KeptProfiles(changing),
    feed,
    desktop,
    presence,
    telling,
    app: {
      version: app.getVersion(),
      platform: process.platform,
      electron: process.versions.electron,
      isPackaged: app.isPackaged,
      // Other programs open files in this folder, which they cannot do inside the archive of an installed program.
      folder: app.isPackaged ? join(process.resourcesPath, 'help') : app.getAppPath(),
      madeFolder: app.isPackaged ? join(process.resourcesPath, 'help') : join(app.getAppPath(), 'out'),
    },
    dataFolder: userData,
    store,
    spawnEngine: () => {
      const process = spawnEngine(log);
      process.post({ kind: 'speak', language: spoken() });
      return process;
    },
    thumbnails,
    onStoreChanged: () => {
      presence.forget();
      tellStore();
    },
    isNightRunning: () => awake.isRunning,
    restart: () => {
      restart();
      endWithoutQuestion();
    },
    logFolder: join(userData, 'logs'),
    secrets: () => [...vault.keys, ...tellingVault.keys, ...storeVault.keys].map(({ key }) => key),
    documentsFolder: app.getPath('documents'),
    applyTheme: (theme) => {
      nativeTheme.themeSource = theme;
    },
    applyLanguage: () => {
      // Choosing the system's language by its name changes nothing.
      if (spoken() === speaking) return;
      speaking = spoken();
      speakLanguage(speaking);
      engine.speak(speaking);
      // Without what the window has said in the other language.
      offered = NO_MENUS;
      window.loadAnew();
    },
    offerMenus: (menus) => {
      offered = menus;
      hasPage = true;
      setMenus();
    },
  });
  const handlers: MainHandlers = {
    ...routes.handlers,
    'app.info': (input) => {
      // The window's first question: the window listens now, and gets what it missed.
      setImmediate(() => {
        feed.emit('engine.stateChanged', engine.state);
        feed.heard();
      });
      return routes.handlers['app.info'](input);
    },
  };

  answerWindow({
    onCommand: () => presence.userActs(),
    ask: createIpcRouter({
      handlers,
      engine,
      additions: routes.additions,
      isOwnAddress: (url) => isOwnAddress(url, devOrigin),
      log,
    }),
    isOwnAddress: (url) => isOwnAddress(url, devOrigin),
    openSheet: routes.openSheetUnasked,
    refuseDrop: (message) =>
      feed.emit('notice', { level: 'warning', title: words.desktop.window.sheetNotOpened, message }),
    currentWindow: () => window.current,
  });
  const setMenus = (): void =>
    setAppMenu(
      { platform: process.platform, offered, hasWindow: hasPage },
      {
        openSheet: () => void routes.chooseSheetUnasked(),
        backUp: () => void routes.backUpUnasked(),
        restore: () => void routes.restoreUnasked(),
        openHelp: () => void routes.handlers['help.open']({ topic: 'readme' }),
        showDiagnostics: () => {
          window.show();
          feed.emit('diagnostics.wanted', {});
        },
        openDataFolder: () => void routes.handlers['data.openFolder'](undefined),
        openLogs: () => void routes.handlers['log.openFolder'](undefined),
        showAbout: () => {
          window.show();
          feed.emit('about.wanted', {});
        },
        choose: (id) => {
          window.show();
          feed.emit('command.wanted', { id });
        },
      },
    );
  setMenus();
  engine.start();
  updates.start();
  return {
    showWindow: () => window.show(),
    open: routes.openUnasked,
    stop: () => {
      thumbnails.close();
      return engine.stop();
    },
    finish: () => updates.finish(),
    mayQuit: () => closing.mayQuit(),
    get isInBackground() {
      return closing.isInBackground;
    },
    endSession,
    get isSessionEnding() {
      return isSessionEnding;
    },
  };
}

const sendByWays: SendByWays = async (message, ways, secrets, test) => {
  if (ways.ntfy === undefined && ways.webhook === undefined && ways.command === undefined) return [];
  const { tellByWays } = await import('../../engine/telling/tell.ts');
  const once = test === undefined ? {} : { only: test, isOnce: true };
  return tellByWays(message, { ways, secrets, clock: systemClock, ...once });
};
