import { describe, expect, test } from 'vitest';
import { NightTeller } from '../../../../src/engine/telling/night-teller.ts';
import { messageOf } from '../../../../src/shared/domain/telling/night-message.ts';
import { takesOf, type NightNews, type Told } from '../../../../src/shared/domain/telling/night-news.ts';
import type { BatchView } from '../../../../src/shared/ipc/batches.ts';
import { makeBatch, makeCounts } from '../../renderer/make-view.ts';

function setUp(begin: readonly BatchView[] | 'later' = [], told?: Told) {
  const news: NightNews[] = [];
  const kept: Told[] = [];
  const timers: (() => void)[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    setTimer: (_ms: number, ring: () => void) => {
      timers.push(ring);
      return () => void timers.splice(timers.indexOf(ring), 1);
    },
  };
  const teller = new NightTeller({ clock, told, keep: (next) => kept.push(next), tell: (one) => news.push(one) });
  const facts = (batch: BatchView) => ({ ...batch, takes: takesOf(batch.counts) });
  if (begin !== 'later') teller.begin(begin.map(facts));
  return {
    kept,
    begin: (batches: readonly BatchView[]) => teller.begin(batches.map(facts)),
    /** Notes it without the moment that gathers what comes together. */
    noteQuickly: (batch: BatchView) => teller.note(facts(batch)),
    note(batch: BatchView) {
      teller.note(facts(batch));
      this.pass();
    },
    pass: () => {
      for (const ring of timers.splice(0)) ring();
    },
    get notices() {
      return news.map((one) => messageOf(one, true)).map(({ title, body }) => ({ title, body }));
    },
  };
}

describe('what the user is told of a night', () => {
  test('a pause once, with the reason and what to do, however many rows it concerns', () => {
    const night = setUp();
    const pause = {
      by: 'failure',
      failure: { code: 'BALANCE_EXHAUSTED', message: 'a prompt, quoted by the gateway' },
    } as const;
    night.note(makeBatch());
    night.note(makeBatch({ state: 'paused', pause }));
    night.note(makeBatch({ state: 'paused', pause, submitsUsed: 2 }));
    expect(night.notices).toEqual([
      {
        title: '“A night” is paused',
        body: 'The balance is used up. Top up your account at the gateway, then resume.',
      },
    ]);
  });

  test('nothing of a pause by the user, nor of a night that goes on', () => {
    const night = setUp();
    night.note(makeBatch());
    night.note(makeBatch({ state: 'paused', pause: { by: 'user' } }));
    night.note(makeBatch({ counts: makeCounts({ queued: 2, done: 1 }) }));
    expect(night.notices).toEqual([]);
  });

  test('once that the disk takes no files while a batch is paused by the user', () => {
    const disk = { code: 'DISK_FULL', message: 'No space left.' } as const;
    const night = setUp([makeBatch({ state: 'paused', pause: { by: 'user' } })]);
    night.note(makeBatch({ state: 'paused', pause: { by: 'user', disk } }));
    night.note(makeBatch({ state: 'paused', pause: { by: 'user', disk }, files: 1 }));
    expect(night.notices.map(({ title }) => title)).toEqual(['“A night” is not fetching files']);
  });

  test('the end with what is done, failed and left to decide', () => {
    const counts = makeCounts({ done: 1, failed: 1, 'submit-unknown': 1 });
    const night = setUp([makeBatch({ counts })]);
    night.note(makeBatch({ state: 'finished', counts }));
    night.note(makeBatch({ state: 'finished', counts, files: 1 }));
    expect(night.notices).toEqual([
      { title: '“A night” is finished', body: '1 of 3 takes are done. 1 failed. 1 take waits for your decision.' },
    ]);
  });

  test('what was cancelled, and large numbers so that they can be read', () => {
    const night = setUp();
    const counts = makeCounts({ done: 1_200, cancelled: 17 });
    night.note(makeBatch({ counts }));
    night.note(makeBatch({ state: 'finished', counts, taskCount: 1_217 }));
    expect(night.notices).toEqual([
      { title: '“A night” is finished', body: '1,200 of 1,217 takes are done. 17 cancelled.' },
    ]);
  });

  test('that a decision is wanted once, and again after all was settled', () => {
    const night = setUp();
    night.note(makeBatch());
    for (const unknown of [1, 2, 0, 1]) night.note(makeBatch({ counts: makeCounts({ 'submit-unknown': unknown }) }));
    expect(night.notices.map((notice) => notice.title)).toEqual(Array(2).fill('“A night” needs your decision'));
  });

  test('nothing of what was so before the application began to look', () => {
    const night = setUp('later');
    night.note(makeBatch({ id: 'early', state: 'finished' }));
    night.begin([makeBatch({ state: 'finished' })]);
    night.note(makeBatch({ state: 'finished', files: 3 }));
    night.note(makeBatch({ id: 'early', state: 'finished', files: 3 }));
    expect(night.notices).toEqual([]);
  });

  test('nothing of a batch that was started with nothing to do; what is tried in vain again, yes', () => {
    const ended = makeBatch({ state: 'finished', counts: makeCounts({ done: 1, failed: 1 }) });
    const night = setUp([ended]);
    night.noteQuickly({ ...ended, state: 'running' });
    night.noteQuickly(ended);
    night.pass();
    // Nor if it takes longer to find that out.
    night.note({ ...ended, state: 'running' });
    night.note(ended);
    expect(night.notices).toEqual([]);
    night.noteQuickly({ ...ended, state: 'running', counts: makeCounts({ done: 1, queued: 1 }) });
    night.noteQuickly(ended);
    night.pass();
    expect(night.notices).toHaveLength(1);
  });

  test('a batch that is new and paused before it was ever seen to run', () => {
    const night = setUp();
    const pause = { by: 'failure', failure: { code: 'AUTH_REJECTED', message: '' } } as const;
    night.note(makeBatch({ state: 'paused', pause }));
    expect(night.notices.map((notice) => notice.title)).toEqual(['“A night” is paused']);
  });

  test('a batch that ended before it was seen to run', () => {
    const night = setUp([makeBatch({ state: 'ready' })]);
    night.note(makeBatch({ state: 'finished' }));
    expect(night.notices.map((notice) => notice.title)).toEqual(['“A night” is finished']);
  });

  test('one message for batches that pause within a moment', () => {
    const pause = { by: 'failure', failure: { code: 'AUTH_REJECTED', message: '' } } as const;
    const night = setUp([makeBatch(), makeBatch({ id: 'batch-2', name: 'B' })]);
    night.noteQuickly(makeBatch({ state: 'paused', pause }));
    night.noteQuickly(makeBatch({ id: 'batch-2', name: 'B', state: 'paused', pause }));
    night.pass();
    expect(night.notices).toEqual([
      {
        title: 'The night needs you',
        body: '“A night”, “B”: The key was rejected. Check the key and the base URL, then resume.',
      },
    ]);
  });

  test('nothing again after a restart; what came between, yes', () => {
    const first = setUp();
    first.note(makeBatch());
    first.note(makeBatch({ state: 'finished' }));
    expect(first.notices).toHaveLength(1);
    const again = setUp([makeBatch({ state: 'finished' })], first.kept.at(-1));
    again.pass();
    expect(again.notices).toEqual([]);
    const killed = setUp([makeBatch()]);
    killed.pass();
    const later = setUp([makeBatch({ state: 'finished' })], killed.kept.at(-1) ?? first.kept[0]);
    later.pass();
    expect(later.notices).toHaveLength(1);
  });
});
