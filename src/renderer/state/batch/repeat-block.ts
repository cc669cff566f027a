/** Where a block is repeated to, seen from itself. */
export type FillDirection = 'down' | 'up' | 'left' | 'right';

/**
 * The cells of a block, repeated beside it: as many columns as there is room for, and as many lines as it takes before
 * they repeat. Towards the beginning, its last line or column comes to stand beside its first one.
 */
export function repeatedBlock(
  block: readonly (readonly string[])[],
  room: { readonly height: number; readonly width: number },
  direction: FillDirection,
): readonly (readonly string[])[] {
  const width = block[0]?.length ?? 0;
  if (width === 0) return [];
  const firstLine = direction === 'up' ? wrapped(-room.height, block.length) : 0;
  const firstColumn = direction === 'left' ? wrapped(-room.width, width) : 0;
  return Array.from({ length: Math.min(room.height, block.length) }, (_line, line) =>
    Array.from({ length: room.width }, (_cell, column) => {
      const texts = block[(firstLine + line) % block.length];
      return texts?.[(firstColumn + column) % width] ?? '';
    }),
  );
}

/** The rest of a division that is never negative. */
function wrapped(value: number, length: number): number {
  return ((value % length) + length) % length;
}
