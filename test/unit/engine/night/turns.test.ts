import fc from 'fast-check';
import { expect, test } from 'vitest';
import { takeTurns } from '../../../../src/engine/night/batches/turns.ts';

interface Batch {
  readonly name: number;
  readonly priority: number;
  lastTurn: number;
  /** Tasks that it has left. */
  left: number;
  got: number;
}

/** A look of the night: so many places are free, and each batch offers what it has left. */
function look(
  batches: readonly Batch[],
  free: number,
  turn: number,
): { readonly turn: number; readonly order: readonly number[] } {
  let places = free;
  const order: number[] = [];
  function* offer(batch: Batch): Generator<Batch, undefined> {
    while (places > 0 && batch.left > 0) {
      places -= 1;
      batch.left -= 1;
      order.push(batch.name);
      yield batch;
    }
    return undefined;
  }
  const shared = takeTurns(new Map(batches.map((batch) => [batch, offer(batch)])), turn);
  for (const [batch, taken] of shared.taken) batch.got += taken.length;
  return { turn: shared.turn, order };
}

const night = fc.record({
  batches: fc.array(fc.record({ priority: fc.integer({ min: 0, max: 2 }), left: fc.integer({ min: 0, max: 30 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
  looks: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 }),
});

function begin(batches: readonly { readonly priority: number; readonly left: number }[]): Batch[] {
  return batches.map((one, name) => ({ ...one, name, lastTurn: 0, got: 0 }));
}

test('whatever is free is given out, as long as somebody can use it, and nothing twice', () => {
  fc.assert(
    fc.property(night, ({ batches, looks }) => {
      const all = begin(batches);
      const before = all.reduce((sum, { left }) => sum + left, 0);
      let turn = 0;
      for (const free of looks) turn = look(all, free, turn).turn;
      const given = all.reduce((sum, { got }) => sum + got, 0);
      expect(given).toBe(turn);
      expect(given).toBe(
        Math.min(
          before,
          looks.reduce((sum, free) => sum + free, 0),
        ),
      );
      for (const { got, left, name } of all) expect(got + left).toBe(batches[name]?.left);
    }),
  );
});

test('none waits while an equal one has two turns, and none is passed over by one with a lower priority', () => {
  fc.assert(
    fc.property(night, ({ batches, looks }) => {
      const all = begin(batches);
      let turn = 0;
      /** The turns since each batch, which still has something to do, last had one. */
      const since = new Map<number, number[]>();
      for (const free of looks) {
        const shared = look(all, free, turn);
        turn = shared.turn;
        const had = new Map(all.map(({ name, left, got }) => [name, left + got]));
        for (const name of shared.order) {
          const priority = all[name]?.priority ?? 0;
          for (const other of all) {
            const turns = since.get(other.name) ?? [];
            since.set(other.name, other.name === name ? [] : [...turns, name]);
            const isWaiting = other.left > 0 && (had.get(other.name) ?? 0) > 0;
            if (other.name === name || !isWaiting) continue;
            expect(other.priority).toBeLessThanOrEqual(priority);
            if (other.priority !== priority) continue;
            const passedBy = (since.get(other.name) ?? []).filter((one) => one === name).length;
            expect(passedBy).toBeLessThanOrEqual(1);
          }
        }
      }
    }),
  );
});

test('one that joins late has nothing to catch up on', () => {
  const [old, late] = begin([
    { priority: 0, left: 100 },
    { priority: 0, left: 100 },
  ]) as [Batch, Batch];
  const { turn } = look([old], 40, 0);
  const { order } = look([old, late], 10, turn);
  expect(order.join('')).toBe('1010101010');
});
