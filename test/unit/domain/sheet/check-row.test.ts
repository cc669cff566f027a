import { describe, expect, test } from 'vitest';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import { KeyFinder } from '../../../../src/shared/domain/base/key-finder.ts';
import type { CheckOptions } from '../../../../src/shared/domain/sheet/sheet-checker.ts';
import { columnsOf, OPERATIONS } from '../../../../src/shared/domain/operations/operations.ts';
import type { CheckedSheet } from '../../../../src/shared/domain/sheet/row.ts';
import { RESERVED_COLUMNS, type ReservedColumn } from '../../../../src/shared/domain/sheet/sheet-columns.ts';
import { places, rawSheet } from '../../../support/sheet-files.ts';

/** A sheet of one row, given as column → cell. */
function check(cells: Readonly<Record<string, string>>, options: CheckOptions = {}): CheckedSheet {
  return checkSheet(rawSheet([Object.keys(cells), Object.values(cells)]), options);
}

const bodyOf = (sheet: CheckedSheet): unknown => sheet.rows[0]?.body;

describe('what a row says about itself', () => {
  const sample: Readonly<Record<ReservedColumn, string>> = {
    row: 'intro',
    operation: 'image',
    filename: '{row}',
    takes: '3',
    priority: '5',
    account: 'second',
    pick: 'yes',
    skip: 'yes',
    note: 'later',
  };

  test.each(RESERVED_COLUMNS)('is heard in the column %s', (column) => {
    const meaning = (cell: string): unknown => {
      const cells = { operation: 'music', prompt: 'rain', [column]: cell };
      const { rows, problems } = check(cells, { accounts: ['first', 'second'] });
      return { ...rows[0], cells: problems };
    };
    expect(meaning(sample[column])).not.toEqual(meaning(column === 'operation' ? 'music' : ''));
  });
});

