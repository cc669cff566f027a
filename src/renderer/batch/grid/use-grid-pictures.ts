import type { DataEditorRef, Rectangle } from '@glideapps/glide-data-grid';
import { useEffect, useState, type RefObject } from 'react';
import type { FileView } from '../../../shared/ipc/rows.ts';
import { fileKind, thumbnailUrl } from '../../format/phrases.ts';
import { useAppModel } from '../../state/app-context.ts';
import type { AppModel } from '../../state/app-model.ts';
import { fileInCell, FILES_COLUMN_ID, type RowColumn } from '../columns/grid-columns.ts';
import { gridRenderers, PICTURE } from './grid-cells.ts';
import { GridPictures } from './grid-pictures.ts';

/** How the grid draws its cells, with the small pictures of the files in sight. */
export function useGridPictures(
  editor: RefObject<DataEditorRef | null>,
  columns: readonly RowColumn[],
): {
  readonly renderers: ReturnType<typeof gridRenderers>;
  /** Call it when other rows or columns come into sight. */
  readonly lookAt: (range: Rectangle) => void;
} {
  const model = useAppModel();
  const [{ renderers, lookAt, showIn, lookAgain, close }] = useState(() => picturesIn(model, editor));
  const column = columns.findIndex(({ id }) => id === FILES_COLUMN_ID);
  useEffect(() => showIn(column), [showIn, column]);
  useEffect(() => {
    const stop = model.rows.onDraw(lookAgain);
    return () => {
      stop();
      close();
    };
  }, [model, lookAgain, close]);
  return { renderers, lookAt };
}

/** The pictures of one grid, which asks for those of the rows in sight if its column of files is in sight, too. */
function picturesIn(model: AppModel, editor: RefObject<DataEditorRef | null>) {
  let range: Rectangle = { x: 0, y: 0, width: 0, height: 0 };
  let column = -1;
  const pictures = new GridPictures({
    load: loadPicture,
    tellInSight: (fileIds) => void model.client.request('files.inSight', { fileIds }),
    schedule: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
    onLoaded: (fileId) => {
      const places = placesIn(range).filter((place) => fileAt(model, place)?.id === fileId);
      editor.current?.updateCells(places.map((place) => ({ cell: [column, place] })));
    },
  });
  const lookAgain = (): void => {
    // The small pictures in the review come first.
    if (model.review.store.getState().batchId !== undefined) return;
    const isInSight = column >= range.x && column < range.x + range.width;
    pictures.want(isInSight ? filesIn(model, range) : []);
  };
  return {
    renderers: gridRenderers(pictures.of),
    lookAt: (next: Rectangle): void => {
      range = next;
      lookAgain();
    },
    showIn: (next: number): void => {
      column = next;
      lookAgain();
    },
    lookAgain,
    close: () => pictures.close(),
  };
}

function placesIn({ y, height }: Rectangle): readonly number[] {
  return Array.from({ length: height }, (_, line) => y + line);
}

/** The first files of the rows in sight, if small pictures of them can be made. */
function filesIn(model: AppModel, range: Rectangle): readonly string[] {
  return placesIn(range).flatMap((place) => {
    const file = fileAt(model, place);
    return file === undefined || fileKind(file) === 'data' ? [] : [file.id];
  });
}

function fileAt({ rows }: AppModel, place: number): FileView | undefined {
  const row = rows.pages.rowAt(place);
  return row && fileInCell(row);
}

async function loadPicture(fileId: string): Promise<ImageBitmap | undefined> {
  const image = new Image();
  image.src = thumbnailUrl(fileId);
  try {
    await image.decode();
    // No larger than it is drawn, so that drawing only copies it.
    const scale =
      (devicePixelRatio * Math.max(PICTURE.width, PICTURE.height)) / Math.min(image.naturalWidth, image.naturalHeight);
    return await createImageBitmap(image, {
      resizeWidth: Math.max(1, Math.round(image.naturalWidth * Math.min(1, scale))),
      resizeHeight: Math.max(1, Math.round(image.naturalHeight * Math.min(1, scale))),
      resizeQuality: 'medium',
    });
  } catch {
    return undefined;
  }
}
