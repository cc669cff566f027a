/** How the user arranged the columns of a batch's grid; kept in the window's storage for each batch. */
import { z } from 'zod';
import { useCallback, useState } from 'react';
import { keepInWindow } from '../../state/app-context.ts';

const gridLayout = z.object({
  /** In pixels, by the column's id. */
  widths: z.record(z.string(), z.number().min(20).max(2_000)),
  /** Hidden headers. */
  hidden: z.array(z.string()),
  /** Ids of hidden columns of results. */
  hiddenResults: z.array(z.string()).default([]),
  /** The last header that stays in place. */
  frozenUpTo: z.string().optional(),
});
export type GridLayout = z.infer<typeof gridLayout>;

const PLAIN: GridLayout = { widths: {}, hidden: [], hiddenResults: [] };

/** The stored layout; the default if there is none, or none that can be read. */
export function readLayout(text: string | null): GridLayout {
  if (text === null) return PLAIN;
  try {
    return gridLayout.catch(PLAIN).parse(JSON.parse(text));
  } catch {
    return PLAIN;
  }
}

/** The layout of a batch's grid, and a function to change it. */
export function useGridLayout(
  batchId: string,
): readonly [GridLayout, (change: (before: GridLayout) => GridLayout) => void] {
  const name = `nocturne.grid.${batchId}`;
  const [layout, setLayout] = useState(() => readLayout(localStorage.getItem(name)));
  const change = useCallback(
    (make: (before: GridLayout) => GridLayout) =>
      setLayout((before) => {
        const after = make(before);
        keepInWindow(name, JSON.stringify(after));
        return after;
      }),
    [name],
  );
  return [layout, change];
}
