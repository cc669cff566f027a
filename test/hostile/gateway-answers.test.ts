import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { MediaGateway } from '../../src/engine/ports/media-gateway.ts';
import { KEY, MUSIC, SONG, openClient, profileFor } from '../contract/gateway-client-under-test.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { record } from '../support/scripted-gateway.ts';
import { openCliNight } from './cli-night.ts';

vi.setConfig({ testTimeout: 60_000 });

interface AnsweringServer {
  readonly client: MediaGateway;
  readonly answerWith: (bytes: Buffer) => void;
  readonly posts: () => number;
}

/** A server that answers every request with the bytes of the moment and ends the connection. */
async function openAnsweringServer(): Promise<AnsweringServer> {
  let answer: Buffer = Buffer.alloc(0);
  let posts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (chunk: Buffer) => {
      if (chunk.toString('latin1').startsWith('POST ')) posts += 1;
      socket.end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const profile = profileFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, {
    deadlines: { submitSeconds: 5, pollSeconds: 5 },
  });
  return {
    client: openClient(profile),
    answerWith: (bytes) => {
      answer = bytes;
    },
    posts: () => posts,
  };
}

function http(body: string | Uint8Array, status = '200 OK', headers = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`),
    Buffer.from(body),
  ]);
}

const word = fc.constantFrom('t-1', '', '../../etc', 'x'.repeat(300), '\u202e', '1234567890123456789', 'true', '\0');
const anyValue = fc.oneof(
  word,
  fc.boolean(),
  fc.integer(),
  fc.double(),
  fc.constant(null),
  fc.array(word, { maxLength: 2 }),
  fc.record({ taskCode: word }),
);
const anyEnvelope = fc
  .record(
    { code: anyValue, info: anyValue, result: anyValue, success: anyValue, failure: anyValue, taskCode: anyValue },
    { requiredKeys: [] },
  )
  .map((envelope) => JSON.stringify(envelope));
const anyStatus = fc.constantFrom(
  '200 OK',
  '201 Created',
  '204 No Content',
  '301 Moved',
  '307 Elsewhere',
  '400 Bad',
  '401 Who',
  '418 Teapot',
  '429 Slow',
  '500 Broken',
  '599 Odd',
  '999 Not a status',
);
const anyHeaders = fc.constantFrom('', 'Retry-After: 99999999999\r\n', 'Content-Encoding: gzip\r\n', 'Location: /\r\n');
const anyAnswer = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(anyEnvelope, anyStatus, anyHeaders).map(([body, ...rest]) => http(body, ...rest)) },
  fc.tuple(fc.uint8Array({ maxLength: 200 }), anyStatus).map(([body, status]) => http(body, status)),
  fc.tuple(anyEnvelope, fc.nat(80)).map(([body, cut]) => http(body).subarray(0, -1 - cut)),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
);

/** The task code of an answer that is JSON with one and no word of failure; undefined for every other. */
function plainTaskCode(answer: Buffer): string | undefined {
  const body = bodyOf(answer) as { result?: { taskCode?: unknown } | null } | null | undefined;
  const taskCode = body?.result?.taskCode;
  return typeof taskCode === 'string' && taskCode.trim() !== '' ? taskCode.trim() : undefined;
}

/** The JSON in an answer; undefined where there is none. */
function bodyOf(answer: Buffer): unknown {
  try {
    return JSON.parse(answer.toString().split('\r\n\r\n')[1] ?? '') as unknown;
  } catch {
    return undefined;
  }
}

describe('whatever a gateway answers over a socket', () => {
  test('a submit comes to an outcome, is sent once, and is accepted only with a task code that is in the answer', async () => {
    const { client, answerWith, posts } = await openAnsweringServer();
    const seen = new Set<string>();
    let submits = 0;
    await fc.assert(
      fc.asyncProperty(anyAnswer, async (answer) => {
        answerWith(answer);
        submits += 1;
        const { outcome } = await client.submit(SONG);
        seen.add(outcome.kind);
        expect(posts()).toBe(submits);
        expect(['accepted', 'rejected', 'held', 'rate-limited', 'unknown']).toContain(outcome.kind);
        if (outcome.kind === 'accepted') expect(outcome.taskCode.trim()).toBe(plainTaskCode(answer));
        expect(JSON.stringify(outcome)).not.toContain(KEY);
      }),
      { numRuns: 400 },
    );
    expect(seen).toContain('accepted');
    expect(seen).toContain('unknown');
  });

  test('a poll comes to an answer, and to a record only where there is JSON', async () => {
    const { client, answerWith } = await openAnsweringServer();
    await fc.assert(
      fc.asyncProperty(anyAnswer, async (answer) => {
        answerWith(answer);
        const report = await client.poll(MUSIC, 't-1');
        expect(['record', 'refused', 'error']).toContain(report.answer.kind);
        if (report.answer.kind === 'record') expect(bodyOf(answer)).toBeDefined();
        if (report.answer.kind !== 'record') expect(report.answer.retryAfterMs ?? 0).toBeLessThanOrEqual(900_000);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ['arrays', '['.repeat(400_000) + ']'.repeat(400_000)],
    ['objects', `${'{"result":'.repeat(90_000)}"x"${'}'.repeat(90_000)}`],
    ['text in text', JSON.stringify(Array.from({ length: 12 }).reduce<string>((text) => JSON.stringify([text]), 'x'))],
    ['half of it', '['.repeat(500_000)],
  ])('nested without end, %s: no crash, and no success', async (_name, nested) => {
    const { client, answerWith } = await openAnsweringServer();
    answerWith(http(`{"code":200,"result":${nested},"success":true,"failure":false}`));
    expect((await client.submit(SONG)).outcome.kind).toBe('unknown');
    const { answer } = await client.poll(MUSIC, 't-1');
    expect(['record', 'refused', 'error']).toContain(answer.kind);
  });
});

describe('a night with a gateway that says odd things', () => {
  test('a status that nobody knows is asked about until the deadline, and the row is never sent again', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => ({ answer: { kind: 'record', record: record({ status: '777' }) } });
    const id = await night.bringIn(rows(1), { profile: profileWith() });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect((await night.tasks(id))[0]).toMatchObject({ status: 'failed', failure: { code: 'OVERDUE' } });
    expect(night.gateway.polls.length).toBeGreaterThan(100);
    expect(night.gateway.submits).toHaveLength(1);
    expect(night.bugs).toEqual([]);
  });

  test('what was done and is said to be running again stays done', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done']);
    night.gateway.onPoll = () => ({ answer: { kind: 'record', record: record({ status: '1' }) } });
    const polls = night.gateway.polls.length;
    night.open();
    await night.scheduler.attach(id);
    await night.scheduler.start(id);
    await night.clock.advance(3_600_000);
    expect(await night.statuses(id)).toEqual(['done']);
    expect(night.gateway.polls).toHaveLength(polls);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('its words are shown as text: no colours, no markup, no turned direction', async () => {
    const words = '\u001b[31mred\u001b[0m\u0007<script>alert(1)</script><img src=x onerror=alert(2)>\u202etxt.\u009b2J';
    const night = await openCliNight('a-key-of-some-length', {
      faults: [{ kind: 'rejected', when: 'submit', info: words }],
    });
    const sheet = night.file('s.csv', 'row,operation,prompt\na,lyrics,x\n');
    const ended = await night.run(sheet, ['--profile', night.profile()]);
    expect(ended.exitCode).toBe(3);
    expect(ended.stdout).toContain('red');
    expect(ended.stdout).toContain(String.raw`\u001b[31mred`);
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(ended.stdout + ended.stderr).not.toMatch(/[\u0007\u001b\u009b\u202e]/);
    const page = readFileSync(path.join(night.out, 'index.html'), 'utf8');
    expect(page).toContain('alert(1)');
    expect(page).not.toContain('<script>alert(1)');
    expect(page).not.toContain('<img src=x');
  });

  test('a task code that leads out of the path asks for nothing but the result', async () => {
    const night = await openCliNight('a-key-of-some-length', { taskCode: { form: 'hostile', in: 'path' } });
    const sheet = night.file('s.csv', 'row,operation,prompt\na,image,x\nb,lyrics,y\n');
    const ended = await night.run(sheet, ['--profile', night.profile({ taskCode: { in: 'path', name: 'taskCode' } })]);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(night.gateway.chargeLog().map(({ taskCode }) => taskCode.includes('../'))).toEqual([true, true]);
    expect(night.gateway.stats().rejections).toEqual([]);
  });
});
