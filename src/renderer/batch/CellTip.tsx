import type { Item, Rectangle } from '@glideapps/glide-data-grid';
import { useEffect, useRef, useState } from 'react';
import { useAppModel } from '../state/app-context.ts';
import { cellNotes } from './cell-notes.ts';
import type { Grid } from './use-grid.ts';
import styles from './CellTip.module.css';

interface Tip {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

const DELAY_MS = 450;

/** What is to be said about the cell under the pointer, after it has rested there. */
export function useCellTip(grid: Grid): {
  readonly shown: Tip | undefined;
  readonly hover: (at: { readonly cell: Item; readonly bounds: Rectangle } | undefined) => void;
} {
  const model = useAppModel();
  const [shown, setShown] = useState<Tip>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    shown,
    hover: (at) => {
      clearTimeout(timer.current);
      setShown(undefined);
      if (at === undefined) return;
      const about = grid.columns[at.cell[0]];
      const row = model.rows.pages.rowAt(at.cell[1]);
      if (about === undefined || row === undefined) return;
      const cursor = grid.choice.selection.current?.cell;
      // The line below the grid says the same about the cursor's cell.
      if (cursor?.[0] === at.cell[0] && cursor[1] === at.cell[1]) return;
      const text = cellNotes(model.editing, row, about).join('\n');
      if (text === '') return;
      const { x, y, height } = at.bounds;
      timer.current = setTimeout(() => setShown({ text, x, y: y + height + 4 }), DELAY_MS);
    },
  };
}

/** A note beside the pointer; the line below the grid says the same to those who use no pointer. */
export function CellTip({ tip }: { readonly tip: Tip | undefined }) {
  if (tip === undefined) return null;
  return (
    <p className={styles.tip} style={{ left: Math.min(tip.x, window.innerWidth - 360), top: tip.y }} aria-hidden>
      {tip.text}
    </p>
  );
}
