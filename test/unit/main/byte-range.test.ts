import { describe, expect, test } from 'vitest';
import { parseByteRange } from '../../../src/main/shell/media-protocol.ts';

describe('a Range header of a player', () => {
  test.each([
    ['bytes=0-', { start: 0, end: 99 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['bytes=90-500', { start: 90, end: 99 }],
    ['bytes=-5', { start: 95, end: 99 }],
    ['bytes=-500', { start: 0, end: 99 }],
    ['bytes = 7 - 8', { start: 7, end: 8 }],
  ])('%s', (header, expected) => {
    expect(parseByteRange(header, 100)).toEqual(expected);
  });

  test.each([null, '', 'bytes=-', 'items=0-1', 'bytes=5-2', 'bytes=0-1,4-5', 'bytes=x-y', 'bytes=1.5-2'])(
    '%s asks for the whole file',
    (header) => {
      expect(parseByteRange(header, 100)).toBe('whole');
    },
  );

  test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%s lies outside', (header) => {
    expect(parseByteRange(header, 100)).toBe('unsatisfiable');
  });

  test('an empty file has no range', () => {
    expect(parseByteRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(parseByteRange('bytes=-1', 0)).toBe('unsatisfiable');
  });
});
