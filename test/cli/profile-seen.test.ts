import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startObservedGateway } from '../support/observed-gateway.ts';
import type { CountedStatus, StatusQuestion } from '../../src/shared/domain/gateway/seen-status.ts';
import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// What is inferred takes its time, and every command is a process.
vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-5f2a9c';

interface Seen {
  readonly seen: readonly CountedStatus[];
  readonly questions: readonly (StatusQuestion & { readonly gateway: string })[];
  readonly answers: readonly object[];
  readonly proposals: readonly object[];
}

test('what the gateway’s statuses were seen to mean is listed, with a question that the profile can answer', async () => {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, moderation: { words: ['jellyfish'] } },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const { baseUrl } = started.value;
  const dir = temporaryFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const data = path.join(dir, 'data');
  const limits = { requestsPerSecond: 50 };
  const open = file('open.json', JSON.stringify({ baseUrl, limits }));
  const sheet = file('s.csv', 'row,operation,prompt\na,image,a red fox\nb,image,a jellyfish\nc,image,two jellyfish\n');
  const profileSeen = async (): Promise<Seen> => {
    const { exitCode, stdout } = await runCli(['profile', 'seen', '--data', data, '--json']);
    expect(exitCode).toBe(0);
    return JSON.parse(stdout) as Seen;
  };

  expect(await runCli(['profile', 'seen', '--data', data])).toMatchObject({ exitCode: 2 });
  const tryIt = (args: readonly string[], key: string) =>
    runCli(['profile', 'test', '--data', data, '--json', ...args], { NOCTURNE_AI_KEY: key });
  expect(await tryIt(['--profile', open], 'another-key-0000')).toMatchObject({ exitCode: 2 });
  const works = await tryIt(['--profile', open], KEY);
  expect(works.exitCode).toBe(0);
  expect(JSON.parse(works.stdout)).toMatchObject({ result: 'works', title: 'The connection works' });
  // Tried is used: the key belongs to this gateway from now on.
  const elsewhere = await tryIt(['--base-url', 'https://elsewhere.example'], KEY);
  expect(elsewhere.exitCode).toBe(2);
  expect(elsewhere.stdout).toContain('Nothing was sent');
  const run = await runCli(['run', sheet, '--out', path.join(dir, 'out'), '--data', data, '--profile', open], {
    NOCTURNE_AI_KEY: KEY,
  });
  expect(run.exitCode).toBe(3);
  expect(run.stdout).toContain('{"status":{"videogen-b":{"3":"failed"}}}');
  // A retry only asks again, until the profile says what the status means.
  expect(run.stdout).toContain('Trying again asks it once more, for free.');
  expect(run.stdout).not.toContain('new paid request, unless');
  expect(run.stdout).toMatch(/Ask the gateway again, for free, with: nocturne retry \S+ --failed/u);
  expect(run.stdout).toMatch(/Then: nocturne resume \S+ --profile FILE/u);
  const { seen, questions, answers, proposals } = await profileSeen();
  const image = { gateway: baseUrl, operation: 'videogen-b/image/generate' };
  expect(seen).toContainEqual(
    expect.objectContaining({
      ...image,
      status: '3',
      hasUrl: false,
      hasEnded: true,
      hasMessage: true,
      became: 'suspected',
      tasks: 2,
    }),
  );
  expect(seen).toContainEqual(
    expect.objectContaining({ ...image, status: '2', hasUrl: true, became: 'result', tasks: 1 }),
  );
  expect(answers).toContainEqual(
    expect.objectContaining({ gateway: baseUrl, call: 'submit', httpStatus: 200, became: 'accepted' }),
  );
  expect(proposals).toContainEqual({
    gateway: baseUrl,
    path: ['status', 'videogen-b', '3'],
    value: 'failed',
    evidence: expect.stringContaining('2 tasks') as string,
  });
  expect(JSON.stringify(answers)).not.toMatch(/fox|jellyfish|canary/u);
  expect(questions).toEqual([{ gateway: baseUrl, family: 'videogen-b', status: '3', tasks: 2 }]);
  const shown = await runCli(['profile', 'seen', '--data', data]);
  expect(shown.stdout).toContain('status "3" with an end time, a message: failed, as inferred (2 tasks)');
  expect(shown.stdout).toContain('Does it mean that they failed?');
  expect(shown.stdout).toContain('A profile could say: {"status":{"videogen-b":{"3":"failed"}}}');

  const told = file('told.json', JSON.stringify({ limits, status: { 'videogen-b': { '3': 'failed' } } }));
  // It names no gateway: it is for that of the batch.
  const again = await runCli(['resume', '--data', data, '--profile', told], { NOCTURNE_AI_KEY: KEY });
  expect(again.exitCode).toBe(3);
  expect(again.stdout).not.toContain('Does it mean');
  expect((await profileSeen()).questions).toEqual([]);
});
