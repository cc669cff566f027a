import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { mean, measure } from '../support/measure.ts';

interface Envelope {
  readonly result: {
    readonly taskCode: string;
    readonly status: number;
    readonly videoUrl: string;
    readonly endTime: string;
  };
}

/**
 * The script that one would write instead: a queue, fetch, polls at a fixed interval, a file. It keeps nothing,
 * verifies nothing, survives nothing. Input: `baseUrl`, `folder`, `rows`, `inFlight`, `intervalMs`.
 */
export async function runScriptNight(input: ContenderInput): Promise<Figures> {
  const baseUrl = textIn(input, 'baseUrl');
  const folder = path.join(textIn(input, 'folder'), 'script');
  await mkdir(folder, { recursive: true });
  const intervalMs = numberIn(input, 'intervalMs');
  const headers = { aiKey: 'bench', 'Content-Type': 'application/json' };
  const queue = new PQueue({ concurrency: numberIn(input, 'inFlight') });
  const latencies: number[] = [];
  const polls: number[] = [];

  async function render(i: number): Promise<void> {
    const body = JSON.stringify({ prompt: `Number ${i}: a quiet night over the harbour, slow and warm` });
    const submitted = await fetch(`${baseUrl}/videogen-a/video/generate`, { method: 'POST', headers, body });
    const { taskCode } = ((await submitted.json()) as Envelope).result;
    for (let asked = 1; ; asked += 1) {
      await sleep(intervalMs);
      const answer = await fetch(`${baseUrl}/videogen-a/video/result?taskCode=${taskCode}`, { headers });
      const { status, videoUrl, endTime } = ((await answer.json()) as Envelope).result;
      if (status !== 2) continue;
      latencies.push(Date.now() - Number(endTime));
      polls.push(asked);
      const media = await fetch(videoUrl);
      await writeFile(path.join(folder, `r${i}.mp4`), Buffer.from(await media.arrayBuffer()));
      return;
    }
  }

  const cost = await measure(async () => {
    for (let i = 0; i < numberIn(input, 'rows'); i += 1) void queue.add(() => render(i));
    await queue.onIdle();
  });
  return { ...cost, tasks: latencies.length, latencyMs: mean(latencies), polls: mean(polls) };
}
