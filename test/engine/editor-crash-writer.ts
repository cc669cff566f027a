/** Edits a sheet and kills itself at a crash point of the edit: arguments are the store's folder, the edit, the point and how often it is passed before. */
import { watchCrashPoints } from '../../src/engine/crash-point.ts';
import { SheetEditor } from '../../src/engine/edit/sheet-editor.ts';
import { promisedStore } from '../../src/engine/store/thread/promised.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';
import type { SheetEdit } from '../../src/shared/ipc/editing.ts';
import { openedStore } from '../contract/opened-store.ts';
import { only } from '../contract/task-store-fixtures.ts';

const [, , dir, edit, point, passes] = process.argv;
const { store, sheets } = promisedStore(openedStore(only(dir)));
const editor = new SheetEditor({
  store,
  sheets,
  clock: systemClock,
  keys: { finder: new KeyFinder([]) },
  lists: { current: () => Promise.resolve({}) },
  night: {
    sheetChanged: () => Promise.resolve(),
    stateStored: () => Promise.resolve(),
    holdingSubmits: (_, work) => work(),
  },
  changes: { tell: () => undefined },
});
let left = Number(passes);
watchCrashPoints((name) => {
  if (name !== point) return;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  left -= 1;
});
await editor.edit(only((await store.batches())[0]).id, JSON.parse(only(edit)) as SheetEdit);
