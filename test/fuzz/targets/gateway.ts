import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { contentRange, declaredLength, strongETag } from '../../../src/engine/media-folder/fetch/answer-head.ts';
import {
  checkMediaUrl,
  isForbiddenAddress,
  literalAddress,
} from '../../../src/engine/media-folder/fetch/media-address.ts';
import { readEnvelope } from '../../../src/engine/gateway/envelope.ts';
import { inflateAnswer, withoutKey } from '../../../src/engine/gateway/inflate-answer.ts';
import { readPollAnswer, readSubmitAnswer } from '../../../src/engine/gateway/read-answer.ts';
import { createMediaGateway } from '../../../src/engine/gateway/undici-media-gateway.ts';
import { systemClock } from '../../../src/engine/system-clock.ts';
import type { SeededRandom } from '../../../src/gateway-sim/random.ts';
import { KeyFinder } from '../../../src/shared/domain/base/key-finder.ts';
import { parseGatewayTime, retryAfterMs } from '../../../src/shared/domain/gateway/gateway-time.ts';
import { urlExpiresAt } from '../../../src/shared/domain/gateway/media-url.ts';
import { OPERATION_PATHS, operationOf } from '../../../src/shared/domain/operations/operations.ts';
import { FRESH_POLL_MEMORY, type PollMemory } from '../../../src/shared/domain/gateway/poll-answer.ts';
import { judgePoll } from '../../../src/shared/domain/gateway/poll-outcome.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { judgeSubmit } from '../../../src/shared/domain/gateway/submit-outcome.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { mutateText, oddText, textBytes } from '../mutate-text.ts';
import type { FuzzTarget } from '../target.ts';

const KEY = 'k3y/With+chars="<&>\\%41~e!';
const KEYS = new KeyFinder([KEY]);
const LARGEST_BODY_BYTES = 1 << 20;
const NOW = Date.UTC(2026, 0, 1);
const QUARTER_MS = 15 * 60_000;
const ANSWERS = [
  '{"code":200,"info":"success","success":true,"failure":false,"result":{"taskCode":"t-1234567890123456789"}}',
  '{"code":200,"info":"success","success":true,"failure":false,"result":{"taskId":"t-1","status":2,"message":"done","musicUrl":"https://media.example/a.mp3,https://media.example/b.mp3","addTime":"2025-07-25 16:07:43","endTime":"2025-07-25 16:08:43"}}',
  '{"code":"0","msg":"ok","result":[{"taskId":"t-1","status":"3","message":"[{\\"audio_url\\":\\"https://media.example/a.mp3\\",\\"clip_id\\":\\"c1\\",\\"cover\\":\\"https://media.example/a.jpg\\"}]","videoUrl":"[\\"https://media.example/a.mp4\\"]","endTime":1753460000}]}',
  '{"code":429,"info":"Too many requests, insufficient balance","success":false,"failure":true,"result":null}',
  '{"success":true,"result":{"status":1,"text":"la la\\nla","timing":[{"word":"la","start_s":0.5,"end_s":12345678901234567890}]}}',
  '<!DOCTYPE html><html><body>Bad gateway</body></html>',
];
const STATUSES = [200, 200, 200, 201, 302, 400, 401, 402, 404, 408, 429, 500, 503];

function answerBody(random: SeededRandom): Buffer {
  const text = random.pick(ANSWERS);
  if (random.below(30) === 0) return fullBody(text, random);
  return random.below(4) === 0 ? mutateBytes(Buffer.from(text), random) : textBytes(mutateText(text, random), random);
}

/** As long as an answer may be, of little things that cost much where they are looked at one by one, or again and again. */
function fullBody(text: string, random: SeededRandom): Buffer {
  const unit = random.pick([
    '\\\\',
    '%25',
    '&amp;',
    '\\u005c',
    ',',
    ' ',
    ';|',
    '[',
    '{"a":',
    '"',
    'a',
    'k3y/W',
    '\\"',
    '1',
    '\0',
  ]);
  const at = text.lastIndexOf(random.pick(['"', '.mp3', ':', '}'])) + random.below(2);
  const filler = unit.repeat(Math.floor((LARGEST_BODY_BYTES - text.length) / unit.length));
  return Buffer.from(text.slice(0, Math.max(0, at)) + filler + text.slice(Math.max(0, at)));
}

