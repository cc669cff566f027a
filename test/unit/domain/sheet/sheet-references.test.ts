import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readReference, rowsReferredTo } from '../../../../src/shared/domain/cells/reference.ts';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import { findCircles } from '../../../../src/shared/domain/cells/reference-circles.ts';
import { blockedRowIds } from '../../../../src/shared/domain/sheet/row.ts';
import type { CheckedSheet } from '../../../../src/shared/domain/sheet/row.ts';
import { processorMs } from '../../../support/processor-time.ts';
import { places, rawSheet } from '../../../support/sheet-files.ts';

/** Rows of lyrics, each given as its id, its prompt and, where it is left out, `yes`. */
function rows(...lines: readonly (readonly [id: string, prompt: string, skip?: string])[]): CheckedSheet {
  const cells = lines.map(([id, prompt, skip = '']) => [id, 'lyrics', prompt, skip]);
  return checkSheet(rawSheet([['row', 'operation', 'prompt', 'skip'], ...cells]));
}

describe('a reference', () => {
  test.each<[string, unknown]>([
    ['a.taskId', [{ row: 'a', path: { kind: 'task-code' } }]],
    [' a b.taskId ', [{ row: 'a b', path: { kind: 'task-code' } }]],
    ['v1.2.taskId', [{ row: 'v1.2', path: { kind: 'task-code' } }]],
    ['a.output.12.url', [{ row: 'a', path: { kind: 'output-url', index: 12 } }]],
    ['a.output.2.lastFrame', [{ row: 'a', path: { kind: 'picture', part: 'lastFrame', index: 2 } }]],
    ['a b.output.1.cover', [{ row: 'a b', path: { kind: 'picture', part: 'cover', index: 1 } }]],
    ['a.result.data.0.id', [{ row: 'a', path: { kind: 'result', path: ['data', '0', 'id'] } }]],
    [
      'a.result.b.result.c',
      [
        { row: 'a.result.b', path: { kind: 'result', path: ['c'] } },
        { row: 'a', path: { kind: 'result', path: ['b', 'result', 'c'] } },
      ],
    ],
    [
      'a.result.taskId',
      [
        { row: 'a.result', path: { kind: 'task-code' } },
        { row: 'a', path: { kind: 'result', path: ['taskId'] } },
      ],
    ],
  ])('%j', (text, readings) => {
    expect(readReference(text)).toMatchObject(readings as object[]);
    expect(readReference(text)).toHaveLength((readings as unknown[]).length);
  });

  test.each([
    '',
    'a',
    'a.result',
    'a.result.',
    '.taskId',
    ' .taskId',
    'a.taskCode',
    'a.output.0.url',
    'a.output.1',
    'a.output.1.lastframe',
    'a.output.0.cover',
    'a.result.x..y',
    `${'x'.repeat(1000)}.taskId`,
  ])('%j is none', (text) => {
    expect(readReference(text)).toEqual([]);
  });
});

