import { describe, expect, test } from 'vitest';
import {
  beatsIn,
  inSeconds,
  lineAt,
  lyricLines,
  sungWordsIn,
} from '../../../../src/shared/domain/review/timed-lyrics.ts';
import { processorMs } from '../../../support/processor-time.ts';

const LYRICS =
  '[Verse 1]\nThe lamp is lit, the oil is low\n\nTurn, my light, and let them know\n[Outro]\nThe ship comes home';
const SUNG = 'The lamp is lit the oil is low Turn my light and let them know The ship comes home'.split(' ');
const words = (unit: number) => SUNG.map((text, at) => ({ text, start: (1 + at * 0.5) * unit }));

describe('the words of a document', () => {
  test.each([
    ['with seconds', { aligned_words: [{ word: 'a', start_s: 1, end_s: 2, success: true }] }],
    ['in a list of its own', [{ text: 'a', start: 1 }]],
    ['as a text', JSON.stringify({ data: { words: [{ Word: 'a', startTime: '1' }] } })],
    ['deep inside', { a: { b: [{ c: [{ lyric: 'a', begin: 1 }] }] } }],
  ])('are found %s', (_, document) => {
    expect(sungWordsIn(document)).toEqual([{ text: 'a', start: 1 }]);
  });

  test('are not looked for under names that take the memory of many documents', () => {
    const sung = Array.from({ length: 1_000 }, (_, at) => ({ [`a${at}`]: [{ text: 'a', start: at }] }));
    const before = process.memoryUsage().heapUsed;
    expect(sungWordsIn({ ['x'.repeat(1 << 20)]: sung })).toHaveLength(1);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 << 20);
  });

  test('are those of the largest list, and of all lists at like places', () => {
    const line = (...all: string[]) => ({ words: all.map((word, at) => ({ word, start: at })) });
    const document = { other: [{ text: 'x', time: 3 }], lines: [line('a', 'b'), line('c')] };
    expect(sungWordsIn(document).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  });

  test.each([
    ['nothing', null],
    [
      'times that are none',
      [
        { word: 'a', start: -1 },
        { word: 'b', start: 'soon' },
        { word: 'c', start: Number.NaN },
      ],
    ],
    ['texts that are none', [{ word: 1, start: 1 }, 'a', [1]]],
    ['a text that is no JSON', '[{'],
  ])('are none in %s', (_, document) => {
    expect(sungWordsIn(document)).toEqual([]);
  });

  test('are not endless, however large or deep the document is', () => {
    expect(sungWordsIn(Array.from({ length: 300_000 }, () => ({ word: 'a', start: 1 }))).length).toBeLessThan(50_000);
    let deep: unknown = [{ word: 'a', start: 1 }];
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    expect(sungWordsIn(deep)).toEqual([{ text: 'a', start: 1 }]);
  });
});

test('beats are a list of times that is called so', () => {
  expect(beatsIn({ bpm: 90, downbeats: [0.1, 2.7, 5.4], other: [1, 2, 3, 4] })).toEqual([0.1, 2.7, 5.4]);
  expect(beatsIn({ beats: [{ time: 1 }, { time: 2 }] })).toEqual([1, 2]);
  expect(beatsIn({ times: [1, 2] })).toEqual([]);
});

test('the length of the song says which unit the times have; a few that lie beyond it are left out', () => {
  expect(inSeconds([1, 9], 10)).toEqual([1, 9]);
  expect(inSeconds([1_000, 9_000], 10)).toEqual([1, 9]);
  expect(inSeconds([1_000, 90_000], 10)).toBeUndefined();
  expect(inSeconds([1], Number.NaN)).toBeUndefined();
  expect(inSeconds([], 10)).toBeUndefined();
  const many = Array.from({ length: 30 }, (_, at) => at / 10);
  expect(inSeconds([...many, 99], 10)?.at(-1)).toBeUndefined();
});

describe('the lines of lyrics', () => {
  const starts = (lines: ReturnType<typeof lyricLines>) => lines.map(({ start }) => start);

  test('have the times of their first words, in seconds, whatever order and unit the words have', () => {
    const wanted = [undefined, 1, 5, undefined, 8.5];
    expect(starts(lyricLines(LYRICS, words(1), 20))).toEqual(wanted);
    expect(starts(lyricLines(LYRICS, words(1_000).toReversed(), 20))).toEqual(wanted);
    // Another spelling, and words that are sung beside them.
    const others = [
      { text: 'Oh,\n', start: 0.2 },
      ...words(1).map(({ text, start }) => ({ text: `${text.toUpperCase()},`, start })),
    ];
    expect(starts(lyricLines(LYRICS, others, 20))).toEqual(wanted);
  });

  test('are found by their letters: words in syllables, and a language without spaces', () => {
    const syllables = ['Lan', 'terns', 'low', 'To', 'night'].map((text, at) => ({ text, start: at }));
    expect(starts(lyricLines('Lanterns low\nTonight', syllables, 20))).toEqual([0, 3]);
    const signs = ['灯', '台', 'の', '光', '海', 'は', '静か'].map((text, at) => ({ text, start: at }));
    expect(starts(lyricLines('灯台の光\n海は静か', signs, 20))).toEqual([0, 4]);
    // A line that begins as the end of a word does is not taken for it.
    const inside = ['pillow', 'talk', 'low', 'tide'].map((text, at) => ({ text, start: at }));
    expect(starts(lyricLines('low tide\n', inside, 20))).toEqual([2]);
  });

  test('have none where no document says them, or its times are those of another song', () => {
    expect(lyricLines(LYRICS, [], 20)).toHaveLength(5);
    expect(starts(lyricLines(LYRICS, words(1), 3))).toEqual(Array.from({ length: 5 }, () => undefined));
    expect(lyricLines(undefined, [], 20)).toEqual([]);
  });

  test('are made of the words where something else was sung', () => {
    const sung = ['Once ', 'more\n', 'with ', 'feeling'].map((text, at) => ({ text, start: at }));
    const lines = [
      { text: 'Once more', start: 0 },
      { text: 'with feeling', start: 2 },
    ];
    expect(lyricLines(LYRICS, sung, 20)).toEqual(lines);
    expect(lyricLines(undefined, sung, 20)).toEqual(lines);
    const whole = lines.map(({ text, start }) => ({ text: `${text} all night`, start }));
    expect(lyricLines(undefined, whole, 20)).toEqual(whole);
  });

  test('are found at once, too, where thousands of brackets open and none closes', () => {
    const lyrics = `${'['.repeat(49_000)}\nThe lamp is lit`;
    const sung = Array.from({ length: 19_000 }, (_, at) => ({ text: '['.repeat(500), start: at / 1_000 }));
    const begun = processorMs();
    const [, line] = lyricLines(lyrics, [...sung, { text: 'The lamp is lit', start: 5 }], 20);
    expect(line).toEqual({ text: 'The lamp is lit', start: 5 });
    expect(processorMs() - begun).toBeLessThan(1_500);
  });

  test('are lit one after the other', () => {
    const lines = lyricLines(LYRICS, words(1), 20);
    expect([0, 1, 4.9, 5, 100].map((at) => lineAt(lines, at))).toEqual([-1, 1, 1, 2, 4]);
    expect(lineAt(lyricLines(LYRICS, [], 20), 5)).toBe(-1);
  });
});
