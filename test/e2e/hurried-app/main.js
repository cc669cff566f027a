/**
 * The application as built, except that time can be made to pass faster in it, here and in the engine's process, and
 * that when it has ended, another one can be started in the process on a data folder of its own.
 */
import { app, BrowserWindow, clipboard, dialog, ipcMain, protocol, session, shell, utilityProcess } from 'electron';
import { join } from 'node:path';

const SPEED = '--speed=';

app.getAppPath = () => join(import.meta.dirname, '../../..');
const fork = utilityProcess.fork.bind(utilityProcess);
const { setTimeout: pass } = globalThis;
const speeds = {
  engine: Number(process.argv.find((argument) => argument.startsWith(SPEED))?.slice(SPEED.length) ?? 1),
  main: 1,
};
/** @type {import('electron').UtilityProcess | undefined} */
let engine;

/** @type {typeof fork} */
const forkHurried = (module, args, options) => {
  if (!module.endsWith('engine-process.js')) return fork(module, args, options);
  engine = fork(join(import.meta.dirname, 'engine-process.js'), [String(speeds.engine)], options);
  return engine;
};
utilityProcess.fork = forkHurried;
/** The timers of intervals, by the first one of each. @type {Map<unknown, NodeJS.Timeout>} */
const intervals = new Map();
const { clearInterval: clearSystemInterval } = globalThis;
/**
 * @param {() => void} callback
 * @param {number} ms
 */
globalThis.setInterval = (callback, ms) => {
  const again = () => {
    callback();
    if (intervals.has(first)) intervals.set(first, pass(again, ms / speeds.main));
  };
  const first = pass(again, ms / speeds.main);
  intervals.set(first, first);
  return first;
};
globalThis.clearInterval = (interval) => {
  clearSystemInterval(intervals.get(interval) ?? interval);
  intervals.delete(interval);
};
/** Tests answer for the user with dialogs of their own. */
const dialogs = { ...dialog };
/** The same goes for the programs that open files. */
const shells = { ...shell };
const quit = app.quit.bind(app);
let started = 1;

Object.assign(globalThis, {
  /** Ends the application in order, as quitting does, but not its process: another one may follow in it. */
  async endApplication() {
    await new Promise((resolve) => {
      app.quit = () => resolve(undefined);
      app.emit('will-quit', { preventDefault() {} });
    });
    // An engine that has failed may still be there.
    if (engine?.pid !== undefined) process.kill(engine.pid, 'SIGKILL');
    for (const event of ['second-instance', 'open-file', 'activate', 'window-all-closed', 'before-quit', 'will-quit'])
      app.removeAllListeners(event);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.removeAllListeners(signal);
    ipcMain.removeHandler('nocturne:request');
    ipcMain.removeAllListeners();
    for (const scheme of ['app', 'media']) protocol.unhandle(scheme);
    for (const window of BrowserWindow.getAllWindows()) window.destroy();
    app.quit = quit;
  },
  /**
   * Starts it again, with nothing left of the previous one: no file, no window, no engine; what a test changed in
   * `dialog`, `shell`, `utilityProcess.fork`, the clipboard and `ipcMain` is as it was. Anything else that a test
   * changes stays for the tests that follow in this process (other classes of Electron, the session’s handlers, globals
   * except `questions`, the environment): such a test launches a process of its own.
   * @param {string} dataFolder
   * @param {number} speed
   */
  async startApplication(dataFolder, speed) {
    // Privileges are given only once, before there is any application.
    protocol.registerSchemesAsPrivileged = () => undefined;
    Object.assign(dialog, dialogs);
    Object.assign(shell, shells);
    utilityProcess.fork = forkHurried;
    Reflect.deleteProperty(globalThis, 'questions');
    clipboard.clear();
    await session.defaultSession.clearStorageData({ storages: ['localstorage'] });
    Object.assign(speeds, { engine: speed, main: 1 });
    app.commandLine.appendSwitch('user-data-dir', dataFolder);
    started += 1;
    await import(`../../../out/main/index.js?${started}`);
  },
  /**
   * @param {'engine' | 'main'} part
   * @param {number} speed
   */
  hurry(part, speed) {
    speeds[part] = speed;
    engine?.postMessage({ speed: speeds.engine }, []);
  },
});
// Electron is not ready before this has ended, and the application counts on that.
await import('../../../out/main/index.js');
