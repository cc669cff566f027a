import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseProfile } from '../../../../src/shared/domain/gateway/profile.ts';
import type { Envelope, SubmitAnswer } from '../../../../src/shared/domain/gateway/submit-outcome.ts';
import { judgeSubmit } from '../../../../src/shared/domain/gateway/submit-outcome.ts';

function profileOf(json: object = {}) {
  const parsed = parseProfile(json);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

const DEFAULTS = profileOf();
const BLANK: Envelope = { code: '', words: '', success: undefined, failure: undefined, taskCode: '' };

function answer(httpStatus: number, envelope?: Partial<Envelope>): SubmitAnswer {
  return { httpStatus, envelope: envelope && { ...BLANK, ...envelope }, bodyIs: 'an empty body' };
}

const REFUSAL = { failure: true, success: false } as const;

describe('what an answer to a submit means', () => {
  test.each<[string, SubmitAnswer, object]>([
    ['a task code', answer(200, { taskCode: 't', success: true, failure: false }), { kind: 'accepted', taskCode: 't' }],
    ['a task code and no flags', answer(200, { taskCode: 't' }), { kind: 'accepted' }],
    ['a task code and a code that looks bad', answer(200, { taskCode: 't', code: '500' }), { kind: 'accepted' }],
    ['a task code and failure', answer(200, { taskCode: 't', failure: true }), { kind: 'unknown', taskCode: 't' }],
    ['both flags', answer(200, { success: true, failure: true }), { kind: 'unknown' }],
    ['no flags and no task code', answer(200, {}), { kind: 'unknown' }],
    ['success without a task code', answer(200, { success: true, failure: false }), { kind: 'unknown' }],
    ['failure', answer(200, { ...REFUSAL, words: 'no' }), { kind: 'rejected', failure: { message: 'no (HTTP 200)' } }],
    [
      'failure for the key',
      answer(200, { ...REFUSAL, code: '1004' }),
      { kind: 'held', failure: { code: 'AUTH_REJECTED' } },
    ],
    ['failure for its rate', answer(200, { ...REFUSAL, words: 'rate limit' }), { kind: 'rate-limited' }],
    ['no such clip', answer(404, { ...REFUSAL, words: 'clip not found' }), { kind: 'rejected' }],
    [
      'no such path',
      answer(404, { ...REFUSAL, words: 'no such path: /x' }),
      { kind: 'held', failure: { code: 'GATEWAY_PROTOCOL' } },
    ],
    ['404', answer(404), { kind: 'held', failure: { code: 'GATEWAY_PROTOCOL' } }],
    ['405', answer(405), { kind: 'held', failure: { code: 'GATEWAY_PROTOCOL' } }],
    ['401', answer(401), { kind: 'held', failure: { code: 'AUTH_REJECTED' } }],
    ['403', answer(403), { kind: 'held', failure: { code: 'AUTH_REJECTED' } }],
    ['402', answer(402), { kind: 'held', failure: { code: 'BALANCE_EXHAUSTED' } }],
    ['429', { ...answer(429), retryAfterMs: 5 }, { kind: 'rate-limited', retryAfterMs: 5 }],
    [
      '429 without balance',
      answer(429, { ...REFUSAL, words: '余额不足' }),
      { kind: 'held', failure: { code: 'BALANCE_EXHAUSTED' } },
    ],
    [
      'a refusal by HTTP that holds a task code',
      { ...answer(400), seenTaskCode: 't' },
      { kind: 'unknown', taskCode: 't' },
    ],
    [
      'a task code where none belongs, and no failure',
      { ...answer(200, { words: 'ok' }), seenTaskCode: 't' },
      {
        kind: 'unknown',
        taskCode: 't',
        failure: { message: expect.stringContaining('not where the profile has it') as string },
      },
    ],
    [
      'a task code where none belongs, and a failure',
      { ...answer(200, REFUSAL), seenTaskCode: 't' },
      { kind: 'unknown', failure: { message: expect.stringContaining('both a task code and a failure') as string } },
    ],
    ['502 that says failure', answer(502, { ...REFUSAL, words: 'internal error' }), { kind: 'unknown' }],
    [
      '500 that says why',
      answer(500, { ...REFUSAL, words: 'prompt contains sensitive words' }),
      { kind: 'rejected', failure: { code: 'MODERATED' } },
    ],
    ['409 that says failure', answer(409, { ...REFUSAL, words: 'conflict' }), { kind: 'unknown' }],
  ])('%s', (_name, given, expected) => {
    expect(judgeSubmit(given, DEFAULTS)).toMatchObject(expected);
  });

  test.each([400, 413, 415, 422])('HTTP %i is a refusal, whatever the body', (status) => {
    expect(judgeSubmit(answer(status), DEFAULTS)).toMatchObject({
      kind: 'rejected',
      failure: { code: 'INPUT_INVALID' },
    });
  });

  test.each([204, 301, 302, 303, 307, 308, 408, 409, 418, 500, 502, 503, 504])(
    'HTTP %i leaves it unknown',
    (status) => {
      expect(judgeSubmit(answer(status), DEFAULTS)).toMatchObject({
        kind: 'unknown',
        failure: { code: 'SUBMIT_OUTCOME_UNKNOWN' },
      });
    },
  );

  test('the list of refusals is the profile’s', () => {
    expect(judgeSubmit(answer(409), profileOf({ rejectedHttp: [409] })).kind).toBe('rejected');
    expect(judgeSubmit(answer(422), profileOf({ rejectedHttp: [] })).kind).toBe('unknown');
  });

  test('with good codes in the profile another code is a refusal, or a doubt where there is a task code', () => {
    const profile = profileOf({ envelope: { okCodes: [0, 'success'] } });
    expect(judgeSubmit(answer(200, { code: '0', taskCode: 't' }), profile).kind).toBe('accepted');
    expect(judgeSubmit(answer(200, { code: 'success', taskCode: 't' }), profile).kind).toBe('accepted');
    expect(judgeSubmit(answer(200, { code: '7' }), profile).kind).toBe('rejected');
    expect(judgeSubmit(answer(200, { code: '7', taskCode: 't' }), profile)).toMatchObject({
      kind: 'unknown',
      taskCode: 't',
    });
  });

  test('whatever comes: accepted needs a task code, and a task code is never rejected', () => {
    const flag = fc.constantFrom(true, false, undefined);
    const envelope = fc.record({
      code: fc.string(),
      words: fc.string(),
      success: flag,
      failure: flag,
      taskCode: fc.constantFrom('', 't'),
    });
    expect(() => {
      fc.assert(
        fc.property(
          fc.integer({ min: 200, max: 599 }),
          fc.option(envelope, { nil: undefined }),
          (httpStatus, given) => {
            const outcome = judgeSubmit({ httpStatus, envelope: given, bodyIs: 'something' }, DEFAULTS);
            const hasCode = given?.taskCode === 't';
            if (outcome.kind === 'accepted') expect(hasCode && given.failure !== true).toBe(true);
            if (outcome.kind === 'rejected' || outcome.kind === 'held') expect(hasCode).toBe(false);
          },
        ),
      );
    }).not.toThrow();
  });
});
