import { describe, expect, test } from 'vitest';
import type { BehaviourInput, DurationLaw } from '../../src/gateway-sim/faults/behaviour.ts';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import type { ObservedGateway } from '../support/observed-gateway.ts';
import { KEY, LONG_MS, openGateway, poll, pollBy, send, submit, submitted } from './gateway-sim-client.ts';

const MUSIC = 'musicgen/music/generate';
const IMAGE = 'videogen-b/image/generate';
const LYRICS = 'musicgen/music/lyrics';
const FIXED_10_S: BehaviourInput = { timeScale: 1, durations: { musicgen: { law: 'fixed', seconds: 10 } } };

async function statusOf(gateway: ObservedGateway, path: OperationPath, code: string): Promise<unknown> {
  return (await poll(gateway, path, code)).envelope.result['status'];
}

/** The finished record of one task. */
async function recordUnder(behaviour: BehaviourInput, path: OperationPath = MUSIC): Promise<Record<string, unknown>> {
  const gateway = await openGateway({ behaviour });
  const code = await submitted(gateway, path);
  gateway.advance(LONG_MS);
  return (await poll(gateway, path, code)).envelope.result;
}

describe('status', () => {
  test('goes through the table of the behaviour; an operation has its own before its family', async () => {
    const gateway = await openGateway({
      behaviour: {
        ...FIXED_10_S,
        queue: { atOnce: 1 },
        status: { queued: 5, running: 6, succeeded: 7, failed: 8 },
        statusOf: { musicgen: { running: 'BUSY' }, [LYRICS]: { running: 66 } },
      },
    });
    const [first, second, third] = [
      await submitted(gateway, MUSIC, {}),
      await submitted(gateway, MUSIC, {}),
      await submitted(gateway, LYRICS, {}),
    ];
    const now = async () => [
      await statusOf(gateway, MUSIC, first),
      await statusOf(gateway, MUSIC, second),
      await statusOf(gateway, LYRICS, third),
    ];
    expect(await now()).toEqual(['BUSY', 5, 5]);
    gateway.advance(10_000);
    expect(await now()).toEqual([7, 'BUSY', 5]);
    gateway.advance(10_000);
    expect(await now()).toEqual([7, 7, 66]);
  });
});

describe('the code of a task', () => {
  const forms: readonly [NonNullable<BehaviourInput['taskCode']>['form'], RegExp][] = [
    ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/],
    ['digits19', /^[1-9]\d{18}$/],
    ['hostile', /^\.\.\/[0-9a-f]{16}\/ \+&=%2F#\?ü$/],
  ];
  test.each(forms)('has the form %s and is found in the query and in the path', async (form = 'uuid', pattern) => {
    for (const place of ['query', 'path'] as const) {
      const gateway = await openGateway({ behaviour: { taskCode: { form, in: place, name: 'task_id' } } });
      const code = await submitted(gateway, MUSIC);
      expect(code).toMatch(pattern);
      const encoded = encodeURIComponent(code);
      const [right, wrong] = [`/musicgen/result?task_id=${encoded}`, `/musicgen/result/${encoded}`];
      const answers = [await pollBy(gateway, right), await pollBy(gateway, wrong)];
      const found = answers.filter(({ http, envelope }) => http === 200 && envelope.result['taskId'] === code);
      expect(found).toEqual([answers[place === 'query' ? 0 : 1]]);
    }
  });

  test('is a number of 19 digits in the JSON, which JavaScript cannot hold', async () => {
    const gateway = await openGateway({ behaviour: { taskCode: { form: 'number19' } } });
    const { text } = await send(gateway, MUSIC, '{}');
    const digits = /"taskCode":(\d{19})\}/.exec(text)?.[1] ?? '';
    expect(gateway.chargeLog()[0]?.taskCode).toBe(digits);
    expect(String(Number(digits))).not.toBe(digits);
    expect((await poll(gateway, MUSIC, digits)).text).toContain(`"taskId":${digits},`);
    expect((await poll(gateway, MUSIC, String(Number(digits)))).envelope.failure).toBe(true);
  });

  test('where it is missing or unknown, the behaviour says how', async () => {
    const gateway = await openGateway({ behaviour: { taskCode: { missingHttp: 404, unknownHttp: 405 } } });
    expect((await pollBy(gateway, '/musicgen/result?taskId=x')).http).toBe(404);
    expect((await pollBy(gateway, '/musicgen/result?taskCode=x')).http).toBe(405);
  });
});

