import type { Item, Rectangle } from '@glideapps/glide-data-grid';
import { useEffect, useRef, useState } from 'react';
import { useAppModel } from '../../state/app-context.ts';
import type { AppModel } from '../../state/app-model.ts';
import { cellNotes } from './use-cell-content.ts';
import type { Grid } from './use-grid.ts';
import styles from './CellTip.module.css';

interface Tip {
  readonly cell: Item;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

const DELAY_MS = 450;

/** A note about the cell under the pointer, once the pointer has rested there. */
export function useCellTip(grid: Grid): {
  readonly shown: Tip | undefined;
  readonly hover: (at: { readonly cell: Item; readonly bounds: Rectangle } | undefined) => void;
} {
  const model = useAppModel();
  const [shown, setShown] = useState<Tip>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const isShown = shown !== undefined;
  // A problem that is fixed while the pointer rests on it disappears.
  useEffect(() => {
    if (!isShown) return undefined;
    const renewed = (tip: Tip): Tip => {
      const text = textOf(model, grid, tip.cell);
      return text === tip.text ? tip : { ...tip, text };
    };
    const renew = (): void => setShown((tip) => tip && renewed(tip));
    const stops = [model.rows.onDraw(renew), grid.choice.store.subscribe(renew)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [isShown, model, grid]);
  return {
    shown,
    hover: (at) => {
      clearTimeout(timer.current);
      setShown(undefined);
      if (at === undefined) return;
      const { cell, bounds } = at;
      const text = textOf(model, grid, cell);
      if (text === '') return;
      const { x, y, height } = bounds;
      timer.current = setTimeout(() => setShown({ cell, text, x, y: y + height + 4 }), DELAY_MS);
    },
  };
}

/** Shows nothing for the cursor's cell: the line below the grid says the same about it. */
function textOf(model: AppModel, { batch, columns, choice }: Grid, cell: Item): string {
  const about = columns[cell[0]];
  const row = model.rows.pages.rowAt(cell[1]);
  const cursor = choice.selection.current?.cell;
  const isCursor = cursor?.[0] === cell[0] && cursor[1] === cell[1];
  return about === undefined || row === undefined || isCursor
    ? ''
    : cellNotes(model.editing, row, about, batch).join('\n');
}

/** A note beside the pointer; users without a pointer find the same in the line below the grid. */
export function CellTip({ tip }: { readonly tip: Tip | undefined }) {
  if (tip === undefined || tip.text === '') return null;
  return (
    <p className={styles.tip} style={{ left: Math.min(tip.x, window.innerWidth - 360), top: tip.y }} aria-hidden>
      {tip.text}
    </p>
  );
}
