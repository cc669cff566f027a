/** How the grid draws what is not plain text: a drawing before a line, and pips for takes. */
import { GridCellKind, type CustomCell, type CustomRenderer } from '@glideapps/glide-data-grid';
import { fitText } from './fit-text.ts';

interface LineData {
  readonly kind: 'line';
  readonly text: string;
  readonly color: string;
  readonly isStrong: boolean;
  /** Lines in a square of 16 units. */
  readonly glyph?: string;
}
type LineCell = CustomCell<LineData>;

interface TakesData {
  readonly kind: 'takes';
  readonly done: number;
  readonly takes: number;
  readonly color: string;
  readonly restColor: string;
}
type TakesCell = CustomCell<TakesData>;

const GLYPH_SIZE = 13;
const GLYPH_GAP = 7;
const PIP = { width: 8, height: 5, gap: 3 };
/** More than these are told in figures. */
const PIPS_SHOWN = 5;

/** One line of text that ends in … where it does not fit, with a drawing before it if there is one. */
export function lineCell(text: string, color: string, options: { glyph?: string; isStrong?: boolean } = {}): LineCell {
  const { glyph, isStrong = false } = options;
  return {
    kind: GridCellKind.Custom,
    allowOverlay: false,
    readonly: true,
    copyData: text,
    data: { kind: 'line', text, color, isStrong, ...(glyph === undefined ? {} : { glyph }) },
  };
}

/** How many takes of a row are done. */
export function takesCell(done: number, takes: number, color: string, restColor: string): TakesCell {
  return {
    kind: GridCellKind.Custom,
    allowOverlay: false,
    readonly: true,
    copyData: `${done} of ${takes}`,
    data: { kind: 'takes', done, takes, color, restColor },
  };
}

/** The renderers of the cells above. */
export const GRID_RENDERERS: readonly [CustomRenderer<LineCell>, CustomRenderer<TakesCell>] = [
  lineRenderer(),
  takesRenderer(),
];

function lineRenderer(): CustomRenderer<LineCell> {
  return {
    kind: GridCellKind.Custom,
    isMatch: (cell): cell is LineCell => (cell.data as { kind?: unknown }).kind === 'line',
    draw: ({ ctx, rect, theme }, { data }) => {
      const padding = theme.cellHorizontalPadding;
      const middle = rect.y + rect.height / 2;
      const indent = data.glyph === undefined ? 0 : GLYPH_SIZE + GLYPH_GAP;
      if (data.glyph !== undefined) drawGlyph(ctx, data.glyph, rect.x + padding, middle - GLYPH_SIZE / 2, data.color);
      const font = `${data.isStrong ? '530 ' : ''}${theme.baseFontFull}`;
      ctx.font = font;
      ctx.fillStyle = data.color;
      ctx.textBaseline = 'middle';
      ctx.fillText(
        fitText(ctx, font, data.text, rect.width - 2 * padding - indent),
        rect.x + padding + indent,
        middle + 0.5,
      );
    },
  };
}

function takesRenderer(): CustomRenderer<TakesCell> {
  return {
    kind: GridCellKind.Custom,
    isMatch: (cell): cell is TakesCell => (cell.data as { kind?: unknown }).kind === 'takes',
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
      ctx.font = theme.baseFontFull;
      ctx.fillStyle = theme.textMedium;
      ctx.textBaseline = 'middle';
      ctx.fillText(`${data.done} of ${data.takes}`, x, middle + 0.5);
    },
  };
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