describe('rows that refer to rows', () => {
  test('hold the exact id, whatever the capitals and the composition of letters', () => {
    const sheet = rows(['É.1', 'x'], ['b', '{{e\u0301.1.taskId}} {{ É.1.result.a.b }}']);
    expect(sheet.problems).toEqual([]);
    expect(rowsReferredTo(sheet.rows[1]?.links)).toEqual(['É.1']);
    expect(sheet.rows[1]?.body).toEqual({ prompt: '{{e\u0301.1.taskId}} {{É.1.result.a.b}}' });
  });

  test('are about the row that is there, where an id may end in several places', () => {
    expect(rowsReferredTo(rows(['a', 'x'], ['c', '{{a.result.b.result.c}}']).rows[1]?.links)).toEqual(['a']);
    expect(rowsReferredTo(rows(['a.result.b', 'x'], ['c', '{{a.result.b.result.c}}']).rows[1]?.links)).toEqual([
      'a.result.b',
    ]);
    expect(rowsReferredTo(rows(['a', 'x'], ['c', '{{a.result.taskId}}']).rows[1]?.links)).toEqual(['a']);
  });

  test('can refer to rows below them and to rows whose ids were made', () => {
    expect(rows(['a', '{{b.taskId}} {{r0004.taskId}}'], ['b', 'x'], ['', 'y']).problems).toEqual([]);
  });

  test('that are not there are named with the nearest one', () => {
    const sheet = rows(['intro', 'x'], ['b', '{{intor.taskId}} {{zzz.result.x}}']);
    expect(places(sheet.problems)).toEqual([
      'error reference-missing 3 b prompt',
      'error reference-missing 3 b prompt',
    ]);
    expect(sheet.problems[0]?.message).toContain('“intor”');
    expect(sheet.problems[0]?.remedy).toContain('“intro”');
    expect(sheet.problems[1]?.message).toContain('“zzz”');
  });

  test('are shown without characters that a screen would obey', () => {
    const [problem] = rows(['a', '{{b\u202E\u001b[31m.taskId}}']).problems;
    expect(problem?.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(problem?.message).toContain('\\u{202e}');
  });

  test('cannot wait for themselves', () => {
    const sheet = rows(['a', '{{A.taskId}}'], ['b', '{{a.taskId}}']);
    expect(places(sheet.problems)).toEqual(['error reference-cycle 2 a prompt', 'error reference-blocked 3 b prompt']);
  });

  test('in a circle are all named, and only they are in it', () => {
    const sheet = rows(
      ['start', 'x'],
      ['a', '{{b.taskId}} {{start.taskId}}'],
      ['b', '{{c.taskId}}'],
      ['c', '{{a.taskId}}'],
      ['after', '{{c.taskId}}'],
      ['free', '{{start.taskId}}'],
    );
    expect(places(sheet.problems)).toEqual([
      'error reference-cycle 3 a prompt',
      'error reference-cycle 4 b prompt',
      'error reference-cycle 5 c prompt',
      'error reference-blocked 6 after prompt',
    ]);
    for (const { message } of sheet.problems.slice(0, 3)) expect(message).toContain('“a” → “b” → “c” → “a”');
  });

  test('that wait for one with an error or one that is left out cannot run, however far behind', () => {
    const sheet = rows(
      ['bad', '{{nobody.taskId}}'],
      ['out', 'x', 'yes'],
      ['a', '{{bad.taskId}}'],
      ['b', '{{a.taskId}}'],
      ['c', 'x {{out.taskId}}'],
      ['d', '{{c.taskId}}', 'yes'],
      ['e', 'fine'],
    );
    expect(places(sheet.problems)).toEqual([
      'error reference-missing 2 bad prompt',
      'error reference-blocked 4 a prompt',
      'error reference-blocked 5 b prompt',
      'error reference-blocked 6 c prompt',
    ]);
    expect([...blockedRowIds(sheet)]).toEqual(['bad', 'a', 'b', 'c']);
    expect(sheet.problems[1]?.message).toContain('“bad”');
    expect(sheet.problems[3]?.message).toContain('skip');
  });

  test('ask for the same only when they refer to the same', () => {
    const sheet = rows(
      ['a', 'x'],
      ['b', 'y'],
      ['c', '{{a.taskId}}'],
      ['d', '{{b.taskId}}'],
      ['e', '{{ A.taskId }}'],
      ['f', '\\{\\{a.taskId}}'],
    );
    expect(places(sheet.problems)).toEqual(['warning duplicate-request 6 e']);
    expect(sheet.problems[0]?.message).toContain('“c” (line 4) and “e” (line 6)');
  });

  test('100,000 of them in a chain are checked in the time that they take to be read, in either direction', () => {
    const count = 100_000;
    for (const step of [1, -1]) {
      const lines = Array.from({ length: count }, (_, index): [string, string] => {
        const before = index - step;
        return [`row-${index}`, before < 0 || before >= count ? 'x' : `{{row-${before}.taskId}}`];
      });
      const started = processorMs();
      expect(rows(...lines).problems).toEqual([]);
      expect(processorMs() - started).toBeLessThan(20_000);
      const first = step === 1 ? 0 : count - 1;
      lines[first] = [`row-${first}`, '{{nobody.taskId}}'];
      expect(rows(...lines).problems).toHaveLength(count);
    }
  }, 120_000);

  test('a circle of 100,000 rows is one circle, and its message is short', () => {
    const count = 100_000;
    const sheet = rows(
      ...Array.from({ length: count }, (_, index): [string, string] => [
        `r-${index}`,
        `{{r-${(index + 1) % count}.taskId}}`,
      ]),
    );
    expect(sheet.problems).toHaveLength(count);
    expect(new Set(sheet.problems.map(({ code }) => code))).toEqual(new Set(['reference-cycle']));
    expect(sheet.problems[0]?.message.length).toBeLessThan(400);
  }, 60_000);
});

describe('circles', () => {
  const graphs = fc
    .array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 1, maxLength: 10 })
    .map((edges) => new Map(edges.map((to, from) => [String(from), [...new Set(to.map(String))]])));

  test('are just the rows that lead to each other', () => {
    fc.assert(
      fc.property(graphs, (targets) => {
        const reached = (from: string): Set<string> => {
          const found = new Set((targets.get(from) ?? []).filter((id) => targets.has(id)));
          for (const id of found) for (const next of targets.get(id) ?? []) if (targets.has(next)) found.add(next);
          return found;
        };
        const found = findCircles(targets);
        const circleOf = new Map(found.flatMap((circle) => circle.ids.map((id) => [id, circle])));
        for (const a of targets.keys()) {
          for (const b of targets.keys()) {
            if (a === b) continue;
            const together = reached(a).has(b) && reached(b).has(a);
            expect(circleOf.has(a) && circleOf.get(a) === circleOf.get(b)).toBe(together);
          }
        }
        for (const { ids, isSimple } of found) {
          if (!isSimple) continue;
          for (const [index, id] of ids.entries()) expect(targets.get(id)).toContain(ids[(index + 1) % ids.length]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a picture that is made of another row’s file', () => {
  const check = (column: string, cell: string, putsFiles = true): CheckedSheet =>
    checkSheet(
      rawSheet([
        ['row', 'operation', 'prompt', 'images', 'audioUrl'],
        ['film', 'video-a', 'a kite', '', ''],
        ['song', 'music', 'a song', '', ''],
        [
          'next',
          column === 'audioUrl' ? 'upload' : 'video-a',
          'on it goes',
          ...(column === 'images' ? [cell, ''] : ['', cell]),
        ],
      ]),
      { putsFiles },
    );
  const found = (sheet: CheckedSheet): readonly unknown[] =>
    sheet.problems.filter(({ severity }) => severity === 'error').map(({ code, row, column }) => [code, row, column]);

  test.each(['{{film.output.1.lastFrame}}', 'https://a.example/x.png|{{song.output.2.cover}}'])(
    '%s is right',
    (cell) => {
      expect(found(check('images', cell))).toEqual([]);
    },
  );

  test.each([
    ['images', '{{song.output.1.lastFrame}}'],
    ['images', '{{film.output.1.cover}}'],
    ['images', 'x{{film.output.1.lastFrame}}'],
    ['audioUrl', '{{song.output.1.cover}}'],
  ])('%s: %s is wrong', (column, cell) => {
    expect(found(check(column, cell))).toEqual([['reference-invalid', 'next', column]]);
  });

  test('is not what a field of an answer is called', () => {
    expect(found(check('audioUrl', '{{song.result.output.1.cover}}', false))).toEqual([]);
    expect(found(check('images', '{{song.result.output.1.cover}}', false))).toEqual([]);
  });

  test('needs a place', () => {
    expect(found(check('images', '{{film.output.1.lastFrame}}', false))).toEqual([['local-file', 'next', 'images']]);
  });
});
