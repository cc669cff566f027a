/** How the grid draws cells that are not plain text: an icon before a line, and pips for takes. */
import { GridCellKind, type CustomCell, type CustomRenderer } from '@glideapps/glide-data-grid';
import { words } from '../../../shared/words/words.ts';
import { fitText } from './fit-text.ts';

interface LineData {
  readonly kind: 'line';
  readonly text: string;
  readonly color: string;
  readonly isStrong: boolean;
  /** Lines in a square of 16 units. */
  readonly glyph?: string;
}

interface TakesData {
  readonly kind: 'takes';
  readonly done: number;
  readonly takes: number;
  readonly color: string;
  readonly restColor: string;
}

interface LineNumberData {
  readonly kind: 'line-number';
  readonly line: number;
  readonly color: string;
  readonly isLocked: boolean;
}

interface PictureData {
  readonly kind: 'picture';
  readonly fileId: string;
  readonly name: string;
  /** How long it plays; empty if that is not known. */
  readonly length: string;
  /** How many more files there are, in words; empty if none. */
  readonly more: string;
  /** Drawn until there is a picture, and if there is none. */
  readonly glyph: string;
  readonly color: string;
  /** The row is to get another file: this one is dimmed until then. */
  readonly isEarlier: boolean;
}

interface SheetData {
  readonly kind: 'sheet';
  /** On one line, with invisible characters written out. */
  readonly text: string;
  readonly color: string;
  /** The colour of the corner that marks a problem. */
  readonly mark: string | undefined;
  /** The colour of the corner, on the other side, that marks an edit since the import. */
  readonly edited: string | undefined;
}

/** The triangle in the corner of a cell with a problem, and in that of an edited one. */
const MARK_SIZE = 7;
const LOCK_GLYPH = 'M4 7.4h8v5.8H4V7.4Z M5.6 7.2V5.4a2.4 2.4 0 0 1 4.8 0v1.8';
const GLYPH_SIZE = 13;
const GLYPH_GAP = 7;
const NAME_ROOM = 90;
/** The place of a small picture in its cell. */
export const PICTURE = { left: 6, width: 46, height: 28 } as const;
/** The opacity of what is dimmed. */
const DIMMED = 0.4;
const PIP = { width: 8, height: 5, gap: 3 };
/** More takes than this are shown as a number. */
const PIPS_SHOWN = 5;

/** One line of text that ends in … if it does not fit, after an icon if there is one. */
export function lineCell(
  text: string,
  color: string,
  options: { glyph?: string; isStrong?: boolean } = {},
): CustomCell<LineData> {
  return cellOf({ kind: 'line', text, color, isStrong: false, ...options }, text);
}

/** How many takes of a row are done. */
export function takesCell(done: number, takes: number, color: string, restColor: string): CustomCell<TakesData> {
  return cellOf({ kind: 'takes', done, takes, color, restColor }, words.grid.takesDone(done, takes));
}

/** The number of a row's line, with a lock if its cells cannot be edited now. */
export function lineNumberCell(line: number, color: string, lockedBy: string | undefined): CustomCell<LineNumberData> {
  const isLocked = lockedBy !== undefined;
  const cell = cellOf<LineNumberData>(
    { kind: 'line-number', line, color, isLocked },
    isLocked ? words.grid.lockedLine(line) : String(line),
  );
  return { ...cell, cursor: 'pointer' };
}

/** The first file of a row: its small picture, how long it plays, and its name if there is room. */
export function pictureCell(picture: Omit<PictureData, 'kind'>): CustomCell<PictureData> {
  const name = besidePicture(picture.name, picture.length, picture.more);
  const cell = cellOf<PictureData>(
    { kind: 'picture', ...picture },
    picture.isEarlier ? words.grid.earlierFile(name) : name,
  );
  return { ...cell, cursor: 'pointer' };
}

