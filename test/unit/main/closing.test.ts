import { describe, expect, test } from 'vitest';
import { Closing, type CloseAnswer } from '../../../src/main/shell/closing.ts';

function setUp({ isRunning = true } = {}) {
  const done: string[] = [];
  const answers: ((answer: CloseAnswer) => void)[] = [];
  const state = { isRunning, ms: 0 };
  const closing = new Closing({
    isRunning: () => state.isRunning,
    ask: () => new Promise((resolve) => answers.push(resolve)),
    closeWindow: () => done.push('window closed'),
    quit: () => done.push('quit'),
    monotonicMs: () => state.ms,
    onBackground: (isInBackground) => done.push(isInBackground ? 'in background' : 'in front'),
  });
  const answer = async (given: CloseAnswer): Promise<void> => {
    answers.shift()?.(given);
    await new Promise(setImmediate);
  };
  return { closing, done, answers, answer, state };
}

describe('closing the window', () => {
  test('needs no word where nothing is rendered', () => {
    const { closing, answers } = setUp({ isRunning: false });
    expect([closing.mayCloseWindow(), closing.mayQuit(), answers.length]).toEqual([true, true, 0]);
  });

  test('asks in the middle of a night, once, however often it is tried', () => {
    const { closing, answers } = setUp();
    expect([closing.mayCloseWindow(), closing.mayQuit(), closing.mayCloseWindow()]).toEqual([false, false, false]);
    expect(answers).toHaveLength(1);
  });

  test('keeps the night running without a window, until the window is back', async () => {
    const { closing, answer, done } = setUp();
    closing.mayCloseWindow();
    await answer('keep-running');
    expect(done).toEqual(['in background', 'window closed']);
    expect([closing.mayCloseWindow(), closing.isInBackground]).toEqual([true, true]);
    closing.windowShown();
    expect([closing.mayCloseWindow(), closing.isInBackground]).toEqual([false, false]);
    expect(done.at(-1)).toBe('in front');
  });

  test('asks again where the application is told to quit in the background', async () => {
    const { closing, answer, answers, done, state } = setUp();
    closing.mayCloseWindow();
    await answer('keep-running');
    expect(closing.mayQuit()).toBe(false);
    expect(answers).toHaveLength(1);
    await answer('cancel');
    expect(done).not.toContain('quit');
    state.isRunning = false;
    expect(closing.mayQuit()).toBe(true);
  });

  test('ends the application where that is the answer', async () => {
    const { closing, answer, done } = setUp();
    closing.mayQuit();
    await answer('stop');
    expect(done).toEqual(['quit']);
    expect([closing.mayQuit(), closing.mayCloseWindow()]).toEqual([true, true]);
  });

  test('changes nothing where it is cancelled, and asks again', async () => {
    const { closing, answer, answers, done } = setUp();
    closing.mayCloseWindow();
    await answer('cancel');
    expect([done, closing.mayCloseWindow(), answers.length]).toEqual([[], false, 1]);
  });

  test('holds up no end of the system’s session', () => {
    const { closing, answers } = setUp();
    closing.endSession();
    expect([closing.mayQuit(), closing.mayCloseWindow(), answers.length]).toEqual([true, true, 0]);
  });

  test('asks again where the end of the session was called off', () => {
    const { closing, answers, state } = setUp();
    closing.endSession();
    state.ms = 61_000;
    expect([closing.mayQuit(), closing.mayCloseWindow(), answers.length]).toEqual([false, false, 1]);
  });
});
