/** The entry point of the application: one instance, one window, and an orderly end. */
import { join, resolve } from 'node:path';
import { app, dialog, protocol } from 'electron';
import { err, ok, present, type Result } from '../shared/domain/base/result.ts';
import { tlsProblem } from '../shared/domain/gateway/hosts.ts';
import { speakLanguage } from '../shared/words/catalogues.ts';
import { words } from '../shared/words/words.ts';
import { type Language, languageFor } from '../shared/words/domain-words.ts';
import { APP_SCHEME, developmentOrigin, isOwnAddress, MEDIA_SCHEME } from './shell/app-protocol.ts';
import { startApplication, type Application } from './shell/application.ts';
import { keptLanguage } from './services/app-settings.ts';
import { isSameFolder } from './services/new-batch-folder.ts';
import { dropSwitches, forbidEverythingElse } from './shell/hardening.ts';
import { BACKGROUND_FLAG } from './presence/login-item.ts';
import { openLog } from './shell/log.ts';
import { spawnEngine } from './shell/own-processes.ts';
import { RestoringWindow } from './shell/restoring-window.ts';
import {
  forgetRestore,
  keepOutcome,
  restoreNoted,
  takeRestoreNote,
  type RestoreOutcome,
} from './services/restore-note.ts';
import { ownImage } from './shell/own-image.ts';
import { givenStore } from './shell/store-choice.ts';
import { argumentsFor, type Unasked, unaskedAmong } from './services/unasked-sheet.ts';

const usersFolder = join(app.getPath('appData'), app.getName());
const dataFolder = app.commandLine.getSwitchValue('user-data-dir');
if (dataFolder !== '') app.setPath('userData', resolve(dataFolder));
const isDebugged =
  app.isPackaged && dropSwitches(process.argv.slice(1), isSameFolder(app.getPath('userData'), usersFolder));

// What started the program may have ended since: what is said then goes nowhere, and a box about it would hold up all.
process.stderr.on('error', () => undefined);