test('an operation can be served by another result operation than its family', async () => {
  const gateway = await openGateway({
    behaviour: { resultPaths: { [IMAGE]: '/videogen-a/video/result', musicgen: '/musicgen/task' } },
  });
  const [image, music] = [await submitted(gateway, IMAGE), await submitted(gateway, MUSIC)];
  gateway.advance(LONG_MS);
  expect((await pollBy(gateway, `/videogen-a/video/result?taskCode=${image}`)).envelope.result).toHaveProperty(
    'videoUrl',
  );
  expect((await pollBy(gateway, `/musicgen/task?taskCode=${music}`)).envelope.result).toHaveProperty('musicUrl');
  expect((await pollBy(gateway, `/videogen-b/result?taskCode=${image}`)).envelope.failure).toBe(true);
});

describe('the result', () => {
  const isTwoUrls = (urls: unknown): void => {
    expect(urls).toEqual([expect.stringMatching(/^http.*-0\.mp3\?/), expect.stringMatching(/^http.*-1\.mp3\?/)]);
  };

  test('has several outputs in one of several shapes', async () => {
    const shapes = ['plain', 'first', 'array', 'json', 'json-twice'] as const;
    const [plain, first, array, json, twice] = await Promise.all(
      shapes.map(async (shape) => (await recordUnder({ results: { shape } }))['musicUrl']),
    );
    isTwoUrls(String(plain).split(','));
    expect(first).toMatch(/^http[^,]*-0\.mp3\?[^,]*$/);
    isTwoUrls(array);
    isTwoUrls(JSON.parse(String(json)));
    isTwoUrls(JSON.parse(JSON.parse(String(twice)) as string));
  });

  test('has as many images as were asked for, and clips as the behaviour says', async () => {
    const gateway = await openGateway({ behaviour: { results: { clips: 3 }, media: { detail: 'tiny' } } });
    expect(gateway.outputs(await submitted(gateway, IMAGE, { num_images: 4 }))).toHaveLength(4);
    expect(gateway.outputs(await submitted(gateway, IMAGE, { prompt: 'one' }))).toHaveLength(1);
    expect(gateway.outputs(await submitted(gateway, MUSIC, {}))).toHaveLength(3);
  });

  test('that is data stands in the message, in the media field, or beside them', async () => {
    const inMessage = await recordUnder({ results: { data: 'message' } }, LYRICS);
    const inField = await recordUnder({ results: { data: 'media-field' } }, LYRICS);
    const beside = await recordUnder({ results: { data: 'beside' } }, LYRICS);
    expect(JSON.parse(String(inMessage['message']))).toHaveProperty('text');
    expect(JSON.parse(String(inField['musicUrl']))).toHaveProperty('text');
    expect(beside['data']).toHaveProperty('text');
  });

  test('has blank fields that are empty, null, or not there', async () => {
    const blankOf = async (blank: 'empty' | 'null' | 'absent') => {
      const gateway = await openGateway({ behaviour: { results: { blank } } });
      return (await poll(gateway, MUSIC, await submitted(gateway, MUSIC))).envelope.result;
    };
    expect(await blankOf('empty')).toMatchObject({ musicUrl: '', endTime: '' });
    expect(await blankOf('null')).toMatchObject({ musicUrl: null, endTime: null });
    expect(Object.keys(await blankOf('absent')).sort()).toEqual(['addTime', 'message', 'status', 'taskId']);
  });

  test('shows further outputs later', async () => {
    const gateway = await openGateway({ behaviour: { ...FIXED_10_S, results: { gapSeconds: 5, shape: 'array' } } });
    const code = await submitted(gateway, MUSIC);
    const shown = async () => ((await poll(gateway, MUSIC, code)).envelope.result['musicUrl'] as unknown[]).length;
    gateway.advance(10_000);
    expect(await shown()).toBe(1);
    gateway.advance(5000);
    expect(await shown()).toBe(2);
  });

  test('shows a URL before the end, under which there is the beginning of the file', async () => {
    const gateway = await openGateway({ behaviour: { ...FIXED_10_S, results: { earlyUrl: true, clips: 1 } } });
    const code = await submitted(gateway, MUSIC);
    const { envelope } = await poll(gateway, MUSIC, code);
    expect(envelope.result).toMatchObject({ status: 1, endTime: '' });
    const early = await fetch(String(envelope.result['musicUrl']));
    const bytes = gateway.outputs(code)[0]?.bytes ?? 0;
    expect((await early.arrayBuffer()).byteLength).toBe(Math.floor(bytes * 0.4));
    expect(early.headers.get('content-length')).toBeNull();
  });

  test.each([
    ['local', '2026-03-04 13:06:07'],
    ['iso', '2026-03-04T05:06:07.000Z'],
    ['seconds', '1772600767'],
    ['milliseconds', '1772600767000'],
  ] as const)('writes times as %s: %s', async (format, text) => {
    const record = await recordUnder({ times: { format, utcOffsetMinutes: 480 } });
    expect(record['addTime']).toBe(text);
  });
});

