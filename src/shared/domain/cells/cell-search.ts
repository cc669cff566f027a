import { err, ok, type Result } from '../base/result.ts';

/** What is looked for in cells. */
export interface CellSearch {
  readonly text: string;
  readonly isCaseSensitive: boolean;
  /** Only cells that are wholly it. */
  readonly isWholeCell: boolean;
  /** `text` is a regular expression. */
  readonly isPattern: boolean;
}

/** The regular expression that finds it, in every place of a cell; or why there is none, in words. */
export function searchPattern({ text, isCaseSensitive, isWholeCell, isPattern }: CellSearch): Result<RegExp, string> {
  const source = isPattern ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const flags = isCaseSensitive ? 'gu' : 'giu';
  try {
    // By itself first: what ends a group that it did not begin would otherwise end the one around it.
    const own = new RegExp(source, flags);
    return ok(isWholeCell ? new RegExp(`^(?:${own.source})$`, flags) : own);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '';
    return err(`This is not a regular expression: ${why}`);
  }
}

/**
 * A cell with everything that the pattern finds replaced.
 * @param replaceWith With `isTemplate`, `$1` and `$<name>` in it stand for the groups of the pattern.
 */
export function replaceInCell(
  cell: string,
  pattern: RegExp,
  replaceWith: string,
  isTemplate: boolean,
): { readonly text: string; readonly count: number } {
  let count = 0;
  for (const _ of cell.matchAll(pattern)) count += 1;
  if (count === 0) return { text: cell, count };
  return { text: isTemplate ? cell.replace(pattern, replaceWith) : cell.replace(pattern, () => replaceWith), count };
}
