import { GLYPH_ADVANCE, GLYPH_COLUMNS, glyphRows } from './font.ts';

/** Red, green, blue, each 0 to 255. */
export type Colour = readonly [number, number, number];

/** A blend of two colours: 0 is the first, 1 the second. */
export function mixed(from: Colour, to: Colour, share: number): Colour {
  const part = Math.min(1, Math.max(0, share));
  return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part, from[2] + (to[2] - from[2]) * part];
}

/** A picture to paint on: rows from the top, three bytes per pixel. Ignores what lies outside. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;

  constructor(width: number, height: number, pixels = new Uint8Array(width * height * 3)) {
    this.width = width;
    this.height = height;
    this.pixels = pixels;
  }

  copy(): Canvas {
    return new Canvas(this.width, this.height, this.pixels.slice());
  }

  /** Lays a colour over a pixel; `cover` 1 hides the old colour. */
  blend(x: number, y: number, colour: Colour, cover: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height || cover <= 0) return;
    const { pixels } = this;
    const at = (y * this.width + x) * 3;
    const part = Math.min(1, cover);
    const [red = 0, green = 0, blue = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
    pixels[at] = red + (colour[0] - red) * part + 0.5;
    pixels[at + 1] = green + (colour[1] - green) * part + 0.5;
    pixels[at + 2] = blue + (colour[2] - blue) * part + 0.5;
  }

  rectangle(left: number, top: number, width: number, height: number, colour: Colour, cover = 1): void {
    for (let y = Math.max(0, top); y < Math.min(this.height, top + height); y += 1) {
      for (let x = Math.max(0, left); x < Math.min(this.width, left + width); x += 1) this.blend(x, y, colour, cover);
    }
  }

  /** From the top down through the given colours, evenly spaced. */
  gradient(colours: readonly Colour[]): void {
    for (let y = 0; y < this.height; y += 1) {
      const place = (y / Math.max(1, this.height - 1)) * (colours.length - 1);
      const index = Math.min(colours.length - 2, Math.floor(place));
      const from = colours[index] ?? [0, 0, 0];
      const colour = mixed(from, colours[index + 1] ?? from, place - index);
      const start = y * this.width * 3;
      this.pixels.set(colour, start);
      this.pixels.copyWithin(start + 3, start, start + 3);
      for (let filled = 3; filled < this.width * 3; filled *= 2) {
        this.pixels.copyWithin(start + filled, start, start + Math.min(filled, this.width * 3 - filled));
      }
    }
  }

  /** A disc with a smooth edge. */
  disc(centreX: number, centreY: number, radius: number, colour: Colour, cover = 1): void {
    this.#around(centreX, centreY, radius + 1, (x, y, distance) =>
      this.blend(x, y, colour, cover * Math.min(1, radius + 0.5 - distance)),
    );
  }

  /** A light that fades towards its edge. */
  glow(centreX: number, centreY: number, radius: number, colour: Colour, strength: number): void {
    this.#around(centreX, centreY, radius, (x, y, distance) => {
      const near = 1 - distance / radius;
      this.blend(x, y, colour, strength * near * near);
    });
  }

  #around(
    centreX: number,
    centreY: number,
    reach: number,
    paint: (x: number, y: number, distance: number) => void,
  ): void {
    const bottom = Math.min(this.height - 1, Math.ceil(centreY + reach));
    const right = Math.min(this.width - 1, Math.ceil(centreX + reach));
    for (let y = Math.max(0, Math.floor(centreY - reach)); y <= bottom; y += 1) {
      for (let x = Math.max(0, Math.floor(centreX - reach)); x <= right; x += 1) {
        const distance = Math.sqrt((x - centreX) ** 2 + (y - centreY) ** 2);
        if (distance < reach) paint(x, y, distance);
      }
    }
  }

  /** Fills everything below a line, given per column, with a smooth edge. */
  below(line: (x: number) => number, colour: Colour, cover = 1): void {
    for (let x = 0; x < this.width; x += 1) {
      const edge = line(x);
      const first = Math.floor(edge);
      this.blend(x, first, colour, cover * (1 - (edge - first)));
      for (let y = Math.max(0, first + 1); y < this.height; y += 1) this.blend(x, y, colour, cover);
    }
  }

  /** One line of text, each dot of the font `scale` pixels wide. */
  text(left: number, top: number, line: string, scale: number, colour: Colour, cover = 1): void {
    for (const [position, character] of Array.from(line).entries()) {
      for (const [row, bits] of glyphRows(character).entries()) {
        for (let column = 0; column < GLYPH_COLUMNS; column += 1) {
          if (((bits >> (GLYPH_COLUMNS - 1 - column)) & 1) === 0) continue;
          const x = left + (position * GLYPH_ADVANCE + column) * scale;
          this.rectangle(x, top + row * scale, scale, scale, colour, cover);
        }
      }
    }
  }
}