/** Answers of gateways, from their bytes to what becomes of the task. */
const ANSWER_TARGET: FuzzTarget = {
  name: 'gateway-answer',
  extension: 'bin',
  seededCases: 250,
  makeInput(random) {
    const body = answerBody(random);
    const encoding = random.pick(['', '', '', 'gzip', 'deflate', 'br', 'x-gzip', 'zstd']);
    const packed = compressed(body, encoding);
    const head = { encoding, status: random.pick(STATUSES), operation: random.pick(OPERATION_PATHS) };
    const sent = random.below(5) === 0 ? mutateBytes(packed, random) : packed;
    return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), sent]);
  },
  async check(input) {
    const bytes = Buffer.from(input);
    const headEnd = bytes.indexOf('\n');
    const head = JSON.parse(bytes.toString('utf8', 0, headEnd)) as {
      encoding: string;
      status: number;
      operation: never;
    };
    const raw = {
      httpStatus: head.status,
      headers: { 'content-encoding': head.encoding },
      body: bytes.subarray(headEnd + 1, headEnd + 1 + LARGEST_BODY_BYTES),
      truncated: false,
    };
    const { body, truncated } = withoutKey((await inflateAnswer(raw)).raw, KEYS);
    assertNoKey(Buffer.from(body).toString());
    const read = readEnvelope(body, truncated);
    const response = { httpStatus: head.status, body: read, retryAfterMs: undefined };
    const submitted = judgeSubmit(readSubmitAnswer(response, new Uint8Array()), DEFAULT_PROFILE);
    assert.ok(submitted.kind !== 'accepted' || submitted.taskCode.trim() !== '', 'a task without a code');
    const operation = operationOf(head.operation);
    const answer = readPollAnswer(response, operation, DEFAULT_PROFILE);
    let memory: PollMemory = FRESH_POLL_MEMORY;
    for (let poll = 0; poll < 4; poll += 1) {
      const judged = judgePoll({
        answer,
        memory,
        operation,
        profile: DEFAULT_PROFILE,
        now: NOW + poll * 60_000,
        submittedAt: NOW,
      });
      memory = judged.memory;
      assert.deepEqual(JSON.parse(JSON.stringify(memory)), memory, 'what is remembered is plain JSON');
      if (judged.verdict.kind === 'rendered') assert.ok(judged.verdict.outputs.length <= 100);
    }
  },
};

function compressed(body: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return gzipSync(body);
    case 'deflate':
      return deflateSync(body);
    case 'br':
      return brotliCompressSync(body);
    default:
      return body;
  }
}

/** The key as gateways that repeat it write it. */
function writtenKey(random: SeededRandom): string {
  const json = JSON.stringify(KEY).slice(1, -1);
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return random.pick([
    json,
    json.replaceAll('/', '\\/'),
    KEY.replaceAll(/[^\w]/gu, escaped),
    KEY.replaceAll(/[^]/gu, (character) =>
      random.below(2) === 0 ? escaped(character) : JSON.stringify(character).slice(1, -1),
    ),
    encodeURIComponent(KEY),
  ]);
}

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => socket.end(wireAnswer));
});
let wireAnswer: Uint8Array = new Uint8Array();
let client: ReturnType<typeof createMediaGateway> | undefined;

async function openClient(): Promise<ReturnType<typeof createMediaGateway>> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const deadlines = { ...DEFAULT_PROFILE.deadlines, submitSeconds: 0.5, pollSeconds: 0.5 };
  const profile = { ...DEFAULT_PROFILE, baseUrl: `http://127.0.0.1:${port}`, deadlines };
  return createMediaGateway({ profile, key: () => KEY, keyFinder: () => KEYS, clock: systemClock });
}

