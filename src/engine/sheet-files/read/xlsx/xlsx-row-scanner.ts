import {
  DECLINED,
  DIGIT_0,
  DIGIT_9,
  LETTER_A,
  LETTER_Z,
  QUOTE,
  SLASH,
  TextReader,
  afterValue,
  attributeName,
  attributeValue,
  isTagEnd,
  skipAttributes,
  skipBlanks,
  startsWith,
} from './xlsx-bytes.ts';
import type { StoredCell, XlsxLines } from './xlsx-lines.ts';

/** More digits are not surely an exact integer. */
const MOST_DIGITS = 9;
/** Small numbers are frequent; sharing one text for each saves half the memory of a sheet of numbers. */
const SHARED_NUMBERS = 10_000;
const CELL_TYPES = ['s', 'n', 'str', 'inlineStr', 'b', 'e', 'd'];
const LETTER_R = 0x72;
const LETTER_S = 0x73;
const LETTER_T = 0x74;

/** Reads whole rows of a sheet from their bytes, with the general parser's result if nothing is unusual. */
export class RowScanner {
  readonly #lines: XlsxLines;
  readonly #reader = new TextReader();
  readonly #numbers: string[] = [];
  /** The ignored attributes of the open tag; one set for all tags. */
  readonly #names = new Set<string>();
  /** One instance for all cells. */
  readonly #cell: StoredCell = { column: -1, type: 'n', style: 0, value: undefined, inline: '', hasFormula: false };
  /** The last integer read. */
  #number = 0;

  constructor(lines: XlsxLines) {
    this.#lines = lines;
  }

  /** @returns Where something other than a row comes, or that the bytes are declined. */
  readonly scan = (bytes: Buffer): number => {
    for (let at = skipBlanks(bytes, 0); ; at = skipBlanks(bytes, at)) {
      if (!startsWith(bytes, at, '<row')) return at;
      at = this.#scanRow(bytes, at + 4);
      if (at === DECLINED) return DECLINED;
    }
  };

