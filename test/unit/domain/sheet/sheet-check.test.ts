import { describe, expect, test } from 'vitest';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import { nearestName } from '../../../../src/shared/domain/base/nearest-name.ts';
import { ALL_COLUMNS } from '../../../../src/shared/domain/operations/operations.ts';
import { blockedRowIds, isSheetRefused } from '../../../../src/shared/domain/sheet/row.ts';
import { noOperationWords } from '../../../../src/shared/domain/sheet/problems.ts';
import { speakLanguage } from '../../../../src/shared/words/catalogues.ts';
import { places, rawSheet } from '../../../support/sheet-files.ts';

describe('the header line', () => {
  test('a column that no operation knows is named with the nearest one', () => {
    const sheet = checkSheet(
      rawSheet([
        ['operation', 'prompt', 'titl', 'prio', 'mood'],
        ['lyrics', 'x', '', '', ''],
      ]),
    );
    expect(places(sheet.problems)).toEqual([
      'warning unknown-column titl',
      'warning unknown-column prio',
      'warning unknown-column mood',
    ]);
    expect(sheet.problems[0]?.remedy).toContain('“title”');
    expect(sheet.problems[1]?.remedy).toContain('“priority”');
    expect(sheet.problems[2]?.remedy).not.toContain('Rename');
    expect(isSheetRefused(sheet)).toBe(false);
  });

  test('case, spaces and underscores do not matter, and what was made of them is said', () => {
    const sheet = checkSheet(
      rawSheet([
        [' operation ', 'Prompt', 'Range Start S', 'RANGE.END_S'],
        ['music', 'x', '1', '2'],
      ]),
    );
    // Capitals alone leave no doubt.
    expect(places(sheet.problems)).toEqual(['warning header-matched Range Start S']);
    expect(sheet.rows[0]?.body).toEqual({ prompt: 'x', range: { start_s: 1, end_s: 2 } });
  });

  test('“Aspect Ratio” is what the row’s operation calls it', () => {
    const sheet = checkSheet(
      rawSheet([
        ['operation', 'prompt', 'Aspect Ratio'],
        ['image', 'x', '1:1'],
        ['video-b', 'y', '16:9'],
      ]),
    );
    expect(places(sheet.problems)).toEqual(['warning header-matched Aspect Ratio']);
    // Under one of the two names alone, the rows of the other operation would lose their ratio.
    expect(sheet.problems[0]?.remedy).toContain('“aspectRatio” or “aspect_ratio”');
    expect(sheet.rows.map((row) => row.body)).toEqual([
      { prompt: 'x', aspect_ratio: '1:1' },
      { prompt: 'y', aspectRatio: '16:9' },
    ]);
  });

  test('an exact name wins over a similar one', () => {
    const sheet = checkSheet(
      rawSheet([
        ['operation', 'prompt', 'aspectRatio', 'aspect_ratio'],
        ['image', 'x', '', '1:1'],
      ]),
    );
    expect(sheet.problems).toEqual([]);
    expect(sheet.rows[0]?.body).toEqual({ prompt: 'x', aspect_ratio: '1:1' });
  });

  test.each([
    ['the same name twice', ['operation', 'prompt', 'prompt'], 'prompt'],
    ['an unknown name twice', ['operation', 'mood', 'mood'], 'mood'],
    ['two names for one column', ['operation', 'prompt', 'Prompt'], 'Prompt'],
  ])('%s refuses the sheet', (_name, headers, column) => {
    const sheet = checkSheet(rawSheet([headers, ['lyrics', 'x', 'y']]));
    expect(places(sheet.problems)).toContain(`error duplicate-header ${column}`);
    expect(isSheetRefused(sheet)).toBe(true);
  });

  test('cells below a blank header are named by their column', () => {
    const sheet = checkSheet(
      rawSheet([
        ['operation', '', 'prompt'],
        ['lyrics', 'lost', 'x'],
        ['lyrics', '', 'y'],
      ]),
    );
    expect(places(sheet.problems)).toEqual(['warning header-missing B']);
    expect(sheet.problems[0]?.message).toContain('line 2');
  });

  test('without a column “operation” the sheet is refused, unless one operation is chosen for all rows', () => {
    const raw = rawSheet([['prompt'], ['x'], ['y']]);
    const refused = checkSheet(raw);
    expect(places(refused.problems)).toEqual(['error no-operation-column operation']);
    expect(isSheetRefused(refused)).toBe(true);
    expect(noOperationWords(refused.withoutOperation?.length ?? 0)).toBe('2 rows, none of which says what to render');
    // The command line adds its options.
    expect(refused.problems[0]?.remedy).toMatch(/choose one operation.*choose its line/u);
    expect(refused.problems[0]?.remedy).not.toContain('--');
    const chosen = checkSheet(raw, { defaultOperation: 'musicgen/music/lyrics' });
    expect(chosen.problems).toEqual([]);
    expect(chosen.rows.map((row) => row.operation)).toEqual(['musicgen/music/lyrics', 'musicgen/music/lyrics']);
  });
});