/** A cell of the sheet. The grid's own editor never opens: editing has its own component. */
export function sheetCell(
  text: string,
  look: Pick<SheetData, 'color'> &
    Partial<Pick<SheetData, 'mark' | 'edited'>> & { readonly background?: string; readonly isLocked: boolean },
): CustomCell<SheetData> {
  const { color, background, mark, edited, isLocked } = look;
  return {
    ...cellOf({ kind: 'sheet', text, color, mark, edited }, text),
    readonly: isLocked,
    ...(background === undefined ? {} : { themeOverride: { bgCell: background, bgCellMedium: background } }),
  };
}

/** A cell that the grid's own editor never opens. */
function cellOf<T extends object>(data: T, copyData: string): CustomCell<T> {
  return { kind: GridCellKind.Custom, allowOverlay: false, readonly: true, copyData, data };
}

/** The renderers of the cells above, with the pictures that are known so far. */
export function gridRenderers(pictureOf: (fileId: string) => ImageBitmap | undefined) {
  return [sheetRenderer(), lineRenderer(), lineNumberRenderer(), takesRenderer(), pictureRenderer(pictureOf)] as const;
}

function rendererOf<T extends { readonly kind: string }>(
  kind: T['kind'],
): Pick<CustomRenderer<CustomCell<T>>, 'kind' | 'isMatch'> {
  const isMatch = (cell: CustomCell): cell is CustomCell<T> => (cell.data as { kind?: unknown }).kind === kind;
  return { kind: GridCellKind.Custom, isMatch };
}

/** Text on the middle of a row's line. */
function drawText(
  ctx: CanvasRenderingContext2D,
  font: string,
  color: string,
  text: string,
  x: number,
  middle: number,
): void {
  ctx.font = font;
  ctx.fillStyle = color;
  ctx.textBaseline = 'middle';
  ctx.fillText(text, x, middle + 0.5);
}

function sheetRenderer(): CustomRenderer<CustomCell<SheetData>> {
  return {
    ...rendererOf<SheetData>('sheet'),
    measure: (ctx, { data }, theme) => ctx.measureText(data.text).width + 2 * theme.cellHorizontalPadding + 2,
    draw: ({ ctx, rect, theme }, { data }) => {
      if (data.text !== '') {
        const padding = theme.cellHorizontalPadding;
        const text = fitText(ctx, theme.baseFontFull, data.text, rect.width - 2 * padding);
        drawText(ctx, theme.baseFontFull, data.color, text, rect.x + padding, rect.y + rect.height / 2);
      }
      if (data.mark !== undefined) drawCorner(ctx, data.mark, rect.x + rect.width - 1, rect.y + 1, -MARK_SIZE);
      if (data.edited !== undefined) drawCorner(ctx, data.edited, rect.x, rect.y + 1, MARK_SIZE);
    },
  };
}

/** A triangle below the corner at `x` and `y`; a negative size goes to the left. */
function drawCorner(ctx: CanvasRenderingContext2D, color: string, x: number, y: number, size: number): void {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(x + size, y);
  ctx.lineTo(x, y);
  ctx.lineTo(x, y + Math.abs(size));
  ctx.fill();
}

function lineNumberRenderer(): CustomRenderer<CustomCell<LineNumberData>> {
  return {
    ...rendererOf<LineNumberData>('line-number'),
    draw: ({ ctx, rect, theme }, { data }) => {
      const middle = rect.y + rect.height / 2;
      ctx.textAlign = 'right';
      drawText(ctx, theme.baseFontFull, data.color, String(data.line), rect.x + rect.width - 8, middle);
      ctx.textAlign = 'start';
      if (data.isLocked) drawGlyph(ctx, LOCK_GLYPH, rect.x + 4, middle - GLYPH_SIZE / 2, data.color);
    },
  };
}