  #scanRow(bytes: Buffer, from: number): number {
    let at = this.#openRow(bytes, from);
    if (at === DECLINED) return DECLINED;
    this.#cell.column = -1;
    if (bytes[at] === SLASH) {
      this.#lines.closeRow();
      return at + 2;
    }
    for (at = skipBlanks(bytes, at + 1); startsWith(bytes, at, '<c'); at = skipBlanks(bytes, at)) {
      at = this.#scanCell(bytes, at + 2);
      if (at === DECLINED) return DECLINED;
    }
    if (!startsWith(bytes, at, '</row>')) return DECLINED;
    this.#lines.closeRow();
    return at + 6;
  }

  /** @param from After the name of the tag. */
  #openRow(bytes: Buffer, from: number): number {
    let line: number | undefined;
    let hidden: string | undefined;
    const others = this.#names;
    others.clear();
    let at = from;
    for (;;) {
      const start = skipBlanks(bytes, at);
      if (isTagEnd(bytes, start)) {
        this.#lines.openRow(line, hidden === '1' || hidden === 'true');
        return start;
      }
      const value = attributeValue(bytes, start);
      if (start === at || value === DECLINED) return DECLINED;
      if (startsWith(bytes, start, 'r="')) {
        at = this.#readNumber(bytes, value);
        if (at === DECLINED || bytes[at] !== QUOTE || line !== undefined) return DECLINED;
        line = this.#number;
        at++;
      } else {
        at = afterValue(bytes, value);
        if (at === DECLINED) return DECLINED;
        const name = attributeName(bytes, start);
        if (others.size === others.add(name).size) return DECLINED;
        if (name === 'hidden') {
          hidden = bytes.toString('latin1', value, at - 1);
          if (hidden.includes('&')) return DECLINED;
        } else if (name.endsWith(':r') || name.endsWith(':hidden')) {
          return DECLINED;
        }
      }
    }
  }

  /** @param from After the name of the tag. */
  #scanCell(bytes: Buffer, from: number): number {
    const usual = this.#scanUsualCell(bytes, from);
    if (usual !== DECLINED) return usual;
    const at = this.#openCell(bytes, from);
    if (at === DECLINED) return DECLINED;
    if (bytes[at] === SLASH) {
      this.#lines.add(this.#cell);
      return at + 2;
    }
    return this.#scanContent(bytes, at + 1);
  }

  /** The form of most cells, in one go: `<c r="B2" s="1" t="s"><v>7</v></c>`, often without style or type. */
  #scanUsualCell(bytes: Buffer, from: number): number {
    if (!startsWith(bytes, from, ' r="')) return DECLINED;
    let at = this.#readReference(bytes, from + 4);
    if (at === DECLINED || bytes[at++] !== QUOTE) return DECLINED;
    const column = this.#number;
    let style = 0;
    if (startsWith(bytes, at, ' s="')) {
      at = this.#readNumber(bytes, at + 4);
      if (at === DECLINED || bytes[at++] !== QUOTE) return DECLINED;
      style = this.#number;
    }
    const isShared = startsWith(bytes, at, ' t="s"');
    if (isShared) at += 6;
    if (!startsWith(bytes, at, '><v>')) return DECLINED;
    at = this.#readNumber(bytes, at + 4);
    if (at === DECLINED || !startsWith(bytes, at, '</v></c>')) return DECLINED;
    if (!isShared && !this.#lines.showsPlainNumbers(style)) return DECLINED;
    this.#lines.put(column, isShared ? this.#lines.sharedString(this.#number, column) : this.#numberText(this.#number));
    this.#cell.column = column;
    return at + 8;
  }

  /** Reads the attributes of a cell: each relevant one at most once, and none with a prefix. */
  #openCell(bytes: Buffer, from: number): number {
    const cell = this.#cell;
    let column: number | undefined;
    let style: number | undefined;
    let type: string | undefined;
    this.#names.clear();
    let at = from;
    for (;;) {
      const start = skipBlanks(bytes, at);
      if (isTagEnd(bytes, start)) break;
      const value = attributeValue(bytes, start);
      if (start === at || value === DECLINED) return DECLINED;
      const name = value - start === 3 ? bytes[start] : undefined;
      if (name === LETTER_R && column === undefined) {
        at = this.#readReference(bytes, value);
        column = this.#number;
      } else if (name === LETTER_S && style === undefined) {
        at = this.#readNumber(bytes, value);
        style = this.#number;
      } else if (name === LETTER_T && type === undefined) {
        type = typeAt(bytes, value);
        at = type === undefined ? DECLINED : value + type.length;
      } else {
        at = this.#skipOther(bytes, start, value);
      }
      if (at === DECLINED || bytes[at] !== QUOTE) return DECLINED;
      at++;
    }
    cell.column = column ?? cell.column + 1;
    cell.style = style ?? 0;
    cell.type = type ?? 'n';
    cell.value = undefined;
    cell.inline = '';
    cell.hasFormula = false;
    return skipBlanks(bytes, at);
  }

  /** An ignored attribute, up to its last quotation mark. */
  #skipOther(bytes: Buffer, start: number, value: number): number {
    const name = attributeName(bytes, start);
    if (/(?:^|:)[rst]$/.test(name) || this.#names.size === this.#names.add(name).size) return DECLINED;
    const after = afterValue(bytes, value);
    return after === DECLINED ? DECLINED : after - 1;
  }

  /** The column, counted from 0, of a cell name such as `AB12`. */
  #readReference(bytes: Buffer, from: number): number {
    let column = 0;
    let at = from;
    for (let byte = bytes[at] ?? 0; byte >= LETTER_A && byte <= LETTER_Z; byte = bytes[++at] ?? 0) {
      column = column * 26 + byte - LETTER_A + 1;
    }
    if (at === from || at - from > 3) return DECLINED;
    while (isDigit(bytes[at])) at++;
    this.#number = column - 1;
    return at;
  }

  #readNumber(bytes: Buffer, from: number): number {
    let number = 0;
    let at = from;
    for (let byte = bytes[at] ?? 0; byte >= DIGIT_0 && byte <= DIGIT_9; byte = bytes[++at] ?? 0) {
      number = number * 10 + byte - DIGIT_0;
    }
    this.#number = number;
    return at === from || at - from > MOST_DIGITS ? DECLINED : at;
  }

  #numberText(number: number): string {
    if (number >= SHARED_NUMBERS) return String(number);
    while (this.#numbers.length <= number) this.#numbers.push(String(this.#numbers.length));
    return this.#numbers[number] ?? '';
  }

  /** The content of a cell: formula, value and inline text in any order, each at most once. */
  #scanContent(bytes: Buffer, from: number): number {
    const cell = this.#cell;
    let hasInline = false;
    for (let at = skipBlanks(bytes, from); ; at = skipBlanks(bytes, at)) {
      if (startsWith(bytes, at, '</c>')) {
        this.#lines.add(cell);
        return at + 4;
      }
      if (startsWith(bytes, at, '<v') && cell.value === undefined) {
        at = this.#scanElement(bytes, at + 2, '</v>');
        cell.value = this.#reader.text;
      } else if (startsWith(bytes, at, '<f') && !cell.hasFormula) {
        at = this.#scanElement(bytes, at + 2, '</f>');
        cell.hasFormula = true;
      } else if (startsWith(bytes, at, '<is>') && !hasInline) {
        at = this.#reader.readItem(bytes, at + 4, 'is');
        cell.inline = this.#reader.text;
        hasInline = true;
      } else {
        return DECLINED;
      }
      if (at === DECLINED) return DECLINED;
    }
  }

  /** An element with only text in it. `from` is after its name. */
  #scanElement(bytes: Buffer, from: number, closing: string): number {
    const tagEnd = skipAttributes(bytes, from);
    if (tagEnd === DECLINED) return DECLINED;
    this.#reader.text = '';
    if (bytes[tagEnd] === SLASH) return tagEnd + 2;
    const end = this.#reader.readText(bytes, tagEnd + 1);
    return startsWith(bytes, end, closing) ? end + closing.length : DECLINED;
  }
}

/** The cell type that an attribute starting here names; undefined for an unknown one. */
function typeAt(bytes: Buffer, at: number): string | undefined {
  for (const type of CELL_TYPES) {
    if (bytes[at + type.length] === QUOTE && startsWith(bytes, at, type)) return type;
  }
  return undefined;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_9;
}
