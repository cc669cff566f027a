import { describe, expect, test } from 'vitest';
import { taskStory } from '../../../src/main/services/task-event-text.ts';
import { failure } from '../../../src/shared/domain/base/failure.ts';

const suspicion = { ...failure('MODERATED', 'sensitive words'), suspected: true };
const stated = failure('REMOTE_FAILED', 'no GPU left');

describe('the story of a task', () => {
  test('says once that the gateway has ended it, and does not call that rendering', () => {
    const story = taskStory([
      { at: 1, kind: 'accepted' },
      { at: 2, kind: 'still-running' },
      { at: 3, kind: 'still-running' },
      { at: 4, kind: 'still-running', ended: 'ended-in-words' },
      { at: 5, kind: 'still-running', ended: 'ended-in-words' },
      { at: 6, kind: 'remote-failed', failure: suspicion },
      { at: 7, kind: 'remote-failed', failure: suspicion },
      { at: 8, kind: 'rendered' },
    ]);
    expect(story.map(({ at, text }) => `${at} ${text}`)).toEqual([
      '1 The gateway accepted it.',
      '2 The gateway is still rendering.',
      '4 The gateway ended it with a message; waiting to be sure.',
      expect.stringMatching(/^6 It seems to have failed; Nocturne keeps asking the gateway\. .*: sensitive words$/),
      '8 The gateway has rendered it.',
    ]);
  });

  test('tells everything again that happened in between, and each download for itself', () => {
    const story = taskStory([
      { at: 1, kind: 'still-running' },
      { at: 2, kind: 'poll-failed', failure: failure('GATEWAY_UNAVAILABLE', '503') },
      { at: 3, kind: 'still-running', ended: 'ended-empty' },
      { at: 4, kind: 'still-running' },
      { at: 5, kind: 'remote-failed', failure: stated },
      { at: 6, kind: 'output-verified' },
      { at: 7, kind: 'output-verified' },
    ]);
    expect(story.map(({ at }) => at)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(story[2]?.text).toBe('The gateway ended it without a result; waiting to be sure.');
    expect(story[4]?.text).toMatch(/^The gateway could not render it\./);
  });

  test('does not go back to rendering while a fresh address of a file is asked for', () => {
    const page = failure('OUTPUT_UNVERIFIABLE', 'It is a web page.');
    const story = taskStory([
      { at: 1, kind: 'rendered' },
      { at: 2, kind: 'output-started' },
      { at: 3, kind: 'unsound', failure: page },
      { at: 4, kind: 'still-running' },
      { at: 5, kind: 'still-running', ended: 'ended-empty' },
      { at: 6, kind: 'remote-failed', failure: suspicion },
      { at: 7, kind: 'remote-failed', failure: stated },
      { at: 8, kind: 'rendered' },
      { at: 9, kind: 'output-verified' },
    ]);
    expect(story.map(({ at, text }) => `${at} ${text}`)).toEqual([
      '1 The gateway has rendered it.',
      '2 The download of a file started.',
      expect.stringMatching(/^3 The download was not the file, or not all of it; .*: It is a web page\.$/),
      '4 The gateway was asked for a fresh address.',
      '6 The gateway was asked for a fresh address, and gave none: sensitive words',
      '7 The gateway was asked for a fresh address, and gave none: no GPU left',
      '8 The gateway gave the address of its files again.',
      '9 A file is in its place.',
    ]);
  });

  test('knows so also where only the end of it is told, and forgets it when the take is paid for anew', () => {
    const texts = (events: Parameters<typeof taskStory>[0]) => taskStory(events).map(({ text }) => text);
    expect(
      texts([
        { at: 1, kind: 'url-expired' },
        { at: 2, kind: 'still-running' },
        { at: 3, kind: 'user-retry' },
        { at: 4, kind: 'submit-started' },
        { at: 5, kind: 'accepted' },
        { at: 6, kind: 'still-running' },
      ]).filter((text) => /asked for a fresh address|still/.test(text)),
    ).toEqual(['The gateway was asked for a fresh address.', 'The gateway is still rendering.']);
  });

  test('knows that a take did not fail that gave a file, as the task does', () => {
    const story = taskStory([
      { at: 1, kind: 'rendered', provisional: true },
      { at: 2, kind: 'output-verified' },
      { at: 3, kind: 'remote-failed', failure: stated },
    ]);
    expect(story.at(-1)?.text).toBe('The gateway was asked for a fresh address, and gave none: no GPU left');
  });

  test('takes back what was only inferred to be rendered', () => {
    const story = taskStory([
      { at: 1, kind: 'rendered', provisional: true },
      { at: 2, kind: 'remote-failed', failure: suspicion },
      { at: 3, kind: 'still-running' },
      { at: 4, kind: 'rendered', provisional: true },
      { at: 5, kind: 'rendered' },
      { at: 6, kind: 'still-running' },
    ]);
    expect(story.map(({ text }) => text)).toEqual([
      'The gateway seems to have rendered it.',
      'The gateway was asked for a fresh address, and gave none: sensitive words',
      'The gateway is still rendering.',
      'The gateway seems to have rendered it.',
      'The gateway has rendered it.',
      'The gateway was asked for a fresh address.',
    ]);
  });
});
