import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceInCell, searchPattern, type CellSearch } from '../../../../src/shared/domain/cells/cell-search.ts';

const LITERAL: Omit<CellSearch, 'text'> = { isCaseSensitive: true, isWholeCell: false, isPattern: false };

function replaced(cell: string, text: string, replaceWith: string, how: Partial<CellSearch> = {}): string {
  const search = { ...LITERAL, ...how, text };
  const pattern = searchPattern(search);
  if (!pattern.ok) throw new Error(pattern.error);
  return replaceInCell(cell, pattern.value, replaceWith, search.isPattern).text;
}

describe('a text', () => {
  test('is replaced wherever it stands, and is nothing but itself', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (cell, text, replaceWith) => {
        expect(replaced(cell, text, replaceWith)).toBe(cell.split(text).join(replaceWith));
      }),
    );
    expect(replaced('a.b+c', '.', '$&')).toBe('a$&b+c');
  });

  test('is found in any case where that is wanted, and in whole cells only', () => {
    expect(replaced('Owl owl ÖWL', 'öwl', 'x', { isCaseSensitive: false })).toBe('Owl owl x');
    expect(replaced('Owl', 'owl', 'x')).toBe('Owl');
    expect(replaced('owls', 'owl', 'x', { isWholeCell: true })).toBe('owls');
    expect(replaced('owl', 'owl', 'x', { isWholeCell: true })).toBe('x');
  });

  test('is looked for character by character: half of one is never replaced', () => {
    expect(replaced('👩‍🎤!', '!', '?')).toBe('👩‍🎤?');
    expect(replaced('😀', '\ud83d', 'x')).toBe('😀');
  });
});

describe('a pattern', () => {
  test('gives its groups to what it is replaced with', () => {
    expect(replaced('song 12', String.raw`(?<word>\p{L}+) (\d+)`, '$2 $<word>', { isPattern: true })).toBe('12 song');
  });

  test('for the whole cell is wholly meant, also with an alternative in it', () => {
    expect(replaced('ax', 'a|x', '-', { isPattern: true, isWholeCell: true })).toBe('ax');
    expect(replaced('x', 'a|x', '-', { isPattern: true, isWholeCell: true })).toBe('-');
  });

  test('that is none is refused in words', () => {
    for (const text of ['(', 'a)(b', '[z-a]', String.raw`\q`]) {
      expect(searchPattern({ ...LITERAL, text, isPattern: true, isWholeCell: true })).toMatchObject({
        ok: false,
        error: expect.stringContaining('not a regular expression') as string,
      });
    }
  });
});
