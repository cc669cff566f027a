import { expect, test } from 'vitest';
import { isOtherRequest } from '../../../src/engine/request-body.ts';
import type { Json } from '../../../src/shared/domain/base/json.ts';
import type { LinkedField } from '../../../src/shared/domain/cells/reference.ts';
import type { OperationPath } from '../../../src/shared/domain/operations/operations.ts';

const MUSIC = 'musicgen/music/generate';
const VIDEO = 'videogen-a/video/generate';

function isOther(
  body: Readonly<Record<string, Json>>,
  request: Readonly<Record<string, Json>>,
  { operation = MUSIC, links = [] }: { operation?: OperationPath; links?: readonly LinkedField[] } = {},
): boolean {
  return isOtherRequest({ operation, body, links }, { operation, request });
}

test('a request is another one once a field, or the operation, is another one', () => {
  expect(isOther({ prompt: 'rain', title: 'a' }, { title: 'a', prompt: 'rain' })).toBe(false);
  expect(isOther({ prompt: 'rain' }, { prompt: 'snow' })).toBe(true);
  expect(isOther({ prompt: 'rain' }, { prompt: 'rain', title: 'a' })).toBe(true);
  const sent = { operation: VIDEO, request: { prompt: 'rain' } } as const;
  expect(isOtherRequest({ operation: MUSIC, body: { prompt: 'rain' } }, sent)).toBe(true);
});

test('how a gateway wants tags makes no difference', () => {
  expect(isOther({ tags: ['slow', 'sad'] }, { tags: ['slow, sad'] })).toBe(false);
  expect(isOther({ tags: ['slow', 'sad'] }, { tags: ['slow, glad'] })).toBe(true);
});

test('what comes from another row, or is a file of this computer, is not compared', () => {
  const link = { column: 'image_url', value: { kind: 'list', items: [] } } as unknown as LinkedField;
  const asWritten = { image_url: '{{other.url}}', prompt: 'rain' };
  expect(isOther(asWritten, { image_url: 'https://a.example/1', prompt: 'rain' }, { links: [link] })).toBe(false);
  expect(isOther(asWritten, { image_url: 'https://a.example/1', prompt: 'snow' }, { links: [link] })).toBe(true);
  const image = { operation: 'videogen-b/image/generate' } as const;
  expect(isOther({ image_urls: ['./a.png'] }, { image_urls: ['https://a.example/1'] }, image)).toBe(false);
  expect(isOther({ image_urls: ['https://a.example/2'] }, { image_urls: ['https://a.example/1'] }, image)).toBe(true);
});