describe('what a row sends', () => {
  test('every field of every operation lands where the interface has it, with its type', () => {
    const sample = {
      string: 'text',
      boolean: 'yes',
      int32: '5',
      integer: '5',
      number: '2.5',
      'string[]': 'https://a|https://b',
    };
    const value = {
      string: 'text',
      boolean: true,
      int32: 5,
      integer: 5,
      number: 2.5,
      'string[]': ['https://a', 'https://b'],
    };
    for (const operation of OPERATIONS) {
      const columns = columnsOf(operation);
      const cells = Object.fromEntries(
        columns.map(({ column, field }) => [column, field.name === 'end_s' ? '9' : sample[field.type]]),
      );
      const sheet = check({ operation: operation.short, ...cells });
      expect(sheet.problems).toEqual([]);
      const body = Object.fromEntries(
        operation.fields.map((field) => [
          field.name,
          field.kind === 'leaf'
            ? value[field.type]
            : Object.fromEntries(
                field.fields.map((inner) => [inner.name, inner.name === 'end_s' ? 9 : value[inner.type]]),
              ),
        ]),
      );
      expect(sheet.rows[0]).toMatchObject({ operation: operation.path, takes: 1, priority: 0, skip: false });
      expect(bodyOf(sheet)).toEqual(body);
    }
  });

  test('an operation goes by every name that it is shown with, whatever the case', () => {
    for (const { path, short, title } of OPERATIONS) {
      for (const name of [path, `/${path}`, short, title, title.toUpperCase(), ` ${title.toLowerCase()} `]) {
        expect({ name, path: check({ operation: name, prompt: 'x' }).rows[0]?.operation }).toEqual({ name, path });
      }
    }
  });

  test('blank cells send nothing, and an empty object is not sent either', () => {
    const sheet = check({
      operation: 'music',
      prompt: 'x',
      title: '',
      tags: '  ',
      'range.start_s': '',
      'controls.style_weight': '',
    });
    expect(bodyOf(sheet)).toEqual({ prompt: 'x' });
  });

  test('unset, empty and false are three things', () => {
    expect(bodyOf(check({ operation: 'video-a', prompt: 'x', size: '""', removeWatermark: 'no', model: '' }))).toEqual({
      prompt: 'x',
      size: '',
      removeWatermark: false,
    });
  });

  test('reserved columns are read and not sent', () => {
    const sheet = check({
      row: ' a ',
      operation: '/Musicgen/Music/Lyrics',
      prompt: 'x',
      filename: '{row}',
      takes: '3',
      priority: '-2',
      skip: 'no',
      note: 'n',
    });
    expect(sheet.problems).toEqual([]);
    expect(sheet.rows[0]).toMatchObject({
      id: 'a',
      line: 2,
      operation: 'musicgen/music/lyrics',
      body: { prompt: 'x' },
      takes: 3,
      priority: -2,
      filename: '{row}',
      note: 'n',
      skip: false,
    });
  });

  test('all cells are kept as they were, under the sheet’s own headers', () => {
    const sheet = check({ operation: 'lyrics', Prompt: ' x ', __proto: 'p', toString: 's', blank: '' });
    expect({ ...sheet.rows[0]?.cells }).toEqual({
      operation: 'lyrics',
      Prompt: ' x ',
      __proto: 'p',
      toString: 's',
      blank: '',
    });
    expect(sheet.rows[0]?.cells['constructor']).toBeUndefined();
  });

  test('__proto__ is a name like any other', () => {
    const sheet = checkSheet(
      rawSheet([
        ['operation', 'prompt', '__proto__'],
        ['lyrics', 'x', 'polluted'],
      ]),
    );
    expect(places(sheet.problems)).toEqual(['warning unknown-column __proto__']);
    expect(Object.entries(sheet.rows[0]?.cells ?? {})).toContainEqual(['__proto__', 'polluted']);
    expect(bodyOf(sheet)).toEqual({ prompt: 'x' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('errors of a row', () => {
  test.each<[string, Record<string, string>, string]>([
    ['an unknown operation', { operation: 'musick', prompt: 'x' }, 'error operation-unknown 2 r0002 operation'],
    ['no operation', { operation: ' ', prompt: 'x' }, 'error operation-missing 2 r0002 operation'],
    ['a wrong type', { operation: 'video-a', prompt: 'x', duration: 'long' }, 'error value-type 2 r0002 duration'],
    [
      'more than 32 bits',
      { operation: 'music', prompt: 'x', continue_at: '2147483648' },
      'error value-range 2 r0002 continue_at',
    ],
    [
      'an end before its start',
      { operation: 'music', prompt: 'x', 'range.start_s': '5', 'range.end_s': '5' },
      'error value-range 2 r0002 range.end_s',
    ],
    ['no take', { operation: 'lyrics', prompt: 'x', takes: '0' }, 'error reserved-value 2 r0002 takes'],
    ['101 takes', { operation: 'lyrics', prompt: 'x', takes: '101' }, 'error reserved-value 2 r0002 takes'],
    ['half a take', { operation: 'lyrics', prompt: 'x', takes: '1.5' }, 'error reserved-value 2 r0002 takes'],
    [
      'a priority in words',
      { operation: 'lyrics', prompt: 'x', priority: 'high' },
      'error reserved-value 2 r0002 priority',
    ],
    ['a skip in other words', { operation: 'lyrics', prompt: 'x', skip: 'x' }, 'error reserved-value 2 r0002 skip'],
    ['NUL', { operation: 'lyrics', prompt: 'x\0' }, 'error value-characters 2 r0002 prompt'],
    ['half a character', { operation: 'lyrics', prompt: 'x\uD83D' }, 'error value-characters 2 r0002 prompt'],
    [
      'a reference to no row',
      { operation: 'wav', clip_id: '{{intro.taskId}}' },
      'error reference-missing 2 r0002 clip_id',
    ],
    [
      'a reference to no row in a text',
      { operation: 'lyrics', prompt: 'like {{a.result.musicUrl}}, but slow' },
      'error reference-missing 2 r0002 prompt',
    ],
    ['no reference', { operation: 'wav', clip_id: '{{intro}}' }, 'error reference-invalid 2 r0002 clip_id'],
    [
      'a reference to itself',
      { row: 'a', operation: 'wav', clip_id: '{{A.taskId}}' },
      'error reference-cycle 2 a clip_id',
    ],
    [
      'text that is put together to no number',
      { operation: 'image', prompt: 'x', num_images: '{a few|some}' },
      'error value-type 2 r0002 num_images',
    ],
    [
      'nothing to render',
      { operation: 'lyrics', prompt: '', lyrics_model: 'm' },
      'error nothing-to-render 2 r0002 prompt',
    ],
    ['an empty text to render', { operation: 'lyrics', prompt: '""' }, 'error nothing-to-render 2 r0002 prompt'],
    ['an empty list to render', { operation: 'upload', audioUrl: '[]' }, 'error nothing-to-render 2 r0002 audioUrl'],
  ])('%s', (_name, cells, place) => {
    const sheet = check(cells);
    expect(places(sheet.problems)).toEqual([place]);
    expect(sheet.problems[0]?.message).not.toBe('');
    expect(sheet.problems[0]?.remedy).not.toBe('');
  });

  test('a misspelt operation is answered with the nearest one', () => {
    expect(check({ operation: 'lyric', prompt: 'x' }).problems[0]?.remedy).toContain('“lyrics”');
    expect(check({ operation: 'musicgen/music/generat', prompt: 'x' }).problems[0]?.remedy).toContain(
      '“musicgen/music/generate”',
    );
    expect(check({ operation: 'xyzzy', prompt: 'x' }).problems[0]?.remedy).toContain('music, video-a');
  });

  test('every sense field is enough for its operation', () => {
    for (const operation of OPERATIONS) {
      for (const field of operation.senseFields) {
        expect(places(check({ operation: operation.short, [field]: 'https://a.example/x' }).problems)).toEqual([]);
      }
      const rest = columnsOf(operation).find((column) => !operation.senseFields.includes(column.column));
      const other = rest && rest.field.type === 'string' ? { [rest.column]: 'x' } : {};
      expect(places(check({ operation: operation.short, ...other }).problems)).toEqual([
        `error nothing-to-render 2 r0002 ${operation.senseFields[0]}`,
      ]);
    }
  });

  test('more cells than headers are an error: a text was torn apart at its commas', () => {
    const sheet = checkSheet(
      rawSheet([
        ['operation', 'prompt'],
        ['lyrics', 'slow', ' and calm'],
        ['lyrics', 'fine', '', ' '],
      ]),
    );
    expect(places(sheet.problems)).toEqual(['error extra-cells 2 r0002']);
  });

  test('a cell with the key is blocked and the key is not repeated', () => {
    const key = 'sk-1234567890abcdef';
    for (const column of ['prompt', 'note']) {
      const sheet = check(
        { operation: 'lyrics', prompt: 'x', [column]: `my key is ${key}` },
        { keyFinder: new KeyFinder([key]) },
      );
      expect(places(sheet.problems)).toEqual([`error contains-key 2 r0002 ${column}`]);
      expect(JSON.stringify(sheet.problems)).not.toContain(key);
    }
    expect(check({ operation: 'lyrics', prompt: 'x' }, { keyFinder: new KeyFinder(['']) }).problems).toEqual([]);
  });

  test('a row that is skipped is not checked', () => {
    const sheet = check({ operation: 'nonsense', takes: '0', duration: 'x', skip: 'yes' });
    expect(sheet.problems).toEqual([]);
    expect(sheet.rows[0]?.skip).toBe(true);
  });
});

describe('warnings of a row', () => {
  test.each<[string, Record<string, string>, string[]]>([
    [
      'controls above 100',
      { operation: 'music', prompt: 'x', 'controls.audio_weight': '101' },
      ['warning value-range 2 r0002 controls.audio_weight'],
    ],
    [
      'controls below 0',
      { operation: 'music', prompt: 'x', 'controls.audio_weight': '-1' },
      ['warning value-range 2 r0002 controls.audio_weight'],
    ],
    [
      'controls within',
      { operation: 'music', prompt: 'x', 'controls.audio_weight': '100', 'controls.style_weight': '0' },
      [],
    ],
    [
      'a file of this computer',
      { operation: 'upload', audioUrl: 'https://a.example/x|C:\\x.mp3' },
      ['error local-file 2 r0002 audioUrl'],
    ],
    [
      'neither an address nor a file',
      { operation: 'upload', audioUrl: 'https://a.example/x|clip-17' },
      ['warning value-address 2 r0002 audioUrl'],
    ],
    ['100,000 bytes', { operation: 'lyrics', prompt: 'x'.repeat(100_000) }, []],
    ['100,001 bytes', { operation: 'lyrics', prompt: 'x'.repeat(100_001) }, ['warning value-long 2 r0002 prompt']],
    [
      '100,001 bytes of three each',
      { operation: 'lyrics', prompt: `${'世'.repeat(33_333)}ab` },
      ['warning value-long 2 r0002 prompt'],
    ],
    ['100,000 bytes of four each', { operation: 'lyrics', prompt: '😀'.repeat(25_000) }, []],
    [
      'variables and lists that are not there',
      { operation: 'lyrics', prompt: '{name} and __animals__' },
      ['warning variable-unknown 2 r0002 prompt', 'warning list-unknown 2 r0002 prompt'],
    ],
    ['formulas are sent as they are', { operation: 'lyrics', prompt: "=cmd|' /C calc'!A0" }, []],
  ])('%s', (_name, cells, expected) => {
    expect(places(check(cells).problems)).toEqual(expected);
  });
});

describe('the account of a row', () => {
  const cells = { operation: 'image', prompt: 'a fox', account: ' spare ' };

  test('is one of those that its batch has', () => {
    const sheet = check(cells, { accounts: ['main', 'spare'] });
    expect([sheet.rows[0]?.account, sheet.problems]).toEqual(['spare', []]);
    expect(check({ ...cells, account: '' }, { accounts: ['main', 'spare'] }).rows[0]).not.toHaveProperty('account');
  });

  test('that nobody knows keeps the row from running', () => {
    const [problem] = check({ ...cells, account: 'spar' }, { accounts: ['main', 'spare'] }).problems;
    expect(problem).toMatchObject({
      severity: 'error',
      code: 'account-unknown',
      column: 'account',
      remedy: 'Did you mean “spare”? Its accounts are “main”, “spare”. Leave the cell blank for any of them.',
    });
  });

  test.each(['account', 'Account'])('means nothing where there is one: the column “%s” is the user’s own', (header) => {
    const own = { operation: 'image', prompt: 'a fox', [header]: 'Jane' };
    const sheet = check(own, { accounts: ['My gateway'] });
    expect(sheet.problems).toEqual([]);
    expect(sheet.rows[0]).not.toHaveProperty('account');
    expect(sheet.rows[0]?.cells).toMatchObject({ [header]: 'Jane' });
  });

  test('is taken as it is while nobody knows which there are', () => {
    expect(check(cells)).toMatchObject({ rows: [{ account: 'spare' }], problems: [] });
  });
});

describe('a column that the author calls something else', () => {
  const mapping = {
    Type: 'operation',
    Idea: 'prompt',
    Versions: 'takes',
    Begin: 'range.start_s',
    Stop: 'range.end_s',
    Mood: 'controls.style_weight',
    Leave: 'skip',
    Name: 'row',
  };
  const blank = Object.fromEntries(Object.keys(mapping).map((header) => [header, '']));
  const said = (cells: Readonly<Record<string, string>>): readonly string[] =>
    check({ ...blank, ...cells }, { mapping }).problems.flatMap(({ column, message, remedy }) => [
      `${column}: ${message}`,
      remedy,
    ]);

  test.each([
    [{ Type: 'lyrics', Idea: '' }, 'prompt', 'Fill in “Idea”'],
    [{ Type: 'image', Idea: 'a fox', Versions: 'many' }, 'takes', 'The column “Versions” holds “many”.'],
    [
      { Type: 'music', Idea: 'x', Begin: '9', Stop: '5' },
      'range.end_s',
      '“Stop” is 5 s, which is not after “Begin”, 9 s.',
    ],
    [{ Type: 'music', Idea: 'x', Mood: 'high' }, 'controls.style_weight', '“Mood”: “high” is not a whole number.'],
    [{ Type: 'music', Idea: '{tempo}' }, 'prompt', '“Idea”: “{tempo}” is sent as it is'],
    [{ Type: 'music', Idea: '{{far.taskId}}', Name: 'a' }, 'prompt', 'as in its column “Name”'],
  ])('is called so: %j', (cells, column, text) => {
    const texts = said(cells);
    expect(texts.join('\n')).toContain(text);
    // Codes and columns are for programs, and stay.
    expect(texts[0]).toMatch(new RegExp(`^${column}: `, 'u'));
    expect(texts.join('\n')).not.toContain(`“${column}”`);
  });

  test('also where it concerns several rows', () => {
    const { problems } = checkSheet(
      rawSheet([
        ['Name', 'Type', 'Idea', 'Versions', 'Leave'],
        ['a', 'lyrics', 'x', '', ''],
        ['b', 'lyrics', 'x', '', ''],
        ['c', 'lyrics', 'x {{d.taskId}}', '', ''],
        ['d', 'lyrics', 'y', '', 'yes'],
      ]),
      { mapping },
    );
    const remedies = problems.map(({ remedy }) => remedy).join('\n');
    expect(remedies).toContain('set its “Versions”');
    expect(remedies).toContain('Clear “Leave” there');
  });
});
