import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  complete,
  completionsAt,
  onlyOption,
  type CompletionSources,
} from '../../../src/renderer/batch/cell-editor/completions.ts';
import { closedValues, columnHelp, columnValues } from '../../../src/renderer/batch/cell-editor/column-help.ts';
import { findInText, textSize } from '../../../src/renderer/batch/cell-editor/large-text.ts';
import { ALL_COLUMNS, OPERATIONS } from '../../../src/shared/domain/operations/operations.ts';
import { RESERVED_COLUMNS } from '../../../src/shared/domain/sheet/sheet-columns.ts';
import { makeRow } from './make-view.ts';

const SOURCES: CompletionSources = {
  rowIds: ['intro', 'intro.2', 'outro'],
  variables: ['mood', 'title'],
  lists: ['animals', 'night sky'],
  values: [
    { label: 'music', insert: 'music' },
    { label: 'video-a', insert: 'video-a' },
  ],
  isValue: undefined,
};
/** What is offered where the text has a `^`. */
const offered = (marked: string): readonly string[] => {
  const caret = marked.indexOf('^');
  const list = completionsAt(marked.replace('^', ''), caret, SOURCES);
  return list?.options.map(({ label }) => label) ?? [];
};
/** The text after the first thing that is offered was taken. */
const taken = (marked: string): string => {
  const caret = marked.indexOf('^');
  const text = marked.replace('^', '');
  const list = completionsAt(text, caret, SOURCES);
  const [first] = list?.options ?? [];
  if (list === undefined || first === undefined) return text;
  const next = complete(text, list, first);
  return `${next.text.slice(0, next.caret)}^${next.text.slice(next.caret)}`;
};

describe('while somebody types', () => {
  test('a reference names a row, then what the row gives', () => {
    expect(offered('like {{^')).toEqual(['intro', 'intro.2', 'outro']);
    expect(offered('like {{ou^')).toEqual(['outro']);
    expect(taken('like {{ou^')).toBe('like {{outro.^');
    expect(offered('{{outro.^')).toContain('output.1.url');
    expect(taken('{{outro.task^ and more')).toBe('{{outro.taskId}}^ and more');
    expect(taken('{{outro.task^}}')).toBe('{{outro.taskId}}^');
  });

  test('a brace names a column or a variable; a choice is left alone', () => {
    expect(offered('a {mo^')).toEqual(['mood']);
    expect(taken('a {mo^')).toBe('a {mood}^');
    expect(taken('a {mo^} day')).toBe('a {mood}^ day');
    expect(offered('{red|mo^')).toEqual([]);
    expect(offered('{mood} ^')).toEqual([]);
  });

  test('two underscores name a list; behind it there is nothing to name', () => {
    expect(taken('a __an^')).toBe('a __animals__^');
    expect(offered('a __animals__^')).toEqual([]);
    expect(offered('snake__^')).toEqual([]);
  });

  test('a value is offered for the cell as a whole, and never what is there already', () => {
    expect(offered('vi^')).toEqual(['video-a']);
    expect(offered('eo^')).toEqual(['video-a']);
    expect(offered('music^')).toEqual([]);
    expect(offered('m^usic')).toEqual([]);
  });

  test('taking what is offered changes nothing around it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (before, after) => {
        const text = `${before}{{ou${after}`;
        const list = completionsAt(text, before.length + 4, SOURCES);
        for (const option of list?.options ?? []) {
          const next = complete(text, list ?? expect.unreachable(), option);
          expect(next.text.startsWith(before)).toBe(true);
          expect(next.text.endsWith(after)).toBe(true);
        }
      }),
    );
  });
});

test('Enter takes the only operation left, and no other than what was typed where that is one already', () => {
  const takenBy = (text: string, column = 'operation') => {
    const sources = { ...SOURCES, values: columnValues(column, 0, []), isValue: closedValues(column) };
    const list = completionsAt(text, text.length, sources);
    return list?.options[onlyOption(text, list, sources)]?.insert;
  };
  expect(takenBy('ima')).toBe('image');
  expect(takenBy('tr', 'make_instrumental')).toBe('true');
  // A name that is understood as it is stays as it is, also where another one begins with it.
  for (const { short, title } of OPERATIONS) expect([takenBy(short), takenBy(title)]).toEqual([undefined, undefined]);
  expect(takenBy('yes', 'skip')).toBeUndefined();
  // Several left, nothing typed, or a column that takes other texts, too.
  expect([takenBy('m'), takenBy('')]).toEqual([undefined, undefined]);
  expect(onlyOption('vi', completionsAt('vi', 2, SOURCES), SOURCES)).toBe(-1);
});

describe('what a column takes', () => {
  test('is known for every column of the catalogue and for those about the row', () => {
    for (const column of [...ALL_COLUMNS, ...RESERVED_COLUMNS]) expect(columnHelp(column)?.help).toMatch(/\.$/u);
    expect(columnHelp('prompt')?.operations.length).toBeGreaterThan(2);
    expect(columnHelp('weather')).toBeUndefined();
  });

  test('are operations by their short names, true and false, or what the sheet has most often', () => {
    const rows = ['v4', 'v4', 'v3', ''].map((model) => makeRow({ cells: ['x', model] }));
    expect(columnValues('operation', 0, rows).map(({ insert }) => insert)).toContain('lyrics');
    expect(columnValues('make_instrumental', 1, rows).map(({ insert }) => insert)).toEqual(['true', 'false']);
    expect(columnValues('model', 1, rows).map(({ insert }) => insert)).toEqual(['v4', 'v3']);
    expect(columnValues('prompt', 0, rows)).toEqual([]);
  });
});

describe('a long text', () => {
  test('is counted in characters, lines, and bytes as they are sent', () => {
    expect(textSize('')).toEqual({ characters: 0, lines: 0, bytes: 0 });
    expect(textSize('Über\n夜😀')).toEqual({ characters: 7, lines: 2, bytes: 5 + 1 + 3 + 4 });
  });

  test('is searched to both sides and round its ends', () => {
    const text = 'Owl, owl and OWL';
    expect(findInText(text, 'owl', 0, 'forward')).toBe(0);
    expect(findInText(text, 'owl', 3, 'forward')).toBe(5);
    expect(findInText(text, 'owl', 14, 'forward')).toBe(0);
    expect(findInText(text, 'owl', 5, 'backward')).toBe(0);
    expect(findInText(text, 'owl', 0, 'backward')).toBe(13);
    expect(findInText(text, 'lark', 0, 'forward')).toBeUndefined();
    // The capital I with a dot has two units in lower case: places must not shift.
    expect(findInText('İİİ owl', 'owl', 0, 'forward')).toBe(4);
  });
});
