import { describe, expect, test } from 'vitest';
import { NightNotifier, type NightNotice } from '../../../src/main/shell/night-notifier.ts';
import { makeBatch, makeCounts } from '../renderer/make-view.ts';

function setUp() {
  const notices: NightNotice[] = [];
  return { notices, notifier: new NightNotifier((notice) => notices.push(notice)) };
}

describe('the system’s notification', () => {
  test('tells once of a pause, with the reason and what to do, however many rows it concerns', () => {
    const { notices, notifier } = setUp();
    const pause = {
      by: 'failure',
      failure: { code: 'BALANCE_EXHAUSTED', message: 'a prompt, quoted by the gateway' },
    } as const;
    notifier.note(makeBatch());
    notifier.note(makeBatch({ state: 'paused', pause }));
    notifier.note(makeBatch({ state: 'paused', pause, submitsUsed: 2 }));
    expect(notices).toEqual([
      {
        title: '“A night” is paused',
        body: 'The balance is used up. Top up your account at the gateway, then resume.',
      },
    ]);
  });

  test('says nothing of a pause by the user, nor of a night that goes on', () => {
    const { notices, notifier } = setUp();
    notifier.note(makeBatch());
    notifier.note(makeBatch({ state: 'paused', pause: { by: 'user' } }));
    notifier.note(makeBatch({ counts: makeCounts({ queued: 2, done: 1 }) }));
    expect(notices).toEqual([]);
  });

  test('tells once that the disk takes no files while a batch is paused by the user', () => {
    const { notices, notifier } = setUp();
    const disk = { code: 'DISK_FULL', message: 'No space left.' } as const;
    notifier.note(makeBatch({ state: 'paused', pause: { by: 'user' } }));
    notifier.note(makeBatch({ state: 'paused', pause: { by: 'user', disk } }));
    notifier.note(makeBatch({ state: 'paused', pause: { by: 'user', disk }, files: 1 }));
    expect(notices.map(({ title }) => title)).toEqual(['“A night” fetches no files']);
  });

  test('tells of the end with what is done, failed and left to decide', () => {
    const { notices, notifier } = setUp();
    const counts = makeCounts({ done: 1, failed: 1, 'submit-unknown': 1 });
    notifier.note(makeBatch({ counts }));
    notifier.note(makeBatch({ state: 'finished', counts }));
    notifier.note(makeBatch({ state: 'finished', counts, files: 1 }));
    expect(notices).toEqual([
      { title: '“A night” is finished', body: '1 of 3 takes are done. 1 failed. 1 take waits for your decision.' },
    ]);
  });

  test('says what was cancelled, and tells large numbers so that they can be read', () => {
    const { notices, notifier } = setUp();
    const counts = makeCounts({ done: 1_200, cancelled: 17 });
    notifier.note(makeBatch({ counts }));
    notifier.note(makeBatch({ state: 'finished', counts, taskCount: 1_217 }));
    expect(notices).toEqual([{ title: '“A night” is finished', body: '1,200 of 1,217 takes are done. 17 cancelled.' }]);
  });

  test('asks for a decision once, and again after all was settled', () => {
    const { notices, notifier } = setUp();
    notifier.note(makeBatch());
    for (const unknown of [1, 2, 0, 1]) notifier.note(makeBatch({ counts: makeCounts({ 'submit-unknown': unknown }) }));
    expect(notices.map((notice) => notice.title)).toEqual(Array(2).fill('“A night” needs your decision'));
  });

  test('is silent about what was so before the application began to look', () => {
    const { notices, notifier } = setUp();
    notifier.note(makeBatch({ id: 'early', state: 'finished' }));
    notifier.begin([makeBatch({ state: 'finished' })]);
    notifier.note(makeBatch({ state: 'finished', files: 3 }));
    notifier.note(makeBatch({ id: 'early', state: 'finished', files: 3 }));
    expect(notices).toEqual([]);
  });

  test('tells of a batch that is new and paused before it was ever seen to run', () => {
    const { notices, notifier } = setUp();
    notifier.begin([]);
    const pause = { by: 'failure', failure: { code: 'AUTH_REJECTED', message: '' } } as const;
    notifier.note(makeBatch({ state: 'paused', pause }));
    expect(notices.map((notice) => notice.title)).toEqual(['“A night” is paused']);
  });
});
