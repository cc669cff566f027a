/** Moves a store, and is killed where its third argument says. */
import { MOVE_CRASH_POINTS, watchCrashPoints } from '../../src/engine/crash-point.ts';
import { moveStore, type StorePlace } from '../../src/engine/store/move/move-store.ts';
import { only } from './task-store-fixtures.ts';

const [, , from, to, point, pass] = process.argv;
let passes = 0;
watchCrashPoints((name) => {
  if (name !== point) return;
  passes += 1;
  if (passes === Number(pass)) process.kill(process.pid, 'SIGKILL');
});
moveStore(JSON.parse(only(from)) as StorePlace, JSON.parse(only(to)) as StorePlace);
throw new Error(`${point} of ${MOVE_CRASH_POINTS.join()} was not passed ${pass} times`);
