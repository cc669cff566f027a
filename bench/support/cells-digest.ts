import { createHash } from 'node:crypto';

/** A digest of all cells as text, ignoring blanks at the end of a line: two readers agree if it is the same. */
export function digestCells(lines: Iterable<readonly unknown[]>): string {
  const hash = createHash('sha256');
  for (const line of lines) {
    // Not `map`, which skips what a reader has left out.
    const cells = Array.from(line, textOf);
    hash.update(`${JSON.stringify(cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1))}\n`);
  }
  return hash.digest('hex');
}

/** A cell as text, whatever a reader makes of it. */
export function textOf(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  return cell === null || cell === undefined ? '' : JSON.stringify(cell);
}
