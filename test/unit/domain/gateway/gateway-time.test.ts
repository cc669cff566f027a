import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBlankTime, parseGatewayTime, retryAfterMs } from '../../../../src/shared/domain/gateway/gateway-time.ts';

const AT = Date.UTC(2025, 6, 25, 16, 7, 43);

describe('times of a gateway', () => {
  test.each([
    ['2025-07-25T16:07:43Z', { kind: 'instant', ms: AT }],
    ['2025-07-25T16:07:43.000Z', { kind: 'instant', ms: AT }],
    ['2025-07-26T00:07:43+08:00', { kind: 'instant', ms: AT }],
    ['2025-07-26T00:07:43+0800', { kind: 'instant', ms: AT }],
    [`${AT / 1000}`, { kind: 'instant', ms: AT }],
    [`${AT}`, { kind: 'instant', ms: AT }],
    ['2025-07-25 16:07:43', { kind: 'wall', text: '2025-07-25 16:07:43' }],
    ['2025/07/25 16:07', { kind: 'wall', text: '2025-07-25 16:07' }],
    ['yesterday', undefined],
    ['2025-13-45 99:99:99', undefined],
    ['', undefined],
  ])('%s', (text, time) => {
    expect(parseGatewayTime(text)).toEqual(time);
  });

  test('a time that stands for none is blank', () => {
    const blank = [
      '',
      ' ',
      '0',
      '-',
      '-1',
      'null',
      '0001-01-01T00:00:00Z',
      '1970-01-01 00:00:00',
      '0000-00-00 00:00:00',
    ];
    expect(blank.every(isBlankTime)).toBe(true);
    expect(['2025-07-25 16:07:43', '1753459663', 'soon'].some(isBlankTime)).toBe(false);
  });

  test('any text is read or not, and none throws', () => {
    expect(() => {
      fc.assert(fc.property(fc.string(), (text) => [parseGatewayTime(text), isBlankTime(text)].length === 2));
    }).not.toThrow();
  });
});

describe('Retry-After', () => {
  test.each([
    ['7', 7000],
    ['0', 0],
    ['1.5', 1500],
    [new Date(AT + 60_000).toUTCString(), 60_000],
    [new Date(AT - 60_000).toUTCString(), 0],
    ['315360000', 900_000],
    [new Date(AT + 315_360_000_000).toUTCString(), 900_000],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s', (header, ms) => {
    expect(retryAfterMs(header, AT)).toBe(ms);
  });
});