describe('durations and the queue', () => {
  test('tasks of a family are rendered first come, first served, so many at once', async () => {
    const gateway = await openGateway({ behaviour: { ...FIXED_10_S, queue: { atOnce: 2 } } });
    const codes: string[] = [];
    for (let at = 0; at < 5; at += 1) codes.push(await submitted(gateway, MUSIC, { prompt: `${at}` }));
    const statuses = () => Promise.all(codes.map((code) => statusOf(gateway, MUSIC, code)));
    expect(await statuses()).toEqual([1, 1, 0, 0, 0]);
    gateway.advance(10_000);
    expect(await statuses()).toEqual([2, 2, 1, 1, 0]);
    gateway.advance(20_000);
    expect(await statuses()).toEqual([2, 2, 2, 2, 2]);
  });

  test('with fewer at once than before, a new task waits for all that are under way', async () => {
    const gateway = await openGateway({ behaviour: { ...FIXED_10_S, queue: { atOnce: 2 } } });
    await submitted(gateway, MUSIC, { prompt: 'ends first' });
    gateway.advance(5000);
    await submitted(gateway, MUSIC, { prompt: 'ends last' });
    gateway.setBehaviour({ queue: { atOnce: 1 } });
    const code = await submitted(gateway, MUSIC, { prompt: 'waits' });
    gateway.advance(9000);
    expect(await statusOf(gateway, MUSIC, code)).toBe(0);
    gateway.advance(1000);
    expect(await statusOf(gateway, MUSIC, code)).toBe(1);
  });

  test('one queue for all families, or one for each', async () => {
    for (const [scope, expected] of [
      ['all', 0],
      ['family', 1],
    ] as const) {
      const gateway = await openGateway({ behaviour: { queue: { atOnce: 1, scope } } });
      await submitted(gateway, MUSIC);
      expect(await statusOf(gateway, IMAGE, await submitted(gateway, IMAGE))).toBe(expected);
    }
  });

  test('follow their law and the scale of time', async () => {
    const secondsUnder = async (law: DurationLaw, timeScale: number) => {
      const gateway = await openGateway({
        behaviour: { timeScale, durations: { musicgen: law }, times: { format: 'milliseconds' } },
      });
      const codes: string[] = [];
      for (let at = 0; at < 60; at += 1) codes.push(await submitted(gateway, LYRICS, { prompt: `${at}` }));
      gateway.advance(LONG_MS);
      const records = await Promise.all(codes.map(async (code) => (await poll(gateway, LYRICS, code)).envelope.result));
      return records
        .map((record) => (Number(record['endTime']) - Number(record['addTime'])) / 1000)
        .sort((a, b) => a - b);
    };
    const uniform = await secondsUnder({ law: 'uniform', minSeconds: 10, maxSeconds: 20 }, 1);
    expect(uniform[0]).toBeGreaterThanOrEqual(10);
    expect(uniform[59]).toBeLessThan(20);
    expect(new Set(uniform).size).toBe(60);
    const lognormal = await secondsUnder({ law: 'lognormal', medianSeconds: 100, sigma: 0.5 }, 0.1);
    expect(lognormal[30]).toBeGreaterThan(7);
    expect(lognormal[30]).toBeLessThan(14);
    expect(new Set(await secondsUnder({ law: 'fixed', seconds: 30 }, 0.5))).toEqual(new Set([15]));
  });
});

