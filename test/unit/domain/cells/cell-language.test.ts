import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveBody } from '../../../../src/shared/domain/cells/cell-language.ts';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import type { Json } from '../../../../src/shared/domain/base/json.ts';
import { KeyFinder } from '../../../../src/shared/domain/base/key-finder.ts';
import { operationOf } from '../../../../src/shared/domain/operations/operations.ts';
import type { ReferenceSource } from '../../../../src/shared/domain/cells/reference.ts';
import type { CheckedSheet, Row } from '../../../../src/shared/domain/sheet/row.ts';
import type { CheckOptions } from '../../../../src/shared/domain/sheet/sheet-checker.ts';
import { places, rawSheet } from '../../../support/sheet-files.ts';
import { CHARACTER } from '../../../support/any-text.ts';

/** A sheet of one row, given as column → cell. */
function check(cells: Readonly<Record<string, string>>, options: CheckOptions = {}): CheckedSheet {
  return checkSheet(rawSheet([Object.keys(cells), Object.values(cells)]), options);
}

const promptOf = (sheet: CheckedSheet, row = 0): Json | undefined => sheet.rows[row]?.body['prompt'];

describe('names in cells', () => {
  test('are columns of the same row, by their header, however nearly', () => {
    const sheet = check({
      operation: 'lyrics',
      prompt: '{mood} {MOOD} { Mood } {Key Word}',
      mood: 'calm',
      key_word: 'k',
    });
    expect(promptOf(sheet)).toBe('calm calm calm k');
    expect(places(sheet.problems)).toEqual([]);
  });

  test('are the author’s columns before the variables of the batch', () => {
    const options = { variables: { mood: 'batch', tempo: '90', Row: 'never' } };
    const sheet = check(
      { row: 'a', operation: 'lyrics', prompt: '{Mood} {tempo} {Tempo} {row}', mood: 'own' },
      options,
    );
    expect(promptOf(sheet)).toBe('own 90 90 a');
    expect(places(sheet.problems)).toEqual([]);
  });

  test('are reserved columns, too, and the id where it was made', () => {
    expect(promptOf(check({ operation: 'lyrics', takes: '2', prompt: '{row} {operation} {takes}' }))).toBe(
      'r0002 lyrics 2',
    );
    expect(promptOf(check({ ID: '', operation: 'lyrics', prompt: '{ID} {row}' }))).toBe('r0002 r0002');
  });

  test('are never the columns that results are written into: what a row asks for would change with them', () => {
    const cells = { operation: 'lyrics', prompt: 'A {status} cat', status: 'sleepy' };
    const sheet = check(cells);
    expect(places(sheet.problems)).toEqual(['warning unknown-column status', 'error variable-unknown 2 r0002 prompt']);
    expect(places(check({ ...cells, prompt: 'A {Status} cat' }).problems)).toContain(
      'error variable-unknown 2 r0002 prompt',
    );
    // A variable of that name is one, before results are written and after.
    const results = { ...cells, status: 'done', files: 'a.wav', taskCode: '1', failure: '' };
    for (const one of [{ operation: 'lyrics', prompt: cells.prompt }, results]) {
      const named = check(one, { variables: { status: 'calm' } });
      expect(promptOf(named)).toBe('A calm cat');
      expect(places(named.problems)).toEqual([]);
    }
  });

  test('put raw text in, once: what looks like language in it is text', () => {
    const cells = { operation: 'lyrics', prompt: '{mood}!', mood: '{row} {a|b} __x__ {{a.taskId}} \\{' };
    const sheet = check(cells, { lists: { x: ['item'] } });
    expect(promptOf(sheet)).toBe('{row} {a|b} __x__ {{a.taskId}} \\{!');
    expect(sheet.rows[0]?.links).toBeUndefined();
    expect(places(sheet.problems)).toEqual([]);
  });

  test('that are not known are sent as they are, with the nearest name', () => {
    const sheet = check({ operation: 'lyrics', prompt: '{moood} {3} {x: 1} {"a": 1} $\\{HOME}', mood: 'calm' });
    expect(promptOf(sheet)).toBe('{moood} {3} {x: 1} {"a": 1} ${HOME}');
    expect(places(sheet.problems)).toEqual(['warning unknown-column mood', 'warning variable-unknown 2 r0002 prompt']);
    expect(sheet.problems[1]?.remedy).toContain('{mood}');
  });

  test('make a column that another operation sends one of use', () => {
    const lines = [
      ['operation', 'prompt', 'duration'],
      ['lyrics', 'a song of {duration} seconds', '5'],
      ['lyrics', 'plain', '7'],
    ];
    expect(places(checkSheet(rawSheet(lines)).problems)).toEqual([]);
  });

  test('that come out blank send nothing, and a row that then makes no sense is an error', () => {
    const sheet = check({ operation: 'music', prompt: '{words}', title: '{words}', tags: '{words}|calm', words: ' ' });
    expect(sheet.rows[0]?.body).toEqual({ tags: ['calm'] });
    expect(places(check({ operation: 'lyrics', prompt: '{words}', words: '' }).problems)).toEqual([
      'error nothing-to-render 2 r0002 prompt',
    ]);
  });

  test('make values of the type that the field has', () => {
    const cells = {
      operation: 'video-a',
      prompt: 'x',
      duration: '{seconds}',
      removeWatermark: '{yes|TRUE}',
      seconds: '7.5',
    };
    expect(check(cells).rows[0]?.body).toEqual({ prompt: 'x', duration: 7.5, removeWatermark: true });
    const wrong = check({ operation: 'image', prompt: 'x', num_images: '{n}', n: 'four' });
    expect(places(wrong.problems)).toEqual(['error value-type 2 r0002 num_images']);
    expect(wrong.problems[0]?.message).toContain('“four”');
  });
});

