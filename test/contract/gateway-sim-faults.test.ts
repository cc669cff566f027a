import { describe, expect, test, vi } from 'vitest';
import type { FaultRule } from '../../src/gateway-sim/faults/fault-rules.ts';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { download, LONG_MS, openGateway, poll, renderedUrls, submit, submitted } from './gateway-sim-client.ts';

type Rule = NonNullable<BehaviourInput['faults']>[number];

const LYRICS = 'musicgen/music/lyrics';
const IMAGE = 'videogen-b/image/generate';

/** Submits one body under a fault; `charges` is how many there are afterwards. */
async function submitUnder(rule: Rule) {
  const gateway = await openGateway({ behaviour: { faults: [rule] } });
  const reply = await submit(gateway, LYRICS, { prompt: 'x' }).catch(() => 'no answer' as const);
  return { reply, charges: gateway.chargeLog().length };
}

describe('a submit', () => {
  test.each([false, true])('is lost, charged: %j', async (charged) => {
    const { reply, charges } = await submitUnder({ kind: 'lost', when: 'submit', charged });
    expect(reply).toBe('no answer');
    expect(charges).toBe(charged ? 1 : 0);
  });

  test.each([false, true])('gets an HTTP error, charged: %j', async (charged) => {
    const { reply, charges } = await submitUnder({
      kind: 'http',
      when: 'submit',
      status: 503,
      info: 'overloaded',
      charged,
    });
    expect(reply).toMatchObject({ http: 503, envelope: { success: false, failure: true, info: 'overloaded' } });
    expect(charges).toBe(charged ? 1 : 0);
  });

  test('gets an HTTP error with any body and Retry-After', async () => {
    const { reply } = await submitUnder({
      kind: 'http',
      when: 'submit',
      status: 408,
      body: 'slow down',
      retryAfter: '7',
    });
    expect(reply).toMatchObject({ http: 408, text: 'slow down' });
    expect(reply !== 'no answer' && reply.headers.get('retry-after')).toBe('7');
  });

  test.each([
    ['html', /^<!DOCTYPE html>/],
    ['empty', /^$/],
    ['not-json', /^\{.*[^}]$/],
  ] as const)('gets %s with 200, before and after the charge', async (kind, text) => {
    for (const charged of [false, true]) {
      const { reply, charges } = await submitUnder({ kind, when: 'submit', charged });
      expect(reply).toMatchObject({ http: 200, text: expect.stringMatching(text) as string });
      expect(charges).toBe(charged ? 1 : 0);
    }
  });

  test('gets JSON that is cut, in which the code of the charged task can still be read', async () => {
    const gateway = await openGateway({ behaviour: { faults: [{ kind: 'not-json', when: 'submit', charged: true }] } });
    const { text } = await submit(gateway, LYRICS, {});
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(text).toContain(gateway.chargeLog()[0]?.taskCode);
  });

  test('is answered late, and rightly', async () => {
    const before = performance.now();
    const { reply, charges } = await submitUnder({ kind: 'slow', when: 'submit', delayMs: 60 });
    expect(performance.now() - before).toBeGreaterThan(55);
    expect(reply).toMatchObject({ envelope: { success: true } });
    expect(charges).toBe(1);
  });

  test('is never answered, though charged', async () => {
    const gateway = await openGateway({ behaviour: { faults: [{ kind: 'silent', when: 'submit', charged: true }] } });
    const stop = new AbortController();
    const answer = submit(gateway, LYRICS, {}, { signal: stop.signal }).catch((error: Error) => error.name);
    await vi.waitFor(() => expect(gateway.chargeLog()).toHaveLength(1));
    stop.abort();
    expect(await answer).toBe('AbortError');
  });

  test('is redirected to another origin, uncharged', async () => {
    const gateway = await openGateway({ behaviour: { faults: [{ kind: 'redirect', when: 'submit' }] } });
    const { http, headers } = await submit(gateway, LYRICS, {});
    expect(http).toBe(307);
    expect(headers.get('location')).toBe(`${gateway.otherOrigin}/elsewhere`);
    expect(gateway.otherOrigin).not.toBe(new URL(gateway.baseUrl).origin);
    expect(gateway.chargeLog()).toEqual([]);
  });

  test('is rejected in words of its own, uncharged', async () => {
    const { reply, charges } = await submitUnder({
      kind: 'rejected',
      when: 'submit',
      code: 1026,
      info: 'model offline',
    });
    expect(reply).toMatchObject({
      http: 200,
      envelope: { code: 1026, info: 'model offline', failure: true, success: false },
    });
    expect(charges).toBe(0);
  });

  test('is answered with flags that contradict each other, charged', async () => {
    const { reply, charges } = await submitUnder({ kind: 'both-flags', when: 'submit' });
    expect(reply).toMatchObject({
      envelope: { success: true, failure: true, result: { taskCode: expect.any(String) as string } },
    });
    expect(charges).toBe(1);
  });

  test('is answered without a code, charged', async () => {
    const { reply, charges } = await submitUnder({ kind: 'no-task-code', when: 'submit' });
    expect(reply).toMatchObject({ envelope: { success: true, result: {} } });
    expect(reply !== 'no answer' && reply.envelope.result).toEqual({});
    expect(charges).toBe(1);
  });

  test('is answered with the code of the task before, charged', async () => {
    const gateway = await openGateway({
      behaviour: { faults: [{ kind: 'repeated-task-code', when: 'submit', nth: [2] }] },
    });
    const first = await submitted(gateway, LYRICS, { prompt: '1' });
    expect(await submitted(gateway, LYRICS, { prompt: '2' })).toBe(first);
    expect(new Set(gateway.chargeLog().map(({ taskCode }) => taskCode)).size).toBe(2);
  });

  test('is accepted, and the task fails in its own words', async () => {
    const gateway = await openGateway({
      behaviour: { faults: [{ kind: 'remote-failure', when: 'submit', message: 'out of tape' }] },
    });
    const code = await submitted(gateway, IMAGE);
    gateway.advance(LONG_MS);
    const { envelope } = await poll(gateway, IMAGE, code);
    expect(envelope).toMatchObject({ success: true, result: { status: 3, message: 'out of tape', videoUrl: '' } });
    expect(envelope.result['endTime']).not.toBe('');
    expect(gateway.outputs(code)).toEqual([]);
  });
});