describe('columns that an operation has no use for', () => {
  test('are one warning for a column and an operation, with the lines, only where a cell is not blank', () => {
    const lines = Array.from({ length: 8 }, (_, index) => ['lyrics', `p${index}`, index === 3 ? '' : '5', '']);
    const sheet = checkSheet(rawSheet([['operation', 'prompt', 'duration', 'title'], ...lines]));
    expect(places(sheet.problems)).toEqual(['warning unused-column duration']);
    expect(sheet.problems[0]?.message).toContain('7 rows, lines 2, 3, 4, 6, 7 and 2 more');
  });

  test('name what the operation calls it', () => {
    const sheet = checkSheet(
      rawSheet([
        ['row', 'operation', 'prompt', 'aspectRatio'],
        ['a', 'image', 'x', '1:1'],
      ]),
    );
    expect(places(sheet.problems)).toEqual(['warning unused-column 2 a aspectRatio']);
    expect(sheet.problems[0]?.remedy).toContain('“aspect_ratio”');
    const video = checkSheet(
      rawSheet([
        ['operation', 'prompt', 'Aspect'],
        ['image', 'x', '1:1'],
        ['video-a', 'x', '1:1'],
      ]),
    );
    expect(video.problems.find(({ code }) => code === 'unused-column')?.remedy).toContain('“orientation”');
  });
});

describe('row ids', () => {
  const idsOf = (ids: readonly string[]): (string | undefined)[] =>
    checkSheet(rawSheet([['row', 'operation', 'prompt'], ...ids.map((id, n) => [id, 'lyrics', `p${n}`])])).rows.map(
      (row) => row.id,
    );

  test('are made from the line where missing, and never one that is taken', () => {
    expect(idsOf(['', 'R0002', '', 'r0004-2'])).toEqual(['r0002-2', 'R0002', 'r0004', 'r0004-2']);
    expect(idsOf(['', 'R0002', 'r0002-2'])).toEqual(['r0002-3', 'R0002', 'r0002-2']);
  });

  test('that are there twice, whatever their case or composition, are an error of the later row alone', () => {
    const sheet = checkSheet(
      rawSheet([
        ['row', 'operation', 'prompt'],
        ['é', 'lyrics', 'a'],
        ['E\u0301', 'lyrics', 'b'],
        ['x', 'lyrics', 'c'],
      ]),
    );
    expect(places(sheet.problems)).toEqual(['error row-id-duplicate 3 r0003 row']);
    expect(sheet.problems[0]?.message).toContain('line 2');
    expect([...blockedRowIds(sheet)]).toEqual(['r0003']);
    expect(new Set(sheet.rows.map((row) => row.id)).size).toBe(3);
  });

  test.each(['1E+05', '1.2E+10', '1,5E+7', '1-Mar', 'Mar-26', '3. Okt', '01/02/2026', '1.2.2026'])(
    '%s looks mangled',
    (id) => {
      const sheet = checkSheet(
        rawSheet([
          ['row', 'operation', 'prompt'],
          [id, 'lyrics', 'x'],
        ]),
      );
      expect(places(sheet.problems)).toEqual([`warning row-id-mangled 2 ${id} row`]);
    },
  );

  test.each(['1', '007', 'E5', '1.2', 'mar-owl', 'v1.2.3', '2026-03-01', 'song-01', '12-inch', 'May'])(
    '%s does not',
    (id) => {
      expect(
        checkSheet(
          rawSheet([
            ['row', 'operation', 'prompt'],
            [id, 'lyrics', 'x'],
          ]),
        ).problems,
      ).toEqual([]);
    },
  );

  test('that no file could be named after are errors', () => {
    for (const id of ['x'.repeat(101), 'a\nb']) {
      const sheet = checkSheet(
        rawSheet([
          ['row', 'operation', 'prompt'],
          [id, 'lyrics', 'x'],
        ]),
      );
      expect(places(sheet.problems)).toEqual(['error reserved-value 2 r0002 row']);
    }
  });
});

