import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inEnglish } from '../../../../src/shared/domain/base/reason.ts';
import { inflateAnswer } from '../../../../src/engine/gateway/inflate-answer.ts';

const TEXT = '{"code":200,"result":{"taskCode":"t-1"}}';

async function inflated(body: Uint8Array | string, encoding?: string, truncated = false) {
  const headers = { 'x-other': 'kept', ...(encoding === undefined ? {} : { 'content-encoding': encoding }) };
  const { raw, brokenBy } = await inflateAnswer({ httpStatus: 200, headers, body: Buffer.from(body), truncated });
  expect(raw.headers).toEqual({ 'x-other': 'kept' });
  return {
    text: Buffer.from(raw.body).toString(),
    truncated: raw.truncated,
    brokenBy: brokenBy && inEnglish(brokenBy),
  };
}

describe('an answer is kept without its content encoding', () => {
  test.each([
    ['gzip', gzipSync(TEXT)],
    ['X-GZIP', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['identity', Buffer.from(TEXT)],
    [undefined, Buffer.from(TEXT)],
    [undefined, gzipSync(gzipSync(TEXT))],
    ['utf-8', Buffer.from(TEXT)],
    ['gzip', Buffer.from(TEXT)],
    ['deflate', Buffer.from(TEXT)],
    ['br, gzip', Buffer.from(TEXT)],
  ])('%s', async (encoding, body) => {
    expect(await inflated(body, encoding)).toEqual({ text: TEXT, truncated: false, brokenBy: undefined });
  });

  test('one that breaks off keeps what came', async () => {
    const long = TEXT + ' '.repeat(50) + Array.from({ length: 500 }, (_, i) => i * 7919).join(',');
    const came = await inflated(gzipSync(long).subarray(0, 400), 'gzip', true);
    expect(came.truncated).toBe(true);
    expect(came.text.startsWith(TEXT)).toBe(true);
  });

  test('one that grows without end is cut at 1 MiB', async () => {
    for (const [encoding, body] of [
      ['gzip', gzipSync(Buffer.alloc(80 << 20))],
      ['br', brotliCompressSync(Buffer.alloc(8 << 20))],
    ] as const) {
      const came = await inflated(body, encoding);
      expect(came).toMatchObject({ truncated: true, brokenBy: 'it is longer than 1 MiB' });
      expect(came.text).toHaveLength(1 << 20);
    }
  });

  test('one that is not what it is said to be is read as it is, and not trusted', async () => {
    const page = '<html>Bad gateway</html>';
    expect(await inflated(page, 'gzip')).toMatchObject({ text: page, truncated: true });
  });

  test('what cannot be looked into is not kept', async () => {
    expect(await inflated(gzipSync(TEXT).subarray(2), 'zstd')).toMatchObject({ text: '', truncated: true });
    expect(await inflated(deflateRawSync(TEXT.repeat(9)))).toMatchObject({ text: '', truncated: true });
    expect(await inflated('', 'gzip')).toEqual({ text: '', truncated: false, brokenBy: undefined });
  });

  test('text of other encodings is kept as it came', async () => {
    for (const body of [Buffer.from('{"info":"é"}', 'latin1'), Buffer.from('{"info":"x"}', 'utf16le')]) {
      const { raw } = await inflateAnswer({ httpStatus: 200, headers: {}, body, truncated: false });
      expect(Buffer.from(raw.body)).toEqual(body);
      expect(raw.truncated).toBe(false);
    }
  });
});