describe('limits', () => {
  test('so many submits in so many seconds, then 429 with the time to wait; an excess is not charged', async () => {
    const gateway = await openGateway({ behaviour: { limits: { submits: { count: 2, seconds: 10 } } } });
    const tries = [];
    for (let at = 0; at < 3; at += 1) tries.push(await submit(gateway, LYRICS, {}));
    expect(tries.map(({ http }) => http)).toEqual([200, 200, 429]);
    expect(tries[2]?.headers.get('retry-after')).toBe('10');
    expect(gateway.chargeLog()).toHaveLength(2);
    gateway.advance(10_000);
    expect((await submit(gateway, LYRICS, {})).http).toBe(200);
  });

  test('so many requests a second, polls included', async () => {
    const gateway = await openGateway({ behaviour: { limits: { requestsPerSecond: 2, retryAfter: 'none' } } });
    const tries = [
      await submit(gateway, LYRICS, {}),
      await poll(gateway, LYRICS, 'x'),
      await poll(gateway, LYRICS, 'x'),
    ];
    expect(tries.map(({ http }) => http)).toEqual([200, 200, 429]);
    expect(tries[2]?.headers.get('retry-after')).toBeNull();
    gateway.advance(500);
    expect((await poll(gateway, LYRICS, 'x')).http).toBe(200);
  });

  test('so many unfinished tasks of a family; said in an envelope with 200', async () => {
    const gateway = await openGateway({
      behaviour: { ...FIXED_10_S, limits: { activePerFamily: 1, http: 200, code: 455, info: 'busy' } },
    });
    expect((await submit(gateway, LYRICS, {})).envelope.success).toBe(true);
    expect(await submit(gateway, MUSIC, {})).toMatchObject({
      http: 200,
      envelope: { code: 455, info: 'busy', failure: true },
    });
    expect((await submit(gateway, IMAGE, {})).envelope.success).toBe(true);
    gateway.advance(10_001);
    expect((await submit(gateway, MUSIC, {})).envelope.success).toBe(true);
  });

  test('the time to wait can be a date, or a lie', async () => {
    const gateway = await openGateway({
      behaviour: { limits: { requestsPerSecond: 1, retryAfter: 'date', retryAfterSeconds: 315_360_000 } },
    });
    await poll(gateway, LYRICS, 'x');
    const { headers } = await poll(gateway, LYRICS, 'x');
    expect(headers.get('retry-after')).toBe('Sat, 01 Mar 2036 05:06:07 GMT');
  });
});

