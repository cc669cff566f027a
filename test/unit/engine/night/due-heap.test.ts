import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueHeap } from '../../../../src/engine/night/due-heap.ts';

test('gives every task once, in order of its latest due time, whatever was set and deleted before', () => {
  const operation = fc.oneof(
    fc.record({ set: fc.integer({ min: 1, max: 20 }), at: fc.integer({ min: 0, max: 100 }) }),
    fc.record({ drop: fc.integer({ min: 1, max: 20 }) }),
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const heap = new DueHeap();
      const model = new Map<number, number>();
      for (const op of operations) {
        if ('set' in op) {
          heap.set(op.set, op.at);
          model.set(op.set, op.at);
        } else {
          heap.delete(op.drop);
          model.delete(op.drop);
        }
        expect(heap.nextDueAt()).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
      }
      const taken: number[] = [];
      for (let id = heap.takeDue(1000); id !== undefined; id = heap.takeDue(1000)) taken.push(id);
      expect(taken.toSorted((a, b) => a - b)).toEqual([...model.keys()].toSorted((a, b) => a - b));
      const times = taken.map((id) => model.get(id) ?? -1);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }),
  );
});

test('what is not due yet stays', () => {
  const heap = new DueHeap();
  heap.set(1, 50);
  expect(heap.takeDue(49)).toBeUndefined();
  expect(heap.takeDue(50)).toBe(1);
  expect(heap.size).toBe(0);
});
