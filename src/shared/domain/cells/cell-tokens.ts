/** A piece of a cell. `written` is the piece as it stands in the cell, beginning at `start`. */
export type CellToken =
  | { readonly kind: 'text'; readonly start: number; readonly written: string; readonly text: string }
  /** `{{…}}`: a value of another row. */
  | { readonly kind: 'reference'; readonly start: number; readonly written: string; readonly inside: string }
  /** `{name}`: a column of the same row or a variable of the batch; or braces that only look like one. */
  | { readonly kind: 'name'; readonly start: number; readonly written: string; readonly name: string }
  /** `{a|b}`: one of several texts. */
  | {
      readonly kind: 'choice';
      readonly start: number;
      readonly written: string;
      readonly alternatives: readonly string[];
    }
  /** `__name__`: an item of one of the user's lists. */
  | { readonly kind: 'list'; readonly start: number; readonly written: string; readonly name: string };

/** A parsed cell: its tokens as written, joined, give the cell again. */
export interface TokenisedCell {
  readonly tokens: readonly CellToken[];
  /** The first choice that contains something to put in, which is never done. */
  readonly nestedChoice: string | undefined;
}

/** Whether a cell may hold anything to put in: for most cells, this check is all that is needed. */
export function mayHoldTokens(cell: string): boolean {
  return cell.includes('{') || cell.includes('__');
}

/**
 * Parses a cell in one pass. Braces that are no construct of the language stay text: braces over several lines, braces
 * with braces inside, `{"JSON": true}`, and unclosed braces. `\{` and `\__` stand for `{` and `__`. Takes time in
 * proportion to the cell's length, whatever the cell contains.
 */
export function tokeniseCell(cell: string): TokenisedCell {
  return new Tokeniser(cell).run();
}

/** A `{` that is not closed yet. */
interface OpenGroup {
  readonly start: number;
  /** How many constructs there were before it: those found inside are dropped if it turns out to be something else. */
  readonly constructs: number;
  readonly others: number;
  hasBraces: boolean;
  hasBreak: boolean;
  hasBar: boolean;
}

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const BAR = 0x7c;
const UNDERSCORE = 0x5f;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const LIST = /__([\p{L}\p{M}\p{N}-]+(?:_[\p{L}\p{M}\p{N}-]+)*)__/uy;
const LIST_NAME = /^[\p{L}\p{M}\p{N}-]+(?:_[\p{L}\p{M}\p{N}-]+)*$/u;
const ESCAPES = /\\(\{|__)/g;
/** Anything that contains `{"…":` is JSON, whatever else it contains. */
const JSON_BEGINNING = /^\s*"(?:[^"\\]|\\.)*"\s*:/u;

class Tokeniser {
  readonly #cell: string;
  /** Choices and names: dropped if they turn out to be within other braces. */
  readonly #constructs: CellToken[] = [];
  /** References, lists and escapes: they count within braces too, unless those braces are a construct. */
  readonly #others: CellToken[] = [];
  readonly #open: OpenGroup[] = [];
  #nestedChoice: string | undefined;
  /** The next places of what ends or rules out a reference; each is searched for again once it is passed. */
  readonly #next = { '}}': -1, '\n': -1, '\r': -1 };

  constructor(cell: string) {
    this.#cell = cell;
  }

