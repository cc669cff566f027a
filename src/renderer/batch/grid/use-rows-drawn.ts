import type { DataEditorRef, Rectangle } from '@glideapps/glide-data-grid';
import { useEffect, useState, type RefObject } from 'react';
import { useAppModel } from '../../state/app-context.ts';
import type { RowColumn } from '../columns/grid-columns.ts';
import { forgetWidths } from './fit-text.ts';

/**
 * Makes the grid draw changes: single rows at once, and only in sight; everything through a new version, at most once
 * per frame, including when a font has arrived.
 */
export function useRowsDrawn(
  editor: RefObject<DataEditorRef | null>,
  visible: RefObject<Rectangle>,
  columns: readonly RowColumn[],
): number {
  const { rows } = useAppModel();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let frame: number | undefined;
    const drawAll = (): void => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        setVersion((before) => before + 1);
      });
    };
    // A page is redrawn when a font arrives, such as one for Chinese; a canvas is not.
    const drawInNewFont = (): void => {
      forgetWidths();
      drawAll();
    };
    document.fonts.addEventListener('loadingdone', drawInNewFont);
    const stop = rows.onDraw((drawn) => {
      if (drawn.kind === 'all') {
        drawAll();
        return;
      }
      const { y, height } = visible.current;
      const inSight = drawn.indexes.filter((index) => index >= y && index <= y + height);
      editor.current?.updateCells(
        inSight.flatMap((index) => columns.map((_, column) => ({ cell: [column, index] as const }))),
      );
    });
    return () => {
      stop();
      document.fonts.removeEventListener('loadingdone', drawInNewFont);
      // The next font may arrive while no grid is there to notice.
      forgetWidths();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [rows, editor, visible, columns]);
  return version;
}
