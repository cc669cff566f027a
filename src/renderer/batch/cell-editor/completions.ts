/** Completions while the user types into a cell: whole values, references, variables, lists. */
import { words } from '../../../shared/words/words.ts';

export interface Completion {
  /** An option, and what it means for users who do not know it yet. */
  readonly label: string;
  readonly hint?: string;
  /** Replaces the typed text from `from` to `to`. */
  readonly insert: string;
}

export interface CompletionList {
  readonly from: number;
  readonly to: number;
  readonly options: readonly Completion[];
  /** `value`: the whole cell; accepting one ends the typing. `part`: the user types on. */
  readonly kind: 'value' | 'part';
}

export interface CompletionSources {
  /** Ids of known rows, for references. */
  readonly rowIds: readonly string[];
  /** Columns of the sheet and variables of the batch. */
  readonly variables: readonly string[];
  /** The user's lists. */
  readonly lists: readonly string[];
  /** Values that the column takes, the most likely first. */
  readonly values: readonly Completion[];
  /** Whether a text is already a value, for a column that takes only these. */
  readonly isValue: ((text: string) => boolean) | undefined;
}

const SHOWN = 8;
/** What other rows can use of a row. */
const RESULT_PATHS: readonly Completion[] = [
  { label: 'taskId', hint: words.grid.completion.taskId, insert: 'taskId' },
  { label: 'output.1.url', hint: words.grid.completion.url, insert: 'output.1.url' },
  { label: 'output.1.lastFrame', hint: words.grid.completion.lastFrame, insert: 'output.1.lastFrame' },
  { label: 'output.1.cover', hint: words.grid.completion.cover, insert: 'output.1.cover' },
  { label: 'result.musicUrl', hint: words.grid.completion.musicUrl, insert: 'result.musicUrl' },
  { label: 'result.videoUrl', hint: words.grid.completion.videoUrl, insert: 'result.videoUrl' },
];

/** The completions at a place in the text; undefined if there are none. */
export function completionsAt(text: string, caret: number, sources: CompletionSources): CompletionList | undefined {
  const before = text.slice(0, caret);
  return (
    referenceAt(text, before, sources.rowIds) ??
    variableAt(text, before, sources.variables) ??
    listAt(text, before, sources.lists) ??
    valueOf(text, caret, sources.values)
  );
}

function referenceAt(text: string, before: string, rowIds: readonly string[]): CompletionList | undefined {
  const typed = /\{\{([^{}\n]*)$/u.exec(before)?.[1];
  if (typed === undefined) return undefined;
  const id = rowIds.find((candidate) => typed.startsWith(`${candidate}.`));
  if (id === undefined) {
    const ids = rowIds.map((row): Completion => ({ label: row, hint: words.grid.completion.row, insert: `${row}.` }));
    return part(text, before, typed, '', ids);
  }
  const paths = RESULT_PATHS.map((path) => ({ ...path, insert: `${path.insert}}}` }));
  return part(text, before, typed.slice(id.length + 1), '}}', paths);
}

function variableAt(text: string, before: string, names: readonly string[]): CompletionList | undefined {
  const typed = /(?<!\{)\{([^{}|\n]*)$/u.exec(before)?.[1];
  if (typed === undefined) return undefined;
  const options = names.map((name): Completion => ({ label: name, insert: `${name}}` }));
  return part(text, before, typed, '}', options);
}

function listAt(text: string, before: string, lists: readonly string[]): CompletionList | undefined {
  const typed = /(?:^|[^_\p{L}\p{N}])__([\p{L}\p{N} -]*)$/u.exec(before)?.[1];
  if (typed === undefined) return undefined;
  const options = lists.map((name): Completion => ({
    label: name,
    hint: words.grid.completion.list,
    insert: `${name}__`,
  }));
  return part(text, before, typed, '__', options);
}

/** Completes the part of the text that ends at the caret; does not repeat a closing that is already there. */
function part(
  text: string,
  before: string,
  typed: string,
  closing: string,
  options: readonly Completion[],
): CompletionList | undefined {
  const matching = matchesOf(typed, options);
  if (matching.length === 0) return undefined;
  const isClosed = closing !== '' && text.startsWith(closing, before.length);
  return {
    from: before.length - typed.length,
    to: before.length + (isClosed ? closing.length : 0),
    options: matching,
    kind: 'part',
  };
}

function valueOf(text: string, caret: number, values: readonly Completion[]): CompletionList | undefined {
  if (caret < text.length) return undefined;
  const options = matchesOf(text, values).filter(({ insert }) => insert !== text);
  return options.length === 0 ? undefined : { from: 0, to: text.length, options, kind: 'value' };
}

/** The option that Enter takes without a selection: the only one left of a column that takes no other values. */
export function onlyOption(text: string, list: CompletionList | undefined, { isValue }: CompletionSources): number {
  if (isValue === undefined || text.trim() === '' || isValue(text)) return -1;
  return list?.kind === 'value' && list.options.length === 1 ? 0 : -1;
}

/** Options that begin with the typed text first, then those that contain it. */
function matchesOf(typed: string, options: readonly Completion[]): readonly Completion[] {
  const wanted = typed.trimStart().toLowerCase();
  const starting = options.filter(({ label }) => label.toLowerCase().startsWith(wanted));
  const inside = options.filter((option) => !starting.includes(option) && option.label.toLowerCase().includes(wanted));
  return [...starting, ...inside].slice(0, SHOWN);
}

/** The text after a completion, and the caret's new place. */
export function complete(
  text: string,
  list: Pick<CompletionList, 'from' | 'to'>,
  { insert }: Completion,
): { readonly text: string; readonly caret: number } {
  return { text: text.slice(0, list.from) + insert + text.slice(list.to), caret: list.from + insert.length };
}