describe('a poll', () => {
  /** Polls a finished image under a fault, then once more without it. */
  async function pollUnder(rule: Rule) {
    const gateway = await openGateway({ behaviour: { faults: [{ ...rule, times: 1 }] } });
    await submitted(gateway, IMAGE, { prompt: 'neighbour' });
    const code = await submitted(gateway, IMAGE, { prompt: 'own' });
    gateway.advance(LONG_MS);
    const reply = await poll(gateway, IMAGE, code).catch(() => 'no answer' as const);
    return { gateway, code, reply, again: await poll(gateway, IMAGE, code) };
  }

  const seen: readonly [Rule, unknown][] = [
    [{ kind: 'lost', when: 'poll' }, 'no answer'],
    [
      { kind: 'http', when: 'poll', status: 502 },
      { http: 502, envelope: { failure: true } },
    ],
    [
      { kind: 'html', when: 'poll' },
      { http: 200, text: expect.stringMatching(/^<!DOCTYPE/) as string },
    ],
    [
      { kind: 'empty', when: 'poll' },
      { http: 200, text: '' },
    ],
    [
      { kind: 'not-json', when: 'poll' },
      { http: 200, text: expect.stringMatching(/[^}]$/) as string },
    ],
    [
      { kind: 'slow', when: 'poll', delayMs: 1 },
      { http: 200, envelope: { result: { status: 2 } } },
    ],
    [{ kind: 'redirect', when: 'poll', status: 302, location: 'http://169.254.169.254/' }, { http: 302 }],
    [{ kind: 'not-found', when: 'poll' }, { envelope: { failure: true, info: 'task not found' } }],
    [{ kind: 'without-url', when: 'poll' }, { envelope: { result: { status: 2, videoUrl: '' } } }],
    [{ kind: 'unknown-status', when: 'poll', status: 'limbo' }, { envelope: { result: { status: 'limbo' } } }],
    [{ kind: 'running-again', when: 'poll' }, { envelope: { result: { status: 1, videoUrl: '', endTime: '' } } }],
  ];
  test.each(seen)('meets %j and the next one is right', async (rule, expected) => {
    const { reply, again } = await pollUnder(rule);
    expect([reply]).toMatchObject([expected]);
    expect(again.envelope.result).toMatchObject({ status: 2, videoUrl: expect.stringMatching(/^http/) as string });
  });

  test('gets the record of another task', async () => {
    const { gateway, reply } = await pollUnder({ kind: 'foreign-record', when: 'poll' });
    expect(reply).toMatchObject({ envelope: { result: { taskId: gateway.chargeLog()[0]?.taskCode } } });
  });

  test('gets an answer of many megabytes, or of many levels', async () => {
    const { reply: large } = await pollUnder({ kind: 'oversized', when: 'poll', bytes: 3_000_000 });
    expect(large !== 'no answer' && large.text.length).toBeGreaterThan(3_000_000);
    const { reply: deep } = await pollUnder({ kind: 'deep', when: 'poll', levels: 500 });
    expect(deep !== 'no answer' && deep.text).toContain(`${'['.repeat(500)}${']'.repeat(500)}`);
  });
});

