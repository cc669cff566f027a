/** The application as it was built, but that time can be made to pass faster in it: here, and in the engine's process. */
import { app, utilityProcess } from 'electron';
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

utilityProcess.fork = (module, args, options) => {
  if (!module.endsWith('engine-process.js')) return fork(module, args, options);
  engine = fork(join(import.meta.dirname, 'engine-process.js'), [String(speeds.engine)], options);
  return engine;
};
/**
 * Only what counts the silence of the engine's process has an interval here, and it is never cleared.
 * @param {() => void} callback
 * @param {number} ms
 */
globalThis.setInterval = (callback, ms) => {
  const again = () => {
    callback();
    pass(again, ms / speeds.main);
  };
  return pass(again, ms / speeds.main);
};
Object.assign(globalThis, {
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
