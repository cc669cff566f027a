import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { salvageStore } from '../../src/engine/store-view.ts';
import { promisedPart } from '../../src/engine/store/thread/promised.ts';
import { MIGRATIONS } from '../../src/engine/store/open/migrations.ts';
import { newTasks } from '../../src/shared/domain/task/new-tasks.ts';
import { rowDetailOf } from '../support/row-detail-of.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openedStore } from './opened-store.ts';
import { makeRow, newBatch, NOW, only, settings } from './task-store-fixtures.ts';

const STATE = JSON.stringify({
  cancelWanted: false,
  attempts: 0,
  setbacks: 0,
  poll: { polls: 0 },
  provisional: false,
});
const PROBLEM = { severity: 'error', code: 'value-type', line: 4, row: 'r4', message: 'wrong', remedy: '-' };
const HINT = { severity: 'warning', code: 'other-sheets', message: 'other', remedy: '-' };

/** A store as the first version left it: a batch with a row that waits, one that is done, and one that is invalid. */
function makeFirstVersion(dir: string): void {
  mkdirSync(dir, { recursive: true });
  const db = new DatabaseSync(join(dir, 'nocturne.db'));
  db.exec(`PRAGMA journal_mode = WAL; BEGIN; ${only(MIGRATIONS[0])};
    PRAGMA application_id = 1315922804; PRAGMA user_version = 1; COMMIT`);
  const run = (sql: string, ...values: (string | number | Uint8Array | null)[]) => db.prepare(sql).run(...values);
  run("INSERT INTO folders VALUES (1, '/media')");
  run(
    `INSERT INTO batches (seq, id, name, headers, settings, folder, gateway, state, created_at, row_count, task_count,
       error_count, warning_count) VALUES (1, 'old', 'night', '["prompt"]', ?, 1, 'g', 'paused', ?, 3, 2, 1, 1)`,
    JSON.stringify(settings()),
    NOW,
  );
  run('INSERT INTO problems (batch, row_id, problem) VALUES (1, NULL, ?)', JSON.stringify(HINT));
  run('INSERT INTO problems (batch, row_id, problem) VALUES (1, ?, ?)', 'r4', JSON.stringify(PROBLEM));
  [
    ['Éins', 'queued'],
    ['r3', 'done'],
    ['r4', 'invalid'],
  ].forEach(([id = '', status = ''], i) => {
    run(
      `INSERT INTO rows (batch, line, row_id, operation, takes, skip, status, label, problem, search)
       VALUES (1, ?, ?, 'musicgen/music/generate', 1, 0, ?, 'label', ?, 'label')`,
      i + 2,
      id,
      status,
      status === 'invalid' ? JSON.stringify(PROBLEM) : null,
    );
    const body = new TextEncoder().encode(`{"prompt":"prompt ${i + 2}"}`);
    const rest = JSON.stringify({ priority: 0, cells: { prompt: `prompt ${i + 2}` } });
    run('INSERT INTO row_contents (row, body, rest) VALUES (?, ?, ?)', i + 1, body, rest);
    if (status === 'invalid') return;
    run(
      `INSERT INTO tasks (batch, row, row_id, line, take, operation, family, kind, model, priority, status, revision,
         due_at, startable, task_code, state)
       VALUES (1, ?, ?, ?, 1, 'musicgen/music/generate', 'musicgen', 'audio', '', 0, ?, 4, ?, ?, ?, ?)`,
      i + 1,
      id,
      i + 2,
      status,
      NOW,
      status === 'queued' ? 1 : 0,
      status === 'done' ? 'code' : null,
      STATE,
    );
  });
  db.close();
}

test('two tasks that had one task code before that was refused keep it, and go on', async () => {
  const dir = temporaryFolder();
  makeFirstVersion(dir);
  const db = new DatabaseSync(join(dir, 'nocturne.db'));
  db.exec("UPDATE tasks SET task_code = 'code', status = 'done', startable = 0");
  db.close();
  const opened = openedStore(dir);
  const { store } = opened;
  const [first, second] = ['Éins', 'r3'].map((row) => only(store.tasksOfRow('old', row)[0]));
  expect([first?.taskCode, second?.taskCode]).toEqual(['code', 'code']);
  const next = { ...only(second), status: 'rendering' as const, revision: only(second).revision + 1 };
  const event = { kind: 'user-retry' } as const;
  expect(store.commit([{ expectedRevision: only(second).revision, next, event, at: NOW }])).toEqual(['committed']);
  opened.close();
});

