import { afterEach, describe, expect, test } from 'vitest';
import { CATALOGUES, speakLanguage } from '../../../src/shared/words/catalogues.ts';
import { ENGLISH, words } from '../../../src/shared/words/words.ts';
import { languageFor } from '../../../src/shared/words/domain-words.ts';

afterEach(() => speakLanguage('en'));

/** Every message without facts, by its path. */
function texts(messages: object, path = ''): readonly (readonly [string, string])[] {
  return Object.entries(messages).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === 'string') return [[path + key, value] as const];
    return typeof value === 'object' && value !== null ? texts(value, `${path}${key}.`) : [];
  });
}

describe('the catalogue in Chinese', () => {
  const chinese = new Map(texts(CATALOGUES['zh-Hans']));

  test('says nothing in English: only names and what is written into a cell are the same', () => {
    const isOfCell = (text: string): boolean => text.includes('{{') || text.includes('|');
    const same = texts(ENGLISH).filter(([path, text]) => /[a-z]{3}/iu.test(text) && chinese.get(path) === text);
    expect(same.flatMap(([, text]) => (isOfCell(text) ? [] : text)).toSorted()).toEqual([
      'User agent',
      'WAV',
      'Webhook',
    ]);
  });

  test('writes its punctuation as Chinese does', () => {
    const latin = [...chinese].filter(([, text]) => /\p{Script=Han}[,;:!?]|\p{Script=Han}\.(?!\w)|[!！]/u.test(text));
    expect(latin).toEqual([]);
  });

  test('has a space between Chinese and Latin letters or digits', () => {
    const glued = [...chinese].filter(([, text]) => /\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9]\p{Script=Han}/u.test(text));
    expect(glued).toEqual([]);
  });
});

test('sentences are joined by the language that they are in, whatever the window speaks', () => {
  const { sentences } = CATALOGUES['zh-Hans'].common;
  const english = ['Ids are not case-sensitive.', 'Give this row another id.'];
  expect(sentences(english)).toBe(english.join(' '));
  expect(sentences(['请稍候。', '', '然后重试。'])).toBe('请稍候。然后重试。');
  expect(sentences(['The disk is full.', '请重试。'])).toBe('The disk is full. 请重试。');
  expect(words.common.sentences(english)).toBe(english.join(' '));
});

describe('the language of a process', () => {
  test('is English until it is told another, and again when it is told so', () => {
    const english = words.common.cancel;
    speakLanguage('zh-Hans');
    expect(words.common.cancel).toBe('取消');
    speakLanguage('en');
    expect(words.common.cancel).toBe(english);
  });

  test('is what the user chose, or the first of the system’s that Nocturne speaks', () => {
    expect(languageFor('zh-Hans', ['en-US'])).toBe('zh-Hans');
    expect(languageFor('en', ['zh-CN'])).toBe('en');
    expect(languageFor('system', ['fr-FR', 'zh-Hans-CN', 'en-US'])).toBe('zh-Hans');
    expect(languageFor('system', ['zh-SG', 'en'])).toBe('zh-Hans');
    expect(languageFor('system', ['en-GB', 'zh-CN'])).toBe('en');
    expect(languageFor('system', ['zh-TW', 'de'])).toBe('en');
    expect(languageFor('system', ['zh-Hant-HK'])).toBe('en');
    expect(languageFor('system', [])).toBe('en');
  });
});
