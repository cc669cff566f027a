import { createHash } from 'node:crypto';
import { link, mkdir, open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { Pool, type Dispatcher } from 'undici';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { lateness, mean, measure, watchLoop } from '../support/measure.ts';
import type { Envelope } from './script-night.ts';

const SOCKETS = 32;
/** States that come within this time share a commit. */
const GROUP_MS = 20;

/**
 * What the promises alone cost: the same requests, sent without our adapter; a small row for each state, many to a
 * commit; each file hashed, written, synced and linked, and one sync of the folder for many. No limits, checks,
 * recovery, evidence or screen. Input: `baseUrl`, `folder`, `rows`, `inFlight`, `intervalMs`.
 */
export async function runFloorNight(input: ContenderInput): Promise<Figures> {
  const folder = path.join(textIn(input, 'folder'), 'floor');
  await mkdir(folder, { recursive: true });
  const rows = numberIn(input, 'rows');
  const note = notesIn(path.join(folder, 'tasks.db'));
  const syncFolder = sharing(async () => {
    const parent = await open(folder);
    await parent.sync();
    await parent.close();
  });
  const { origin, pathname: prefix } = new URL(textIn(input, 'baseUrl'));
  const pool = new Pool(origin, { connections: SOCKETS, pipelining: 1 });
  const headers = ['aiKey', 'bench', 'Content-Type', 'application/json'];
  const latencies: number[] = [];
  const polls: number[] = [];
  let next = 0;

  async function render(i: number): Promise<void> {
    const body = JSON.stringify({ prompt: `Number ${i}: a quiet night over the harbour, slow and warm` });
    await note(i, 'submitting', body);
    const submitted = await send(pool, { method: 'POST', path: `${prefix}/videogen-a/video/generate`, headers, body });
    const { taskCode } = resultIn(submitted);
    await note(i, 'accepted', taskCode);
    for (let asked = 1; ; asked += 1) {
      await sleep(numberIn(input, 'intervalMs'));
      const { status, videoUrl, endTime } = resultIn(
        await send(pool, { method: 'GET', path: `${prefix}/videogen-a/video/result?taskCode=${taskCode}`, headers }),
      );
      if (status !== 2) continue;
      latencies.push(Date.now() - Number(endTime));
      polls.push(asked);
      await note(i, 'rendered', videoUrl);
      await keep(i, await send(pool, { method: 'GET', path: pathOf(videoUrl) }));
      return note(i, 'done', '');
    }
  }

  async function keep(i: number, media: Buffer): Promise<void> {
    const part = path.join(folder, `r${i}.part`);
    const file = await open(part, 'wx');
    await file.write(media);
    await file.sync();
    await file.close();
    await note(i, 'placing', createHash('sha256').update(media).digest('hex'));
    await link(part, path.join(folder, `r${i}.mp4`));
    await unlink(part);
    await syncFolder();
  }

  const place = async (): Promise<void> => {
    for (let i = next++; i < rows; i = next++) await render(i);
  };
  const loopP99Ms = watchLoop();
  const cost = await measure(async () => {
    await Promise.all(Array.from({ length: numberIn(input, 'inFlight') }, place));
  });
  await pool.close();
  return { ...cost, loopP99Ms: loopP99Ms(), tasks: latencies.length, ...lateness(latencies), polls: mean(polls) };
}

function resultIn(body: Buffer): Envelope['result'] {
  return (JSON.parse(body.toString('utf8')) as Envelope).result;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function send(pool: Pool, request: Dispatcher.DispatchOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    pool.dispatch(request, {
      // Without this method, undici takes the handler for one of its older interface.
      onRequestStart: () => undefined,
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd: () => resolve(Buffer.concat(chunks)),
      onResponseError: (_, error) => reject(error),
    });
  });
}

type Note = (task: number, state: string, detail: string) => Promise<void>;

/** Notes states, those that come within {@link GROUP_MS} in one commit; resolves once that is on the disk. */
function notesIn(file: string): Note {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE tasks (id INTEGER PRIMARY KEY, state TEXT NOT NULL, detail TEXT NOT NULL, at INTEGER) STRICT');
  const put = db.prepare('INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?)');
  const rows: Parameters<Note>[] = [];
  let coming: Promise<void> | undefined;
  return (...row) => {
    rows.push(row);
    coming ??= sleep(GROUP_MS).then(() => {
      coming = undefined;
      db.exec('BEGIN');
      for (const each of rows.splice(0)) put.run(...each, Date.now());
      db.exec('COMMIT');
    });
    return coming;
  };
}

/** Shares work between callers: those that ask before it begins share it, later ones wait for the next. */
function sharing(work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let coming: Promise<void> | undefined;
  return () => {
    coming ??= running.then(() => {
      coming = undefined;
      running = work();
      return running;
    });
    return coming;
  };
}
