import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/shared/domain/base/json.ts';
import {
  type AnswerShape,
  lookOf,
  measuresIn,
  type Measure,
} from '../../../../src/shared/domain/gateway/learned/answer-look.ts';
import { AnswerTally, LEARNED_KEPT } from '../../../../src/shared/domain/gateway/learned/learned.ts';

const NOW = Date.UTC(2026, 0, 15);
const JSON_HEAD = { 'content-type': 'application/json; charset=utf-8' };

describe('the looks of an answer', () => {
  test('are the fields of the interface and what they held, never what they said', () => {
    const whole = {
      code: 200,
      info: '',
      success: true,
      result: { taskCode: 'secret-code-1', status: 2, videoUrl: 'https://media.example/a-red-fox.mp4' },
      prompt: 'a red fox',
      'a red fox': 1,
    };
    const look = lookOf(JSON_HEAD, whole, 'taskCode');
    expect(look).toEqual({
      content: 'json',
      code: '200',
      fields:
        'code:number info:empty result:object success:true result.taskCode:text result.status:number result.videoUrl:text',
      found: '',
      way: 'taskCode',
    });
  });

  test('name a code only if it can be nothing else', () => {
    const codeOf = (code: Json) => lookOf({}, { code }, '').code;
    expect(['1002', -1, 0, 'SUCCESS'].map(codeOf)).toEqual(['1002', '-1', '0', 'SUCCESS']);
    expect([1234567890, 'sk-a-key', 'fox', { a: 1 }, ''].map(codeOf)).toEqual([
      '(number)',
      '(text)',
      '(text)',
      '(object)',
      '',
    ]);
  });

  test('say where else a code or an address stood, by known names alone', () => {
    const foundIn = (whole: Json) => lookOf({}, whole, '').found;
    expect(foundIn({ code: 200, data: { task_id: 'x1' } })).toBe('data.task_id');
    expect(foundIn({ data: [{ output: { image_url: 'https://m.example/1.png' } }] })).toBe('data.output.image_url');
    expect(foundIn({ 'a red fox': { task_id: 'x1' } })).toBe('');
    expect(foundIn({ result: { taskCode: 'x1' }, data: { id: 1 } })).toBe('');
    expect(lookOf({ 'content-type': 'text/html' }, undefined, '')).toMatchObject({ content: 'html', fields: '' });
  });
});

describe('the numbers of an answer', () => {
  const rates = (headers: Record<string, string>): readonly Measure[] => measuresIn(headers, undefined, NOW);

  test('are what headers allow, by the second where they say for how long', () => {
    expect(rates({ 'ratelimit-policy': '"burst";q=10;w=1, "daily";q=3600;w=3600' })).toEqual([
      { kind: 'rate-per-second', at: 'RateLimit-Policy', value: 10 },
      { kind: 'rate-per-second', at: 'RateLimit-Policy', value: 1 },
    ]);
    expect(rates({ 'ratelimit-limit': '100, 100;w=50' })).toEqual([
      { kind: 'rate-limit', at: 'RateLimit-Limit', value: 100 },
      { kind: 'rate-per-second', at: 'RateLimit-Limit', value: 2 },
    ]);
    expect(rates({ 'x-ratelimit-limit-minute': '30' })).toEqual([
      { kind: 'rate-per-second', at: 'X-RateLimit-Limit-Minute', value: 0.5 },
    ]);
    expect(rates({ 'retry-after': '7' })).toEqual([{ kind: 'retry-after', at: 'Retry-After', value: 7 }]);
    expect(rates({ 'x-ratelimit-limit': 'sk-secret', 'ratelimit-policy': 'w=0', 'retry-after': 'soon' })).toEqual([]);
  });

  test.each(['credits_left', 'creditsLeft', 'quota', 'quota_remaining', 'remaining_quota', 'balance'])(
    'at %s is what is left, and no cost',
    (name) => {
      expect(measuresIn({}, { [name]: 5 }, 0)).toEqual([{ kind: 'balance', at: name, value: 5 }]);
    },
  );

  test('are no costs that no request has', () => {
    expect(measuresIn({}, { cost: 1_000_000, data: { cost: 1_000_001 } }, 0)).toEqual([
      { kind: 'cost', at: 'cost', value: 1_000_000 },
    ]);
  });

  test('are costs and balances under their usual names, and nothing else', () => {
    const body = { result: { credits: 0.4, user_id: 12, credits_remaining: '7.5' }, usage: [{ total_cost: -1 }] };
    expect(measuresIn({}, body, NOW)).toEqual([
      { kind: 'cost', at: 'result.credits', value: 0.4 },
      { kind: 'balance', at: 'result.credits_remaining', value: 7.5 },
    ]);
    expect(measuresIn({}, { 'my cost': 3, deep: { cost: 3 }, cost: 'much' }, NOW)).toEqual([]);
  });
});

describe('answers are counted in memory', () => {
  const shape = (code: string): AnswerShape => ({
    ...lookOf({}, { code: Number(code) }, 'taskCode'),
    call: 'poll',
    operation: 'videogen-b/image/generate',
    httpStatus: 200,
    became: 'running',
  });
  const GATEWAY = 'https://gateway.example/api';

  test('and written when something is new, after many, and after a while', () => {
    const tally = new AnswerTally();
    const cost = (value: number): Measure => ({ kind: 'cost', at: 'credits', value });
    expect(tally.count(GATEWAY, shape('1'), [cost(2)], NOW)?.shapes).toMatchObject([{ answers: 1 }]);
    for (let i = 0; i < 63; i += 1) expect(tally.count(GATEWAY, shape('1'), [cost(i)], NOW + 1)).toBeUndefined();
    const { operation } = shape('1');
    expect(tally.count(GATEWAY, shape('1'), [], NOW + 2)).toEqual({
      shapes: [{ shape: shape('1'), answers: 64 }],
      measures: [{ operation, kind: 'cost', at: 'credits', count: 63, least: 0, most: 62 }],
    });
    expect(tally.count(GATEWAY, shape('1'), [], NOW + 3)).toBeUndefined();
    expect(tally.count(GATEWAY, shape('1'), [], NOW + 6000)?.shapes).toMatchObject([{ answers: 2 }]);
    expect(tally.count('https://other.example', shape('1'), [], NOW + 6000)?.shapes).toMatchObject([{ answers: 1 }]);
  });

  test('and a gateway that invents new ones without end is given only so many', () => {
    const tally = new AnswerTally();
    let written = 0;
    for (let i = 0; i < LEARNED_KEPT * 3; i += 1) {
      const at: Measure = { kind: 'cost', at: `field${i}`, value: 1 };
      const given = tally.count(GATEWAY, shape(String(i)), [at], NOW);
      written = Math.max(written, (given?.shapes.length ?? 0) + (given?.measures.length ?? 0));
      if (i >= LEARNED_KEPT) expect(given?.shapes ?? []).toHaveLength(0);
    }
    expect(written).toBeLessThanOrEqual(2);
  });
});
