import type { SeededRandom } from '../random.ts';
import type { Colour } from './canvas.ts';
import { Canvas, mixed } from './canvas.ts';
import { GLYPH_ADVANCE, LINE_ADVANCE, wrapText } from './font.ts';

/** From night to light: the sky from the top down, what stands in front of it, and the light in it. */
interface Palette {
  readonly sky: readonly [Colour, Colour, Colour];
  readonly land: Colour;
  readonly light: Colour;
}

const PALETTES: readonly Palette[] = [
  palette('#181442', '#7a3c80', '#fa9c78', '#1e1234', '#ffe2aa'),
  palette('#0a1a36', '#165270', '#78beb2', '#061626', '#e2fae8'),
  palette('#120e28', '#3c226e', '#965ac8', '#0e081e', '#ffc8f0'),
  palette('#281028', '#963046', '#ffb05c', '#280c22', '#fff0be'),
  palette('#061e2c', '#0e6062', '#d2d68c', '#041c24', '#fffcce'),
  palette('#161c48', '#4a62b4', '#f0bed6', '#161840', '#fff4ec'),
  palette('#0c0c1c', '#222e5c', '#6078aa', '#080814', '#eef0ff'),
  palette('#34161e', '#be5c46', '#f8d696', '#30141e', '#fff8dc'),
];

/** Its colours as stylesheets write them. */
function palette(top: string, middle: string, horizon: string, land: string, light: string): Palette {
  return { sky: [colour(top), colour(middle), colour(horizon)], land: colour(land), light: colour(light) };
}

function colour(hex: string): Colour {
  const [red = 0, green = 0, blue = 0] = Buffer.from(hex.slice(1), 'hex');
  return [red, green, blue];
}

type Scene = (canvas: Canvas, palette: Palette, random: SeededRandom) => void;

const SCENES: readonly Scene[] = [ridges, aurora, lanterns, dunes, moonrise];

/** Paints a night scene, different for every seed, over the whole canvas. */
export function paintScene(canvas: Canvas, random: SeededRandom): Colour {
  const palette = random.pick(PALETTES);
  random.pick(SCENES)(canvas, palette, random);
  return palette.light;
}

/** A line of hills: some waves of decreasing size, around a height. */
function hillLine(canvas: Canvas, random: SeededRandom, height: number, roughness: number): (x: number) => number {
  const waves = Array.from({ length: 5 }, (_, octave) => ({
    length: (canvas.width / (0.8 + octave * 1.7)) * random.between(0.7, 1.3),
    size: (canvas.height * roughness) / (1 + octave * octave * 0.9),
    shift: random.between(0, Math.PI * 2),
  }));
  return (x) =>
    waves.reduce((y, { length, size, shift }) => y + Math.sin((x / length) * Math.PI * 2 + shift) * size, height);
}

function ranges(canvas: Canvas, palette: Palette, random: SeededRandom, count: number, roughness: number): void {
  const [, , horizon] = palette.sky;
  for (let range = 0; range < count; range += 1) {
    const share = (range + 1) / count;
    const height = canvas.height * (0.5 + 0.4 * share * share);
    canvas.below(hillLine(canvas, random, height, roughness), mixed(horizon, palette.land, 0.25 + 0.75 * share));
  }
}

/** For land under a night sky: its farthest range has the colour of the upper sky, not of a bright horizon. */
function darkened(palette: Palette): Palette {
  return { ...palette, sky: [palette.sky[0], palette.sky[1], palette.sky[0]] };
}

function stars(canvas: Canvas, random: SeededRandom, count: number, lowest: number): void {
  for (let star = 0; star < count; star += 1) {
    const [x, y] = [random.below(canvas.width), Math.floor(random.next() ** 1.5 * canvas.height * lowest)];
    const brightness = random.between(0.25, 0.95);
    canvas.blend(x, y, [255, 250, 240], brightness);
    if (brightness > 0.88) canvas.glow(x, y, 5, [255, 250, 240], 0.5);
  }
}

function ridges(canvas: Canvas, palette: Palette, random: SeededRandom): void {
  canvas.gradient(palette.sky);
  const radius = canvas.height * random.between(0.08, 0.15);
  const [x, y] = [canvas.width * random.between(0.2, 0.8), canvas.height * random.between(0.3, 0.48)];
  canvas.glow(x, y, radius * 3.4, palette.light, 0.6);
  canvas.disc(x, y, radius, palette.light);
  ranges(canvas, palette, random, 5, 0.045);
}

function moonrise(canvas: Canvas, palette: Palette, random: SeededRandom): void {
  canvas.gradient([palette.land, palette.sky[0], palette.sky[1]]);
  stars(canvas, random, 130, 0.8);
  const radius = Math.min(canvas.width, canvas.height) * random.between(0.1, 0.17);
  const [x, y] = [canvas.width * random.between(0.25, 0.75), canvas.height * random.between(0.2, 0.36)];
  canvas.glow(x, y, radius * 3, palette.light, 0.35);
  canvas.disc(x, y, radius, palette.light);
  for (let crater = 0; crater < 6; crater += 1) {
    const [angle, distance] = [random.between(0, 6.28), random.between(0, 0.65) * radius];
    canvas.disc(
      x + Math.cos(angle) * distance,
      y + Math.sin(angle) * distance,
      radius * random.between(0.06, 0.2),
      palette.sky[1],
      0.16,
    );
  }
  ranges(canvas, darkened(palette), random, 3, 0.03);
}

