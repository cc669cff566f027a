import { describe, expect, test } from 'vitest';
import { drawable, glyphRows, wrapText } from '../../../src/gateway-sim/media/font.ts';
import { SeededRandom } from '../../../src/gateway-sim/random.ts';

describe('the font', () => {
  test('has another glyph for every printable character of ASCII', () => {
    const glyphs = Array.from({ length: 95 }, (_, at) => glyphRows(String.fromCodePoint(0x20 + at)).join());
    expect(new Set(glyphs).size).toBe(95);
    for (const glyph of glyphs) expect(glyph).toMatch(/^\d+(,\d+){0,8}$/);
  });

  test('shows a box for what it does not have', () => {
    expect(glyphRows('夜')).toEqual(glyphRows('漢'));
    expect(glyphRows('夜')).toHaveLength(7);
  });
});

describe('text to be drawn', () => {
  test('loses accents, typography and control characters, not its words', () => {
    expect(drawable('Café – “à la carte”…\n\u202Enow\t')).toBe('Cafe - "a la carte"... now');
  });

  test('is broken between words, within words that are too long, and ends in dots', () => {
    expect(wrapText('one two three', 7, 4)).toEqual(['one two', 'three']);
    expect(wrapText('abcdefghij', 4, 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrapText('one two three four', 7, 2)).toEqual(['one two', 'thre...']);
    expect(wrapText('', 7, 2)).toEqual(['']);
  });
});

test('a seeded random is evenly spread and depends on nothing but its seed', () => {
  const draw = (...seed: (string | number)[]) => {
    const random = new SeededRandom(...seed);
    return Array.from({ length: 1000 }, () => random.next());
  };
  expect(draw(1, 'a')).toEqual(draw(1, 'a'));
  expect(draw(1, 'a')).not.toEqual(draw(1, 'b'));
  expect(draw('1', 'a')).not.toEqual(draw('1a'));
  const mean = draw('mean').reduce((sum, number) => sum + number, 0) / 1000;
  expect(mean).toBeGreaterThan(0.46);
  expect(mean).toBeLessThan(0.54);
});