describe('a download', () => {
  /** The file as it came under the fault, and as it came the next time. */
  async function downloadUnder(rule: Rule, headers: Record<string, string> = {}) {
    const gateway = await openGateway({ behaviour: { faults: [{ ...rule, times: 1 }] } });
    const [url = ''] = await renderedUrls(gateway, IMAGE);
    const [output] = gateway.outputs(gateway.chargeLog()[0]?.taskCode ?? '');
    const broken = await download(url, headers).catch(() => 'broken off' as const);
    return { url, broken, right: await download(url), bytes: output?.bytes ?? 0 };
  }

  test('is cut against its declared length', async () => {
    const { broken, right, bytes } = await downloadUnder({ kind: 'truncated', when: 'download' });
    expect(broken).toBe('broken off');
    expect(right.content.length).toBe(bytes);
  });

  test('ends early and politely where no length is declared', async () => {
    const { broken, right } = await downloadUnder({
      kind: 'truncated',
      when: 'download',
      lengthDeclared: false,
      fraction: 0.25,
    });
    expect(broken).toMatchObject({
      response: { status: 200 },
      content: right.content.subarray(0, Math.floor(right.content.length / 4)),
    });
    expect(broken !== 'broken off' && broken.response.headers.get('content-length')).toBeNull();
  });

  test('ends early as if that were all', async () => {
    const { broken, right } = await downloadUnder({ kind: 'truncated', when: 'download', lengthDeclared: 'short' });
    const half = right.content.subarray(0, Math.floor(right.content.length / 2));
    expect(broken).toMatchObject({ response: { status: 200 }, content: half });
    expect(broken !== 'broken off' && broken.response.headers.get('content-length')).toBe(`${half.length}`);
  });

  test.each([
    ['html', Buffer.from('<!DO')],
    ['png', Buffer.from([0x89, 0x50, 0x4e, 0x47])],
  ] as const)('gives %s under the type of a song', async (as, magic) => {
    const gateway = await openGateway({ behaviour: { faults: [{ kind: 'mislabelled', when: 'download', as }] } });
    const [url = ''] = await renderedUrls(gateway, 'musicgen/music/concat');
    const { response, content } = await download(url);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(content.subarray(0, 4)).toEqual(magic);
  });

  const plain: readonly [Rule, unknown][] = [
    [{ kind: 'lost', when: 'download' }, 'broken off'],
    [{ kind: 'http', when: 'download', status: 503, body: 'busy' }, { response: { status: 503 } }],
    [{ kind: 'expired', when: 'download', status: 410 }, { response: { status: 410 } }],
    [
      { kind: 'empty', when: 'download' },
      { response: { status: 200 }, content: Buffer.alloc(0) },
    ],
    [{ kind: 'redirect', when: 'download', location: 'http://169.254.169.254/latest' }, { response: { status: 307 } }],
    [{ kind: 'slow', when: 'download', delayMs: 1 }, { response: { status: 200 } }],
  ];
  test.each(plain)('meets %j and the next one is right', async (rule, expected) => {
    const { broken, right, bytes } = await downloadUnder(rule);
    expect([broken]).toMatchObject([expected]);
    expect(right.content.length).toBe(bytes);
  });

  test('finds another version under the same URL, with another ETag', async () => {
    const gateway = await openGateway({ behaviour: { faults: [{ kind: 'replaced', when: 'download', nth: [2] }] } });
    const [url = ''] = await renderedUrls(gateway, IMAGE);
    const versions = [await download(url), await download(url), await download(url)];
    const etags = versions.map(({ response }) => response.headers.get('etag'));
    expect(etags[1]).not.toBe(etags[0]);
    expect(etags[2]).toBe(etags[1]);
    expect(versions[1]?.content).not.toEqual(versions[0]?.content);
    const [output] = gateway.outputs(gateway.chargeLog()[0]?.taskCode ?? '');
    expect(versions[2]?.content.length).toBe(output?.bytes);
  });

  test('gets another range than it asked for', async () => {
    const { broken } = await downloadUnder({ kind: 'wrong-range', when: 'download' }, { Range: 'bytes=500-' });
    expect(broken).toMatchObject({ response: { status: 206 } });
    expect(broken !== 'broken off' && broken.response.headers.get('content-range')).toMatch(/^bytes 0-/);
  });

  test('drips', async () => {
    const gateway = await openGateway({
      behaviour: { faults: [{ kind: 'drip', when: 'download', bytesPerSecond: 1000 }] },
    });
    const [url = ''] = await renderedUrls(gateway, IMAGE);
    const pieces = (await fetch(url)).body as ReadableStream<Uint8Array> | null;
    for await (const piece of pieces ?? []) {
      expect(piece.length).toBe(100);
      break;
    }
  });
});

