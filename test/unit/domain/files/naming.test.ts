import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeName } from '../../../../src/shared/domain/base/name-text.ts';
import { KNOWN_EXTENSIONS } from '../../../../src/shared/domain/files/media-type.ts';
import { cellsWithSent, foldPath, renderStem } from '../../../../src/shared/domain/files/naming.ts';
import type { NameVariables } from '../../../../src/shared/domain/files/naming.ts';
import { CHARACTER } from '../../../support/any-text.ts';

function variables(changes: Partial<NameVariables> = {}): NameVariables {
  return {
    row: 'r0007',
    batch: 'Lullabies',
    operation: 'musicgen/music/generate',
    take: 1,
    takes: 1,
    index: 1,
    outputs: 1,
    version: 1,
    date: '2026-01-15',
    taskCode: '1234567890123456789',
    model: 'v4',
    cells: { prompt: 'A quiet lullaby for the moon', mood: 'calm' },
    ...changes,
  };
}

/** Valid on Linux, macOS and Windows, written down apart from the code: the rules of each system. */
function expectValidEverywhere(name: string): void {
  expect(name.length).toBeGreaterThan(0);
  expect(name.length).toBeLessThanOrEqual(120);
  expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(200);
  expect(name).not.toMatch(/[<>:"/\\|?*]/u);
  expect(name).not.toMatch(/\p{Cc}/u);
  expect(name).not.toMatch(/\p{Cs}/u);
  expect(name).not.toMatch(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029\uFEFF]/u);
  expect(name).not.toMatch(/[. ]$/u);
  expect(name).not.toMatch(/^[.\s-]/u);
  expect(name).not.toMatch(/^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)(?:\s*\.|\s*$)/iu);
  expect(name).toBe(name.normalize('NFC'));
}

describe('templates', () => {
  test.each([
    ['{row}-{slug}', 'r0007-a-quiet-lullaby-for-the-moon'],
    ['', 'r0007-a-quiet-lullaby-for-the-moon'],
    ['{batch} {operation} {family}', 'Lullabies music musicgen'],
    ['{date}_{model}_{taskCode}', '2026-01-15_v4_1234567890123456789'],
    ['{mood}', 'calm'],
    ['{Mood}', 'calm'],
    ['{row} {nothing}', 'r0007 {nothing}'],
    ['song.mp3', 'song'],
    ['v1.5 final', 'v1.5 final'],
    ['{row}/{mood}', 'r0007-calm'],
  ])('%j gives %j', (template, name) => {
    expect(renderStem(template, variables())).toBe(name);
  });

  test('braces inside a value stay what they are', () => {
    expect(renderStem('{prompt}', variables({ cells: { prompt: '{row} {mood}', mood: 'x' } }))).toBe('{row} {mood}');
  });

  test('takes and outputs get a suffix where there is more than one and the template does not tell them apart', () => {
    const two = variables({ take: 2, takes: 3, index: 2, outputs: 2 });
    expect(renderStem('{row}', two)).toBe('r0007-take2-2');
    expect(renderStem('{row}-{take}', two)).toBe('r0007-2-2');
    expect(renderStem('{row}-{take}-{index}', two)).toBe('r0007-2-2');
    expect(renderStem('{row}', variables())).toBe('r0007');
  });

  test('a row that asks for something else than before gets a version, which looks like no take', () => {
    expect(renderStem('{row}', variables({ version: 2 }))).toBe('r0007-v2');
    const several = variables({ version: 3, take: 1, takes: 2, index: 2, outputs: 2 });
    expect(renderStem('{row}', several)).toBe('r0007-v3-take1-2');
    // Cut short, it is still told apart from the version before.
    const long = { cells: { prompt: 'night '.repeat(60) } };
    const stems = [1, 2, 3].map((version) => renderStem('{row}-{prompt}', variables({ ...long, version })));
    expect(new Set(stems).size).toBe(3);
  });

  test('the slug comes from the title, else the prompt, else the operation, in any script', () => {
    expect(renderStem('{slug}', variables({ cells: { title: 'Der Mond, 2. Teil', prompt: 'x' } }))).toBe(
      'der-mond-2-teil',
    );
    expect(renderStem('{slug}', variables({ cells: { prompt: '月亮的摇篮曲！' } }))).toBe('月亮的摇篮曲');
    expect(renderStem('{slug}', variables({ cells: { prompt: '!!!' } }))).toBe('music');
    expect(renderStem('{slug}', variables({ cells: {} }))).toBe('music');
  });

  test('blanks of any kind keep the words of a slug apart, as they do those of a name', () => {
    for (const blank of ['\n', '\r\n', '\t', '\u00a0', '\u0085', '\u2028', '\u3000', ' \n\n ']) {
      const cells = { prompt: `foam${blank}on` };
      expect([renderStem('{slug}', variables({ cells })), renderStem('{prompt}', variables({ cells }))]).toEqual([
        'foam-on',
        'foam on',
      ]);
    }
    expect(renderStem('{slug}', variables({ cells: { prompt: 'fo\u200bam' } }))).toBe('foam');
  });

  test('a slug is cut between words', () => {
    const prompt = 'one two three four five six seven eight nine eleven twelve';
    expect(renderStem('{slug}', variables({ cells: { prompt } }))).toBe('one-two-three-four-five-six-seven-eight-nine');
  });
});

