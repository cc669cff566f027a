/** Edits the sheet of the only batch of a store once, or removes it, and is killed where its second argument says. */
import { watchCrashPoints } from '../../src/engine/crash-point.ts';
import { BRING_BACK_MS } from '../../src/shared/domain/task/batch-standing.ts';
import { newTasks } from '../../src/shared/domain/task/new-tasks.ts';
import { openedStore } from './opened-store.ts';
import { makeRow, NOW, only } from './task-store-fixtures.ts';

const [, , dir, point, pass] = process.argv;
const { store, sheets } = openedStore(only(dir));
const { id, settings } = only(store.batches()[0]);
const [first, second] = sheets.rowsByKeys(id, sheets.keysInView(id, {}, 0, 2));
const { key, position, row, tasks } = only(first);
const gone = only(second);
const plan = { remove: [], supersede: [], unsupersede: [], add: [], update: [], keep: [] };
const plain = { problems: [], isDraft: false, request: undefined, unused: [] };
const edited = { ...row, body: { prompt: 'edited' } };
const inserted = makeRow(9);

let passes = 0;
watchCrashPoints((name) => {
  if (name !== point) return;
  passes += 1;
  if (passes === Number(pass)) process.kill(process.pid, 'SIGKILL');
});
if (point === 'sheet.half-removed' || point === 'sheet.removed') {
  store.updateBatchSettings(id, { ...settings, shelf: { is: 'deleted', at: NOW } });
  store.removeBatch(id, NOW + BRING_BACK_MS);
}
sheets.change(id, {
  headers: ['edited'],
  rows: [
    {
      kind: 'update',
      key,
      content: { ...plain, row: edited, position },
      tasks: { ...plan, remove: tasks, add: newTasks(edited, id, position, false, NOW) },
    },
    { kind: 'insert', content: { ...plain, row: inserted, position: 1 }, add: newTasks(inserted, id, 1, false, NOW) },
    { kind: 'remove', key: gone.key, tasks: { ...plan, remove: gone.tasks } },
  ],
  at: NOW,
});
throw new Error(`${point} was not passed ${pass} times`);