describe('draws', () => {
  const choice = (seed: string, more: Readonly<Record<string, string>> = {}): Json | undefined =>
    promptOf(check({ row: 'a', seed, operation: 'lyrics', prompt: '{a|b|c|d|e|f|g|h} {1|2|3|4|5|6|7|8}', ...more }));

  test('depend on the seed, else on the id, and on nothing else of the row', () => {
    const drawn = choice('7');
    expect(choice('7', { note: 'n', title: '{x|y}', priority: '3', row: 'b' })).toBe(drawn);
    const seeds = new Set(['1', '2', '3', '4', '5', '6', '7', '8'].map((seed) => choice(seed)));
    expect(seeds.size).toBeGreaterThan(4);
    expect(choice('')).toBe(
      promptOf(check({ row: 'a', operation: 'lyrics', prompt: '{a|b|c|d|e|f|g|h} {1|2|3|4|5|6|7|8}' })),
    );
  });

  test('the column “seed” is known, and never sent', () => {
    const sheet = check({ operation: 'lyrics', prompt: 'x', seed: '42' });
    expect(sheet.problems).toEqual([]);
    expect(sheet.rows[0]?.body).toEqual({ prompt: 'x' });
  });

  test('of lists take the user’s items; a list that is not there is sent as it is', () => {
    const lists = { animals: ['owl', 'fox'], empty: [] };
    const sheet = check({ operation: 'lyrics', prompt: '__animals__ __Animals__ __animal__ __empty__' }, { lists });
    expect(promptOf(sheet)).toMatch(/^(owl|fox) (owl|fox) __animal__ __empty__$/);
    expect(places(sheet.problems)).toEqual([
      'warning list-unknown 2 r0002 prompt',
      'warning list-unknown 2 r0002 prompt',
    ]);
    expect(sheet.problems[0]?.remedy).toContain('__animals__');
  });

  test('a list that is added later changes no other draw', () => {
    const cells = { operation: 'lyrics', prompt: '__new__ {a|b|c|d|e|f|g|h|i|j}' };
    const before = promptOf(check(cells)) as string;
    const after = promptOf(check(cells, { lists: { new: ['x'] } }));
    expect(after).toBe(before.replace('__new__', 'x'));
  });
});

describe('lists of texts', () => {
  const tags = (cell: string, more: Readonly<Record<string, string>> = {}): Json | undefined =>
    check({ row: 'r', operation: 'music', prompt: 'x', tags: cell, ...more }, { lists: { l: ['p|q'] } }).rows[0]?.body[
      'tags'
    ];

  test('are divided where the cell itself says so, never in what is put in', () => {
    expect(tags('calm|{mood}|__l__', { mood: 'a|b' })).toEqual(['calm', 'a|b', 'p|q']);
    expect(tags(' {mood} | x {mood}', { mood: ' m ' })).toEqual([' m ', 'x  m ']);
    expect(tags('{a|a}|b')).toEqual(['a', 'b']);
    expect(tags('""|{mood}', { mood: 'm' })).toEqual(['', 'm']);
    expect(tags('\\{a|b}')).toEqual(['{a', 'b}']);
  });

  test('as JSON are read first, and each item by itself', () => {
    expect(tags('["{mood}|x", "{b|b}", " c "]', { mood: 'a","b' })).toEqual(['a","b|x', 'b', ' c ']);
    expect(places(check({ operation: 'music', prompt: 'x', tags: '[{a|b}]' }).problems)).toEqual([
      'error value-type 2 r0002 tags',
    ]);
  });
});

