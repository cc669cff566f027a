/** Restores a backup into a data folder, and is killed where its third argument says. */
import { watchCrashPoints } from '../../src/engine/crash-point.ts';
import { restoreStore } from '../../src/engine/store/open/restore-store.ts';
import { NOW, only } from './task-store-fixtures.ts';

const [, , dir, backup, point, pass] = process.argv;
let passes = 0;
watchCrashPoints((name) => {
  if (name !== point) return;
  passes += 1;
  if (passes === Number(pass)) process.kill(process.pid, 'SIGKILL');
});
await restoreStore(only(dir), only(backup), NOW);
throw new Error(`${point} was not passed ${pass} times`);
