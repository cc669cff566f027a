import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCell, quoteCell } from '../../../../src/shared/domain/cells/cell-value.ts';
import type { LeafType } from '../../../../src/shared/domain/operations/operations.ts';
import { CHARACTER } from '../../../support/any-text.ts';

function outcome(text: string, type: LeafType): unknown {
  const value = parseCell(text, type);
  return value.ok ? value.value : value.error.code;
}

describe('cells as values', () => {
  test('a cell of a million digits is no number, which is seen at once', () => {
    expect(outcome('1'.repeat(1_000_000), 'number')).toBe('value-type');
    expect(outcome(`${'1'.repeat(1_000_000)}x`, 'number')).toBe('value-type');
    expect(outcome(`${'1'.repeat(1_000_000)}x`, 'int32')).toBe('value-type');
  });

  test.each<[LeafType, string, unknown]>([
    ['string', ' as it is\n', ' as it is\n'],
    ['string', '{name} and __animals__', '{name} and __animals__'],
    ['string', '""', ''],
    ['string', '"quoted"', '"quoted"'],
    ['boolean', 'TRUE', true],
    ['boolean', ' Yes ', true],
    ['boolean', '1', true],
    ['boolean', 'false', false],
    ['boolean', 'No', false],
    ['boolean', '0', false],
    ['boolean', 'wahr', 'value-type'],
    ['boolean', '""', 'value-type'],
    ['int32', ' 42 ', 42],
    ['int32', '-2147483648', -2147483648],
    ['int32', '2147483647', 2147483647],
    ['int32', '2147483648', 'value-range'],
    ['int32', '30.0', 30],
    ['int32', '30.5', 'value-type'],
    ['int32', '1e3', 'value-type'],
    ['int32', '30 s', 'value-type'],
    ['int32', '0x10', 'value-type'],
    ['integer', '9007199254740991', 9007199254740991],
    ['integer', '9007199254740992', 'value-range'],
    ['number', '7.5', 7.5],
    ['number', '.5', 0.5],
    ['number', '1e3', 1000],
    ['number', '-0', 0],
    ['number', '7,5', 'value-type'],
    ['number', 'Infinity', 'value-type'],
    ['number', '1e999', 'value-type'],
    ['number', 'NaN', 'value-type'],
    ['string[]', 'calm', ['calm']],
    ['string[]', ' calm | slow piano ', ['calm', 'slow piano']],
    ['string[]', 'calm||piano|', ['calm', 'piano']],
    ['string[]', '["a|b", " c "]', ['a|b', ' c ']],
    ['string[]', '[]', []],
    ['string[]', '""', ['']],
    ['string[]', '|', 'value-type'],
    ['string[]', '[calm, piano]', 'value-type'],
    ['string[]', '[1, 2]', 'value-type'],
  ])('%s %j is %j', (type, text, expected) => {
    expect(outcome(text, type)).toEqual(expected);
  });

  test('a decimal comma is answered with the number in the right way', () => {
    expect(parseCell('7,5', 'number')).toMatchObject({ error: { remedy: expect.stringContaining('7.5') as string } });
  });

  test('texts are sent byte for byte, except for two quotation marks alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER }), (text) => {
        fc.pre(text !== '""');
        expect(outcome(text, 'string')).toBe(text);
      }),
    );
  });

  test('a quoted cell is one short line without characters that a terminal would obey', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER, maxLength: 200 }), (text) => {
        const quoted = quoteCell(text);
        expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
        expect(quoted.length).toBeLessThan(500);
      }),
    );
    expect(quoteCell('a\nb\u001B[31m\u202Ec')).toBe('“a↵b\\u{1b}[31m\\u{202e}c”');
    expect(quoteCell('😀'.repeat(100))).toBe(`“${'😀'.repeat(40)}…”`);
  });
});