test('a store of the first version opens, goes on and can be edited', async () => {
  const dir = temporaryFolder();
  makeFirstVersion(dir);
  const opened = openedStore(dir);
  const { store, views, sheets } = opened;
  expect(store.batch('old')).toMatchObject({ sheet: { mapping: {}, choices: 'draw', isRenumbered: false } });
  expect(views.rowPage('old', { offset: 0, limit: 9 }).rows).toMatchObject([
    { row: 'Éins', line: 2, status: 'queued' },
    { row: 'r3', line: 3, status: 'done' },
    { row: 'r4', line: 4, status: 'invalid', problem: PROBLEM },
  ]);
  expect(views.problems('old', 9)).toEqual([HINT, PROBLEM]);
  expect((await rowDetailOf(promisedPart('views', views), 'old', 'r4'))?.problems).toEqual([PROBLEM]);
  expect(store.nextQueued('old', 'musicgen', 9, NOW)).toMatchObject([{ rowId: 'Éins', revision: 4 }]);
  expect(views.batchSummary('old')).toMatchObject({ rows: { queued: 1, done: 1, invalid: 1 }, draftSubmits: 0 });

  const [key] = only(sheets.keysByIds('old', ['éins']).get('éins'));
  const [first] = sheets.rowsByKeys('old', [only(key)]);
  const { position, row, tasks } = only(first);
  const next = { ...row, body: { prompt: 'other' } };
  const between = makeRow(9, { id: 'between' });
  const middle = position + 5;
  const plain = { problems: [], isDraft: false, request: undefined, unused: [] };
  const add = newTasks(next, 'old', position, false, NOW);
  const plan = { remove: tasks, supersede: [], unsupersede: [], add, update: [], keep: [] };
  const outcome = sheets.change('old', {
    rows: [
      { kind: 'update', key: only(key), content: { ...plain, row: next, position }, tasks: plan },
      {
        kind: 'insert',
        content: { ...plain, row: between, position: middle },
        add: newTasks(between, 'old', middle, false, NOW),
      },
      { kind: 'problems', key: 3, problems: [] },
    ],
    at: NOW,
  });
  expect(outcome).toEqual({ kind: 'written', inserted: [4] });
  expect(views.rowPage('old', { offset: 0, limit: 9 }).rows.map((view) => view.row)).toEqual([
    'Éins',
    'between',
    'r3',
    'r4',
  ]);
  expect(store.nextQueued('old', 'musicgen', 9, NOW).map(({ rowId }) => rowId)).toEqual(['Éins', 'between']);
  expect(views.batchSummary('old')).toMatchObject({
    problems: { errors: 0, warnings: 1 },
    batch: { rowCount: 4 },
  });
  expect(opened.checkIntegrity()).toEqual([]);
  opened.close();
});

/** Rewrites a store as the version with so many steps would have left it. */
function goBackTo(steps: number, dir: string): void {
  const path = join(dir, 'nocturne.db');
  renameSync(path, `${path}.new`);
  const db = new DatabaseSync(path);
  db.function('fold_row_id', (id: unknown) => String(id));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF; BEGIN; ${MIGRATIONS.slice(0, steps).join(';')};
    PRAGMA application_id = 1315922804; PRAGMA user_version = ${steps}; COMMIT`);
  db.prepare('ATTACH ? AS newer').run(`${path}.new`);
  const columns = db.prepare(`
    SELECT tables.name AS name, group_concat(columns.name) AS columns
    FROM main.sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' GROUP BY tables.name`);
  for (const { name, columns: names } of columns.all() as { name: string; columns: string }[]) {
    db.exec(`INSERT INTO main.${name} (${names}) SELECT ${names} FROM newer.${name}`);
  }
  db.close();
  rmSync(`${path}.new`);
}

/** How many steps there were before rows kept their cells by number. */
const CELLS_BY_NAME = 6;

test('a store of the version before goes on, and is read as it is where it cannot be opened', async () => {
  const dir = temporaryFolder();
  const made = openedStore(dir);
  const { id } = made.store.createBatch({ ...newBatch(), rows: [2, 3].map((line) => makeRow(line)) });
  made.close();
  const db = new DatabaseSync(join(dir, 'nocturne.db'));
  db.exec(`UPDATE row_contents SET rest = json_set(rest, '$.cells', json('{"prompt":"by name"}'))`);
  db.close();
  goBackTo(CELLS_BY_NAME, dir);

  const salvaged = only(salvageStore(dir));
  expect(await salvaged.store.batch(id)).toMatchObject({ rowCount: 2 });
  const { rows } = await salvaged.views.rowPage(id, { offset: 0, limit: 9 });
  expect(rows.map(({ row }) => row)).toEqual(['r2', 'r3']);
  expect((await salvaged.store.row(id, 'r3'))?.cells).toEqual({ prompt: 'by name' });
  salvaged.close();

  const opened = openedStore(dir);
  opened.store.updateBatchSettings(id, settings({ maxSubmits: 3 }), 'renamed');
  expect(opened.store.batch(id)).toMatchObject({ name: 'renamed', settings: { maxSubmits: 3 } });

  const [key = 0, other = 0] = opened.sheets.keysInView(id, {}, 0, 2);
  const { position, row } = only(opened.sheets.rowsByKeys(id, [key])[0]);
  const content = { position, row: { ...row, cells: { prompt: 'by number', tags: 'slow' } }, problems: [] };
  const tasks = { remove: [], supersede: [], unsupersede: [], add: [], update: [], keep: [] };
  const headers = ['tags', 'prompt'];
  opened.sheets.change(id, {
    headers,
    rows: [{ kind: 'update', key, content: { ...content, isDraft: false, request: undefined, unused: [] }, tasks }],
    at: NOW,
  });
  const cells = opened.sheets.rowsByKeys(id, [key, other]).map((found) => found.row.cells);
  expect(cells).toEqual([{ tags: 'slow', prompt: 'by number' }, { prompt: 'by name' }]);
  const page = opened.views.rowPage(id, { offset: 0, limit: 9, withCells: true });
  expect(page.rows.map(({ sheet }) => sheet?.cells)).toEqual([
    ['slow', 'by number'],
    ['', 'by name'],
  ]);
  opened.close();
});