  run(): TokenisedCell {
    for (let at = 0; at < this.#cell.length;) at = this.#step(at);
    const marks = [...this.#constructs, ...this.#others].sort((a, b) => a.start - b.start);
    return { tokens: this.#withTextBetween(marks), nestedChoice: this.#nestedChoice };
  }

  /** Looks at one character and returns where to look next. */
  #step(at: number): number {
    const top = this.#open.at(-1);
    switch (this.#cell.charCodeAt(at)) {
      case BACKSLASH:
        return this.#escape(at);
      case OPEN:
        return this.#reference(at) ?? this.#openGroup(at);
      case CLOSE:
        this.#closeGroup(at);
        return at + 1;
      case BAR:
        if (top) top.hasBar = true;
        return at + 1;
      case LINE_FEED:
      case CARRIAGE_RETURN:
        if (top) top.hasBreak = true;
        return at + 1;
      case UNDERSCORE:
        return this.#list(at);
      default:
        return at + 1;
    }
  }

  #escape(at: number): number {
    const text = this.#cell.startsWith('{', at + 1) ? '{' : this.#cell.startsWith('__', at + 1) ? '__' : undefined;
    if (text === undefined) return at + 1;
    this.#others.push({ kind: 'text', start: at, written: `\\${text}`, text });
    return at + 1 + text.length;
  }

  #list(at: number): number {
    LIST.lastIndex = at;
    const match = LIST.exec(this.#cell);
    if (match?.[1] === undefined) return at + 1;
    this.#others.push({ kind: 'list', start: at, written: match[0], name: match[1] });
    return LIST.lastIndex;
  }

  /** Where a reference on one line that begins here ends. */
  #reference(at: number): number | undefined {
    if (this.#cell.charCodeAt(at + 1) !== OPEN) return undefined;
    const end = this.#nextOf('}}', at + 2);
    if (end >= this.#cell.length || end > this.#nextOf('\n', at) || end > this.#nextOf('\r', at)) return undefined;
    const top = this.#open.at(-1);
    if (top) top.hasBraces = true;
    const inside = this.#cell.slice(at + 2, end);
    this.#others.push({ kind: 'reference', start: at, written: `{{${inside}}}`, inside });
    return end + 2;
  }

  /** The next place of a text, or the cell's end. */
  #nextOf(text: '}}' | '\n' | '\r', from: number): number {
    if (this.#next[text] < from) {
      const found = this.#cell.indexOf(text, from);
      this.#next[text] = found === -1 ? this.#cell.length : found;
    }
    return this.#next[text];
  }

  #openGroup(at: number): number {
    const top = this.#open.at(-1);
    if (top) top.hasBraces = true;
    this.#open.push({
      start: at,
      constructs: this.#constructs.length,
      others: this.#others.length,
      hasBraces: false,
      hasBreak: false,
      hasBar: false,
    });
    return at + 1;
  }

  #closeGroup(at: number): void {
    const group = this.#open.pop();
    if (!group) return;
    const written = this.#cell.slice(group.start, at + 1);
    const outer = this.#open.at(-1);
    if (outer && group.hasBreak) outer.hasBreak = true;
    if (group.hasBraces || group.hasBreak) {
      this.#constructs.length = group.constructs;
      if (group.hasBar && !group.hasBreak) this.#noteNested(written);
      return;
    }
    const construct = constructOf(group, written);
    if (!construct) return;
    const inside = this.#others.slice(group.others);
    if (construct.kind === 'choice' && inside.some((mark) => mark.kind === 'list')) this.#noteNested(written);
    this.#others.length = group.others;
    this.#constructs.push(construct);
  }

  #noteNested(written: string): void {
    if (this.#nestedChoice === undefined && !JSON_BEGINNING.test(written.slice(1))) this.#nestedChoice = written;
  }

  #withTextBetween(marks: readonly CellToken[]): CellToken[] {
    const tokens: CellToken[] = [];
    let from = 0;
    for (const mark of marks) {
      if (mark.start > from) tokens.push(this.#text(from, mark.start));
      tokens.push(mark);
      from = mark.start + mark.written.length;
    }
    if (from < this.#cell.length) tokens.push(this.#text(from, this.#cell.length));
    return tokens;
  }

  #text(start: number, end: number): CellToken {
    const written = this.#cell.slice(start, end);
    return { kind: 'text', start, written, text: written };
  }
}

/** The construct that these braces are, which contain no braces or line breaks; undefined for text. */
function constructOf({ start, hasBar }: OpenGroup, written: string): CellToken | undefined {
  const inside = written.slice(1, -1);
  if (!hasBar) {
    const name = inside.trim();
    return name === '' ? undefined : { kind: 'name', start, written, name };
  }
  if (JSON_BEGINNING.test(inside)) return undefined;
  return { kind: 'choice', start, written, alternatives: inside.split('|').map(unescape) };
}

function unescape(text: string): string {
  return text.includes('\\') ? text.replace(ESCAPES, '$1') : text;
}

/** Whether a list can have this name: letters, digits and hyphens, and single underscores between them. */
export function isListName(name: string): boolean {
  return LIST_NAME.test(name);
}

/** The text as a cell must write it so that nothing in it is put in. */
export function escapeText(text: string): string {
  return text.replace(/\{|__/g, '\\$&');
}
