import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEnvelope } from '../../../../src/engine/gateway/envelope.ts';
import type { ReadBody } from '../../../../src/engine/gateway/envelope.ts';
import { memberText, parseLossless, type Json } from '../../../../src/shared/domain/base/json.ts';
import { inEnglish } from '../../../../src/shared/domain/base/reason.ts';
import { readPollAnswer, readSubmitAnswer } from '../../../../src/engine/gateway/read-answer.ts';
import { readRecord } from '../../../../src/engine/gateway/read-record.ts';
import { pollTarget } from '../../../../src/engine/gateway/task-codes.ts';
import { OPERATION_PATHS, operationOf } from '../../../../src/shared/domain/operations/operations.ts';
import type { OperationPath } from '../../../../src/shared/domain/operations/operations.ts';
import { FRESH_POLL_MEMORY } from '../../../../src/shared/domain/gateway/poll-answer.ts';
import { judgePoll } from '../../../../src/shared/domain/gateway/poll-outcome.ts';
import { DEFAULT_PROFILE } from '../../../../src/shared/domain/gateway/profile.ts';
import { judgeSubmit } from '../../../../src/shared/domain/gateway/submit-outcome.ts';
import { CHARACTER } from '../../../support/any-text.ts';

const MUSIC = 'musicgen/music/generate';
const A = 'https://media.example/a.mp3';
const B = 'https://media.example/b.mp3';

function read(text: string): ReadBody {
  const body = readEnvelope(new TextEncoder().encode(text), false);
  if (!('envelope' in body)) throw new Error(inEnglish(body.bodyIs));
  return body;
}

function recordOf(result: string, path: OperationPath = MUSIC) {
  return readRecord(read(`{"result":${result}}`), operationOf(path));
}

describe('JSON keeps its digits', () => {
  test('long whole numbers become text, everywhere but inside of text', () => {
    const text =
      '{"a":1234567890123456789,"b":[-12345678901234567890],"c":"x 1234567890123456789 \\" 1","d":1.5,"e":12}';
    expect(parseLossless(text)).toEqual({
      a: '1234567890123456789',
      b: ['-12345678901234567890'],
      c: 'x 1234567890123456789 " 1',
      d: 1.5,
      e: 12,
    });
  });

  test('everything else is what JSON.parse makes of it', () => {
    expect(() => {
      fc.assert(
        fc.property(fc.jsonValue(), (value) => {
          const text = JSON.stringify(value);
          if (!/\d{16}/.test(text)) expect(parseLossless(text)).toEqual(JSON.parse(text));
        }),
      );
    }).not.toThrow();
  });

  test('any text at all is a value or undefined', () => {
    expect(() => {
      fc.assert(fc.property(fc.string({ unit: CHARACTER }), (text) => [parseLossless(text)].length === 1));
    }).not.toThrow();
  });

  test('the raw text of a member is what stands there, the last of a name that comes twice', () => {
    expect(
      memberText('{ "x" : [1, {"result": 5}], "result" : {"a": 12345678901234567890.50, "b":"},"} }', 'result'),
    ).toBe('{"a": 12345678901234567890.50, "b":"},"}');
    expect(memberText('{"result":1,"r\\u0065sult":2}', 'result')).toBe('2');
    expect(memberText('{"other":{"result":1}}', 'result')).toBeUndefined();
    expect(memberText('[{"result":1}]', 'result')).toBeUndefined();
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, result) => {
        const text = JSON.stringify({ before, result, after: [result] });
        expect(memberText(text, 'result')).toBe(JSON.stringify(result));
      }),
    );
  });
});

