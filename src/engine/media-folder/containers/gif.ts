import { reason } from '../../../shared/domain/base/reason.ts';
import { type ByteSource, broken, MAX_PIECES, TOO_MANY_PIECES, whole, type ContainerCheck } from './container-check.ts';

const TRAILER = 0x3b;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const SCREEN_BYTES = 13;
const IMAGE_DESCRIPTOR_BYTES = 10;

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Walks the blocks up to the trailer. Source: GIF89a, 17 to 27. */
export async function checkGif(source: ByteSource): Promise<ContainerCheck> {
  const screen = await source.read(0, SCREEN_BYTES);
  if (screen.length < SCREEN_BYTES) return broken('gif', reason('media.cutHeader'));
  let position = SCREEN_BYTES + colourTableBytes(screen[10] ?? 0);
  let sawImage = false;
  let blocks = 0;
  for (;;) {
    const [introducer] = source.held(position, 1) ?? (await source.read(position, 1));
    if (introducer === undefined) return broken('gif', reason('media.cutTrailer'));
    if (introducer === TRAILER) return sawImage ? whole('gif') : broken('gif', reason('media.noPicture'));
    if (introducer === EXTENSION) {
      position += 2;
    } else if (introducer === IMAGE) {
      const descriptor = await source.read(position, IMAGE_DESCRIPTOR_BYTES);
      if (descriptor.length < IMAGE_DESCRIPTOR_BYTES) return broken('gif', reason('media.cutTrailer'));
      // One byte with the code size follows the local colours.
      position += IMAGE_DESCRIPTOR_BYTES + colourTableBytes(descriptor[9] ?? 0) + 1;
      sawImage = true;
    } else {
      return broken('gif', reason('media.damagedAt', position));
    }
    for (let length = -1; length !== 0; blocks += 1) {
      [length = -1] = source.held(position, 1) ?? (await source.read(position, 1));
      if (length < 0) return broken('gif', reason('media.cutAPicture'));
      if (blocks > MAX_PIECES) return broken('gif', TOO_MANY_PIECES);
      position += 1 + length;
    }
  }
}
