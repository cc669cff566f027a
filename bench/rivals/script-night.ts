import { createHash } from 'node:crypto';
import { link, mkdir, open, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import PQueue from 'p-queue';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { lateness, mean, measure, watchLoop } from '../support/measure.ts';

/** What a script reads of the gateway's answers. */
export interface Envelope {
  readonly result: {
    readonly taskCode: string;
    readonly status: number;
    readonly videoUrl: string;
    readonly endTime: string;
  };
}

/** How a script keeps what it paid for. */
interface Keeping {
  /** What is noted about a task before the script goes on with it. */
  readonly note: (task: number, state: string, detail: string) => void;
  readonly keep: (task: number, name: string, media: Response) => Promise<void>;
}

/** The script that one would write instead: it keeps nothing, verifies nothing, survives nothing. */
export async function runScriptNight(input: ContenderInput): Promise<Figures> {
  const folder = await folderOf(input, 'script');
  return runNight(input, {
    note: () => undefined,
    keep: async (_, name, media) => writeFile(path.join(folder, name), Buffer.from(await media.arrayBuffer())),
  });
}

/**
 * The same script with our promises, the simple way: each state is committed before the next step; a file is hashed,
 * synced, placed without replacing another, and its folder synced.
 */
export async function runDurableScriptNight(input: ContenderInput): Promise<Figures> {
  const folder = await folderOf(input, 'durable-script');
  const db = new DatabaseSync(path.join(folder, 'tasks.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE tasks (id INTEGER PRIMARY KEY, state TEXT NOT NULL, detail TEXT NOT NULL, at INTEGER) STRICT');
  const put = db.prepare('INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?)');
  const note: Keeping['note'] = (task, state, detail) => put.run(task, state, detail, Date.now());
  const figures = await runNight(input, {
    note,
    keep: async (task, name, media) => {
      const [part, whole] = [path.join(folder, `${name}.part`), path.join(folder, name)];
      const bytes = Buffer.from(await media.arrayBuffer());
      const file = await open(part, 'wx');
      await file.write(bytes);
      await file.sync();
      await file.close();
      note(task, 'placing', createHash('sha256').update(bytes).digest('hex'));
      await link(part, whole);
      await unlink(part);
      const parent = await open(folder);
      await parent.sync();
      await parent.close();
    },
  });
  db.close();
  return figures;
}

async function folderOf(input: ContenderInput, name: string): Promise<string> {
  const folder = path.join(textIn(input, 'folder'), name);
  await mkdir(folder, { recursive: true });
  return folder;
}

/** A queue, fetch, polls at a fixed interval. Input: `baseUrl`, `folder`, `rows`, `inFlight`, `intervalMs`. */
async function runNight(input: ContenderInput, { note, keep }: Keeping): Promise<Figures> {
  const baseUrl = textIn(input, 'baseUrl');
  const intervalMs = numberIn(input, 'intervalMs');
  const headers = { aiKey: 'bench', 'Content-Type': 'application/json' };
  const queue = new PQueue({ concurrency: numberIn(input, 'inFlight') });
  const latencies: number[] = [];
  const polls: number[] = [];

  async function render(i: number): Promise<void> {
    const body = JSON.stringify({ prompt: `Number ${i}: a quiet night over the harbour, slow and warm` });
    note(i, 'submitting', body);
    const submitted = await fetch(`${baseUrl}/videogen-a/video/generate`, { method: 'POST', headers, body });
    const { taskCode } = ((await submitted.json()) as Envelope).result;
    note(i, 'rendering', taskCode);
    for (let asked = 1; ; asked += 1) {
      await sleep(intervalMs);
      const answer = await fetch(`${baseUrl}/videogen-a/video/result?taskCode=${taskCode}`, { headers });
      const { status, videoUrl, endTime } = ((await answer.json()) as Envelope).result;
      if (status !== 2) continue;
      latencies.push(Date.now() - Number(endTime));
      polls.push(asked);
      note(i, 'downloading', videoUrl);
      await keep(i, `r${i}.mp4`, await fetch(videoUrl));
      note(i, 'done', '');
      return;
    }
  }

  const loopP99Ms = watchLoop();
  const cost = await measure(async () => {
    for (let i = 0; i < numberIn(input, 'rows'); i += 1) void queue.add(() => render(i));
    await queue.onIdle();
  });
  return { ...cost, loopP99Ms: loopP99Ms(), tasks: latencies.length, ...lateness(latencies), polls: mean(polls) };
}
