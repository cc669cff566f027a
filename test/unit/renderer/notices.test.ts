import { beforeEach, expect, test } from 'vitest';
import { type NewNotice, Notices, unreadIn } from '../../../src/renderer/state/notices-store.ts';

let nowMs = 0;
let isLooking = true;

beforeEach(() => {
  nowMs = 1_000_000;
  isLooking = true;
});

function setUp(carried?: ReturnType<Notices['carried']>) {
  const notices = new Notices({ now: () => nowMs, isLooking: () => isLooking }, carried);
  const state = () => notices.store.getState();
  return {
    notices,
    state,
    say: (title: string, rest: Partial<NewNotice> = {}) => notices.show({ level: 'info', title, message: '', ...rest }),
    listed: () => state().notices.map(({ title, count }) => (count === 1 ? title : `${title} × ${count}`)),
    shown: () => state().shown.map(({ id }) => state().notices.find((notice) => notice.id === id)?.title),
    unread: () => unreadIn(state()),
    idOf: (title: string) => state().notices.find((notice) => notice.title === title)?.id ?? expect.unreachable(),
  };
}

test('a notice that is shown no more is still listed, the newest first', () => {
  const { notices, say, listed, shown, idOf } = setUp();
  say('a');
  say('b');
  notices.hide(idOf('a.'));
  expect(shown()).toEqual(['b.']);
  expect(listed()).toEqual(['b.', 'a.']);
});

test('what the user was looking at is read; an error, and what came while nobody looked, is not', () => {
  const { notices, say, state, unread } = setUp();
  say('seen');
  say('seen, too', { level: 'warning' });
  expect(unread()).toBe(0);
  say('failed', { level: 'error' });
  expect(unread()).toBe(1);
  for (const { id } of state().shown) notices.hide(id);
  say('from the engine', { isKept: true });
  say('before there was a window', { at: 5 });
  isLooking = false;
  say('alone');
  expect(unread()).toBe(4);
});

test('the list is where they are seen: nothing is unread while it is open, nor after it', () => {
  const { notices, say, shown, unread, state } = setUp();
  say('failed', { level: 'error' });
  notices.setOpen(true);
  expect(unread()).toBe(0);
  expect(shown()).toEqual([]);
  // It still says what is new in it.
  expect(state().notices[0]?.isUnread).toBe(true);
  say('failed again', { level: 'error' });
  expect(shown()).toEqual([]);
  notices.setOpen(false);
  expect(unread()).toBe(0);
  expect(state().notices.every(({ isUnread }) => !isUnread)).toBe(true);
});

test('closing an error where it is shown reads it; its time running out does not', () => {
  const { notices, say, unread, idOf } = setUp();
  say('a', { level: 'error' });
  say('b', { level: 'error' });
  notices.hide(idOf('a.'));
  notices.dismiss(idOf('b.'));
  expect(unread()).toBe(1);
});

test('equal ones are one with a count, the newest time, and are not shown again within a short time', () => {
  const { notices, say, listed, shown, state, idOf } = setUp();
  const failed = { level: 'error', message: 'The disk is full.' } as const;
  say('failed', failed);
  say('other');
  notices.hide(idOf('failed.'));
  nowMs += 29_000;
  say('failed', failed);
  expect(shown()).toEqual(['other.']);
  expect(listed()).toEqual(['failed. × 2', 'other.']);
  expect(state().notices[0]?.at).toBe(nowMs);
  nowMs += 31_000;
  say('failed', failed);
  expect(shown()).toEqual(['other.', 'failed.']);
  expect(listed()).toEqual(['failed. × 3', 'other.']);
  // Of another batch it is another one.
  say('failed', { ...failed, batchId: 'b' });
  expect(state().notices).toHaveLength(3);
});

test('an equal one that was read is unread once it comes again', () => {
  const { notices, say, unread } = setUp();
  say('failed', { level: 'error' });
  notices.setOpen(true);
  notices.setOpen(false);
  say('failed', { level: 'error' });
  expect(unread()).toBe(1);
});

test('a flood shows the newest three, and what made room for them is unread', () => {
  const { say, shown, unread } = setUp();
  for (const title of ['a', 'b', 'c', 'd', 'e']) say(title);
  expect(shown()).toEqual(['c.', 'd.', 'e.']);
  expect(unread()).toBe(2);
});

