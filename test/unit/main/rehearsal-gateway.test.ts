import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { RehearsalGateway, type RehearsalAccess } from '../../../src/main/engine-process/rehearsal-gateway.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const open: RehearsalGateway[] = [];

function gatewayIn(folder: string): RehearsalGateway {
  const gateway = new RehearsalGateway(folder);
  open.push(gateway);
  return gateway;
}

async function access(gateway: RehearsalGateway): Promise<RehearsalAccess> {
  const started = await gateway.ensure();
  if (!started.ok) throw new Error(started.error);
  return started.value;
}

async function submit({ profile, key }: RehearsalAccess, prompt: string): Promise<string> {
  const { body } = await request(`${profile.baseUrl}/musicgen/music/lyrics`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', aiKey: key },
    body: JSON.stringify({ lyrics_model: 'v1', prompt }),
    reset: true,
  });
  const answer = (await body.json()) as { result?: { taskCode?: string } };
  return answer.result?.taskCode ?? '';
}

async function poll({ profile, key }: RehearsalAccess, taskCode: string): Promise<unknown> {
  const url = `${profile.baseUrl}/musicgen/result?taskCode=${encodeURIComponent(taskCode)}`;
  const { body } = await request(url, { headers: { aiKey: key }, reset: true });
  return ((await body.json()) as { result?: unknown }).result;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((gateway) => gateway.close()));
});

describe('the built-in gateway of a rehearsal', () => {
  test('is started once, takes only its own key, and is described by a profile', async () => {
    const gateway = gatewayIn(temporaryFolder());
    const [first, second] = await Promise.all([access(gateway), access(gateway)]);
    expect(second).toEqual(first);
    expect(first.profile.baseUrl.startsWith(`${first.origin}/`)).toBe(true);
    expect(await submit(first, 'a')).not.toBe('');
    expect(await submit({ ...first, key: 'another' }, 'a')).toBe('');
  });

  test('knows its tasks again when it is started anew, at the same address', async () => {
    const folder = temporaryFolder();
    const before = gatewayIn(folder);
    const then = await access(before);
    const codes = [await submit(then, 'moon'), await submit(then, 'moon'), await submit(then, 'stars')];
    await before.close();

    const after = gatewayIn(folder);
    const now = await access(after);
    expect(now.profile.baseUrl).toBe(then.profile.baseUrl);
    expect(now.key).not.toBe(then.key);
    for (const code of codes) expect(await poll(now, code)).toMatchObject({ taskId: code });
    expect(new Set(codes).size).toBe(3);
    // What was charged before is not charged again under another code.
    expect(codes).not.toContain(await submit(now, 'moon'));
  });

  test('goes on after a kill that cut a line of its log short', async () => {
    const folder = temporaryFolder();
    const before = gatewayIn(folder);
    const code = await submit(await access(before), 'moon');
    await before.close();
    const log = join(folder, 'charges.jsonl');
    writeFileSync(log, `${readFileSync(log, 'utf8')}{"seq":2,"taskCo`);
    const now = await access(gatewayIn(folder));
    expect(await poll(now, code)).toMatchObject({ taskId: code });
  });

  test('takes another port when its own is in use', async () => {
    const folder = temporaryFolder();
    const blocker = createServer();
    await new Promise<void>((resolve) => {
      blocker.listen(0, '127.0.0.1', resolve);
    });
    const { port } = blocker.address() as AddressInfo;
    writeFileSync(join(folder, 'gateway.json'), JSON.stringify({ port }));
    try {
      const now = await access(gatewayIn(folder));
      expect(new URL(now.profile.baseUrl).port).not.toBe(String(port));
      expect(await submit(now, 'moon')).not.toBe('');
    } finally {
      blocker.close();
    }
  });
});
