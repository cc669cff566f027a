import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/shared/domain/operations/operations.ts';
import { OPERATIONS, operationOf } from '../../src/shared/domain/operations/operations.ts';
import type { ObservedGateway } from '../support/observed-gateway.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import type { Envelope } from './gateway-sim-client.ts';
import {
  ALL_PATHS,
  download,
  KEY,
  LONG_MS,
  NOW,
  openGateway,
  poll,
  pollBy,
  renderedUrls,
  resultOf,
  sampleBody,
  send,
  submit,
  submitted,
} from './gateway-sim-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MEDIA_OF = { music: 'audio/mpeg', video: 'video/mp4', image: 'image/png', data: undefined } as const;

describe.each(OPERATIONS)('$path', (operation) => {
  const { path } = operation;

  test('accepts a body of all its fields and answers with the envelope and a code', async () => {
    const gateway = await openGateway();
    const { http, envelope } = await submit(gateway, path, sampleBody(operation));
    expect(http).toBe(200);
    expect(envelope).toEqual({
      code: 200,
      info: 'success',
      result: { taskCode: expect.stringMatching(/./) as string },
      success: true,
      failure: false,
    });
  });

  test('shows the record of the interface while it runs and when it has finished', async () => {
    const gateway = await openGateway();
    const code = await submitted(gateway, path);
    const { mediaField } = resultOf(operation);
    const fields = ['addTime', 'endTime', 'message', 'status', 'taskId', mediaField].sort();

    const running = await poll(gateway, path, code);
    expect(Object.keys(running.envelope.result).sort()).toEqual(fields);
    expect(running.envelope.result).toMatchObject({
      taskId: code,
      status: 1,
      [mediaField]: '',
      addTime: '2026-03-04 05:06:07',
      endTime: '',
    });

    gateway.advance(LONG_MS);
    const finished = await poll(gateway, path, code);
    expect(Object.keys(finished.envelope.result).sort()).toEqual(fields);
    expect(finished.envelope.result).toMatchObject({ taskId: code, status: 2 });
    expect(finished.envelope.result['endTime']).toMatch(/^2026-03-04 05:/);
  });
});

async function finished(
  gateway: ObservedGateway,
  operation: Operation,
): Promise<{ code: string; result: Envelope['result'] }> {
  const code = await submitted(gateway, operation.path);
  gateway.advance(LONG_MS);
  return { code, result: (await poll(gateway, operation.path, code)).envelope.result };
}

test.each(OPERATIONS.filter(({ output }) => output !== 'data'))(
  '$path gives files of its kind, as the gateway knows them',
  async (operation) => {
    const gateway = await openGateway();
    const { code, result } = await finished(gateway, operation);
    const outputs = gateway.outputs(code);
    expect(String(result[resultOf(operation).mediaField]).split(',')).toEqual(outputs.map((output) => output.url));
    for (const { url, sha256, bytes, mediaType } of outputs) {
      const { response, content } = await download(url);
      expect(response.headers.get('content-type')).toBe(mediaType);
      expect(mediaType).toBe(operation.path === 'musicgen/music/wav' ? 'audio/wav' : MEDIA_OF[operation.output]);
      expect(content.length).toBe(bytes);
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    }
  },
);

test.each(OPERATIONS.filter(({ output }) => output === 'data'))(
  '$path gives data in the message and no files',
  async (operation) => {
    const gateway = await openGateway();
    const { code, result } = await finished(gateway, operation);
    expect(gateway.outputs(code)).toEqual([]);
    expect(JSON.parse(String(result['message']))).toEqual(gateway.dataResult(code));
  },
);

