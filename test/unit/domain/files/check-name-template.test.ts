import { describe, expect, test } from 'vitest';
import { nameColumnsOf, templateProblem } from '../../../../src/shared/domain/files/check-name-template.ts';
import { NAME_WORDS } from '../../../../src/shared/domain/files/naming.ts';
import { PLAIN_SHEET } from '../../../../src/shared/domain/task/batch.ts';

const COLUMNS = nameColumnsOf({
  headers: ['row', 'Titel', ' Stimmung ', '', 'a/b'],
  sheet: { ...PLAIN_SHEET, mapping: { Titel: 'title' } },
});

test('the columns that a template can name are those of the sheet, and what their headers stand for', () => {
  expect(COLUMNS).toEqual(['Titel', 'Stimmung', 'a/b', 'title']);
});

describe('a template', () => {
  test.each([
    '',
    'plain',
    '{operation}/{title}',
    '{ titel }/{STIMMUNG} 夜',
    '{a/b}/{row}',
    NAME_WORDS.map((word) => `{${word}}`).join('-'),
    `${'x/'.repeat(8)}{row}`,
  ])('that names what there is, is one: %j', (template) => {
    expect(templateProblem(template, COLUMNS)).toBeUndefined();
  });

  test.each([
    ['{row}/{titl}', 'There is no name {titl}, at character 7. Did you mean {title}?'],
    ['🌙{taskcode}', 'There is no name {taskcode}, at character 2. Did you mean {taskCode}?'],
    ['{zzzzzzzz}', 'There is no name {zzzzzzzz}, at character 1. Names: {row}, {slug},'],
    ['{zzzzzzzz}', '; columns: {Titel}, {Stimmung}, {a/b}, {title}.'],
    ['x {} y', 'There is no name {}, at character 3.'],
    ['{row', '“{” at character 1 stands alone'],
    ['row}', '“}” at character 4 stands alone'],
    ['{{row}}', '“{” at character 1 stands alone'],
    ['{a\u202Eb}', String.raw`no name {a\u202eb}`],
    [`${'x/'.repeat(9)}{row}`, 'It has 9 folders, one inside another; at most 8'],
    ['x'.repeat(1001), 'It is longer than 1,000 characters.'],
  ])('%j is refused with what is wrong, where, and what there is', (template, words) => {
    expect(templateProblem(template, COLUMNS)).toContain(words);
  });

  test('of a sheet with many columns is told the first of them, and how many there are', () => {
    const many = Array.from({ length: 200 }, (_, index) => `column ${index}`);
    expect(templateProblem('{zzzzzzzz}', many)).toMatch(/\{column 29\} and 170 more\.$/u);
  });
});