describe('names that some system cannot have', () => {
  test.each([
    ['CON', '_CON'],
    ['com¹', '_com¹'],
    ['LPT9.txt', '_LPT9.txt'],
    ['nul .tar', '_nul .tar'],
    ['name. . ', 'name'],
    ['a:b', 'a-b'],
    ['../../etc/passwd', 'etc-passwd'],
    ['\\\\server\\share', 'server-share'],
    ['..', 'r0007'],
    ['-rf', 'rf'],
    ['photo\u202Egpj.exe', 'photogpj.exe'],
    ['tab\tand\nline', 'tab and line'],
    ['e\u0301', 'é'],
    ['\uD800broken', 'broken'],
  ])('%j gives %j', (text, name) => {
    expect(renderStem('{text}', variables({ cells: { text } }))).toBe(name);
  });
});

describe('long names', () => {
  test('the row’s id stays, and so do the suffixes', () => {
    const name = renderStem('{prompt} {row}', variables({ cells: { prompt: 'x'.repeat(500) }, take: 2, takes: 2 }));
    expect(name).toMatch(/^x+ r0007-take2$/u);
    expectValidEverywhere(name);
  });

  test('the row’s id is put in front when the template has none and the name must be cut', () => {
    expect(renderStem('{prompt}', variables({ cells: { prompt: 'x'.repeat(500) } }))).toMatch(/^r0007-x{50,}$/u);
  });

  test('a template of tens of thousands of characters, and values of as many, give a name like any other', () => {
    const cells = { prompt: `moon ${'\u{300}'.repeat(50_000)}`, mood: '. '.repeat(50_000) };
    for (const unit of ['{row}-', '{row}{prompt}{mood}', '{ ', '{take}', '. ']) {
      expectValidEverywhere(renderStem(unit.repeat(20_000), variables({ row: 'r0007-the-moon', cells })));
    }
    expect(renderStem(`{row}-${'x'.repeat(50_000)}`, variables()).startsWith('r0007-xxx')).toBe(true);
  });

  test('a hundred thousand dots are not gone through again and again', () => {
    const row = `x${'.'.repeat(100_000)}y`;
    expect(safeName(row, 'file')).toBe(row);
    expect(safeName(`${row}..`, 'file')).toBe(row);
    expectValidEverywhere(renderStem('{row}', variables({ row })));
  });

  test('an id that begins with more than a name may have of what none begins with is cut all the same', () => {
    const row = `${'<'.repeat(500)}${'moon '.repeat(300)}`;
    const name = renderStem('{row}', variables({ row }));
    expect(name).toMatch(/^moon moon /u);
    expectValidEverywhere(name);
  });

  test('no character is split: family emoji and Hangul', () => {
    const family = '👨‍👩‍👧‍👦';
    const name = renderStem('{row} {prompt}', variables({ cells: { prompt: family.repeat(40) } }));
    expect(name.replaceAll(family, '')).toBe('r0007 ');
    expectValidEverywhere(renderStem('{prompt}', variables({ cells: { prompt: '한글'.repeat(200) } })));
  });
});