describe('the key', () => {
  const key = 'sk-1234567890abcdef';

  test('does not come to be in a body by being put together', () => {
    const cells = { operation: 'lyrics', prompt: '{first}{second}', first: 'sk-12345', second: '67890abcdef' };
    const sheet = check(cells, { keyFinder: new KeyFinder([key]) });
    expect(places(sheet.problems)).toEqual(['error contains-key 2 r0002 prompt']);
    expect(JSON.stringify(sheet)).not.toContain(key);
  });

  test('in a variable or a list refuses the sheet, and is kept nowhere', () => {
    for (const options of [{ variables: { v: `x ${key}` } }, { lists: { v: [key] } }]) {
      const sheet = check(
        { operation: 'lyrics', prompt: '{v} __v__' },
        { keyFinder: new KeyFinder([key]), ...options },
      );
      expect(sheet.problems.map(({ code, line }) => [code, line])).toContainEqual(['contains-key', undefined]);
      expect(JSON.stringify(sheet)).not.toContain(key);
    }
  });
});

describe('what grows', () => {
  test('beyond measure in one cell is an error of its row', () => {
    const sheet = check({ operation: 'lyrics', prompt: '{lore}'.repeat(200), lore: 'x'.repeat(10_000) });
    expect(places(sheet.problems)).toContain('error too-large 2 r0002 prompt');
    expect(promptOf(sheet)).toBeUndefined();
  });

  test('beyond measure in many rows refuses the sheet', () => {
    const line = ['lyrics', '{lore}'.repeat(90), 'x'.repeat(10_000)];
    const sheet = checkSheet(rawSheet([['operation', 'prompt', 'lore'], ...Array.from({ length: 300 }, () => line)]));
    expect(places(sheet.problems)).toContain('error too-large');
    expect(sheet.rows).toEqual([]);
  });
});

test('whatever the cells: a check never throws, and what is not put in is sent as it is', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '{{',
    '}}',
    '|',
    '__',
    '\\',
    'a',
    'row',
    '.taskId',
    '.result.x',
    '\n',
    '[',
    '"',
    ' ',
  );
  const cell = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(cell, cell, cell, fc.constantFrom('draw' as const, 'expand' as const), (prompt, tags, own, choices) => {
      const sheet = check(
        { row: 'a', operation: 'music', prompt, tags, own, title: 't' },
        { choices, lists: { a: ['i'] } },
      );
      expect(sheet.rows.length).toBeGreaterThan(0);
      if (!prompt.includes('{') && !prompt.includes('__') && prompt.trim() !== '' && prompt !== '""') {
        expect(promptOf(sheet)).toBe(prompt);
      }
    }),
    { numRuns: 2000 },
  );
});

