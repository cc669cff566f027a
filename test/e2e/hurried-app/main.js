/** The application as it was built, but that its engine's process is started through one that hurries. */
import { app, utilityProcess } from 'electron';
import { join } from 'node:path';

app.getAppPath = () => join(import.meta.dirname, '../../..');
const fork = utilityProcess.fork.bind(utilityProcess);
utilityProcess.fork = (module, ...rest) =>
  fork(module.endsWith('engine-process.js') ? join(import.meta.dirname, 'engine-process.js') : module, ...rest);
// Electron is not ready before this has ended, and the application counts on that.
await import('../../../out/main/index.js');