protocol.registerSchemesAsPrivileged([
  // The page's compiled code is kept with a hash of its source, as for a frequently visited site.
  { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  { scheme: MEDIA_SCHEME, privileges: { standard: true, secure: true, stream: true } },
]);

if (givenOptions().ok) {
  if (app.requestSingleInstanceLock()) run();
  else app.quit();
} else whenReady(() => refuseToStart());

/** The arguments for another start, which somebody asks for. */
const ownArguments = process.argv.slice(1).filter((argument) => argument !== BACKGROUND_FLAG);

/** Restarts once this process has ended: from the image that it was run from, whose files are gone by then. */
function relaunch(args: string[]): void {
  app.relaunch({ execPath: ownImage(process) ?? process.execPath, args });
}

function wasStartedWithSession(): boolean {
  if (process.argv.includes(BACKGROUND_FLAG)) return true;
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

function whenReady(start: () => void): void {
  if (app.isReady()) start();
  else app.once('ready', start);
}

/** What this start was given, or why it cannot be, in the language of this process. */
function givenOptions(): Result<{ readonly store?: string }, string> {
  const problem = tlsProblem(process.env);
  if (problem !== undefined) return err(problem);
  const store = givenStore(app.commandLine.getSwitchValue('store'));
  return store.ok ? ok(present({ store: store.value })) : store;
}

/**
 * The language that the settings name, before they are opened. Electron knows the system's languages once it is ready.
 */
function keptSpeech(): Language {
  return languageFor(keptLanguage(app.getPath('userData')), app.getPreferredSystemLanguages());
}

function refuseToStart(): void {
  speakLanguage(keptSpeech());
  const given = givenOptions();
  dialog.showErrorBox(words.desktop.window.cannotStart, given.ok ? '' : given.error);
  app.exit(2);
}

function run(): void {
  const devOrigin = app.isPackaged ? undefined : developmentOrigin(process.argv, process.env['ELECTRON_RENDERER_URL']);
  const log = openLog(join(app.getPath('userData'), 'logs', 'nocturne.log'));
  let application: Application | undefined;
  /** Requested before there is an application to open it. */
  let openLater: Unasked | undefined;
  /** A backup is being put in place of the store: nothing else happens until that is done. */
  let restoring: RestoringWindow | undefined;
  let phase: 'running' | 'stopping' | 'stopped' = 'running';

  forbidEverythingElse((url) => isOwnAddress(url, devOrigin), log);

  const open = (unasked: Unasked | undefined): void => {
    if (application === undefined) {
      openLater = unasked ?? openLater;
      restoring?.show();
      return;
    }
    application.showWindow();
    if (unasked !== undefined) void application.open(unasked);
  };

  app.on('second-instance', (_event, args, workingFolder) => {
    // Requested while the application is ending: it finishes what is under way, then restarts.
    const unasked = unaskedAmong(args.slice(1), workingFolder);
    // The user's session has started it although it already runs: nobody asked for its window.
    if (args.includes(BACKGROUND_FLAG)) return;
    if (phase === 'running') open(unasked);
    else relaunch(argumentsFor(ownArguments, unasked));
  });
  const openFromSystem = (event: { preventDefault(): void }, named: string): void => {
    event.preventDefault();
    const unasked = unaskedAmong([named], '/');
    if (phase === 'running') open(unasked);
    else relaunch(argumentsFor(ownArguments, unasked));
  };
  app.on('open-file', openFromSystem);
  app.on('open-url', openFromSystem);
  app.on('activate', () => application?.showWindow());
  app.on('window-all-closed', () => {
    if (application?.isInBackground !== true) app.quit();
  });
  app.on('before-quit', (event) => {
    if (restoring !== undefined) {
      event.preventDefault();
      restoring.quitLater();
      return;
    }
    if (phase === 'running' && application?.mayQuit() === false) event.preventDefault();
  });
  app.on('will-quit', (event) => {
    if (phase === 'stopped' || application === undefined) return;
    event.preventDefault();
    if (phase === 'stopping') return;
    phase = 'stopping';
    const end = async (running: Application): Promise<void> => {
      const leftUndone = await running.stop().catch(() => []);
      phase = 'stopped';
      // A box waits for somebody and would hold up the end of the session.
      if (leftUndone.length > 0 && !running.isSessionEnding)
        dialog.showErrorBox(words.desktop.window.closedEarly, leftUndone.join('\n'));
      await running.finish();
      // Not while the event is still being handled: Electron would take this for the same attempt.
      setImmediate(() => app.quit());
    };
    void end(application);
  });
  const start = (restored?: RestoreOutcome): void => {
    const unasked = openLater ?? unaskedAmong(process.argv.slice(1), process.cwd());
    const isUnasked = unasked === undefined && wasStartedWithSession();
    const restart = (): void => relaunch(ownArguments);
    const given = givenOptions();
    const store = given.ok ? given.value.store : undefined;
    application = startApplication({ log, devOrigin, isDebugged, isUnasked, restart, ...present({ restored, store }) });
    if (unasked !== undefined) void application.open(unasked);
  };
  const restoreFirst = async (file: string, userData: string): Promise<void> => {
    const shown = new RestoringWindow();
    restoring = shown;
    const engine = spawnEngine(log);
    engine.post({ kind: 'speak', language: keptSpeech() });
    const restored = await restoreNoted(file, userData, engine);
    restoring = undefined;
    if (shown.isQuitWanted) {
      keepOutcome(userData, restored);
      shown.close();
      app.quit();
      return;
    }
    forgetRestore(userData);
    start(restored);
    // Closing the last window would end the application.
    shown.close();
  };
  /**
   * Signals come at the end of a session, or from a user who runs the application from a terminal: nobody is there to
   * answer a question.
   */
  const listenForSignals = (): void => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      // A library has listened since before Electron replaced Node's handler by its own, which would ask the user.
      process.removeAllListeners(signal);
      process.on(signal, () => {
        application?.endSession();
        app.quit();
      });
    }
  };
  whenReady(() => {
    listenForSignals();
    speakLanguage(keptSpeech());
    const userData = app.getPath('userData');
    const noted = takeRestoreNote(userData, Date.now());
    if (noted?.kind === 'wanted') void restoreFirst(noted.file, userData);
    else start(noted?.restored);
  });
}
