import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readResult } from '../../src/engine/gateway/read-record.ts';
import { holdsSecret, withoutSecret } from '../../src/engine/gateway/secret-text.ts';
import type { RawAnswer } from '../../src/engine/ports.ts';
import { answerWith } from '../support/scripted-gateway.ts';

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

  test('is read from an answer that was compressed', () => {
    const packed = gzipSync('{"code":200,"result":{"a":1}}');
    expect(readResult(raw(packed, { headers: { 'content-encoding': 'gzip' } }))).toEqual({ a: 1 });
  });

  test('is unknown where the answer was cut, is no JSON or holds none', () => {
    expect(readResult(raw('{"code":200,"result":{"a":1}}', { truncated: true }))).toBeUndefined();
    expect(readResult(raw('<html>'))).toBeUndefined();
    expect(readResult(raw('{"code":500}'))).toBeUndefined();
    expect(readResult(answerWith('[]'))).toBeUndefined();
  });
});

describe('a body that holds the key', () => {
  test('is told however JSON writes it', () => {
    expect(holdsSecret(JSON.stringify({ prompt: 'see key-1234567890' }), 'key-1234567890')).toBe(true);
    expect(holdsSecret(JSON.stringify({ prompt: 'a "quo\\ted" key' }), 'a "quo\\ted" key')).toBe(true);
    expect(holdsSecret(JSON.stringify({ prompt: 'nothing' }), 'key-1234567890')).toBe(false);
    expect(holdsSecret('{"prompt":""}', '')).toBe(false);
  });

  test('is told where it was blotted out of the answer before, and other stars are none', () => {
    const key = 'key-1234567890';
    const kept = withoutSecret(raw(`say ${key}!`), key);
    expect(holdsSecret(new TextDecoder().decode(kept.body), key)).toBe(true);
    expect(holdsSecret('*'.repeat(key.length + 1), key)).toBe(false);
    expect(holdsSecret('***', key)).toBe(false);
  });
});