function aurora(canvas: Canvas, palette: Palette, random: SeededRandom): void {
  canvas.gradient([[6, 8, 24], palette.sky[0], palette.sky[1]]);
  stars(canvas, random, 150, 0.9);
  for (let curtain = 0; curtain < 3; curtain += 1) {
    const line = hillLine(canvas, random, canvas.height * random.between(0.3, 0.5), 0.06);
    const colour = mixed(
      random.pick([
        [90, 255, 190],
        [120, 200, 255],
        [220, 130, 255],
      ] as const),
      palette.light,
      0.2,
    );
    const reach = canvas.height * random.between(0.25, 0.4);
    for (let x = 0; x < canvas.width; x += 1) {
      const foot = Math.floor(line(x));
      const strength = 0.3 + 0.18 * Math.sin(x / 9 + curtain * 2) * Math.sin(x / 23);
      for (let up = 0; up < reach; up += 1) canvas.blend(x, foot - up, colour, strength * (1 - up / reach) ** 1.6);
    }
  }
  ranges(canvas, darkened(palette), random, 2, 0.03);
}

function lanterns(canvas: Canvas, palette: Palette, random: SeededRandom): void {
  canvas.gradient([palette.land, palette.sky[0], palette.sky[1]]);
  const unit = Math.min(canvas.width, canvas.height);
  for (let lantern = 0; lantern < 22; lantern += 1) {
    const near = random.next() ** 2;
    const radius = unit * (0.02 + 0.11 * near);
    const [x, y] = [random.between(0, canvas.width), random.between(0, canvas.height)];
    const colour = mixed(palette.sky[2], palette.light, random.next());
    canvas.glow(x, y, radius * 2.2, colour, 0.3);
    canvas.disc(x, y, radius, colour, 0.18 + 0.3 * (1 - near));
  }
  stars(canvas, random, 40, 1);
}

function dunes(canvas: Canvas, palette: Palette, random: SeededRandom): void {
  canvas.gradient([palette.sky[1], palette.sky[2], palette.light]);
  const [x, y] = [canvas.width * random.between(0.15, 0.85), canvas.height * random.between(0.18, 0.34)];
  canvas.disc(x, y, canvas.height * 0.09, [255, 252, 240], 0.95);
  for (let dune = 0; dune < 7; dune += 1) {
    const line = hillLine(canvas, random, canvas.height * (0.42 + dune * 0.09), 0.035);
    canvas.below(line, mixed(palette.sky[2], palette.sky[0], 0.15 + dune * 0.14));
  }
}

const CAPTION_LINES = 4;

/** Writes a caption across the bottom of a picture, and one small line below it. */
export function drawCaption(canvas: Canvas, caption: string, footer: string): void {
  const scale = canvas.width >= 320 && canvas.height >= 320 ? 2 : 1;
  const margin = 8 * scale;
  const columns = Math.max(4, Math.floor((canvas.width - margin * 2) / (GLYPH_ADVANCE * scale)));
  const lines = wrapText(caption, columns, CAPTION_LINES);
  const footerLine = wrapText(footer, Math.floor((canvas.width - margin * 2) / GLYPH_ADVANCE), 1)[0] ?? '';
  const height = margin * 2 + lines.length * LINE_ADVANCE * scale + LINE_ADVANCE;
  const top = canvas.height - height;
  for (let y = top - margin * 2; y < canvas.height; y += 1) {
    const cover = 0.62 * Math.min(1, (y - top + margin * 2) / (margin * 2));
    canvas.rectangle(0, y, canvas.width, 1, [8, 8, 20], cover);
  }
  for (const [index, line] of lines.entries()) {
    canvas.text(margin, top + margin + index * LINE_ADVANCE * scale, line, scale, [255, 255, 255]);
  }
  canvas.text(margin, canvas.height - margin - 7, footerLine, 1, [196, 200, 220]);
}

/** The size of a picture for an aspect ratio such as `16:9`; square without one. Its area is `side` squared. */
export function sizeOf(ratio: string, side: number): { width: number; height: number } {
  const [, wide = '1', high = '1'] = /^\s*(\d{1,5})\s*[:x×/]\s*(\d{1,5})\s*$/i.exec(ratio) ?? [];
  const shape = Math.min(3, Math.max(1 / 3, Number(wide) / Number(high) || 1));
  const multiple = (length: number) => Math.max(16, Math.round(length / 16) * 16);
  return { width: multiple(side * Math.sqrt(shape)), height: multiple(side / Math.sqrt(shape)) };
}
