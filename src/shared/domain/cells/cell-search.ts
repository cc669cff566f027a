import { domainWords } from '../../words/domain-words.ts';
import { err, ok, type Result } from '../base/result.ts';

/** What to search for in cells. */
export interface CellSearch {
  readonly text: string;
  readonly isCaseSensitive: boolean;
  /** Finds only whole cells. */
  readonly isWholeCell: boolean;
  /** `text` is a regular expression. */
  readonly isPattern: boolean;
}

/** The regular expression that finds the text anywhere in a cell, or a sentence that says why there is none. */
export function searchPattern({ text, isCaseSensitive, isWholeCell, isPattern }: CellSearch): Result<RegExp, string> {
  const source = isPattern ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const flags = isCaseSensitive ? 'gu' : 'giu';
  try {
    // Compiled alone first: otherwise an unmatched `)` in the pattern would close the group around it.
    const own = new RegExp(source, flags);
    return ok(isWholeCell ? new RegExp(`^(?:${own.source})$`, flags) : own);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '';
    return err(domainWords.problems.noPattern(why));
  }
}

/**
 * A cell in which everything that the pattern finds is replaced.
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