describe('the envelope', () => {
  test('flags may be numbers or words, words may stand in other fields', () => {
    expect(read('{"code":"E7","msg":"no","success":0,"failure":"true","result":null}').envelope).toEqual({
      code: 'E7',
      words: 'no',
      success: false,
      failure: true,
      taskCode: '',
    });
    expect(read('{"error":{"message":"deep"}}').envelope.words).toBe('deep');
    expect(read('{"result":{"message":"inside"}}').envelope.words).toBe('inside');
  });

  test.each([
    ['"t-1"', 't-1'],
    ['1234567890123456789', '1234567890123456789'],
    ['42', '42'],
    ['" "', ''],
    ['""', ''],
    ['null', ''],
    ['{"code":1}', ''],
    ['"\\ud800"', ''],
    ['"a\\u0000b"', ''],
    [JSON.stringify('x'.repeat(1001)), ''],
  ])('a task code of %s is %j', (json, code) => {
    expect(read(`{"result":{"taskCode":${json}}}`).envelope.taskCode).toBe(code);
  });

  test.each([
    ['', 'an empty body'],
    ['<!DOCTYPE html><p>busy', 'a web page instead of JSON'],
    ['{"result":{"taskCode":"t-9"', 'a body that is not JSON'],
    ['[1]', 'JSON that is not an object'],
  ])('%j is %s', (text, bodyIs) => {
    const body = readEnvelope(new TextEncoder().encode(text), false);
    expect('bodyIs' in body && inEnglish(body.bodyIs)).toBe(bodyIs);
  });

  test.each([
    ['{"result":{"taskCode":"t\\/9"', 't/9'],
    ['{"result":{"taskCode":1234567890123456789}', '1234567890123456789'],
    ['{"result":{"taskCode":"t-9', undefined],
    ['{"result":{"taskCode":123', undefined],
  ])('what broke off, %s, holds the code %s as evidence', (text, code) => {
    const body = readEnvelope(new TextEncoder().encode(text), true);
    expect('envelope' in body ? 'read' : body.seenTaskCode()).toBe(code);
  });
});

describe('a refused submit', () => {
  function judged(text: string, { httpStatus = 200, sent = '{}' } = {}) {
    const body = readEnvelope(new TextEncoder().encode(text), false);
    const answer = readSubmitAnswer({ httpStatus, body, retryAfterMs: undefined }, new TextEncoder().encode(sent));
    return judgeSubmit(answer, DEFAULT_PROFILE);
  }

  const REFUSED = '"failure":true,"success":false,"info":"too many requests"';

  test.each([
    `{"code":200,${REFUSED},"result":{"taskCode":"t-1"},"result":null}`,
    `{"code":200,${REFUSED},"result":{"t\\u0061skCode":"t-1"},"result":null}`,
    `{"code":429,${REFUSED},"result":{"task_code":"t-1"}}`,
    `{"code":200,${REFUSED},"result":null,"data":{"taskId":"t-1"}}`,
    `{"code":200,${REFUSED},"result":null,"task_id":"t-1"}`,
    `{"code":200,${REFUSED},"result":null,"debug":"{\\"taskCode\\":\\"t-1\\"}"}`,
  ])('whose bytes hold a task code may have been charged: %s', (text) => {
    for (const httpStatus of [200, 400, 429, 500]) {
      expect(judged(text, { httpStatus })).toMatchObject({ kind: 'unknown', taskCode: 't-1' });
    }
  });

  test.each(['{"id":"x"}', '{"message":"no","ids":[1]}', '"x"', '[1]', '17'])(
    'that holds a result may have been charged: %s',
    (result) => {
      expect(judged(`{${REFUSED},"result":${result}}`).kind).toBe('unknown');
      expect(judged(`{${REFUSED},"result":${result}}`, { httpStatus: 503 }).kind).toBe('unknown');
      expect(judged(`{${REFUSED},"result":${result}}`, { httpStatus: 429 }).kind).toBe('rate-limited');
    },
  );

  test.each(['null', '{}', '""', '[]', '{"taskCode":null,"taskId":"","status":0}', '{"message":"slow down"}'])(
    'that holds nothing is one: %s',
    (result) => {
      expect(judged(`{${REFUSED},"result":${result}}`).kind).toBe('rate-limited');
    },
  );

  test('that repeats an id of its request is one', () => {
    const echo = { httpStatus: 400, sent: '{"clip_id":"t-1"}' };
    expect(judged('{"failure":true,"info":"no such clip","taskId":"t-1"}', echo).kind).toBe('rejected');
    expect(judged('{"failure":true,"info":"no such clip","taskId":"t-2"}', echo).kind).toBe('unknown');
  });
});

