import { describe, expect, test } from 'vitest';
import { readDocument, readableText } from '../../../../src/engine/media-folder/documents/gallery/text-previews.ts';

describe('a document as a person reads it', () => {
  test('has its title apart from its text, and in front of it where there is only one line of words', () => {
    const lyrics = JSON.stringify({ title: 'Low Tide', text: '[Verse]\nOver the water', tags: 'slow, warm', id: 'a1' });
    expect(readDocument(lyrics)).toEqual({ title: 'Low Tide', text: '[Verse]\nOver the water\n\nslow, warm' });
    expect(readableText(lyrics)).toBe('Low Tide\n\n[Verse]\nOver the water\n\nslow, warm');
  });

  test('is found in the text of another document', () => {
    const inner = JSON.stringify({ Title: 'Low Tide', lyric: 'Over the water' });
    expect(readDocument(JSON.stringify({ data: [{ result: inner }] }))).toEqual({
      title: 'Low Tide',
      text: 'Over the water',
    });
  });

  test('keeps the titles of several songs where they are', () => {
    const songs = [
      { title: 'Low Tide', text: 'Over the water' },
      { title: 'High Tide', text: 'Under the moon' },
    ];
    expect(readDocument(JSON.stringify(songs))).toEqual({
      text: 'Low Tide\n\nOver the water\n\nHigh Tide\n\nUnder the moon',
    });
  });

  test('is shown as it is where it has only single words: without their places they say nothing', () => {
    const timing = {
      aligned_words: [
        { word: 'Over', start_s: 0.4 },
        { word: 'water', start_s: 0.9 },
      ],
    };
    expect(readDocument(JSON.stringify(timing))?.text).toBe(JSON.stringify(timing, undefined, 2));
  });
});
