import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readMoney } from '../../../../src/shared/domain/base/money.ts';
import { err, ok } from '../../../../src/shared/domain/base/result.ts';
import { operationOf } from '../../../../src/shared/domain/operations/operations.ts';
import { STATUS_PRESETS } from '../../../../src/shared/domain/gateway/profile-presets.ts';
import {
  DEFAULT_PROFILE,
  baseUrlProblem,
  parseProfile,
  resultPathFor,
} from '../../../../src/shared/domain/gateway/profile.ts';
import { statusMeaning } from '../../../../src/shared/domain/gateway/status-meaning.ts';
import type { Profile } from '../../../../src/shared/domain/gateway/profile.ts';

const MUSIC = operationOf('musicgen/music/generate');
const LYRICS = operationOf('musicgen/music/lyrics');
const IMAGE = operationOf('videogen-b/image/generate');
const VIDEO_B = operationOf('videogen-b/video/generate');

function profileOf(json: object): Profile {
  const parsed = parseProfile(json);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

/** Paths of everything that is wrong with a document. */
function wrongPaths(json: unknown): string[] {
  const parsed = parseProfile(json);
  return parsed.ok ? [] : parsed.error.map(({ path }) => path);
}

describe('the document', () => {
  test('may be empty: every key has the default of the design', () => {
    expect(profileOf({})).toEqual(DEFAULT_PROFILE);
    expect(DEFAULT_PROFILE).toMatchObject({
      taskCode: { in: 'query', name: 'taskCode' },
      status: {},
      envelope: { okCodes: [] },
      rejectedHttp: [400, 401, 403, 404, 405, 413, 415, 422, 429],
      limits: {
        requestsPerSecond: 2,
        activePerFamily: { musicgen: 3, 'videogen-a': 3, 'videogen-b': 3 },
        downloads: 4,
      },
      deadlines: { submitSeconds: 120, pollSeconds: 30, taskHours: 24 },
      media: { allowHosts: [], maxBytes: 4_294_967_296 },
    });
  });

  test('is the same after it was parsed again', () => {
    const once = profileOf({ baseUrl: 'https://gateway.example/api/', status: { musicgen: { '1': 'running' } } });
    expect(once.baseUrl).toBe('https://gateway.example/api');
    expect(profileOf(JSON.parse(JSON.stringify(once)) as object)).toEqual(once);
  });

  test.each<[string, unknown]>([
    ['unknown', { unknown: 1 }],
    ['__proto__', JSON.parse('{"__proto__": {"name": "x"}}')],
    ['limits.activePerFamily.musicgen', { limits: { activePerFamily: { musicgen: 0 } } }],
    ['limits.activePerFamily.other', { limits: { activePerFamily: { other: 1 } } }],
    ['limits.activePerFamily.musicgen', { limits: { activePerFamily: { musicgen: 1.5 } } }],
    ['limits.requestsPerSecond', { limits: { requestsPerSecond: Number.NaN } }],
    ['limits.requestsPerSecond', { limits: { requestsPerSecond: -1 } }],
    ['limits.requestsPerSecond', { limits: { requestsPerSecond: 1e308 } }],
    ['limits.downloads', { limits: { downloads: Number.POSITIVE_INFINITY } }],
    ['deadlines.taskHours', { deadlines: { taskHours: 1e9 } }],
    ['status.elsewhere', { status: { elsewhere: {} } }],
    ['status.musicgen.1', { status: { musicgen: { '1': 'finished' } } }],
    ['resultPaths.musicgen', { resultPaths: { musicgen: '/a/../../b' } }],
    ['resultPaths.musicgen', { resultPaths: { musicgen: 'https://elsewhere.example/' } }],
    ['resultPaths.musicgen', { resultPaths: { musicgen: '/result?x=1' } }],
    ['rejectedHttp.0', { rejectedHttp: [200] }],
    ['rejectedHttp.0', { rejectedHttp: [408] }],
    ['rejectedHttp.1', { rejectedHttp: [400, 503] }],
    [
      'prices.musicgen/music/generate.amount',
      { prices: { 'musicgen/music/generate': { amount: -1, currency: 'USD' } } },
    ],
    ['media.maxBytes', { media: { maxBytes: 0 } }],
    ['media.allowHosts.0', { media: { allowHosts: ['http://host/'] } }],
    ['media.allowHosts.1', { media: { allowHosts: ['nas.lan', '169.254.169.254'] } }],
    ['media.allowHosts.0', { media: { allowHosts: ['169.254.1.1:80'] } }],
    ['media.allowHosts.0', { media: { allowHosts: ['168.63.129.16'] } }],
    ['media.allowHosts.0', { media: { allowHosts: ['[fe80::1]'] } }],
    ['media.allowHosts.0', { media: { allowHosts: ['[FD00:EC2::254]:80'] } }],
    ['media.allowHosts.0', { baseUrl: 'https://gateway.example', media: { allowHosts: ['localhost'] } }],
    ['media.allowHosts.0', { baseUrl: 'https://gateway.example', media: { allowHosts: ['127.0.0.1:8080'] } }],
    ['media.allowHosts.0', { baseUrl: 'https://gateway.example', media: { allowHosts: ['[::1]:80'] } }],
    ['errors.0.match', { errors: [{ match: '(', means: 'auth' }] }],
    ['errors.0.match', { errors: [{ match: '(?=a)', means: 'auth' }] }],
    ['errors.0.means', { errors: [{ match: 'x', means: 'unknown' }] }],
    [
      'suggestions.videogen-a/video/generate.orientations',
      { suggestions: { 'videogen-a/video/generate.orientations': [] } },
    ],
    ['userAgent', { userAgent: 'a\r\nb: c' }],
    ['taskCode.in', { taskCode: { in: 'body' } }],
    ['', []],
    ['', null],
  ])('names %s where that is what is wrong', (path, json) => {
    expect(wrongPaths(json)).toEqual([path]);
  });

  test('every problem has words and a remedy, all at once', () => {
    const parsed = parseProfile({ baseUrl: 'ftp://x', limits: { downloads: 0 }, nope: true });
    expect(parsed).toEqual({
      ok: false,
      error: [
        {
          path: 'baseUrl',
          message: 'Must be an address that starts with https:// or http://.',
          remedy: 'Correct it, or leave it out for the default ("").',
        },
        {
          path: 'limits.downloads',
          message: 'Must be at least 1.',
          remedy: 'Correct it, or leave it out for the default (4).',
        },
        {
          path: 'nope',
          message: 'This key is unknown.',
          remedy: `Remove it, or write one of: ${[...Object.keys(DEFAULT_PROFILE), 'idempotency', 'balance', 'cost'].join(', ')}.`,
        },
      ],
    });
  });

  test('anything at all is a profile or a list of problems', () => {
    expect(() => {
      fc.assert(
        fc.property(fc.jsonValue(), (json) => {
          const parsed = parseProfile(json);
          return parsed.ok || parsed.error.every(({ message, remedy }) => message !== '' && remedy !== '');
        }),
      );
    }).not.toThrow();
  });
});

test.each([
  ['https://gateway.example/api', true],
  ['http://127.0.0.1:8080', true],
  ['http://[::1]:8080/x', true],
  ['https://gâteau.example', true],
  ['https://user:secret@gateway.example', false],
  ['https://gateway.example/api?key=1', false],
  ['https://gateway.example/#x', false],
  ['https://gateway.example\\@elsewhere.example', false],
  ['https://gateway.example:99999', false],
  ['https:///api', false],
  ['javascript:alert(1)', false],
  ['https://gate way.example', false],
  ['https://gateway.example/\n', false],
])('%s is a base URL: %s', (url, isGood) => {
  expect(baseUrlProblem(url) === undefined).toBe(isGood);
});

describe('status', () => {
  test('an operation wins over its family, which serves where the operation is silent', () => {
    const profile = profileOf({
      status: { musicgen: { '1': 'running', '2': 'succeeded' }, 'musicgen/music/lyrics': { '1': 'succeeded' } },
    });
    expect(statusMeaning(profile, LYRICS, '1')).toBe('succeeded');
    expect(statusMeaning(profile, LYRICS, '2')).toBe('succeeded');
    expect(statusMeaning(profile, MUSIC, '1')).toBe('running');
    expect(statusMeaning(profile, IMAGE, '1')).toBeUndefined();
  });

  test('words are recognised in any case, and names of every object are no words', () => {
    const profile = profileOf({ status: { musicgen: STATUS_PRESETS.words } });
    expect(statusMeaning(profile, MUSIC, 'SUCCESS')).toBe('succeeded');
    for (const name of ['constructor', '__proto__', 'toString', '']) {
      expect(statusMeaning(profile, MUSIC, name)).toBeUndefined();
    }
  });

  test.each(Object.entries(STATUS_PRESETS))('the preset %s is a table that a profile takes', (_name, table) => {
    expect(profileOf({ status: { musicgen: table, 'videogen-a': table } }).status.musicgen).toEqual(table);
  });
});

test('the result path is the operation’s, else the family’s, else the interface’s', () => {
  expect(resultPathFor(DEFAULT_PROFILE, IMAGE)).toBe('/videogen-b/result');
  const profile = profileOf({ resultPaths: { 'videogen-b/image/generate': '/images/result' } });
  expect(resultPathFor(profile, IMAGE)).toBe('/images/result');
  expect(resultPathFor(profile, VIDEO_B)).toBe('/videogen-b/result');
});

test('a currency counts in capitals, wherever it is written: a limit in it knows every amount', () => {
  const read = parseProfile({
    baseUrl: 'https://gateway.example/api',
    prices: { 'musicgen/music/lyrics': { amount: 5, currency: 'credits' } },
    cost: { in: 'body', path: 'result.credits', currency: 'Credits' },
    balance: { path: '/account', field: 'left', currency: 'CREDITS' },
  });
  const inCapitals = { currency: 'CREDITS' };
  expect(read).toMatchObject({
    value: { prices: { 'musicgen/music/lyrics': inCapitals }, cost: inCapitals, balance: inCapitals },
  });
  expect(readMoney('6 credits', [])).toEqual(ok({ amount: 6, currency: 'CREDITS' }));
  // A thousand, or one: whoever guesses lets a night cost a thousand times as much as was meant.
  // A sign is a currency where only one is meant.
  for (const [text, currencies, currency] of [
    ['0.8元', ['CNY', 'CNY'], 'CNY'],
    ['￥0.8', ['CNY', 'USD'], 'CNY'],
    ['¥ 0.8', ['JPY'], 'JPY'],
    ['$0.80', ['USD', 'EUR'], 'USD'],
    ['0,8 €', [], 'EUR'],
    ['£0.8', [], 'GBP'],
  ] as const) {
    expect([text, readMoney(text, currencies)]).toEqual([text, ok({ amount: 0.8, currency })]);
  }
  for (const [text, currencies, example] of [
    ['0.8元', [], '0.8 CNY'],
    ['¥0.8', ['CNY', 'JPY'], '0.8 CNY'],
    ['0.8$', ['EUR'], '0.8 USD'],
  ] as const) {
    expect(readMoney(text, currencies)).toEqual(err(`Enter the currency as well, such as ${example}.`));
  }
  for (const text of ['¥', '€€1', '$1 EUR', '1 $ 2']) expect(readMoney(text, ['CNY']).ok).toBe(false);
  expect(readMoney('12,500', ['EUR'])).toMatchObject({ ok: false });
  expect(readMoney('1,000,000EUR', [])).toEqual(ok({ amount: 1_000_000, currency: 'EUR' }));
  expect(readMoney('1,000.50', ['EUR'])).toEqual(ok({ amount: 1000.5, currency: 'EUR' }));
  expect(readMoney('1,000 EUR', [])).toEqual(err('“1,000” can mean two amounts. Enter 1000 or 1.000.'));
  for (const text of ['0,125 EUR', '0.125 EUR', '12,5 EUR', '12,5000 EUR', '1.000 EUR'])
    expect(readMoney(text, ['EUR'])).toMatchObject({ ok: true });
});
