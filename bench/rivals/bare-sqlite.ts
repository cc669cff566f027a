/** What one would write with SQLite alone: one small table, one commit for each step. */
import path from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import PQueue from 'p-queue';
import type { ContenderInput, Figures } from '../contender.ts';
import { atRate } from '../support/at-rate.ts';
import { numberIn, textIn } from '../support/input.ts';
import { measure, watchLoop } from '../support/measure.ts';

function openTable(input: ContenderInput, tasks: number): DatabaseSyncInstance {
  const db = new DatabaseSync(path.join(textIn(input, 'folder'), 'tasks.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec(
    'CREATE TABLE tasks (id INTEGER PRIMARY KEY, state TEXT NOT NULL, code TEXT, due_at INTEGER, polls INTEGER) STRICT',
  );
  const insert = db.prepare("INSERT INTO tasks VALUES (?, 'rendering', ?, 0, 0)");
  db.exec('BEGIN');
  for (let id = 0; id < tasks; id += 1) insert.run(id, `code-${id}`);
  db.exec('COMMIT');
  return db;
}

function updateOf(db: DatabaseSyncInstance, tasks: number): (nth: number) => void {
  const update = db.prepare('UPDATE tasks SET due_at = ?, polls = polls + 1 WHERE id = ?');
  return (nth) => {
    update.run(Date.now() + 5000, nth % tasks);
  };
}

/** Input: `folder`, `tasks`, `updates`. */
export async function updateTable(input: ContenderInput): Promise<Figures> {
  const [tasks, updates] = [numberIn(input, 'tasks'), numberIn(input, 'updates')];
  const db = openTable(input, tasks);
  const update = updateOf(db, tasks);
  const cost = await measure(() => {
    for (let i = 0; i < updates; i += 1) update(i);
  });
  db.close();
  return { perSecond: (updates / cost.wallMs) * 1000, cpuMs: cost.cpuMs / updates };
}

/**
 * The least that durable groups cost SQLite here: the same small table and one event for each step, in its own thread,
 * with no message, index, check or evidence. Input: `folder`, `tasks`, `updates`, `group`.
 */
export async function updateTableInGroups(input: ContenderInput): Promise<Figures> {
  const [tasks, updates] = [numberIn(input, 'tasks'), numberIn(input, 'updates')];
  const db = openTable(input, tasks);
  const step = stepOf(db, 'UPDATE tasks SET due_at = ?, polls = polls + 1 WHERE id = ?');
  const cost = await measure(() => {
    inGroups(db, updates, numberIn(input, 'group'), (nth) => step(nth % tasks, 'still-running'));
  });
  db.close();
  return { perSecond: (updates / cost.wallMs) * 1000, cpuMs: cost.cpuMs / updates };
}

/** The least that jobs of three durable states cost SQLite in groups. Input: `folder`, `jobs`, `group`. */
export async function runTableJobsInGroups(input: ContenderInput): Promise<Figures> {
  const [jobs, group] = [numberIn(input, 'jobs'), numberIn(input, 'group')];
  const db = openTable(input, jobs);
  db.exec('CREATE INDEX tasks_by_state ON tasks (state, id)');
  const take = db.prepare("SELECT id FROM tasks WHERE state = 'rendering' ORDER BY id LIMIT ?");
  const states = ['submitting', 'accepted', 'done'].map((state) => ({
    state,
    step: stepOf(db, `UPDATE tasks SET due_at = ?, state = '${state}' WHERE id = ?`),
  }));
  const cost = await measure(() => {
    for (let ended = 0; ended < jobs; ended += group) {
      const taken = take.all(group) as unknown as readonly { readonly id: number }[];
      for (const { state, step } of states) {
        inGroups(db, taken.length, group, (nth) => step(taken[nth]?.id ?? 0, state));
      }
    }
  });
  db.close();
  return { ...cost, perSecond: (jobs / cost.wallMs) * 1000 };
}

/** Changes a task and adds its event. */
function stepOf(db: DatabaseSyncInstance, sql: string): (task: number, event: string) => void {
  db.exec(
    'CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, task INTEGER NOT NULL, at REAL, event TEXT) STRICT',
  );
  const change = db.prepare(sql);
  const insert = db.prepare('INSERT INTO events (task, at, event) VALUES (?, ?, ?)');
  return (task, kind) => {
    const at = Date.now();
    change.run(at + 5000, task);
    insert.run(task, at, JSON.stringify({ kind, dueAt: at + 5000 }));
  };
}

function inGroups(db: DatabaseSyncInstance, count: number, group: number, step: (nth: number) => void): void {
  for (let done = 0; done < count; done += group) {
    db.exec('BEGIN IMMEDIATE');
    for (let nth = done; nth < Math.min(count, done + group); nth += 1) step(nth);
    db.exec('COMMIT');
  }
}

/** Commits on the loop as updates arrive. Input: `folder`, `tasks`, `perSecond`, `seconds`. */
export async function updateTableAtRate(input: ContenderInput): Promise<Figures> {
  const db = openTable(input, numberIn(input, 'tasks'));
  const update = updateOf(db, numberIn(input, 'tasks'));
  const [perSecond, seconds] = [numberIn(input, 'perSecond'), numberIn(input, 'seconds')];
  const loopP99Ms = watchLoop();
  const cost = await measure(() => atRate(perSecond, seconds, update));
  const figures = { ...cost, loopP99Ms: loopP99Ms(), perSecond: ((perSecond * seconds) / cost.wallMs) * 1000 };
  db.close();
  return figures;
}

/** Jobs as plainjob keeps them: one commit to take a job, one to end it. Input: `folder`, `jobs`. */
export async function runTableJobs(input: ContenderInput): Promise<Figures> {
  const jobs = numberIn(input, 'jobs');
  const db = openTable(input, jobs);
  db.exec('CREATE INDEX tasks_by_state ON tasks (state, id)');
  const take = db.prepare(
    `UPDATE tasks SET state = 'processing', due_at = ?
     WHERE id = (SELECT id FROM tasks WHERE state = 'rendering' ORDER BY id LIMIT 1) RETURNING id`,
  );
  const end = db.prepare("UPDATE tasks SET state = 'done' WHERE id = ?");
  const cost = await measure(() => {
    for (let i = 0; i < jobs; i += 1) {
      const { id } = take.get(Date.now()) as { readonly id: number };
      end.run(id);
    }
  });
  db.close();
  return { ...cost, perSecond: (jobs / cost.wallMs) * 1000 };
}

/** Jobs in memory alone. Input: `jobs`. */
export async function runQueueJobs(input: ContenderInput): Promise<Figures> {
  const jobs = numberIn(input, 'jobs');
  const queue = new PQueue({ concurrency: 100 });
  const cost = await measure(async () => {
    for (let i = 0; i < jobs; i += 1) void queue.add(() => Promise.resolve());
    await queue.onIdle();
  });
  return { ...cost, perSecond: (jobs / cost.wallMs) * 1000 };
}

/** Rows that contain a text, by LIKE. Input: `folder`, `tasks`, `texts` (how many searches). */
export async function filterTable(input: ContenderInput): Promise<Figures> {
  const [tasks, texts] = [numberIn(input, 'tasks'), numberIn(input, 'texts')];
  const db = openTable(input, 0);
  db.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, search TEXT NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?)');
  db.exec('BEGIN');
  for (let i = 0; i < tasks; i += 1) {
    insert.run(i, `r${i} Number ${i}: a quiet night over the harbour, slow and warm, with a lighthouse far away`);
  }
  db.exec('COMMIT');
  const find = db.prepare('SELECT count(*) AS found FROM rows WHERE search LIKE ?');
  const cost = await measure(() => {
    for (let i = 0; i < texts; i += 1) find.get(`%number ${i * 97}:%`);
  });
  db.close();
  return { wallMs: cost.wallMs / texts, cpuMs: cost.cpuMs / texts };
}
