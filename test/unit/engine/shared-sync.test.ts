import { expect, test } from 'vitest';
import { shareRuns } from '../../../src/engine/whole-file.ts';

/** Runs that end when the test says so. */
function runsByHand() {
  const ends: ((error?: Error) => void)[] = [];
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => ends.push((error) => (error === undefined ? resolve() : reject(error))));
  return { ends, ask: shareRuns(work) };
}

test('those who ask while a run is under way share the next one', async () => {
  const { ends, ask } = runsByHand();
  const answered: number[] = [];
  const first = ask().then(() => answered.push(1));
  const others = [ask().then(() => answered.push(2)), ask().then(() => answered.push(3))];
  expect(ends.length).toBe(1);
  ends[0]?.();
  await first;
  expect(answered).toEqual([1]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends.length).toBe(2);
  const late = ask();
  ends[1]?.();
  await Promise.all(others);
  expect(answered).toEqual([1, 2, 3]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends.length).toBe(3);
  ends[2]?.();
  await late;
});

test('a run that fails does so for those who share it, and the next one begins', async () => {
  const { ends, ask } = runsByHand();
  const failing = ask();
  const next = ask();
  ends[0]?.(new Error('EIO'));
  await expect(failing).rejects.toThrow('EIO');
  await new Promise((resolve) => setImmediate(resolve));
  ends[1]?.();
  await next;
});