/** Bytes on the wire of a gateway that repeats the key: a report comes back, and the key is nowhere in it. */
const WIRE_TARGET: FuzzTarget = {
  name: 'gateway-wire',
  extension: 'http',
  seededCases: 100,
  makeInput(random) {
    const repeated = random.pick(ANSWERS).replace(/success|done|ok|Bad/u, () => `your key ${writtenKey(random)} is`);
    const encoding = random.pick(['', '', '', 'gzip', 'deflate', 'br']);
    const answer = random.below(2) === 0 ? Buffer.from(repeated) : answerBody(random).subarray(0, 200_000);
    const body = compressed(answer, encoding);
    const length = random.pick([body.length, body.length, body.length, body.length + 9, 2 ** 40]);
    const lines = [
      `HTTP/1.1 ${random.pick(STATUSES)} OK`,
      ...(random.below(4) === 0 ? [] : [`Content-Length: ${length}`]),
      ...(encoding === '' ? [] : [`Content-Encoding: ${encoding}`]),
      `X-Your-Key: ${random.pick(['', KEY, encodeURIComponent(KEY)])}`,
      `Retry-After: ${random.pick(['5', '99999999999', '-1', 'soon'])}`,
      'Connection: close',
    ];
    const bytes = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
    return random.below(4) === 0 ? mutateBytes(bytes, random).subarray(0, 200_000) : bytes;
  },
  async check(input) {
    client ??= await openClient();
    wireAnswer = input;
    const polled = await client.poll('musicgen/music/generate', 'code');
    const sent = await client.submit({ operation: 'musicgen/music/generate', body: Buffer.from('{}') });
    for (const raw of [polled.raw, sent.raw]) {
      if (raw === undefined) continue;
      assertNoKey(JSON.stringify(raw.headers));
      assertNoKey(Buffer.from(raw.body).toString());
      assertNoKey(JSON.stringify(client.resultOf(raw) ?? null));
    }
    assertNoKey(JSON.stringify(polled.answer));
    assertNoKey(JSON.stringify(sent.outcome));
  },
};

/** Not as it is, and not behind the escapes of JSON and of addresses. */
function assertNoKey(text: string): void {
  const unescaped = text
    .replaceAll(/\\u([\da-f]{4})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\(["\\/])/gu, '$1');
  const undone = [
    text,
    unescaped,
    unescaped.replaceAll(/\\(["\\/])/gu, '$1'),
    unescaped.replaceAll(/%([\da-f]{2})/giu, percent),
  ];
  assert.ok(!undone.some((one) => one.includes(KEY)), `the key is in ${text.slice(0, 400)}`);
}

function percent(_: string, code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16));
}

const HEADERS = [
  '120',
  'Wed, 21 Oct 2026 07:28:00 GMT',
  'bytes 10-99/100',
  'bytes */100',
  '"an-etag"',
  '2025-07-25 16:07:43',
  '2025-07-25T16:07:43.123+08:00',
  '1753460000000',
  'https://media.example/a.mp3?Expires=1753460000&Signature=x',
  'https://s3.example/a?X-Amz-Date=20250725T160743Z&X-Amz-Expires=3600',
  'https://media.example/a?se=2025-07-25T16%3A07%3A43Z',
  'http://[::ffff:127.0.0.1]:80/a',
  'http://0x7f.1/a',
];

/** What stands in headers, times and addresses: a number within its bounds, or nothing. */
const HEADER_TARGET: FuzzTarget = {
  name: 'headers',
  extension: 'txt',
  seededCases: 250,
  makeInput: (random) =>
    Buffer.from(random.below(8) === 0 ? oddText(random) : mutateText(random.pick(HEADERS), random)),
  check(input) {
    const text = Buffer.from(input).toString();
    const wait = retryAfterMs(text, NOW);
    assert.ok(wait === undefined || (wait >= 0 && wait <= QUARTER_MS), `waits ${wait} ms`);
    const expires = urlExpiresAt(text);
    assert.ok(expires === undefined || Number.isFinite(expires), `expires at ${expires}`);
    const range = contentRange({ 'content-range': text });
    for (const place of [range?.start, range?.end, range?.total, declaredLength({ 'content-length': text })]) {
      assert.ok(place === undefined || Number.isSafeInteger(place), `a place ${place}`);
    }
    strongETag({ etag: text });
    parseGatewayTime(text);
    const url = checkMediaUrl(text);
    const address = url.ok ? literalAddress(url.value) : undefined;
    if (address !== undefined) isForbiddenAddress(address);
  },
};

/** What comes from gateways and from the hosts of their media. */
export const GATEWAY_TARGETS: readonly FuzzTarget[] = [ANSWER_TARGET, WIRE_TARGET, HEADER_TARGET];