test('some hundreds are kept, the oldest go', () => {
  const { say, state } = setUp();
  for (let i = 0; i < 1_000; i += 1) say(`notice ${i}`);
  expect(state().notices).toHaveLength(300);
  expect(state().notices[0]?.title).toBe('notice 999.');
});

test('an action can be taken once, from the list as well, and reads its notice', () => {
  const { notices, say, shown, state, idOf, unread } = setUp();
  let undone = 0;
  isLooking = false;
  say('deleted', { action: { words: 'Undo', run: () => (undone += 1), done: 'Undone' } });
  const id = idOf('deleted.');
  notices.hide(id);
  notices.act(id);
  notices.act(id);
  expect(undone).toBe(1);
  expect(unread()).toBe(0);
  expect(state().notices[0]?.action).toBeUndefined();
  // The same deed, done again at once, can be undone again.
  say('deleted', { action: { words: 'Undo', run: () => (undone += 1), done: 'Undone' } });
  expect(shown()).toEqual(['deleted.']);
});

test('what was undone is shown no more and listed with that word; a redo takes the word away, and it can come again', () => {
  const { notices, say, state, shown, idOf } = setUp();
  say('to render again');
  notices.setDone(idOf('to render again.'), 'Undone');
  expect(shown()).toEqual([]);
  expect(state().notices).toMatchObject([{ title: 'to render again.', done: 'Undone', isUnread: false }]);
  notices.setDone(idOf('to render again.'), undefined);
  expect(shown()).toEqual([]);
  expect(state().notices[0]?.done).toBeUndefined();
  notices.setDone(idOf('to render again.'), 'Undone');
  say('to render again');
  expect(shown()).toEqual(['to render again.']);
  expect(state().notices[0]?.done).toBeUndefined();
});

test('what is no longer true is shown no more and is read, of the batch that it was said of', () => {
  const { notices, say, state, shown, unread } = setUp();
  const unwritten = { level: 'warning', title: 'not written', message: 'Full', isKept: true } as const;
  for (const batchId of ['a', 'b']) say('not written', { ...unwritten, batchId });
  notices.settle({ ...unwritten, batchId: 'a' }, 'Written since');
  expect(shown()).toEqual(['not written.']);
  expect(unread()).toBe(1);
  expect(state().notices.map(({ batchId, done }) => [batchId, done])).toEqual([
    ['b', undefined],
    ['a', 'Written since'],
  ]);
  // Nobody was told of it here.
  notices.settle({ ...unwritten, message: 'Away', batchId: 'b' }, 'Written since');
  expect(unread()).toBe(1);
});

test('on another screen all go soon, but what can be undone', () => {
  const { notices, say, state } = setUp();
  say('failed', { level: 'error' });
  say('deleted', { action: { words: 'Undo', run: () => undefined, done: 'Undone' } });
  notices.leave();
  expect(state().shown.map(({ shownMs }) => shownMs)).toEqual([4_000, 30_000]);
});

test('all are cleared at once', () => {
  const { notices, say, state, unread } = setUp();
  say('failed', { level: 'error' });
  notices.clear();
  expect(state()).toMatchObject({ notices: [], shown: [] });
  expect(unread()).toBe(0);
});

test('a page that takes the place of this one lists the same, and shows none of it again', () => {
  const { notices, say, idOf } = setUp();
  say('failed', { level: 'error' });
  notices.dismiss(idOf('failed.'));
  say('deleted', { action: { words: 'Undo', run: () => undefined, done: 'Undone' } });
  notices.hide(idOf('deleted.'));
  say('cut short');
  const carried = JSON.parse(JSON.stringify(notices.carried())) as ReturnType<Notices['carried']>;
  const { notices: after, state, listed, say: sayAfter, shown, unread } = setUp(carried);
  expect(listed()).toEqual(['cut short.', 'deleted.', 'failed.']);
  expect(shown()).toEqual([]);
  // What the page showed as it went was perhaps not read.
  expect(unread()).toBe(1);
  expect(state().notices.every(({ action }) => action === undefined)).toBe(true);
  sayAfter('new');
  expect(new Set(state().notices.map(({ id }) => id)).size).toBe(4);
  after.clear();
  expect(listed()).toEqual([]);
});