describe('values of other rows', () => {
  const source: ReferenceSource = {
    taskCode: '1234567890123456789',
    result: {
      musicUrl: 'https://m.example/1.mp3',
      seconds: 30,
      id: '1234567890123456789',
      list: ['calm', 'a|b'],
      nothing: null,
      message: '{"title":"T","text":"One\\nTwo","deep":{"number":12345678901234567890}}',
      clips: [
        { clip_id: 'c-0', at: 1 },
        { clip_id: 'c-1', at: 2 },
      ],
    },
    outputUrls: ['https://m.example/1.mp3', 'https://m.example/2.mp3'],
  };

  /** The body of the second row once the first one is done, or the sentence that says why there is none. */
  function resolved(operation: string, cells: Readonly<Record<string, string>>, given = source): unknown {
    const headers = ['row', 'operation', ...Object.keys(cells)];
    const first = ['intro', 'lyrics', ...Object.keys(cells).map((name) => (name === 'prompt' ? 'x' : ''))];
    const sheet = checkSheet(
      rawSheet([
        [...headers, 'lyrics_model', 'prompt'].slice(0, headers.includes('prompt') ? headers.length : undefined),
        headers.includes('prompt') ? first : [...first, '', 'x'],
        ['next', operation, ...Object.values(cells)],
      ]),
    );
    expect(sheet.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const row = sheet.rows[1] as Row;
    const body = resolveBody(operationOf(row.operation ?? 'musicgen/music/wav'), row.body, row.links, (id) =>
      id === 'intro' ? given : undefined,
    );
    return body.ok ? body.value : body.error.message;
  }

  test.each<[string, string, Record<string, string>, unknown]>([
    ['a task code', 'wav', { clip_id: '{{intro.taskId}}' }, { clip_id: '1234567890123456789' }],
    ['an address', 'upload', { audioUrl: '{{intro.output.2.url}}' }, { audioUrl: ['https://m.example/2.mp3'] }],
    [
      'a part of a text',
      'lyrics',
      { prompt: 'like {{Intro.result.musicUrl}}!' },
      { prompt: 'like https://m.example/1.mp3!' },
    ],
    ['a number', 'video-a', { prompt: 'x', duration: '{{intro.result.seconds}}' }, { prompt: 'x', duration: 30 }],
    ['a long number, every digit', 'wav', { clip_id: '{{intro.result.id}}' }, { clip_id: '1234567890123456789' }],
    [
      'a list in a list',
      'music',
      { prompt: 'x', tags: 'own|{{intro.result.list}}' },
      { prompt: 'x', tags: ['own', 'calm', 'a|b'] },
    ],
    [
      'an item in a list',
      'music',
      { prompt: 'x', tags: 'so {{intro.result.list.1}}' },
      { prompt: 'x', tags: ['so a|b'] },
    ],
    ['an element of a list', 'wav', { clip_id: '{{intro.result.clips.1.clip_id}}' }, { clip_id: 'c-1' }],
    ['JSON in a text', 'lyrics', { prompt: '{{intro.result.message.text}}' }, { prompt: 'One\nTwo' }],
    ['the one deeper place', 'lyrics', { prompt: '{{intro.result.text}}' }, { prompt: 'One\nTwo' }],
    [
      'a long number in a text',
      'lyrics',
      { prompt: '{{intro.result.deep.number}}' },
      { prompt: '12345678901234567890' },
    ],
    [
      'in a nested field',
      'music',
      { prompt: 'x', 'persona.persona_id': '{{intro.taskId}}', 'persona.artist_clip_id': 'own' },
      { prompt: 'x', persona: { persona_id: '1234567890123456789', artist_clip_id: 'own' } },
    ],
  ])('%s', (_name, operation, cells, body) => {
    expect(resolved(operation, cells)).toEqual(body);
  });

  test.each<[string, string, Record<string, string>, readonly string[]]>([
    [
      'a path that is not there',
      'lyrics',
      { prompt: '{{intro.result.lyric}}' },
      ['“prompt”', 'no “lyric”', '“musicUrl”', '“message”'],
    ],
    ['a path to several places', 'lyrics', { prompt: '{{intro.result.clip_id}}' }, ['in 2 places', '“clips”']],
    ['a list for a text', 'lyrics', { prompt: '{{intro.result.clips}}' }, ['a list of 2']],
    ['an object for a text', 'lyrics', { prompt: '{{intro.result.clips.0}}' }, ['“clip_id”', '“at”']],
    ['nothing', 'lyrics', { prompt: '{{intro.result.nothing}}' }, ['null']],
    ['no such output', 'upload', { audioUrl: '{{intro.output.3.url}}' }, ['2 outputs']],
    [
      'a text for a number',
      'video-a',
      { prompt: 'x', duration: '{{intro.result.musicUrl}}' },
      ['“duration”', 'not a number'],
    ],
  ])('%s is said with what there is', (_name, operation, cells, words) => {
    for (const word of words) expect(resolved(operation, cells)).toContain(word);
  });

  test('never stand for something else: two quotation marks are two quotation marks', () => {
    const given = { ...source, result: { text: '""' } };
    expect(resolved('lyrics', { prompt: '{{intro.result.text}}' }, given)).toEqual({ prompt: '""' });
  });

  test('put in a list of any length', () => {
    const list = Array.from({ length: 200_000 }, (_, at) => String(at));
    const given = { ...source, result: { list } };
    expect(resolved('music', { prompt: 'x', tags: 'own|{{intro.result.list}}' }, given)).toEqual({
      prompt: 'x',
      tags: ['own', ...list],
    });
  });

  test('that are blank leave nothing to render, which is not paid for', () => {
    expect(
      resolved('lyrics', { prompt: '{{intro.result.musicUrl}}' }, { ...source, result: { musicUrl: ' ' } }),
    ).toContain('nothing to render');
  });

  test('are put in byte for byte, and not looked at again', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER, minLength: 1 }), (text) => {
        fc.pre(text.trim() !== '');
        const given = { ...source, result: { text } };
        expect(resolved('lyrics', { prompt: 'a {{intro.result.text}}' }, given)).toEqual({ prompt: `a ${text}` });
        expect(resolved('music', { prompt: 'x', tags: 'a|{{intro.result.text}}' }, given)).toEqual({
          prompt: 'x',
          tags: ['a', text],
        });
      }),
      { numRuns: 200 },
    );
  });

  test('deep in an answer that is nested without end are not found, and nothing breaks', () => {
    let nested: Json = { text: 'x' };
    for (let level = 0; level < 5000; level++) nested = { inner: nested };
    expect(resolved('lyrics', { prompt: '{{intro.result.text}}' }, { ...source, result: nested })).toContain(
      'no “text”',
    );
  });
});
