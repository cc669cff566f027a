import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import type { CheckedSheet } from '../../../../src/shared/domain/sheet/row.ts';
import { places, rawSheet } from '../../../support/sheet-files.ts';

function expand(
  lines: readonly (readonly string[])[],
  headers = ['row', 'operation', 'prompt', 'tags', 'note'],
): CheckedSheet {
  return checkSheet(rawSheet([headers, ...lines]), { choices: 'expand' });
}

const bodies = (sheet: CheckedSheet): unknown[] => sheet.rows.map((row) => [row.id, row.body]);

describe('choices as rows of their own', () => {
  test('every combination is a row, in the order of the alternatives, on its line', () => {
    const sheet = expand([
      ['a', 'music', '{red|green} {|big }house', '', ''],
      ['b', 'music', 'plain', '{x|y}|z', 'n {1|2}'],
    ]);
    expect(bodies(sheet)).toEqual([
      ['a-1', { prompt: 'red house' }],
      ['a-2', { prompt: 'red big house' }],
      ['a-3', { prompt: 'green house' }],
      ['a-4', { prompt: 'green big house' }],
      ['b-1', { prompt: 'plain', tags: ['x', 'z'] }],
      ['b-2', { prompt: 'plain', tags: ['y', 'z'] }],
    ]);
    expect(sheet.rows.map(({ line }) => line)).toEqual([2, 2, 2, 2, 3, 3]);
    expect(sheet.rows[1]?.cells).toMatchObject({ row: 'a-2', prompt: 'red big house' });
    expect(sheet.rows[4]?.note).toBe('n {1|2}');
    expect(sheet.problems).toEqual([]);
  });

  test('ids are made where there are none, and never those of other rows', () => {
    expect(
      expand(
        [
          ['music', '{a|b}'],
          ['music', 'c'],
        ],
        ['operation', 'prompt'],
      ).rows.map(({ id }) => id),
    ).toEqual(['r0002-1', 'r0002-2', 'r0003']);
    const sheet = expand([
      ['A-1', 'music', 'x', '', ''],
      ['a', 'music', '{a|b}', '', ''],
      ['', 'music', '{c|d}', '', ''],
    ]);
    expect(sheet.rows.map(({ id }) => id)).toEqual(['A-1', 'a-2', 'a-3', 'r0004-1', 'r0004-2']);
    expect(sheet.problems).toEqual([]);
  });

  test('a row whose id is there twice keeps its error', () => {
    const sheet = expand([
      ['a', 'music', '{a|b}', '', ''],
      ['A', 'music', '{a|b}', '', ''],
    ]);
    expect(places(sheet.problems)).toContain('error row-id-duplicate 3 r0003 row');
  });

  test('only fields of the row’s operation are expanded, and items of JSON lists one by one', () => {
    const sheet = expand([
      ['a', 'lyrics', 'x', '{p|q}', ''],
      ['b', 'music', 'x', '["{p|q}|r", "s"]', ''],
    ]);
    expect(bodies(sheet)).toEqual([
      ['a', { prompt: 'x' }],
      ['b-1', { prompt: 'x', tags: ['p|r', 's'] }],
      ['b-2', { prompt: 'x', tags: ['q|r', 's'] }],
    ]);
  });

  test('what alternatives say is not looked at again', () => {
    const sheet = expand([['a', 'music', '{__x__|\\{y} {row}', '', '']]);
    expect(sheet.rows.map(({ body }) => body['prompt'])).toEqual(['__x__ a-1', '{y a-2']);
    // Only what must be is escaped in the cells.
    expect(expand([['a', 'music', '{__x__|b} {3} _{y|_}', '', '']]).rows.map(({ cells }) => cells['prompt'])).toEqual([
      '\\__x\\__ {3} _y',
      '\\__x\\__ {3} __',
      'b {3} _y',
      'b {3} __',
    ]);
    // Side by side they would be the name of a list.
    expect(expand([['a', 'music', '_{_x__|b}', '', '']]).rows.map(({ body }) => body['prompt'])).toEqual([
      '__x__',
      '_b',
    ]);
  });

  test('references to what has become several rows are answered with the first of them', () => {
    const sheet = expand([
      ['intro', 'music', '{a|b}', '', ''],
      ['next', 'music', 'x {{intro.taskId}}', '', ''],
      ['last', 'music', 'y {{intro-2.taskId}}', '', ''],
    ]);
    expect(places(sheet.problems)).toEqual(['error reference-missing 3 next prompt']);
    expect(sheet.problems[0]?.remedy).toContain('“intro-1”');
  });

  test('10,000 rows may come of one, and no more', () => {
    const ten = '{0|1|2|3|4|5|6|7|8|9}';
    expect(expand([['a', 'music', ten.repeat(4), '', '']]).rows).toHaveLength(10_000);
    const sheet = expand([
      ['a', 'music', `${ten.repeat(4)}{a|b}`, '', ''],
      ['b', 'music', '{a|b}', '', ''],
    ]);
    expect(places(sheet.problems)).toEqual(['error choice-invalid 2 a']);
    expect(sheet.problems[0]?.message).toContain('20000');
    expect(sheet.rows).toHaveLength(3);
    // As many as nobody can count are refused as fast.
    expect(places(expand([['a', 'music', ten.repeat(5000), '', '']]).problems)).toEqual(['error choice-invalid 2 a']);
  });

  test('a sheet that would have more rows than a spreadsheet is refused, with the row', () => {
    const ten = '{0|1|2|3|4|5|6|7|8|9}';
    const sheet = expand(Array.from({ length: 105 }, (_, index) => [`r${index}`, 'music', ten.repeat(4), '', '']));
    expect(places(sheet.problems)).toEqual(['error too-large']);
    expect(sheet.problems[0]?.message).toContain('“r104”');
    expect(sheet.problems[0]?.message).toContain('1048576');
    expect(sheet.rows).toEqual([]);
  });

  test('a long text in ten thousand rows is refused before the first of them is made', () => {
    const prompt = '{0|1|2|3|4|5|6|7|8|9}'.repeat(4) + 'x'.repeat(100_000);
    const sheet = expand([['a', 'music', prompt, '', '']]);
    expect(places(sheet.problems)).toEqual(['error too-large']);
    expect(sheet.problems[0]?.message).toContain('“a”');
  });

  test('problems of a line are those of all rows on it', () => {
    const raw = rawSheet([
      ['row', 'operation', 'prompt'],
      ['a', 'lyrics', '{x|y}'],
    ]);
    const problem = { severity: 'error', code: 'value-formula', line: 2, message: 'm', remedy: 'r' } as const;
    const sheet = checkSheet({ ...raw, problems: [problem] }, { choices: 'expand' });
    expect(places(sheet.problems)).toEqual(['error value-formula 2 a-1', 'error value-formula 2 a-2']);
  });

  test('each is what a draw of its alternatives would have been, byte for byte', () => {
    const word = fc.string({ unit: fc.constantFrom('a', '_', '__', '\\', ' ', '"', '{{'), maxLength: 4 });
    const plain = fc.string({ unit: fc.constantFrom('a', '_', '\\', ' ', '}'), maxLength: 4 });
    fc.assert(
      fc.property(plain, fc.array(plain, { minLength: 2, maxLength: 3 }), word, (before, alternatives, after) => {
        const clean = alternatives.map((text) => text.replaceAll('}', ''));
        const cell = `${before}{${clean.join('|')}}${after}`;
        const drawn = new Set(
          Array.from({ length: 40 }, (_, seed) => {
            const sheet = checkSheet(
              rawSheet([
                ['operation', 'prompt', 'title', 'seed'],
                ['music', cell, 't', `${seed}`],
              ]),
            );
            return JSON.stringify(sheet.rows[0]?.body['prompt']);
          }),
        );
        const expanded = checkSheet(
          rawSheet([
            ['operation', 'prompt', 'title'],
            ['music', cell, 't'],
          ]),
          { choices: 'expand' },
        );
        if (expanded.problems.some(({ severity }) => severity === 'error')) return;
        for (const { body } of expanded.rows) expect(drawn).toContain(JSON.stringify(body['prompt']));
      }),
      { numRuns: 300 },
    );
  });
});
