import type { DownloadQueue } from '../../src/engine/ports/fleet.ts';
import type { Clock } from '../../src/engine/ports/base.ts';

/** What may happen to an offer. */
export const HABITS = ['keep', 'lose', 'double', 'delay', 'overtake', 'invent'] as const;
export type Habit = (typeof HABITS)[number];

const DELAY_MS = 20_000;

/** A queue of downloads in memory, which treats offers as a test says, one habit after the other. */
export class UnreliableQueue implements DownloadQueue {
  /** Every offer that was made. */
  readonly offered: number[] = [];
  habits: readonly Habit[];
  /** Whether it can be opened. */
  works = true;
  isClosed = false;
  #waiting: number[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock, habits: readonly Habit[] = ['keep']) {
    this.#clock = clock;
    this.habits = habits;
  }

  open(): Promise<boolean> {
    return Promise.resolve(this.works);
  }

  offer(taskIds: readonly number[]): Promise<void> {
    for (const id of taskIds) this.#treat(id, this.habits[this.offered.push(id) % this.habits.length] ?? 'keep');
    return Promise.resolve();
  }

  receive(limit: number): Promise<readonly number[]> {
    return Promise.resolve(this.#waiting.splice(0, limit));
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  #treat(id: number, habit: Habit): void {
    switch (habit) {
      case 'keep':
        this.#waiting.push(id);
        return;
      case 'lose':
        return;
      case 'double':
        this.#waiting.push(id, id);
        this.#clock.setTimer(DELAY_MS, () => this.#waiting.push(id));
        return;
      case 'delay':
        this.#clock.setTimer(DELAY_MS, () => this.#waiting.push(id));
        return;
      case 'overtake':
        this.#waiting.unshift(id);
        return;
      case 'invent':
        this.#waiting.push(id + 1_000_000, id + 1, id);
    }
  }
}