describe('when a rule fires', () => {
  const fails: Pick<FaultRule & { kind: 'rejected' }, 'kind' | 'when'> = { kind: 'rejected', when: 'submit' };

  async function outcomes(rule: Partial<Rule>, seed = 1): Promise<string> {
    const gateway = await openGateway({ seed, behaviour: { faults: [{ ...fails, ...rule } as Rule] } });
    let seen = '';
    for (let at = 0; at < 12; at += 1) {
      const path = at % 2 === 0 ? LYRICS : IMAGE;
      seen += (await submit(gateway, path, { prompt: `${at}` })).envelope.success ? '.' : 'x';
    }
    return seen;
  }

  test('by number, by operation, by family, a limited number of times, always', async () => {
    expect(await outcomes({ nth: [2, 5] })).toBe('.x..x.......');
    expect(await outcomes({ nth: [2], operations: [IMAGE] })).toBe('...x........');
    expect(await outcomes({ operations: ['musicgen'] })).toBe('x.x.x.x.x.x.');
    expect(await outcomes({ times: 3 })).toBe('xxx.........');
    expect(await outcomes({})).toBe('xxxxxxxxxxxx');
    expect(await outcomes({ probability: 0 })).toBe('............');
  });

  test('by chance, which the seed decides, not the order of calls', async () => {
    const first = await outcomes({ probability: 0.5 });
    expect(first).toMatch(/x/);
    expect(first).toMatch(/\./);
    expect(await outcomes({ probability: 0.5 })).toBe(first);
    const others = await Promise.all([2, 3, 4].map((seed) => outcomes({ probability: 0.5 }, seed)));
    expect(new Set([first, ...others]).size).toBeGreaterThan(1);
  });

  test('rules given anew start counting anew', async () => {
    const gateway = await openGateway({ behaviour: { faults: [{ ...fails, nth: [1] }] } });
    expect((await submit(gateway, LYRICS, {})).envelope.failure).toBe(true);
    expect((await submit(gateway, LYRICS, {})).envelope.failure).toBe(false);
    expect(gateway.setBehaviour({ faults: [{ ...fails, nth: [1] }] }).ok).toBe(true);
    expect((await submit(gateway, LYRICS, {})).envelope.failure).toBe(true);
  });
});
