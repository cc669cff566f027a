import { describe, expect, test } from 'vitest';
import { readResult } from '../../../../src/engine/gateway/read-record.ts';
import type { RawAnswer } from '../../../../src/engine/ports/media-gateway.ts';
import { answerWith } from '../../../support/scripted-gateway.ts';

function raw(body: string | Uint8Array, different: Partial<RawAnswer> = {}): RawAnswer {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return { httpStatus: 200, headers: {}, body: bytes, truncated: false, ...different };
}

describe('the result in an answer that was kept', () => {
  test('has every digit as it came', () => {
    expect(readResult(answerWith('{"id":12345678901234567890,"n":1.5}'))).toEqual({
      id: '12345678901234567890',
      n: 1.5,
    });
  });

  test('is the record, also where the gateway gives a list of one', () => {
    expect(readResult(answerWith('[{"musicUrl":"https://x/a"}]'))).toEqual({ musicUrl: 'https://x/a' });
  });

  test('is unknown where the answer was cut, is no JSON or holds none', () => {
    expect(readResult(raw('{"code":200,"result":{"a":1}}', { truncated: true }))).toBeUndefined();
    expect(readResult(raw('<html>'))).toBeUndefined();
    expect(readResult(raw('{"code":500}'))).toBeUndefined();
    expect(readResult(answerWith('[]'))).toBeUndefined();
  });
});
