/** How much of a picture is seen, and how large. Lengths are in device pixels. */

/** A picture that is not shown whole. Another picture may take it over, and is then seen at the same place. */
export interface Zoom {
  /** Device pixels for each pixel of the picture: at 1 every pixel is shown as it is. */
  readonly scale: number;
  /** The point of the picture that is in the middle, as parts of its width and its height. */
  readonly x: number;
  readonly y: number;
}

/** The size of a picture's place, and the picture's own size in its pixels. */
export interface Sight {
  readonly width: number;
  readonly height: number;
  readonly pictureWidth: number;
  readonly pictureHeight: number;
}

/** The middle of a picture, each pixel as it is. */
export const PIXELS: Zoom = { scale: 1, x: 0.5, y: 0.5 };

/** A pixel of this size can be seen well. */
const LARGEST_SCALE = 16;

/**
 * The zoom, this many times larger; undefined if all of the picture fits again.
 * @param zoom Undefined: the picture is shown whole, as large as fits.
 * @param at The point that stays where it is, from the middle of the place.
 */
export function zoomBy(zoom: Zoom | undefined, sight: Sight, factor: number, at = { x: 0, y: 0 }): Zoom | undefined {
  const { pictureWidth, pictureHeight } = sight;
  const fit = Math.min(sight.width / pictureWidth, sight.height / pictureHeight);
  const before = zoom ?? { scale: fit, x: 0.5, y: 0.5 };
  const wanted = before.scale * factor;
  // A step that would pass the true size stops there.
  const isPassing = (before.scale < 1 && wanted > 1) || (before.scale > 1 && wanted < 1);
  const scale = isPassing ? 1 : Math.min(Math.max(wanted, Math.min(fit, 1)), Math.max(fit, LARGEST_SCALE));
  if (scale === fit) return undefined;
  const nearer = 1 / before.scale - 1 / scale;
  return inSight(
    { scale, x: before.x + (at.x / pictureWidth) * nearer, y: before.y + (at.y / pictureHeight) * nearer },
    sight,
  );
}

/** The zoom after the picture has been dragged this far. */
export function dragBy(zoom: Zoom, sight: Sight, right: number, down: number): Zoom {
  const { scale, x, y } = zoom;
  return inSight(
    { scale, x: x - right / (sight.pictureWidth * scale), y: y - down / (sight.pictureHeight * scale) },
    sight,
  );
}

/** Leaves no empty room beside a picture that could fill it; a smaller picture is in the middle. */
function inSight({ scale, x, y }: Zoom, sight: Sight): Zoom {
  const within = (at: number, place: number, picture: number): number => {
    const half = Math.min(0.5, place / (2 * picture * scale));
    return Math.min(Math.max(at, half), 1 - half);
  };
  return { scale, x: within(x, sight.width, sight.pictureWidth), y: within(y, sight.height, sight.pictureHeight) };
}
