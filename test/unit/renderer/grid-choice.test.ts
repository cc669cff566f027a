import type { GridSelection } from '@glideapps/glide-data-grid';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GridChoice } from '../../../src/renderer/batch/keys/grid-choice.ts';
import { rowSpans, selectionOf } from '../../../src/renderer/batch/keys/grid-selection.ts';
import { shownRows } from './make-view.ts';

/** A view of rows by their keys. */
class View {
  keys: number[];
  /** What the window was told last; undefined before it knows the view. */
  #shown: number[] | undefined;
  readonly cursors: (number | undefined)[] = [];
  readonly moved: number[] = [];
  readonly choice: GridChoice;

  constructor(count: number) {
    this.keys = Array.from({ length: count }, (_, place) => 100 + place);
    this.#shown = this.keys;
    this.choice = new GridChoice({
      shown: () => shownRows(this.#shown),
      onCursor: (key) => this.cursors.push(key),
      onMoved: ([, place]) => this.moved.push(place),
    });
  }

  /** The window reads the view anew. */
  draw(): void {
    this.#shown = [...this.keys];
    this.choice.follow();
  }

  /** Another view is asked for, and not known yet. */
  turnTo(keys: readonly number[]): void {
    this.keys = [...keys];
    this.#shown = undefined;
    this.choice.follow();
  }

  choose(y: number, height = 1): void {
    this.choice.select(selectionOf([2, y], { x: 2, y, width: 1, height }));
  }

  /** What an edit of the chosen rows would be sent for. */
  meant(): readonly number[] {
    return this.choice.keys(rowSpans(this.choice.selection, this.#shown?.length ?? 0));
  }

  /** The rows that are drawn as chosen. */
  get drawn(): readonly (number | undefined)[] {
    return placesOf(this.choice.selection).map((place) => this.#shown?.[place]);
  }
}

function placesOf(selection: GridSelection): readonly number[] {
  return rowSpans(selection, 1_000_000).flatMap(({ y, height }) =>
    Array.from({ length: height }, (_, line) => y + line),
  );
}

describe('what is chosen', () => {
  test('comes back once another view is known, whatever the canvas selects by itself until then', () => {
    const view = new View(4);
    view.choose(2);
    view.turnTo([103, 102, 101, 100]);
    view.choose(0);
    view.draw();
    expect(view.meant()).toEqual([102]);
    expect(view.drawn).toEqual([102]);
  });

  test('stays with its rows when others come before them', () => {
    const view = new View(10);
    view.choose(4, 2);
    view.keys.splice(1, 0, 7, 8);
    view.draw();
    expect(view.drawn).toEqual([104, 105]);
    expect(view.meant()).toEqual([104, 105]);
    expect(view.choice.cursorKey).toBe(104);
    expect(view.moved).toEqual([6]);
  });

  test('is without a row that has left the view, and never with the one that took its place', () => {
    const view = new View(10);
    view.choose(1, 3);
    view.keys.splice(2, 1);
    view.draw();
    expect(view.drawn).toEqual([101, 103]);
    expect(view.meant()).toEqual([101, 103]);
  });

  test('is nothing where its only row has left', () => {
    const view = new View(10);
    view.choose(5);
    view.keys = view.keys.filter((key) => key !== 105);
    view.draw();
    expect(view.choice.selection.current).toBeUndefined();
    expect(view.cursors.at(-1)).toBeUndefined();
    expect(view.meant()).toEqual([]);
  });

  test('comes back to where it was when the user asks for it', () => {
    const view = new View(10);
    view.choose(9);
    view.keys.pop();
    view.draw();
    expect(view.choice.selection.current).toBeUndefined();
    view.choice.comeBack();
    expect(view.choice.selection.current?.cell).toEqual([2, 8]);
  });

  test('is not given up by an arrow while its rows are being read', () => {
    const view = new View(10);
    view.choose(5, 3);
    view.turnTo(view.keys.toReversed());
    view.choice.comeBack();
    view.draw();
    expect(view.meant()).toEqual([107, 106, 105]);
  });

  test('is the first place of a sheet that has become empty', () => {
    const view = new View(2);
    view.choose(0, 2);
    view.keys = [];
    view.draw();
    expect(view.choice.selection.current?.cell).toEqual([2, 0]);
    expect(view.meant()).toEqual([]);
  });

  test('is without the last row of the view where that one has left', () => {
    const view = new View(10);
    view.choose(7, 3);
    view.keys.pop();
    view.draw();
    expect(view.drawn).toEqual([107, 108]);
    expect(view.meant()).toEqual([107, 108]);
    view.choose(8);
    view.keys.pop();
    view.draw();
    expect(view.choice.cursorKey).toBeUndefined();
    expect(view.cursors.at(-1)).toBeUndefined();
  });

  test('is the same row in another order, and where a filter leaves it', () => {
    const view = new View(1_000);
    view.choose(5);
    view.keys = view.keys.toReversed().filter((key) => key % 2 === 1);
    view.draw();
    expect(view.drawn).toEqual([105]);
    expect(view.cursors.at(-1)).toBe(105);
  });

  test('is not drawn at a place that the grid does not have before the view is read', () => {
    const view = new View(3);
    view.choose(2);
    view.turnTo([1, 2, 3, 4, 102]);
    expect(view.choice.selection.current).toBeUndefined();
    view.draw();
    expect(view.drawn).toEqual([102]);
  });

  test('is found in the view that is shown at last, however many were asked for', () => {
    const view = new View(1_000);
    view.choose(500);
    const all = view.keys;
    view.turnTo(all.filter((key) => key < 300));
    view.turnTo([1, 2, ...all]);
    view.draw();
    expect(placesOf(view.choice.selection)).toEqual([502]);
    expect(view.meant()).toEqual([600]);
  });

  test('of a long sheet is all of it, without the rows that have left', () => {
    const view = new View(100_000);
    view.choose(0, 100_000);
    const chosen = [...view.keys];
    view.keys.splice(70_000, 1, 7);
    view.draw();
    expect(view.meant()).toEqual(chosen.toSpliced(70_000, 1));
  });

  test('follows all of its rows', () => {
    const view = new View(1_000);
    view.choose(50, 400);
    view.keys.splice(10, 1);
    view.keys.splice(300, 1);
    view.draw();
    expect(placesOf(view.choice.selection)).toEqual(Array.from({ length: 399 }, (_, line) => 49 + line));
    expect(view.meant()).toEqual(view.keys.slice(49, 448));
  });

  test('below the last row is the row that comes to be there', () => {
    const view = new View(3);
    view.choose(3);
    expect(view.choice.cursorKey).toBeUndefined();
    view.keys.push(7);
    view.draw();
    expect(view.choice.cursorKey).toBe(7);
    expect(view.cursors).toEqual([undefined, 7]);
  });

  test('goes along from one answer to the next', () => {
    const view = new View(500);
    view.choose(40, 300);
    view.keys.splice(0, 1);
    view.draw();
    view.keys.splice(0, 1);
    view.draw();
    expect(view.meant()).toEqual(view.keys.slice(38, 338));
  });
});

test('whatever happens to the view, what is drawn as chosen was chosen, and edits mean the same rows', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('choose' as const), at: fc.nat(39), height: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ kind: fc.constantFrom('leave' as const, 'enter' as const), at: fc.nat(39) }),
    fc.record({ kind: fc.constantFrom('draw' as const, 'unread' as const, 'filter' as const, 'turn' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
      const view = new View(40);
      let chosen = new Set<number>();
      let next = 1_000;
      for (const one of steps) {
        if (one.kind === 'choose') {
          view.draw();
          if (one.at >= view.keys.length) continue;
          chosen = new Set(view.keys.slice(one.at, one.at + one.height));
          view.choose(one.at, Math.min(one.height, view.keys.length - one.at));
        } else if (one.kind === 'leave') view.keys.splice(one.at, 1);
        else if (one.kind === 'enter') view.keys.splice(one.at, 0, next++);
        else if (one.kind === 'draw') view.draw();
        else if (one.kind === 'unread') view.turnTo(view.keys);
        else {
          if (one.kind === 'turn') view.keys.reverse();
          else view.keys = view.keys.filter((key) => key % 3 !== 0);
          view.draw();
        }
        for (const key of view.meant()) expect(chosen.has(key)).toBe(true);
        const cursor = view.choice.cursorKey;
        if (cursor !== undefined) expect(chosen.has(cursor)).toBe(true);
      }
      view.draw();
      const inView = view.keys.filter((key) => chosen.has(key));
      const meant = view.meant();
      expect(meant).toEqual(view.drawn);
      // Rows that left may have come back: none is chosen that was not.
      expect(inView).toEqual(expect.arrayContaining([...meant]));
    }),
    { numRuns: Number(process.env['RUNS'] ?? 150) },
  );
});