function lineRenderer(): CustomRenderer<CustomCell<LineData>> {
  return {
    ...rendererOf<LineData>('line'),
    measure: (ctx, { data }, theme) =>
      ctx.measureText(data.text).width +
      2 * theme.cellHorizontalPadding +
      (data.glyph === undefined ? 2 : GLYPH_SIZE + GLYPH_GAP + 2),
    draw: ({ ctx, rect, theme }, { data }) => {
      const padding = theme.cellHorizontalPadding;
      const middle = rect.y + rect.height / 2;
      const indent = data.glyph === undefined ? 0 : GLYPH_SIZE + GLYPH_GAP;
      if (data.glyph !== undefined) drawGlyph(ctx, data.glyph, rect.x + padding, middle - GLYPH_SIZE / 2, data.color);
      const font = `${data.isStrong ? '530 ' : ''}${theme.baseFontFull}`;
      const text = fitText(ctx, font, data.text, rect.width - 2 * padding - indent);
      drawText(ctx, font, data.color, text, rect.x + padding + indent, middle);
    },
  };
}

function takesRenderer(): CustomRenderer<CustomCell<TakesData>> {
  return {
    ...rendererOf<TakesData>('takes'),
    draw: ({ ctx, rect, theme }, { data }) => {
      const middle = rect.y + rect.height / 2;
      let x = rect.x + theme.cellHorizontalPadding;
      if (data.takes <= PIPS_SHOWN) {
        for (let take = 0; take < data.takes; take += 1) {
          ctx.fillStyle = take < data.done ? data.color : data.restColor;
          ctx.beginPath();
          ctx.roundRect(x, middle - PIP.height / 2, PIP.width, PIP.height, 1.5);
          ctx.fill();
          x += PIP.width + PIP.gap;
        }
        return;
      }
      drawText(ctx, theme.baseFontFull, theme.textMedium, words.grid.takesDone(data.done, data.takes), x, middle);
    },
  };
}

function pictureRenderer(
  pictureOf: (fileId: string) => ImageBitmap | undefined,
): CustomRenderer<CustomCell<PictureData>> {
  return {
    ...rendererOf<PictureData>('picture'),
    measure: (ctx, { data }, theme) =>
      ctx.measureText(besidePicture(data.length, data.more, data.name)).width +
      PICTURE.width +
      2 * theme.cellHorizontalPadding,
    draw: ({ ctx, rect, theme }, { data }) => {
      const middle = rect.y + rect.height / 2;
      const left = rect.x + PICTURE.left;
      const picture = pictureOf(data.fileId);
      if (picture === undefined)
        drawGlyph(ctx, data.glyph, left + (PICTURE.width - GLYPH_SIZE) / 2, middle - GLYPH_SIZE / 2, data.color);
      else {
        ctx.globalAlpha = data.isEarlier ? DIMMED : 1;
        drawPicture(ctx, picture, left, middle - PICTURE.height / 2);
        ctx.globalAlpha = 1;
      }
      const x = left + PICTURE.width + GLYPH_GAP;
      const room = rect.x + rect.width - x - 4;
      // A few letters of a name say nothing.
      const label = besidePicture(data.length, data.more, room < NAME_ROOM ? '' : data.name);
      const text = fitText(ctx, theme.baseFontFull, label, room);
      drawText(ctx, theme.baseFontFull, data.color, text, x, middle);
    },
  };
}

/** The words beside a picture, without empty ones. */
function besidePicture(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** Draws a picture as large as its place, cropped at two edges if its shape differs. */
function drawPicture(ctx: CanvasRenderingContext2D, picture: ImageBitmap, x: number, y: number): void {
  const { width, height } = PICTURE;
  const scale = Math.max(width / picture.width, height / picture.height);
  const [w, h] = [width / scale, height / scale];
  ctx.drawImage(picture, (picture.width - w) / 2, (picture.height - h) / 2, w, h, x, y, width, height);
}

const GLYPHS = new Map<string, Path2D>();

function drawGlyph(ctx: CanvasRenderingContext2D, glyph: string, x: number, y: number, color: string): void {
  let path = GLYPHS.get(glyph);
  if (path === undefined) {
    path = new Path2D(glyph);
    GLYPHS.set(glyph, path);
  }
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(GLYPH_SIZE / 16, GLYPH_SIZE / 16);
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.6;
  ctx.lineCap = 'round';
  ctx.lineJoin = 'round';
  ctx.stroke(path);
  ctx.restore();
}
