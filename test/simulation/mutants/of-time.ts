import type { DeliberateFault } from '../../support/patch-modules.ts';

/** Bugs with when something is due: clocks, deadlines, windows, and what is asked about again. */
export const OF_TIME: readonly DeliberateFault[] = [
  {
    name: 'a clock that is set back is followed',
    patches: [
      {
        module: 'night/clock/steady-clock.ts',
        find: 'this.#lastNow = wall < steady - FOLLOWED_BACK_MS ? Math.round(steady) : wall;',
        replace: 'this.#lastNow = wall;',
      },
    ],
  },
  {
    name: 'a task that changed while it was asked about is not due again',
    patches: [
      {
        module: 'night/flights.ts',
        find: 'if (newest !== undefined) this.#heap.set(newest.id, newest.dueAt);',
        replace: '',
      },
    ],
  },
  {
    name: 'what became queued again is not looked for',
    patches: [
      {
        module: 'night/task-news.ts',
        find: 'batches.work.outdate(task.batchId, isQueueLonger);',
        replace: 'if (!isQueueLonger) batches.work.outdate(task.batchId, false);',
      },
    ],
  },
  {
    name: 'the deadline holds at once after a leap of the clock',
    patches: [
      {
        module: 'night/flights.ts',
        find: 'return isAskedFirst ? Number.POSITIVE_INFINITY : ms;',
        replace: 'return isAskedFirst ? ms : ms;',
      },
    ],
  },
  {
    name: 'what a rejected key kept from being asked about is overdue',
    patches: [
      {
        module: 'night/flights.ts',
        find: 'account.unaskedAt = this.#clock.monotonic();',
        replace: '',
      },
    ],
  },
  {
    name: 'what is refused behind another pause is asked again at once',
    patches: [
      {
        module: 'night/poll-step.ts',
        find: 'const dueAt = follows || !mayPoll ? now : now + REFUSED_POLL_MS;',
        replace: 'const dueAt = now;',
      },
    ],
  },
  {
    name: 'windows: one belongs to the day on which it ends',
    patches: [
      {
        module: 'night/batches/batch-gate.ts',
        find: 'const gate = gateAt(schedule, now);',
        replace: `const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
    const before = (day) => names[(names.indexOf(day) + 6) % 7];
    const windows = schedule?.windows.map((one) => (one.to > one.from ? one : { ...one, days: one.days.map(before) }));
    const gate = gateAt(schedule && { ...schedule, windows }, now);`,
      },
    ],
  },
  {
    name: 'the time to finish by: what would take too long is sent all the same',
    patches: [
      {
        module: 'night/batches/finish-by.ts',
        find: 'if (night.wallNow() + ms <= finishBy) return true;',
        replace: 'if (night.wallNow() <= finishBy) return true;',
      },
    ],
  },
  {
    name: 'the time to finish by: a batch whose time has passed says nothing',
    patches: [
      {
        module: 'night/batches/finish-by.ts',
        find: "return batch.gate.now.kind === 'over' || (batch.tooLong",
        replace: "return batch.gate.now.kind !== 'over' && (batch.tooLong",
      },
    ],
  },
  {
    name: 'the time to finish by: what is quick enough waits with what would take too long',
    patches: [
      {
        module: 'night/batches/finish-by.ts',
        find: '(await isSomeInTime(night, batch))',
        replace: '(await isSomeInTime(night, batch)) === undefined',
      },
    ],
  },
];
