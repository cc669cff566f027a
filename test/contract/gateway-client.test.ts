import { describe, expect, onTestFinished, test } from 'vitest';
import type { MediaGateway } from '../../src/engine/ports/media-gateway.ts';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import type { ObservedGateway } from '../support/observed-gateway.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import type { JsonObject } from '../../src/shared/domain/base/json.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import { OPERATIONS, operationOf } from '../../src/shared/domain/operations/operations.ts';
import { type PollMemory, FRESH_POLL_MEMORY } from '../../src/shared/domain/gateway/poll-answer.ts';
import type { PollVerdict } from '../../src/shared/domain/gateway/poll-outcome.ts';
import { judgePoll } from '../../src/shared/domain/gateway/poll-outcome.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import { KEY, MUSIC, SONG, bytes, openClient, profileFor } from './gateway-client-under-test.ts';

const START = Date.parse('2026-03-04T22:00:00Z');

async function openGateway(behaviour: BehaviourInput = {}, acceptKey?: (key: string) => boolean) {
  const started = await startObservedGateway({ behaviour, now: () => START, ...(acceptKey ? { acceptKey } : {}) });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

const BODIES: Partial<Record<OperationPath, JsonObject>> = {
  'musicgen/music/upload': { audioUrl: ['https://example.org/a.mp3'] },
  'videogen-b/image/generate': { prompt: 'a harbour', num_images: 3 },
};

function bodyOf(path: OperationPath): JsonObject {
  const fields = operationOf(path).fields.map((field) => field.name);
  return BODIES[path] ?? (fields.includes('prompt') ? { prompt: 'a harbour' } : { clip_id: 'clip-1' });
}

async function submitTo(client: MediaGateway, path: OperationPath): Promise<string> {
  const { outcome } = await client.submit({ operation: path, body: bytes(JSON.stringify(bodyOf(path))) });
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  return outcome.taskCode;
}

interface Asked {
  readonly verdict: PollVerdict;
  readonly polls: number;
}

/** Asks as the scheduler does, every `everyMs` of the gateway's time or when the verdict says, until there is an outcome. */
async function askUntilDone(
  gateway: ObservedGateway,
  client: MediaGateway,
  profile: Profile,
  path: OperationPath,
  taskCode: string,
  everyMs = 30_000,
): Promise<Asked> {
  let memory: PollMemory = FRESH_POLL_MEMORY;
  let agoMs = 0;
  for (let polls = 1; polls <= 60; polls += 1) {
    const { answer } = await client.poll(path, taskCode);
    const operation = operationOf(path);
    const judged = judgePoll({ answer, memory, operation, profile, now: START + agoMs, submittedAt: START });
    memory = judged.memory;
    if (judged.verdict.kind !== 'running' && judged.verdict.kind !== 'poll-error') {
      return { verdict: judged.verdict, polls };
    }
    const waitMs = judged.verdict.kind === 'running' ? (judged.verdict.askAgainMs ?? everyMs) : everyMs;
    gateway.advance(waitMs);
    agoMs += waitMs;
  }
  throw new Error('No outcome after 60 polls.');
}

/** The verdict holds what the gateway rendered: as many files as it has, or the whole data result. */
function expectExact(gateway: ObservedGateway, path: OperationPath, taskCode: string, verdict: PollVerdict): void {
  if (operationOf(path).output === 'data') {
    if (verdict.kind !== 'data') throw new Error(JSON.stringify(verdict));
    const stored = JSON.stringify(gateway.dataResult(taskCode));
    const document = verdict.document;
    expect(document.includes(stored) || document.includes(JSON.stringify(stored).slice(1, -1))).toBe(true);
  } else {
    if (verdict.kind !== 'rendered') throw new Error(JSON.stringify(verdict));
    const names = (urls: readonly string[]) => urls.map((url) => new URL(url).pathname);
    const expected = gateway.outputs(taskCode).map((output) => output.url);
    expect(names(verdict.outputs.map((output) => output.url))).toEqual(names(expected));
  }
}

const ONE_SLOW_MINUTE: BehaviourInput = { timeScale: 1 };

/** What a user writes into the profile for each behaviour; without `status` it is left to inference. */
const BEHAVIOURS: Readonly<Record<string, { behaviour: BehaviourInput; profile: object; status: object }>> = {
  default: {
    behaviour: PRESETS.default,
    profile: {},
    status: { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' },
  },
  'three-is-running': {
    behaviour: PRESETS['three-is-running'],
    profile: {},
    status: { '0': 'queued', '1': 'succeeded', '2': 'failed', '3': 'running' },
  },
  'two-is-success': {
    behaviour: PRESETS['two-is-success'],
    profile: {},
    status: { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' },
  },
  foreign: {
    behaviour: PRESETS.foreign,
    profile: { taskCode: { name: 'taskId' } },
    status: { '10': 'queued', '20': 'running', '30': 'succeeded', '40': 'failed' },
  },
  'path-and-words': {
    behaviour: PRESETS['path-and-words'],
    profile: { taskCode: { in: 'path' } },
    status: { pending: 'queued', generating: 'running', complete: 'succeeded', error: 'failed' },
  },
  undocumented: {
    behaviour: PRESETS.undocumented,
    profile: {},
    status: { '7': 'running', '42': 'succeeded', '13': 'failed' },
  },
};

describe.each(Object.entries(BEHAVIOURS))(
  'a gateway that behaves like "%s"',
  (_name, { behaviour, profile, status }) => {
    const family = { musicgen: status, 'videogen-a': status, 'videogen-b': status };

    test.each(OPERATIONS.map(({ path }) => path))(
      '%s: exact results with its status table, and without it',
      async (path) => {
        const gateway = await openGateway({ ...behaviour, ...ONE_SLOW_MINUTE });
        const mapped = profileFor(gateway.baseUrl, { ...profile, status: family });
        const unmapped = profileFor(gateway.baseUrl, profile);
        const withTable = openClient(mapped);
        const first = await submitTo(withTable, path);
        const known = await askUntilDone(gateway, withTable, mapped, path, first);
        expectExact(gateway, path, first, known.verdict);

        const withoutTable = openClient(unmapped);
        const second = await submitTo(withoutTable, path);
        const inferred = await askUntilDone(gateway, withoutTable, unmapped, path, second);
        expectExact(gateway, path, second, inferred.verdict);
        expect(inferred.verdict).toMatchObject(inferred.verdict.kind === 'rendered' ? { provisional: true } : {});
        expect(gateway.chargeLog()).toHaveLength(2);
      },
    );
  },
);

test('inference costs at most two polls more than a status table', async () => {
  const behaviour = {
    ...PRESETS.foreign,
    timeScale: 1,
    durations: { 'videogen-a': { law: 'fixed', seconds: 99 } },
  } as const;
  const table = { '10': 'queued', '20': 'running', '30': 'succeeded', '40': 'failed' };
  const polls: number[] = [];
  for (const status of [{ 'videogen-a': table }, {}]) {
    const gateway = await openGateway(behaviour);
    const profile = profileFor(gateway.baseUrl, { taskCode: { name: 'taskId' }, status });
    const client = openClient(profile);
    const taskCode = await submitTo(client, 'videogen-a/video/generate');
    polls.push((await askUntilDone(gateway, client, profile, 'videogen-a/video/generate', taskCode, 10_000)).polls);
  }
  const [mapped = 0, inferred = 0] = polls;
  expect(mapped).toBe(11);
  expect(inferred - mapped).toBeLessThanOrEqual(2);
});

describe('how the task code is passed', () => {
  test.each([
    ['query', 'task_id'],
    ['query', 'id'],
    ['path', 'taskCode'],
  ] as const)('detect finds %s %s and remembers it', async (place, name) => {
    const gateway = await openGateway({ taskCode: { in: place, name } });
    const client = openClient(profileFor(gateway.baseUrl, { taskCode: { in: 'detect' } }));
    const taskCode = await submitTo(client, MUSIC);
    const { answer } = await client.poll(MUSIC, taskCode);
    expect(answer).toMatchObject({ kind: 'record', record: { taskId: taskCode } });
    const before = gateway.stats().polls;
    await client.poll(MUSIC, taskCode);
    expect(gateway.stats().polls - before).toBe(1);
  });

  test.each([401, 402, 429])('detect tries nothing else on HTTP %i', async (status) => {
    const gateway = await openGateway({ faults: [{ kind: 'http', when: 'poll', status }] });
    const client = openClient(profileFor(gateway.baseUrl, { taskCode: { in: 'detect' } }));
    const taskCode = await submitTo(client, MUSIC);
    await client.poll(MUSIC, taskCode);
    expect(gateway.stats().polls).toBe(1);
  });

  test('a code with ../ and signs arrives as it was given, in the query and in the path', async () => {
    for (const place of ['query', 'path'] as const) {
      const gateway = await openGateway({ taskCode: { form: 'hostile', in: place } });
      const client = openClient(profileFor(gateway.baseUrl, { taskCode: { in: place } }));
      const taskCode = await submitTo(client, MUSIC);
      expect(taskCode).toContain('../');
      expect((await client.poll(MUSIC, taskCode)).answer).toMatchObject({
        kind: 'record',
        record: { taskId: taskCode },
      });
    }
  });

  test('19 digits as a number stay 19 digits', async () => {
    const gateway = await openGateway({ taskCode: { form: 'number19' } });
    const client = openClient(profileFor(gateway.baseUrl));
    const taskCode = await submitTo(client, MUSIC);
    expect(taskCode).toBe(gateway.chargeLog()[0]?.taskCode);
    expect((await client.poll(MUSIC, taskCode)).answer).toMatchObject({ kind: 'record', record: { taskId: taskCode } });
  });
});

describe('what a submit comes to', () => {
  const cases: readonly [string, BehaviourInput, object][] = [
    [
      'a connection cut after the charge',
      { faults: [{ kind: 'lost', when: 'submit', charged: true }] },
      { kind: 'unknown' },
    ],
    ['a connection cut before it', { faults: [{ kind: 'lost', when: 'submit' }] }, { kind: 'unknown' }],
    [
      'HTTP 502 after the charge',
      { faults: [{ kind: 'http', when: 'submit', status: 502, charged: true }] },
      { kind: 'unknown' },
    ],
    [
      'HTTP 503 with a page',
      { faults: [{ kind: 'http', when: 'submit', status: 503, body: '<html>' }] },
      { kind: 'unknown' },
    ],
    ['HTTP 409', { faults: [{ kind: 'http', when: 'submit', status: 409, body: 'conflict' }] }, { kind: 'unknown' }],
    ['a web page with 200', { faults: [{ kind: 'html', when: 'submit', charged: true }] }, { kind: 'unknown' }],
    ['an empty body', { faults: [{ kind: 'empty', when: 'submit', charged: true }] }, { kind: 'unknown' }],
    ['success and failure at once', { faults: [{ kind: 'both-flags', when: 'submit' }] }, { kind: 'unknown' }],
    ['no task code', { faults: [{ kind: 'no-task-code', when: 'submit' }] }, { kind: 'unknown' }],
    ['a redirect', { faults: [{ kind: 'redirect', when: 'submit' }] }, { kind: 'unknown' }],
    [
      'HTTP 422 without JSON',
      { faults: [{ kind: 'http', when: 'submit', status: 422, body: 'no' }] },
      { kind: 'rejected', failure: { code: 'INPUT_INVALID' } },
    ],
    [
      'a refusal',
      { faults: [{ kind: 'rejected', when: 'submit', info: 'field title is too long' }] },
      {
        kind: 'rejected',
        failure: { code: 'INPUT_INVALID', message: 'field title is too long (HTTP 200, code 422)' },
      },
    ],
    [
      'moderation',
      { moderation: { words: ['harbour'], at: 'submit' } },
      { kind: 'rejected', failure: { code: 'MODERATED' } },
    ],
    ['no balance, in words', { balance: { submits: 0 } }, { kind: 'held', failure: { code: 'BALANCE_EXHAUSTED' } }],
    [
      'no balance, as 429',
      { balance: { submits: 0, http: 429 } },
      { kind: 'held', failure: { code: 'BALANCE_EXHAUSTED' } },
    ],
    [
      'no balance, in Chinese',
      { balance: { submits: 0, info: '余额不足' } },
      { kind: 'held', failure: { code: 'BALANCE_EXHAUSTED' } },
    ],
    ['a wrong key', { auth: { keys: ['another'] } }, { kind: 'held', failure: { code: 'AUTH_REJECTED' } }],
    [
      'a wrong key with 200',
      { auth: { keys: ['another'], http: 200 } },
      { kind: 'held', failure: { code: 'AUTH_REJECTED' } },
    ],
    [
      '429 for ten years',
      { limits: { submits: { count: 1, seconds: 1 }, retryAfterSeconds: 315_360_000 } },
      { kind: 'rate-limited', retryAfterMs: 900_000 },
    ],
    [
      'a rate limit with 200',
      { limits: { submits: { count: 1, seconds: 60 }, http: 200, retryAfter: 'none' } },
      { kind: 'rate-limited' },
    ],
  ];

  test.each(cases)('%s', async (_name, behaviour, expected) => {
    const gateway = await openGateway(behaviour);
    const client = openClient(profileFor(gateway.baseUrl));
    if (behaviour.limits) await client.submit(SONG);
    const { outcome } = await client.submit(SONG);
    expect(outcome).toMatchObject(expected);
    expect(JSON.stringify(outcome)).not.toContain(KEY);
  });

  test('a broken answer still gives its task code, as evidence only', async () => {
    const gateway = await openGateway({ faults: [{ kind: 'not-json', when: 'submit', charged: true }] });
    const { outcome, raw } = await openClient(profileFor(gateway.baseUrl)).submit(SONG);
    expect(outcome).toMatchObject({ kind: 'unknown', taskCode: gateway.chargeLog()[0]?.taskCode });
    expect(raw?.httpStatus).toBe(200);
  });

  test('a base URL that leads nowhere holds the row: nothing is lost by a wrong address', async () => {
    const gateway = await openGateway();
    const { outcome } = await openClient(profileFor(`${new URL(gateway.baseUrl).origin}/elsewhere`)).submit(SONG);
    expect(outcome).toMatchObject({ kind: 'held', failure: { code: 'GATEWAY_PROTOCOL' } });
  });
});

describe('what a poll comes to', () => {
  const cases: readonly [string, BehaviourInput, object][] = [
    ['a connection that is cut', { faults: [{ kind: 'lost', when: 'poll' }] }, { kind: 'error' }],
    ['HTTP 500 with a failure envelope', { faults: [{ kind: 'http', when: 'poll', status: 500 }] }, { kind: 'error' }],
    ['HTTP 408', { faults: [{ kind: 'http', when: 'poll', status: 408 }] }, { kind: 'error' }],
    [
      '429 with seconds',
      { faults: [{ kind: 'http', when: 'poll', status: 429, retryAfter: '7' }] },
      { kind: 'error', retryAfterMs: 7000 },
    ],
    [
      '429 that means no balance',
      { faults: [{ kind: 'http', when: 'poll', status: 429, info: 'insufficient balance' }] },
      { kind: 'refused', means: 'balance' },
    ],
    ['a web page', { faults: [{ kind: 'html', when: 'poll' }] }, { kind: 'error' }],
    ['an empty body', { faults: [{ kind: 'empty', when: 'poll' }] }, { kind: 'error' }],
    ['JSON that stops', { faults: [{ kind: 'not-json', when: 'poll' }] }, { kind: 'error' }],
    ['a redirect', { faults: [{ kind: 'redirect', when: 'poll' }] }, { kind: 'error' }],
    ['eight megabytes', { faults: [{ kind: 'oversized', when: 'poll' }] }, { kind: 'error' }],
    ['JSON nested 400,000 times', { faults: [{ kind: 'deep', when: 'poll', levels: 400_000 }] }, { kind: 'refused' }],
    ['no such task', { faults: [{ kind: 'not-found', when: 'poll' }] }, { kind: 'refused', means: 'not-found' }],
    [
      'a status that nobody knows',
      { faults: [{ kind: 'unknown-status', when: 'poll' }] },
      { kind: 'record', record: { status: '99' } },
    ],
  ];

  test.each(cases)('%s', async (_name, behaviour, expected) => {
    const gateway = await openGateway(behaviour);
    const client = openClient(profileFor(gateway.baseUrl));
    const taskCode = await submitTo(client, MUSIC);
    const { answer } = await client.poll(MUSIC, taskCode);
    expect(answer).toMatchObject(expected);
  });

  test('a key that is revoked pauses, and the key is in no report', async () => {
    const keys = new Set([KEY]);
    const gateway = await openGateway({}, (key) => keys.has(key));
    const client = openClient(profileFor(gateway.baseUrl));
    const taskCode = await submitTo(client, MUSIC);
    keys.clear();
    const report = await client.poll(MUSIC, taskCode);
    expect(report.answer).toMatchObject({ kind: 'refused', means: 'auth', failure: { code: 'AUTH_REJECTED' } });
  });

  test('the record of another task is set aside, even at the first poll', async () => {
    const gateway = await openGateway({ faults: [{ kind: 'foreign-record', when: 'poll', nth: [2] }] });
    const client = openClient(profileFor(gateway.baseUrl));
    const [first, second] = [await submitTo(client, MUSIC), await submitTo(client, MUSIC)];
    expect((await client.poll(MUSIC, first)).answer.kind).toBe('record');
    expect((await client.poll(MUSIC, second)).answer).toMatchObject({
      kind: 'error',
      failure: { code: 'GATEWAY_PROTOCOL' },
    });
    expect((await client.poll(MUSIC, second)).answer).toMatchObject({ kind: 'record', record: { taskId: second } });
  });

  test('a failed task brings the gateway’s own words', async () => {
    const gateway = await openGateway({
      faults: [{ kind: 'remote-failure', when: 'submit', message: '渲染失败: out of memory' }],
    });
    const profile = profileFor(gateway.baseUrl, { status: { musicgen: { '3': 'failed' } } });
    const client = openClient(profile);
    const taskCode = await submitTo(client, MUSIC);
    const { verdict } = await askUntilDone(gateway, client, profile, MUSIC, taskCode);
    expect(verdict).toMatchObject({
      kind: 'failed',
      suspected: false,
      failure: { message: '渲染失败: out of memory' },
    });
  });
});
