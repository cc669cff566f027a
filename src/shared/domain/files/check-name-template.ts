/** Checks a name template against the columns of its batch; what its `{…}` stand for is in `naming.ts`. */
import { domainWords } from '../../words/domain-words.ts';
import { nearestName } from '../base/nearest-name.ts';
import { visibleLine } from '../base/text.ts';
import { cellText, type Row } from '../sheet/row.ts';
import { layOutColumns } from '../sheet/sheet-columns.ts';
import type { BatchRecord } from '../task/batch.ts';
import { isNameWord, MAX_FOLDERS, MAX_TEMPLATE_CHARACTERS, NAME_WORDS, partsOfTemplate } from './naming.ts';

/** At most this many columns are named; a sheet may have hundreds. */
const COLUMNS_NAMED = 30;

/** The columns of a batch that a template can name: its headers as they are written, and what they stand for. */
export function nameColumnsOf({ headers, sheet }: Pick<BatchRecord, 'headers' | 'sheet'>): readonly string[] {
  const columns = new Map<string, string>();
  for (const name of [...headers, ...layOutColumns(headers, sheet.mapping).indexes.keys()]) {
    const folded = name.trim().toLowerCase();
    if (folded !== '' && !isNameWord(name.trim()) && !columns.has(folded)) columns.set(folded, name.trim());
  }
  return [...columns.values()];
}

/** What a row of a batch has in each of {@link nameColumnsOf}, besides its cells by their headers as written. */
export function nameCellsOf({
  headers,
  sheet,
}: Pick<BatchRecord, 'headers' | 'sheet'>): (cells: Row['cells']) => Row['cells'] {
  const names = headers.map((header) => [header.trim(), header] as const);
  const meant = Array.from(layOutColumns(headers, sheet.mapping).indexes, ([column, at]) => {
    return [column, headers[at] ?? ''] as const;
  });
  return (cells) => ({
    ...Object.fromEntries([...meant, ...names].map(([name, header]) => [name, cellText(cells, header)])),
    ...cells,
  });
}

/** Whether a template puts what a row has under this header into names. */
export function templateNames(template: string, header: string): boolean {
  const folded = header.trim().toLowerCase();
  return [...template.matchAll(/\{([^{}]+)\}/gu)].some(([, written = '']) => {
    const name = written.trim();
    return !isNameWord(name) && name.toLowerCase() === folded;
  });
}

/**
 * What is wrong with a template of folders and names, where, and which names there are, in a sentence or two for the
 * user; undefined if nothing is. `columns`: of its batch, from {@link nameColumnsOf}.
 */
export function templateProblem(template: string, columns: readonly string[]): string | undefined {
  if (template.length > MAX_TEMPLATE_CHARACTERS)
    return domainWords.operations.template.tooLong(MAX_TEMPLATE_CHARACTERS);
  const { folders } = partsOfTemplate(template);
  if (folders.length > MAX_FOLDERS) return domainWords.operations.template.deep(folders.length, MAX_FOLDERS);
  const known = new Set(columns.map((column) => column.toLowerCase()));
  for (const { 0: written, index } of template.matchAll(/\{[^{}]*\}|[{}]/gu)) {
    // Counted as a person counts characters.
    const at = Array.from(template.slice(0, index)).length + 1;
    if (written.length === 1) return domainWords.operations.template.lone(written, at);
    const name = written.slice(1, -1).trim();
    if (isNameWord(name) || known.has(name.toLowerCase())) continue;
    const nearest = nearestName(name, [...NAME_WORDS, ...columns]);
    const guess = nearest && `{${visibleLine(nearest, 100)}}`;
    return domainWords.operations.template.noName(visibleLine(written, 100), at, guess, knownNames(columns));
  }
  return undefined;
}

function knownNames(columns: readonly string[]): string {
  const inBraces = (names: readonly string[]): readonly string[] => names.map((name) => `{${visibleLine(name, 60)}}`);
  const shown = inBraces(columns.slice(0, COLUMNS_NAMED));
  return domainWords.operations.template.names(inBraces(NAME_WORDS), shown, columns.length - COLUMNS_NAMED);
}
