import { domainWords } from '../../words/domain-words.ts';
import { readReference, type LinkedText, type Reference } from './reference.ts';
import { tokeniseCell, type CellToken } from './cell-tokens.ts';
import { quoteCell, type CellProblem } from './cell-value.ts';
import { assertNever } from '../base/result.ts';
import { spreadHashOf } from '../base/text.ts';
import type { LanguageRow, SheetLanguage } from './sheet-language.ts';

/** A piece of a composed cell: the cell's own text, a value that was put in, or a value of another row. */
export type ComposedPart =
  | { readonly kind: 'own'; readonly text: string }
  | { readonly kind: 'put-in'; readonly text: string; readonly written: string }
  | { readonly kind: 'reference'; readonly reference: Reference };

/** Mistakes in the cell's constructs. */
export interface LanguageProblem {
  readonly severity: 'error' | 'warning';
  readonly code:
    | CellProblem['code']
    | 'reference-invalid'
    | 'variable-unknown'
    | 'list-unknown'
    | 'choice-invalid'
    | 'too-large';
  readonly message: string;
  readonly remedy: string;
}

export interface ComposedCell {
  readonly parts: readonly ComposedPart[];
  readonly problems: readonly LanguageProblem[];
  /** Indexes of the cells that were put in by name. */
  readonly named: readonly number[];
  /** How many choices and lists the cell has. */
  readonly draws: number;
}

/** The cell to compose. */
export interface CellPlace {
  /** The exact name of the column; draws depend on it. */
  readonly column: string;
  readonly row: LanguageRow;
  readonly language: SheetLanguage;
}

/** Nobody wants more than this: a text that is put in again and again grows without end. */
const MOST_CHARACTERS = 1_000_000;
/** Braces with anything else in them are no name, not even a misspelt one: `{3}`, `{x: 1}`. */
export const NAME_LIKE = /^[\p{L}_][\p{L}\p{M}\p{N} _.-]{0,63}$/u;

/**
 * Puts into a cell what it names: variables, drawn choices, items of lists. Each value is put in once and not
 * interpreted again, so that braces in a value stay as they are. References stay references until their rows are done.
 * @param firstDraw The ordinal of the text's first draw, if the text is only a part of its cell.
 */
export function composeCell(text: string, place: CellPlace, firstDraw = 0): ComposedCell {
  const { tokens, nestedChoice } = tokeniseCell(text);
  const composer = new Composer(place, firstDraw);
  if (nestedChoice !== undefined) composer.problems.push(nestedIn(nestedChoice));
  for (const token of tokens) {
    composer.add(token);
    if (composer.characters > MOST_CHARACTERS) {
      return { parts: [], problems: [tooLong(text)], named: composer.named, draws: composer.draws };
    }
  }
  const { parts, problems, named, draws } = composer;
  return { parts, problems, named, draws };
}

class Composer {
  readonly parts: ComposedPart[] = [];
  readonly problems: LanguageProblem[] = [];
  readonly named: number[] = [];
  draws = 0;
  characters = 0;
  readonly #place: CellPlace;
  readonly #firstDraw: number;

  constructor(place: CellPlace, firstDraw: number) {
    this.#place = place;
    this.#firstDraw = firstDraw;
  }

  add(token: CellToken): void {
    switch (token.kind) {
      case 'text':
        this.#own(token.text);
        break;
      case 'reference':
        this.#refer(token);
        break;
      case 'name':
        this.#name(token);
        break;
      case 'choice':
        this.#putIn(token, token.alternatives[this.#draw(token.alternatives.length)] ?? '');
        break;
      case 'list':
        this.#list(token);
        break;
      default:
        assertNever(token);
    }
  }