const anyText = fc.oneof(
  fc.string({ unit: CHARACTER, maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom(
      '.',
      ' ',
      '-',
      'CON',
      'lpt1',
      '\u202E',
      '\uD800',
      '{',
      '}',
      'row',
      '/',
      '\\',
      ':',
      '\0',
      '\u0301',
    ),
  }),
);

test('any text, as template, id and cell, gives a name that is valid on all three systems', () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, fc.integer({ min: 1, max: 3 }), (template, row, prompt, take) => {
      for (const each of [template, `{row}-{slug}${template}`, '{prompt}', '{row}', `${template}{prompt}`]) {
        const name = renderStem(each, variables({ row, cells: { prompt }, take, takes: 3, outputs: 2 }));
        expectValidEverywhere(name);
        for (const extension of KNOWN_EXTENSIONS) expect(`${name}.${extension}`.length).toBeLessThan(255);
      }
    }),
    { numRuns: 800 },
  );
});

describe('folding', () => {
  test('what may be one file on some system folds to the same', () => {
    expect(foldPath('image/É.png')).toBe(foldPath('IMAGE/e\u0301.PNG'));
    expect(foldPath('Straße')).toBe(foldPath('STRASSE'));
    expect(foldPath('STRAẞE')).toBe(foldPath('strasse'));
    expect(foldPath('a')).not.toBe(foldPath('b'));
  });

  test('folding twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
        expect(foldPath(foldPath(text))).toBe(foldPath(text));
      }),
    );
  });
});

describe('what names can speak of', () => {
  const name = (template: string, cells: Record<string, string>, sent: Parameters<typeof cellsWithSent>[2]): string =>
    renderStem(template, variables({ cells: cellsWithSent(cells, 'musicgen/music/generate', sent) }));

  test('a column is known by its own name, whatever the sheet calls it', () => {
    const cells = { Titel: 'Sommer', Stil: 'Pop|ruhig', 'Gewicht des Stils': '40' };
    const sent = { title: 'Sommer', tags: ['Pop', 'ruhig'], controls: { style_weight: 40 } };
    expect(name('{row}-{slug}', cells, sent)).toBe('r0007-sommer');
    expect(name('{title} {tags} {controls.style_weight}', cells, sent)).toBe(
      renderStem('Sommer Pop|ruhig 40', variables()),
    );
    expect(name('{Titel}', cells, sent)).toBe('Sommer');
  });

  test('a text is the one that was sent, with all that was filled in', () => {
    const cells = { prompt: 'A {red|green} car', title: '{{words.result.title}}', make_instrumental: 'yes' };
    const sent = { prompt: 'A green car', title: 'North', make_instrumental: true };
    expect(name('{slug}', cells, sent)).toBe('north');
    expect(name('{prompt} {make_instrumental}', cells, sent)).toBe('A green car yes');
  });

  test('an address that another row gave is not spelt out', () => {
    const sent = { prompt: 'like https://media.example/a.mp3?Signature=abc but slower' };
    expect(name('{slug}', { prompt: 'like {{a.output.1.url}} but slower' }, sent)).toBe('like-but-slower');
    const clip = { clip_id: '{{a.taskId}}' };
    expect(name('{clip_id}', clip, { clip_id: '123' })).toBe(renderStem('{clip_id}', variables({ cells: clip })));
  });
});