describe('a refusal that speaks of permission', () => {
  const THIS_VOICE = 'You have no permission to use this voice';
  const refused = (code: string, info: string) => `{"code":${code},"failure":true,"success":false,"info":"${info}"}`;

  test.each([
    [200, refused('400', THIS_VOICE), { kind: 'rejected', failure: { code: 'INPUT_INVALID' } }],
    [400, refused('400', THIS_VOICE), { kind: 'rejected', failure: { code: 'INPUT_INVALID' } }],
    [200, refused('403', THIS_VOICE), { kind: 'held' }],
    [403, refused('400', THIS_VOICE), { kind: 'held' }],
    [200, refused('400', 'Invalid API key'), { kind: 'held' }],
  ])('of a submit, HTTP %i %s', (httpStatus, text, expected) => {
    const answer = readSubmitAnswer({ httpStatus, body: read(text), retryAfterMs: undefined }, new Uint8Array());
    expect(judgeSubmit(answer, DEFAULT_PROFILE)).toMatchObject(expected);
  });

  test.each([
    [200, refused('400', THIS_VOICE), 'other'],
    [200, refused('403', 'Access denied: this voice is not authorised by its owner'), 'other'],
    [200, refused('403', 'Forbidden'), 'auth'],
    [200, refused('403', ''), 'auth'],
    [200, refused('403', 'Access denied: invalid API key'), 'auth'],
    [200, refused('401', THIS_VOICE), 'auth'],
    [403, refused('403', THIS_VOICE), 'auth'],
  ])('of a poll, HTTP %i %s, stops no others: %s', (httpStatus, text, means) => {
    const response = { httpStatus, body: read(text), retryAfterMs: undefined };
    expect(readPollAnswer(response, operationOf(MUSIC), DEFAULT_PROFILE)).toMatchObject({ kind: 'refused', means });
  });
});

describe('the addresses of a record', () => {
  test.each<[string, Json, string[]]>([
    ['one', { musicUrl: A }, [A]],
    ['none yet', { musicUrl: '', message: 'soon' }, []],
    ['null', { musicUrl: null }, []],
    ['two with a comma', { musicUrl: `${A},${B}` }, [A, B]],
    ['two with a comma, a blank and a line break', { musicUrl: `${A}, \n${B},` }, [A, B]],
    ['commas of its own', { musicUrl: `${A}?w=1,2,3` }, [`${A}?w=1,2,3`]],
    ['a list', { musicUrl: [A, B] }, [A, B]],
    ['a list as text', { musicUrl: JSON.stringify([A, B]) }, [A, B]],
    ['a list as text in text', { musicUrl: JSON.stringify(JSON.stringify([A, B])) }, [A, B]],
    ['the same twice', { musicUrl: `${A},${A}` }, [A]],
    ['objects with pictures', { musicUrl: [{ audio_url: A, image_url: 'https://media.example/a.png', id: 'x' }] }, [A]],
    ['in the other media field', { videoUrl: A }, [A]],
    ['elsewhere', { data: { clips: [{ audioUrl: A, coverUrl: B }] } }, [A]],
    ['in the media field, not elsewhere', { musicUrl: A, pictureUrl: B }, [A]],
    ['mentioned in a sentence', { message: `see ${A}` }, []],
    ['of another scheme, to be refused by name', { musicUrl: 'file:///etc/passwd' }, ['file:///etc/passwd']],
    ['a scheme without a host', { musicUrl: 'https:///x' }, []],
  ])('%s', (_name, result, urls) => {
    expect(recordOf(JSON.stringify(result)).urls).toEqual(urls);
  });

  test('are found at once in as many separators as an answer can hold', () => {
    for (const separator of [',', ' ', '; |']) {
      const many = separator.repeat(300_000);
      const result = JSON.stringify({ musicUrl: `${A}${many}x${many}${B}${many}` });
      expect(recordOf(result).urls).toEqual([`${A}${many}x`, B]);
    }
  });

  test('of an image operation are its images', () => {
    const result = JSON.stringify({ videoUrl: [{ imageUrl: 'https://m.example/1.png', prompt: 'x' }] });
    expect(recordOf(result, 'videogen-b/image/generate').urls).toEqual(['https://m.example/1.png']);
  });
});