describe('paying twice', () => {
  const HEADER = ['row', 'operation', 'prompt', 'tags', 'note', 'skip'];

  test('identical requests are named together', () => {
    const sheet = checkSheet(
      rawSheet([
        HEADER,
        ['a', 'music', 'x', 'p|q', 'one', ''],
        ['b', 'lyrics', 'x', '', '', ''],
        ['c', 'music', 'x', 'p | q', 'two', ''],
      ]),
    );
    expect(places(sheet.problems)).toEqual(['warning duplicate-request 4 c']);
    expect(sheet.problems[0]?.message).toContain('“a” (line 2) and “c” (line 4)');
    expect(sheet.problems[0]?.message).toContain('you would pay twice');
  });

  test('rows that will not run do not count', () => {
    const sheet = checkSheet(
      rawSheet([
        HEADER,
        ['a', 'music', 'x', '', '', ''],
        ['b', 'music', 'x', '', '', 'yes'],
        ['c', 'music', 'x', '[', '', ''],
      ]),
    );
    expect(places(sheet.problems)).toEqual(['error value-type 4 c tags']);
  });

  test('many of them are one warning', () => {
    const sheet = checkSheet(rawSheet([HEADER, ...Array.from({ length: 50 }, () => ['', 'music', 'x', '', '', ''])]));
    expect(places(sheet.problems)).toEqual(['warning duplicate-request 3 r0003']);
    expect(sheet.problems[0]?.message).toMatch(
      /^The rows “r0002” \(line 2\), “r0003” \(line 3\), .* and 45 more are identical/u,
    );
    expect(sheet.problems[0]?.message).toContain('50 times');
  });
});

describe('the order of problems', () => {
  test('the sheet first, then line by line, errors before warnings', () => {
    const sheet = checkSheet(
      rawSheet([
        ['row', 'operation', 'prompt', 'mood', 'controls.style_weight', 'make_instrumental'],
        ['a', 'music', 'x', '', '150', 'perhaps'],
        ['a', 'musick', 'y', '', '', ''],
      ]),
    );
    expect(places(sheet.problems)).toEqual([
      'warning unknown-column mood',
      'error value-type 2 a make_instrumental',
      'warning value-range 2 a controls.style_weight',
      'error row-id-duplicate 3 r0003 row',
      'error operation-unknown 3 r0003 operation',
    ]);
  });
});

test('an operation that is only guessed is named, and replaced by nothing', () => {
  const [problem] = checkSheet(
    rawSheet([
      ['operation', 'prompt'],
      ['lyrix', 'x'],
    ]),
  ).problems;
  expect(problem?.remedy).toMatch(/^Did you mean “lyrics”\? The operations are /u);
  expect(problem?.cell).toEqual({ text: 'lyrix', candidates: ['lyrics'] });
});

test('an operation that could be either of two is named with both, and replaced by neither', () => {
  const { problems } = checkSheet(
    rawSheet([
      ['operation', 'prompt'],
      ['Vidoe', 'x'],
    ]),
  );
  expect(problems[0]?.remedy).toContain('Did you mean “video-a” or “video-b”? The operations are');
  expect(problems[0]?.cell).toEqual({ text: 'Vidoe', candidates: ['video-a', 'video-b'] });
});

test('what is wrong is told in the language that is spoken now, about the same cells and with the same facts', () => {
  const sheet = rawSheet([
    ['operation', 'prompt', 'takes', 'mood'],
    ['music', '', '200', 'x'],
    ['lyrics', '{{gone.taskId}}', '', ''],
  ]);
  const english = checkSheet(sheet).problems;
  speakLanguage('zh-Hans');
  try {
    const chinese = checkSheet(sheet).problems;
    expect(places(chinese)).toEqual(places(english));
    expect(chinese.length).toBeGreaterThan(3);
    const factsIn = (text: string): readonly string[] => (text.match(/“[^”]*”|\d+/gu) ?? []).toSorted();
    for (const [at, { message, remedy }] of chinese.entries()) {
      expect(message).toMatch(/\p{Script=Han}.*。$/u);
      expect(remedy).toMatch(/\p{Script=Han}.*[。？]$/u);
      expect(factsIn(message)).toEqual(factsIn(english[at]?.message ?? ''));
    }
  } finally {
    speakLanguage('en');
  }
});

describe('the nearest name', () => {
  test.each([
    ['promt', 'prompt'],
    ['Negativ Tags', 'negative_tags'],
    ['aspect-ratio', 'aspectRatio'],
    ['imageurls', 'image_urls'],
    ['tilte', 'title'],
    ['zzz', undefined],
    ['', undefined],
    ['x'.repeat(10_000), undefined],
  ])('of %j is %j', (name, nearest) => {
    expect(nearestName(name, ALL_COLUMNS)).toBe(nearest);
  });
});
