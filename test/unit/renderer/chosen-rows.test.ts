import { expect, test } from 'vitest';
import { chosenRowsOf, GridChoice } from '../../../src/renderer/batch/keys/grid-choice.ts';
import { rowSpans, selectionOf, withCursorAt } from '../../../src/renderer/batch/keys/grid-selection.ts';
import { makeRow, shownRows } from './make-view.ts';

/** A view of the rows with these keys, of which the window has those at `known` places. */
function view(keys: readonly number[], known: (place: number) => boolean = () => true) {
  let now = keys;
  let shown = shownRows(keys);
  const pages = {
    knownRows: () => now.filter((_, place) => known(place)).map((key) => ({ ...makeRow(), key })),
    placeOf: (key: number) => shown.placeOf(key),
  };
  const choice = new GridChoice({ shown: () => shown, onCursor: () => undefined, onMoved: () => undefined });
  return {
    choice,
    choose: (y: number, height: number) => choice.select(selectionOf([2, y], { x: 2, y, width: 1, height })),
    become: (others: readonly number[]) => {
      now = others;
      shown = shownRows(others);
    },
    chosen: () => {
      const { known: rows, isWhole } = chosenRowsOf(pages, choice, now.length);
      return { keys: rows.map(({ key }) => key), isWhole };
    },
  };
}

test('rows that the night has put between those that were chosen split them, and all of them stay meant', () => {
  const { choice, choose, become, chosen } = view([1, 2, 3]);
  choose(0, 3);
  become([1, 9, 2, 8, 3]);
  choice.follow();
  expect(choice.selection.current?.rangeStack).toHaveLength(2);
  expect(chosen()).toEqual({ keys: [1, 2, 3], isWhole: true });
});

test('a right-click into any piece of what is chosen keeps all of it and takes the cursor there; elsewhere it chooses that cell', () => {
  const { choice, choose, become } = view([1, 2, 3]);
  choose(0, 3);
  become([1, 9, 2, 8, 3]);
  choice.follow();
  const clicked = (column: number, place: number) => {
    const selection = withCursorAt([column, place], choice.selection);
    expect(selection.current?.cell).toEqual([column, place]);
    expect(selection.current?.range).toMatchObject({ x: column, y: place });
    return rowSpans(selection, 5).map(({ y }) => y);
  };
  for (const place of [0, 2, 4]) expect(clicked(2, place)).toEqual([0, 2, 4]);
  for (const place of [1, 3]) expect(clicked(2, place)).toEqual([place]);
  expect(clicked(3, 0)).toEqual([0]);
});

test('another row that stands where one was chosen is not meant, even before what is chosen has followed', () => {
  const { choose, become, chosen } = view([1, 2, 3]);
  choose(1, 1);
  become([1, 9, 2, 3]);
  expect(chosen()).toEqual({ keys: [], isWhole: false });
});

test('of a long sheet that is chosen as a whole it is known that not every row was seen', () => {
  const keys = Array.from({ length: 50_000 }, (_, key) => key);
  const { choose, chosen } = view(keys, (place) => place < 200);
  choose(0, keys.length);
  expect(chosen()).toEqual({ keys: keys.slice(0, 200), isWhole: false });
});
