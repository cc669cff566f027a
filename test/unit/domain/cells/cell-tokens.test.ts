import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  escapeText,
  isListName,
  mayHoldTokens,
  tokeniseCell,
} from '../../../../src/shared/domain/cells/cell-tokens.ts';
import { CHARACTER } from '../../../support/any-text.ts';
import { processorMs } from '../../../support/processor-time.ts';

/** The tokens in short: text as it is, the rest as its kind and what is in it. */
function shortly(cell: string): unknown[] {
  return tokeniseCell(cell).tokens.map((token) => {
    switch (token.kind) {
      case 'text':
        return token.text;
      case 'reference':
        return { ref: token.inside };
      case 'name':
      case 'list':
        return { [token.kind]: token.name };
      case 'choice':
        return { choice: token.alternatives };
    }
  });
}

describe('a cell taken apart', () => {
  test.each<[string, unknown[]]>([
    ['plain', ['plain']],
    ['', []],
    ['a {mood} song', ['a ', { name: 'mood' }, ' song']],
    ['{ mood }', [{ name: 'mood' }]],
    ['{red|green}', [{ choice: ['red', 'green'] }]],
    ['{|very }slow', [{ choice: ['', 'very '] }, 'slow']],
    ['{{intro.taskId}}', [{ ref: 'intro.taskId' }]],
    ['x{{a.b}}{c}', ['x', { ref: 'a.b' }, { name: 'c' }]],
    ['an __animals__ song', ['an ', { list: 'animals' }, ' song']],
    ['__my_list-2__', [{ list: 'my_list-2' }]],
    ['__a__b__', [{ list: 'a' }, 'b__']],
    ['___a___', ['_', { list: 'a' }, '_']],
    ['__Tiere_äöü__ __动物__', [{ list: 'Tiere_äöü' }, ' ', { list: '动物' }]],
    ['____ and __ a__', ['____ and __ a__']],
    ['snake__case__', ['snake', { list: 'case' }]],
    ['\\{mood} and \\__x__', ['{', 'mood} and ', '__', 'x__']],
    ['{a\\{b|c}', [{ choice: ['a{b', 'c'] }]],
    ['{a\\__b|c}', [{ choice: ['a__b', 'c'] }]],
    ['back\\slash', ['back\\slash']],
    // Braces that are something else stay byte for byte.
    ['{}', ['{}']],
    ['{ }', ['{ }']],
    ['{', ['{']],
    ['}', ['}']],
    ['{open {mood}', ['{open ', { name: 'mood' }]],
    ['{"a": "x|y"}', ['{"a": "x|y"}']],
    ['{"red"|"blue"}', [{ choice: ['"red"', '"blue"'] }]],
    ['{"a": {"b": 1}, "c": "{mood}"}', ['{"a": {"b": 1}, "c": "{mood}"}']],
    ['{a|{b|c}}', ['{a|{b|c}}']],
    ['{\n a|b\n}', ['{\n a|b\n}']],
    ['{a\r|b}', ['{a\r|b}']],
    ['{{a\nb}} {c}', ['{{a\nb}} ', { name: 'c' }]],
    // What is between double braces is always meant for another row: sending it unresolved would be paid for nothing.
    ['{{{{a}}}}', [{ ref: '{{a' }, '}}']],
    ['{{}}', [{ ref: '' }]],
    ['{a|{{b.taskId}}}', ['{a|', { ref: 'b.taskId' }, '}']],
  ])('%j', (cell, tokens) => {
    expect(shortly(cell)).toEqual(tokens);
  });

  test('a choice with something in it that would be put in is named, JSON and code are not', () => {
    expect(tokeniseCell('a {a|{b|c}}').nestedChoice).toBe('{a|{b|c}}');
    expect(tokeniseCell('{a|{{b.taskId}}}').nestedChoice).toBe('{a|{{b.taskId}}}');
    expect(tokeniseCell('{__a__|b}').nestedChoice).toBe('{__a__|b}');
    for (const cell of [
      '{a|b}',
      '{"a": {"b": "c|d"}, "e": "|"}',
      '{ {a} }',
      '{ x | {\n a } }',
      'if (x) {\n  y = {a|b};\n}',
    ]) {
      expect(tokeniseCell(cell).nestedChoice).toBeUndefined();
    }
  });

  const hostile = fc.string({ unit: fc.constantFrom('{', '}', '|', '_', '\\', '\n', '"', ':', 'a', '.', ' ') });

  test('whatever the text: nothing throws, and the tokens as they are written are the cell', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: CHARACTER })), (cell) => {
        const { tokens } = tokeniseCell(cell);
        expect(tokens.map((token) => token.written).join('')).toBe(cell);
        expect(tokens.map((token) => token.start)).toEqual(
          tokens.map((token) => cell.indexOf(token.written, token.start)),
        );
        if (!mayHoldTokens(cell)) expect(tokens.every((token) => token.kind === 'text')).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('escaped text is that text and nothing else', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { tokens } = tokeniseCell(escapeText(text));
        expect(tokens.every((token) => token.kind === 'text')).toBe(true);
        expect(tokens.map((token) => (token.kind === 'text' ? token.text : '')).join('')).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['open braces', '{'],
    ['open double braces and line breaks', '{{\n'],
    ['open braces with names', '{a {b} '],
    ['double braces', '{{a}}'],
    ['underscores', '__a'],
    ['nested groups with references', '{|{{a.b}}'],
    ['closing braces', '}'],
  ])('200,000 characters of %s take no longer than their length', (_name, piece) => {
    const cell = piece.repeat(Math.ceil(200_000 / piece.length)) + '}'.repeat(50_000);
    const before = processorMs();
    tokeniseCell(cell);
    // A second for each pair of characters would be hours; a tenth of it is noise of a busy machine.
    expect(processorMs() - before).toBeLessThan(2000);
  });

  test('names of lists', () => {
    for (const name of ['animals', 'a_b', 'A-1', 'Tiere_äöü']) expect(isListName(name)).toBe(true);
    for (const name of ['', '_a', 'a__b', 'a b', '../a', 'a.txt', 'a/b']) expect(isListName(name)).toBe(false);
  });
});