describe('the rest of a record', () => {
  test('is text as it came', () => {
    const record = recordOf(
      '{"status":1234567890123456789,"taskId":1234567890123456788,"endTime":1753459663,"message":null}',
    );
    expect(record).toMatchObject({
      status: '1234567890123456789',
      taskId: '1234567890123456788',
      endTime: '1753459663',
      message: '',
    });
  });

  test('a data result is kept whole, digit by digit, with the ids that later rows refer to', () => {
    const result = '{"status":2, "message":"{\\"clip_id\\":\\"c-1\\"}", "n": 0.10, "personas":[{"persona_id":77}]}';
    const record = recordOf(result, 'musicgen/music/upload');
    expect(record.document).toBe(result);
    expect(record.ids).toEqual({ clip_id: 'c-1', persona_id: '77' });
  });

  test('a list of one record is that record', () => {
    expect(recordOf(`[{"status":2,"musicUrl":"${A}"}]`)).toMatchObject({ status: '2', urls: [A] });
  });
});

test('any bytes as an answer to anything are judged, and nothing throws', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.jsonValue().map((value) => new TextEncoder().encode(JSON.stringify(value))),
    fc.jsonValue().map((result) => new TextEncoder().encode(JSON.stringify({ code: 1, result, success: true }))),
  );
  fc.assert(
    fc.property(
      bytes,
      fc.boolean(),
      fc.integer({ min: 200, max: 599 }),
      fc.constantFrom(...OPERATION_PATHS),
      (body, truncated, httpStatus, path) => {
        const seen = readEnvelope(body, truncated);
        const envelope = 'envelope' in seen ? seen.envelope : undefined;
        judgeSubmit({ httpStatus, envelope, bodyIs: 'bodyIs' in seen ? seen.bodyIs : '' }, DEFAULT_PROFILE);
        const operation = operationOf(path);
        const answer = readPollAnswer({ httpStatus, body: seen, retryAfterMs: undefined }, operation, DEFAULT_PROFILE);
        const { memory } = judgePoll({
          answer,
          memory: FRESH_POLL_MEMORY,
          operation,
          profile: DEFAULT_PROFILE,
          now: 1000,
          submittedAt: 0,
        });
        expect(JSON.parse(JSON.stringify(memory))).toEqual(memory);
      },
    ),
    { numRuns: 500 },
  );
});

describe('a task code in an address', () => {
  test('comes back as it was, from the query and from the path', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER, minLength: 1 }), fc.string({ minLength: 1 }), (code, name) => {
        const inQuery = pollTarget('/musicgen/result', { in: 'query', name }, code);
        const query = new URL(`http://h${inQuery}`);
        expect([query.pathname, [...query.searchParams]]).toEqual(['/musicgen/result', [[name, code]]]);
        const inPath = pollTarget('/musicgen/result', { in: 'path' }, code);
        if (code === '.' || code === '..') expect(inPath).toBeUndefined();
        else expect(decodeURIComponent(new URL(`http://h${inPath}`).pathname)).toBe(`/musicgen/result/${code}`);
      }),
    );
  });

  test.each(['../x', '?a=b', '#x', '%2e%2e/', 'a/b', 'a b', 'ü'])('%j is no path, no query and no fragment', (code) => {
    const target = pollTarget('/r', { in: 'path' }, code) ?? '';
    expect(target.slice(3)).not.toMatch(/[/?# ]/);
  });
});
