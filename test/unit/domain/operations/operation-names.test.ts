import { afterEach, describe, expect, test } from 'vitest';
import { OPERATIONS, findOperation, operationOf } from '../../../../src/shared/domain/operations/operations.ts';
import { TEMPLATES } from '../../../../src/shared/domain/operations/templates.ts';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import { CATALOGUES, speakLanguage } from '../../../../src/shared/words/catalogues.ts';
import { LANGUAGES } from '../../../../src/shared/words/domain-words.ts';
import { rawSheet } from '../../../support/sheet-files.ts';

afterEach(() => {
  speakLanguage('en');
});

describe('a name of an operation', () => {
  test.each(LANGUAGES)('that is shown in %s works in a sheet, whatever language is spoken', (shownIn) => {
    for (const spoken of LANGUAGES) {
      speakLanguage(spoken);
      const found = OPERATIONS.map(({ short }) => findOperation(CATALOGUES[shownIn].operations.submit[short].title));
      expect(found).toEqual(OPERATIONS);
    }
  });

  test('is understood however it is written', () => {
    for (const name of ['视频 A', '视频a', ' 视频-A ']) expect(findOperation(name)?.short).toBe('video-a');
  });

  test('may be a word of every day; of one that may mean two operations, both are offered', () => {
    expect(findOperation('歌曲')?.short).toBe('music');
    expect(findOperation('图片')?.short).toBe('image');
    const { problems } = checkSheet(
      rawSheet([
        ['operation', 'prompt'],
        ['视频', 'x'],
      ]),
    );
    expect(problems.map(({ code }) => code)).toEqual(['operation-unknown']);
    expect(problems[0]?.remedy).toContain('“video-a” or “video-b”');
  });
});

test('operations, their fields and templates are told in the language that is spoken now', () => {
  const told = (): readonly string[] => {
    const { title, help, fields } = operationOf('musicgen/music/lyrics');
    return [title, help, ...fields.map((field) => field.help), ...TEMPLATES.map(({ makes }) => makes)];
  };
  const english = told();
  speakLanguage('zh-Hans');
  expect(told().every((text, at) => /\p{Script=Han}/u.test(text) && text !== english[at])).toBe(true);
});
