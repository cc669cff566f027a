import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { isAnswered } from '../../../../src/engine/store/postgres/synchronous-connection.ts';

/** Wakes whoever waits again and again, as for an answer before, and counts one up after so many times. */
const WAKER = `
  const { workerData } = require('node:worker_threads');
  const { answered, times } = workerData;
  const count = new Int32Array(answered);
  for (let woken = 0; woken < times; ) woken += Atomics.notify(count, 0);
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
`;

function wakenBy(times: number): Int32Array {
  const answered = new SharedArrayBuffer(4);
  const waker = new Worker(WAKER, { eval: true, workerData: { answered, times } });
  onTestFinished(async () => void (await waker.terminate()));
  return new Int32Array(answered);
}

test('who is woken for an earlier answer goes on waiting for the one that was asked for', () => {
  const answered = wakenBy(5);
  expect([isAnswered(answered, 0, 60_000), Atomics.load(answered, 0)]).toEqual([true, 1]);
});

test('no number of wakings makes the wait longer than it may be', () => {
  const answered = wakenBy(Number.POSITIVE_INFINITY);
  expect([isAnswered(answered, 0, 500), Atomics.load(answered, 0)]).toEqual([false, 0]);
});