describe('the charge log', () => {
  test('has one entry for each accepted submit, with the body as it came and no more of the key than its end', async () => {
    const gateway = await openGateway();
    const text = '{ "prompt": "spaces are  kept in the hash" }';
    const { envelope } = await send(gateway, 'musicgen/music/lyrics', text);
    expect(gateway.chargeLog()).toEqual([
      {
        seq: 1,
        taskCode: envelope.result['taskCode'],
        operation: 'musicgen/music/lyrics',
        bodySha256: createHash('sha256').update(text).digest('hex'),
        body: { prompt: 'spaces are  kept in the hash' },
        at: NOW,
        keyLast4: KEY.slice(-4),
      },
    ]);
  });

  test('does not show a key that is too short to hide most of it', async () => {
    const gateway = await openGateway();
    await submit(gateway, 'musicgen/music/lyrics', {}, { key: 'abcd' });
    expect(gateway.chargeLog()[0]?.keyLast4).toBe('****');
  });

  test('is appended to a file before the answer, and goes on where it was', async () => {
    const folder = temporaryFolder();
    const chargeLogFile = join(folder, 'charges.jsonl');
    for (const prompt of ['first', 'second']) {
      const gateway = await openGateway({ chargeLogFile });
      await submitted(gateway, 'musicgen/music/lyrics', { prompt });
      const lines = readFileSync(chargeLogFile, 'utf8').trim().split('\n');
      expect(JSON.parse(lines.at(-1) ?? '')).toEqual(gateway.chargeLog()[0]);
    }
    expect(readFileSync(chargeLogFile, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  test('is counted with what else was asked', async () => {
    const gateway = await openGateway();
    await submitted(gateway, 'videogen-b/image/generate');
    await submitted(gateway, 'musicgen/music/lyrics');
    const stats = { submits: 2, charges: 2, polls: 0, downloads: 0, keyLeaks: 0, rejections: [] };
    expect(gateway.stats()).toEqual(stats);
  });
});

describe('the key', () => {
  test.each([undefined, ''])('is required: %j', async (key) => {
    const gateway = await openGateway();
    for (const path of ALL_PATHS) {
      const refused = await submit(gateway, path, {}, { key });
      expect(refused.http).toBe(401);
      expect(refused.envelope).toMatchObject({ success: false, failure: true });
    }
    expect((await poll(gateway, 'musicgen/music/wav', 'any', { key })).http).toBe(401);
    expect(gateway.chargeLog()).toEqual([]);
  });

  test('is checked against the list of the behaviour, or by the caller', async () => {
    const listed = await openGateway({ behaviour: { auth: { keys: ['right-key'], http: 200, info: 'Unauthorized' } } });
    expect((await submit(listed, 'musicgen/music/wav', {}, { key: 'right-key' })).envelope.success).toBe(true);
    const wrong = await submit(listed, 'musicgen/music/wav', {}, { key: 'wrong-key' });
    expect(wrong).toMatchObject({ http: 200, envelope: { code: 401, info: 'Unauthorized', failure: true } });

    const asked = await openGateway({ acceptKey: (key) => key.startsWith('good') });
    expect((await submit(asked, 'musicgen/music/wav', {}, { key: 'good-one' })).envelope.success).toBe(true);
    expect((await submit(asked, 'musicgen/music/wav', {}, { key: 'bad-one' })).http).toBe(401);
  });

  test('that reaches the files is counted as a leak', async () => {
    const gateway = await openGateway();
    const [url = ''] = await renderedUrls(gateway, 'videogen-b/image/generate');
    await fetch(url);
    expect(gateway.stats().keyLeaks).toBe(0);
    await fetch(url, { headers: { aiKey: KEY } });
    await fetch(`${gateway.otherOrigin}/elsewhere`, { headers: { aiKey: KEY } });
    expect(gateway.stats().keyLeaks).toBe(2);
  });
});

describe('paths and methods', () => {
  test('other than those of the interface are answered as failures', async () => {
    const gateway = await openGateway();
    expect(await pollBy(gateway, '/musicgen/unheard-of')).toMatchObject({ http: 404, envelope: { failure: true } });
    expect(await submit(gateway, 'musicgen/music/wav', {}, { method: 'GET' })).toMatchObject({ http: 405 });
    expect(await pollBy(gateway, '/musicgen/result?taskCode=x', { method: 'POST' })).toMatchObject({ http: 405 });
    const outside = await fetch(new URL('/musicgen/result', gateway.baseUrl), { headers: { aiKey: KEY } });
    expect(outside.status).toBe(404);
  });

  test('a poll without a code, of an unknown code, or of another family finds nothing', async () => {
    const gateway = await openGateway();
    const code = await submitted(gateway, 'musicgen/music/generate');
    expect(await pollBy(gateway, '/musicgen/result')).toMatchObject({
      http: 400,
      envelope: { failure: true, info: 'taskCode is required' },
    });
    for (const query of [`/videogen-b/result?taskCode=${code}`, '/musicgen/result?taskCode=never-given']) {
      expect(await pollBy(gateway, query)).toMatchObject({
        http: 200,
        envelope: { failure: true, info: 'task not found' },
      });
    }
  });
});

describe('starting', () => {
  test('an invalid behaviour names each path', async () => {
    const started = await startObservedGateway({
      behaviour: { timeScale: -1, faults: [{ kind: 'lost', when: 'never' }] } as never,
    });
    expect(started).toMatchObject({ ok: false, error: { kind: 'behaviour-invalid' } });
    const problems = !started.ok && started.error.kind === 'behaviour-invalid' ? started.error.problems : [];
    expect(problems.map((problem) => problem.path).sort()).toEqual(['faults.0.when', 'timeScale']);
  });

  test('a port that is taken and a charge log that cannot be written are told', async () => {
    const gateway = await openGateway();
    const port = Number(new URL(gateway.baseUrl).port);
    expect(await startObservedGateway({ port })).toMatchObject({ ok: false, error: { kind: 'port-unavailable' } });
    expect(await startObservedGateway({ chargeLogFile: tmpdir() })).toMatchObject({
      ok: false,
      error: { kind: 'charge-log-unwritable' },
    });
  });

  test('after closing nobody answers', async () => {
    const gateway = await openGateway();
    await gateway.close();
    await expect(fetch(gateway.baseUrl)).rejects.toThrow('fetch failed');
  });
});

test('the same seed and submits give the same codes, times and bytes, in whatever order they come; another seed others', async () => {
  const bodies = ['one', 'two', 'three', 'two'].map((prompt) => ({ prompt }));
  const path = 'videogen-b/image/generate';
  const renderAll = async (seed: number, ordered: readonly { prompt: string }[]) => {
    const gateway = await openGateway({ seed });
    for (const body of ordered) await submitted(gateway, path, body);
    gateway.advance(LONG_MS);
    const records = await Promise.all(
      gateway.chargeLog().map(async ({ taskCode }) => {
        const { envelope } = await poll(gateway, path, taskCode);
        return `${taskCode} ${String(envelope.result['endTime'])} ${gateway.outputs(taskCode)[0]?.sha256}`;
      }),
    );
    return records.sort();
  };
  const first = await renderAll(5, bodies);
  expect(await renderAll(5, bodies.toReversed())).toEqual(first);
  expect(new Set(first).size).toBe(4);
  const other = await renderAll(6, bodies);
  expect(other.filter((record) => first.includes(record))).toEqual([]);
});

test('every operation of the catalogue is served by the family that its path begins with', () => {
  for (const path of ALL_PATHS) expect(operationOf(path).family).toBe(path.split('/')[0]);
});
