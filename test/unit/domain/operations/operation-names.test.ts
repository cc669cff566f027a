import { afterEach, describe, expect, test } from 'vitest';
import everyday from '../../../../resources/tables/operation-words.json' with { type: 'json' };
import { foldName } from '../../../../src/shared/domain/base/nearest-name.ts';
import { OPERATIONS, findOperation, operationOf } from '../../../../src/shared/domain/operations/operations.ts';
import { TEMPLATES } from '../../../../src/shared/domain/operations/templates.ts';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import { CATALOGUES, speakLanguage } from '../../../../src/shared/words/catalogues.ts';
import { LANGUAGES } from '../../../../src/shared/words/domain-words.ts';
import { rawSheet } from '../../../support/sheet-files.ts';

function problemsOf(operation: string) {
  return checkSheet(
    rawSheet([
      ['operation', 'prompt'],
      [operation, 'x'],
    ]),
  ).problems;
}

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

  test('may be a word of every day, in any language that headers may have', () => {
    for (const [short, ...words] of [
      ['music', 'Song', 'tracks', 'Musik', 'canción', '歌曲'],
      ['image', 'photo', 'Pictures', 'Bild', 'imágenes', '图片'],
      ['lyrics', 'song lyrics', 'Liedtext', '歌词'],
    ]) {
      for (const word of words) expect([word, findOperation(word)?.short]).toEqual([word, short]);
    }
  });

  test('is never guessed: of a word that may mean several, each is offered', () => {
    for (const [word = '', ...candidates] of [
      ['Video', 'video-a', 'video-b'],
      ['clip', 'video-a', 'video-b'],
      ['film ', 'video-a', 'video-b'],
      ['视频', 'video-a', 'video-b'],
      ['audio', 'music', 'upload'],
      ['Vidoe', 'video-a', 'video-b'],
      ['Sonng', 'music'],
      ['Phtoo', 'image'],
    ]) {
      const [problem, ...others] = problemsOf(word);
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ severity: 'error', code: 'operation-unknown', column: 'operation' });
      expect(problem?.remedy).toContain(`Did you mean ${candidates.map((name) => `“${name}”`).join(' or ')}?`);
      expect(problem?.cell).toEqual({ text: word, candidates });
    }
  });

  test('that says more than an operation is not taken for it: a song without a voice needs its column', () => {
    const [problem] = problemsOf('Instrumental');
    expect(problem?.remedy).toBe('Write “music”, and “yes” in a column “make_instrumental”.');
    expect(problem?.cell).toEqual({ text: 'Instrumental', candidates: ['music'] });
  });

  test('in the table is that of an operation that there is, and means one thing', () => {
    const seen = new Set<string>();
    for (const { operations, words } of everyday) {
      for (const short of operations) expect(findOperation(short)?.short).toBe(short);
      for (const word of words) {
        expect([word, seen.has(foldName(word))]).toEqual([word, false]);
        expect([word, OPERATIONS.some((known) => foldName(known.short) === foldName(word))]).toEqual([word, false]);
        seen.add(foldName(word));
      }
    }
  });
});

test('each text of a sheet is compared with all names once, however many rows have it', () => {
  const { problems } = checkSheet(
    rawSheet([['operation', 'prompt'], ...['Vidoe', 'Vidoe'].map((word) => [word, 'x'])]),
  );
  const [first, second] = problems.filter(({ code }) => code === 'operation-unknown');
  expect(first?.cell?.candidates).toEqual(['video-a', 'video-b']);
  expect(second?.cell?.candidates).toBe(first?.cell?.candidates);
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