describe('what a night can run into', () => {
  test('the balance ends', async () => {
    const gateway = await openGateway({ behaviour: { balance: { submits: 1 } } });
    expect((await submit(gateway, LYRICS, {})).envelope.success).toBe(true);
    expect((await submit(gateway, LYRICS, {})).envelope).toMatchObject({
      failure: true,
      code: 402,
      info: 'insufficient balance',
    });
    gateway.setBehaviour({ balance: { submits: null } });
    expect((await submit(gateway, LYRICS, {})).envelope.success).toBe(true);
    expect(gateway.chargeLog()).toHaveLength(2);
  });

  test('the key is revoked, for submits and polls', async () => {
    const gateway = await openGateway({ behaviour: { auth: { revokedAfter: 2 } } });
    const code = await submitted(gateway, LYRICS);
    expect((await poll(gateway, LYRICS, code)).http).toBe(200);
    expect((await poll(gateway, LYRICS, code)).http).toBe(401);
    expect((await submit(gateway, LYRICS, {})).http).toBe(401);
    gateway.setBehaviour({ auth: { revokedAfter: null } });
    expect((await poll(gateway, LYRICS, code)).http).toBe(200);
  });

  test('a prompt is moderated: at once and uncharged, or later and charged', async () => {
    const gateway = await openGateway({ behaviour: { moderation: { words: ['Forbidden'], at: 'submit' } } });
    const refused = await submit(gateway, MUSIC, { tags: ['very FORBIDDEN'] });
    expect(refused.envelope).toMatchObject({ failure: true, info: 'prompt contains sensitive words: Forbidden' });
    expect(gateway.chargeLog()).toEqual([]);
    gateway.setBehaviour({ moderation: { at: 'task' } });
    const code = await submitted(gateway, MUSIC, { prompt: 'forbidden fruit' });
    gateway.advance(LONG_MS);
    expect((await poll(gateway, MUSIC, code)).envelope.result).toMatchObject({
      status: 3,
      message: 'prompt contains sensitive words: Forbidden',
    });
  });

  test('a change of behaviour that is not valid is refused and changes nothing', async () => {
    const gateway = await openGateway({ behaviour: { taskCode: { name: 'id' } } });
    expect(gateway.setBehaviour({ timeScale: -1 })).toMatchObject({ ok: false, error: [{ path: 'timeScale' }] });
    expect(gateway.setBehaviour({ taskCode: { form: 'digits19' } })).toEqual({ ok: true, value: undefined });
    const code = await submitted(gateway, MUSIC);
    expect((await pollBy(gateway, `/musicgen/result?id=${code}`)).envelope.result['taskId']).toBe(code);
  });
});

test.each(Object.entries(PRESETS))(
  'the preset %s gives a whole night: submit, poll, download',
  async (_name, behaviour) => {
    // Pace and faults are tried elsewhere; here it is about the shape of a night.
    const gateway = await openGateway({ behaviour: { ...behaviour, faults: [], limits: {} } });
    const parts = behaviour as BehaviourInput;
    const { text } = await send(gateway, MUSIC, '{"prompt":"night"}');
    const code = /"taskCode":"?([^"}]+)"?\}/.exec(text)?.[1] ?? '';
    expect(code).toBe(gateway.chargeLog()[0]?.taskCode);
    gateway.advance(LONG_MS);
    const { in: place = 'query', name = 'taskCode' } = parts.taskCode ?? {};
    const ask = place === 'path' ? `/${encodeURIComponent(code)}` : `?${name}=${encodeURIComponent(code)}`;
    const { envelope } = await pollBy(gateway, `/musicgen/result${ask}`);
    expect(envelope.result['status']).toBe(parts.status?.succeeded ?? 2);
    const urls = JSON.stringify(envelope.result['musicUrl']).match(/http[^",\\]+/g) ?? [];
    expect(urls).toHaveLength(2);
    const sizes = await Promise.all(urls.map(async (url) => (await (await fetch(url)).arrayBuffer()).byteLength));
    expect(sizes).toEqual(gateway.outputs(code).map(({ bytes }) => bytes));
    expect(gateway.stats().keyLeaks).toBe(0);
    expect(JSON.stringify(gateway.chargeLog())).not.toContain(KEY);
  },
);