  #own(text: string): void {
    this.characters += text.length;
    this.parts.push({ kind: 'own', text });
  }

  #putIn({ written }: CellToken, text: string): void {
    this.characters += text.length;
    this.parts.push({ kind: 'put-in', text, written });
  }

  #refer({ inside, written }: CellToken & { kind: 'reference' }): void {
    const [reference] = readReference(inside);
    if (reference === undefined) this.problems.push(noReference(written));
    else this.parts.push({ kind: 'reference', reference });
  }

  #name(token: CellToken & { kind: 'name' }): void {
    const { language, row } = this.#place;
    const named = language.find(token.name);
    switch (named?.kind) {
      case 'row-id':
        this.#putIn(token, row.id);
        break;
      case 'column':
        this.named.push(named.index);
        this.#putIn(token, row.record.cells[named.index] ?? '');
        break;
      case 'variable':
        this.#putIn(token, named.text);
        break;
      case undefined:
        if (language.isResult(token.name)) this.problems.push(namesResults(token));
        else if (NAME_LIKE.test(token.name)) this.problems.push(noVariable(token, language.nearestName(token.name)));
        this.#own(token.written);
        break;
      default:
        assertNever(named);
    }
  }

  #list(token: CellToken & { kind: 'list' }): void {
    const { language } = this.#place;
    const items = language.listOf(token.name) ?? [];
    const item = items[this.#draw(items.length)];
    if (item !== undefined) {
      this.#putIn(token, item);
      return;
    }
    this.problems.push(noList(token, language.nearestList(token.name)));
    this.#own(token.written);
  }

  /** Counts even if there is nothing to draw from: adding a list must not change another draw. */
  #draw(count: number): number {
    const { column, row, language } = this.#place;
    const ordinal = this.#firstDraw + this.draws;
    this.draws++;
    return draw({ seed: language.seedOf(row), column, ordinal }, count);
  }
}

/** The parts as one text; references stay as written. */
export function textOf(parts: readonly ComposedPart[]): string {
  return parts.map((part) => (part.kind === 'reference' ? `{{${part.reference.text}}}` : part.text)).join('');
}

/** The parts as a text with references in it; undefined if there are none. */
export function linkedText(parts: readonly ComposedPart[]): LinkedText | undefined {
  if (!parts.some((part) => part.kind === 'reference')) return undefined;
  const linked: (string | Reference)[] = [];
  for (const part of parts) {
    const last = linked.at(-1);
    if (part.kind === 'reference') linked.push(part.reference);
    else if (typeof last === 'string') linked[linked.length - 1] = last + part.text;
    else if (part.text !== '') linked.push(part.text);
  }
  return linked;
}

function noReference(written: string): LanguageProblem {
  return {
    severity: 'error',
    code: 'reference-invalid',
    ...domainWords.problems.cell.noReference(quoteCell(written)),
  };
}

function noVariable({ name, written }: CellToken & { kind: 'name' }, nearest: string | undefined): LanguageProblem {
  const meant = nearest && quoteCell(`{${nearest}}`);
  return {
    severity: 'warning',
    code: 'variable-unknown',
    ...domainWords.problems.cell.noVariable(quoteCell(written), quoteCell(name), meant),
  };
}

/** An error: what is meant is certain, and it cannot be sent. */
function namesResults({ name, written }: CellToken & { kind: 'name' }): LanguageProblem {
  return {
    severity: 'error',
    code: 'variable-unknown',
    ...domainWords.problems.cell.namesResults(quoteCell(written), quoteCell(name)),
  };
}

function noList({ name, written }: CellToken & { kind: 'list' }, nearest: string | undefined): LanguageProblem {
  const meant = nearest && quoteCell(`__${nearest}__`);
  return {
    severity: 'warning',
    code: 'list-unknown',
    ...domainWords.problems.cell.noList(quoteCell(written), quoteCell(name), meant),
  };
}

function nestedIn(written: string): LanguageProblem {
  return {
    severity: 'warning',
    code: 'choice-invalid',
    ...domainWords.problems.cell.nestedChoice(quoteCell(written)),
  };
}

function tooLong(text: string): LanguageProblem {
  return {
    severity: 'error',
    code: 'too-large',
    ...domainWords.problems.cell.growsTooLong(quoteCell(text), MOST_CHARACTERS / 1_000_000),
  };
}

/** Identifies a draw: always the same for the same row, column and place in the cell. */
export interface DrawPlace {
  /** The row's seed: its cell in the column `seed`, or else its id. */
  readonly seed: string;
  /** The exact name of the column. */
  readonly column: string;
  /** Which of the cell's choices and lists this is, from 0. */
  readonly ordinal: number;
}

/**
 * Draws a number from 0 to `count` - 1. Only the seed, the column and the ordinal decide, so that editing one cell
 * changes no draw in another, and rows that are moved or re-imported draw what they drew before.
 *
 * The hash is FNV-1a with 32 bits over the code units of `seed NUL column NUL ordinal` (no cell holds a NUL), finished
 * with the mixing of MurmurHash3, because the upper bits of FNV-1a alone barely depend on the last characters. It is
 * part of what a sheet means: another hash would render other things, so never replace it.
 */
export function draw(place: DrawPlace, count: number): number {
  return Math.floor((spreadHashOf(`${place.seed}\0${place.column}\0${place.ordinal}`) / 2 ** 32) * count);
}
