/**
 * XML as spreadsheet programs write it, read from its bytes: no comments, no CDATA, no prefixes, no entities but those
 * of XML itself. Each function returns where to continue, or {@link DECLINED} for anything that it is not sure to
 * understand; then a general parser reads the part. So nothing here may accept what that parser would read differently.
 */
import { decodeXmlText, isSoundXmlText } from '../workbook/scan-xml.ts';

/** In place of a position: these bytes are for the general parser. */
export const DECLINED = -1;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
export const QUOTE = 0x22;
const AMPERSAND = 0x26;
/** The first byte in UTF-8 of U+FFFE and U+FFFF, which XML cannot contain, and also of full-width forms. */
const LEAD_EF = 0xef;
export const SLASH = 0x2f;
export const DIGIT_0 = 0x30;
export const DIGIT_9 = 0x39;
export const LESS = 0x3c;
const EQUALS = 0x3d;
export const GREATER = 0x3e;
export const LETTER_A = 0x41;
export const LETTER_Z = 0x5a;

function isBlankByte(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}

/** The position after the blanks. */
export function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (isBlankByte(bytes[at])) at++;
  return at;
}

/** True if the bytes continue with this text, which is ASCII. */
export function startsWith(bytes: Buffer, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** The position of a tag's `>`, or of the `/` before it, skipping its attributes. `from` is after its name. */
export function skipAttributes(bytes: Buffer, from: number): number {
  let first: number | undefined;
  let names: Set<string> | undefined;
  let at = from;
  for (;;) {
    const start = skipBlanks(bytes, at);
    if (isTagEnd(bytes, start)) return start;
    const value = attributeValue(bytes, start);
    if (start === at || value === DECLINED) return DECLINED;
    // Most tags have at most one attribute, and need no list of names to detect duplicates.
    if (first === undefined) first = start;
    else {
      names ??= new Set([attributeName(bytes, first)]);
      if (names.size === names.add(attributeName(bytes, start)).size) return DECLINED;
    }
    at = afterValue(bytes, value);
    if (at === DECLINED) return DECLINED;
  }
}

/** The name of an attribute that {@link attributeValue} has validated. */
export function attributeName(bytes: Buffer, from: number): string {
  return bytes.toString('latin1', from, bytes.indexOf(EQUALS, from));
}

/** True at the `>` or the `/>` of a tag. */
export function isTagEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === GREATER || (bytes[at] === SLASH && bytes[at + 1] === GREATER);
}

/** The first byte of an attribute's value; `from` is the first byte of its name. */
export function attributeValue(bytes: Buffer, from: number): number {
  if (!isNameStart(bytes[from] ?? 0)) return DECLINED;
  let at = from + 1;
  while (isNameByte(bytes[at] ?? 0)) at++;
  return bytes[at] === EQUALS && bytes[at + 1] === QUOTE ? at + 2 : DECLINED;
}

/** The position after an attribute's value and its quotation mark. */
export function afterValue(bytes: Buffer, from: number): number {
  let isPlain = true;
  let at = from;
  for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[++at]) {
    if (byte === undefined || byte === LESS) return DECLINED;
    if (byte === AMPERSAND || byte < SPACE || byte === LEAD_EF) isPlain = false;
  }
  return isPlain || isSoundXmlText(bytes.toString('utf8', from, at)) ? at + 1 : DECLINED;
}

/** The end of a tag or attribute name. Declines names with letters other than those of ASCII. */
export function afterName(bytes: Buffer, from: number): number {
  if (!isNameStart(bytes[from] ?? 0)) return DECLINED;
  let at = from + 1;
  while (isNameByte(bytes[at] ?? 0)) at++;
  return at;
}

function isNameStart(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= LETTER_A && byte <= LETTER_Z) || byte === 0x5f;
}

/** With a colon, because ignored attributes may have a prefix. */
function isNameByte(byte: number): boolean {
  return isNameStart(byte) || (byte >= DIGIT_0 && byte <= 0x3a) || byte === 0x2d || byte === 0x2e;
}

/** Reads the text of elements; one instance per part, so that reading a text allocates only the text. */
export class TextReader {
  /** The last text read. */
  text = '';

  /** Reads from `from` to the next tag; returns the position of its `<`. */
  readText(bytes: Buffer, from: number): number {
    let isPlain = true;
    let at = from;
    for (let byte = bytes[at]; byte !== LESS; byte = bytes[++at]) {
      if (byte === undefined) return DECLINED;
      if (byte < SPACE || byte === AMPERSAND || byte === GREATER || byte === LEAD_EF) isPlain = false;
    }
    const raw = at === from ? '' : bytes.toString('utf8', from, at);
    const text = isPlain ? raw : decodeXmlText(raw);
    if (text === undefined) return DECLINED;
    this.text = text;
    return at;
  }

  /**
   * Reads the content of a shared or inline string, up to its own closing tag: a text, or pieces of one with their
   * formats, and pronunciation hints, which are not part of it.
   */
  readItem(bytes: Buffer, from: number, name: 'si' | 'is'): number {
    const end = this.#readPlainItem(bytes, from, name);
    return end === DECLINED ? this.#readPieces(bytes, from, name) : end;
  }

  /** One text without a format, as in most cases. */
  #readPlainItem(bytes: Buffer, from: number, name: 'si' | 'is'): number {
    if (!startsWith(bytes, from, '<t')) return DECLINED;
    const tagEnd = skipAttributes(bytes, from + 2);
    if (bytes[tagEnd] !== GREATER) return DECLINED;
    const at = this.readText(bytes, tagEnd + 1);
    return startsWith(bytes, at, name === 'si' ? '</t></si>' : '</t></is>') ? at + 9 : DECLINED;
  }

  #readPieces(bytes: Buffer, from: number, name: 'si' | 'is'): number {
    const open: string[] = [];
    let whole = '';
    let at = skipBlanks(bytes, from);
    while (bytes[at] === LESS) {
      const isClosing = bytes[at + 1] === SLASH;
      const nameStart = isClosing ? at + 2 : at + 1;
      const nameEnd = afterName(bytes, nameStart);
      const tag = bytes.toString('latin1', nameStart, Math.max(nameStart, nameEnd));
      const tagEnd = nameEnd === DECLINED ? DECLINED : isClosing ? nameEnd : skipAttributes(bytes, nameEnd);
      if (tagEnd === DECLINED) return DECLINED;
      at = bytes[tagEnd] === SLASH ? tagEnd + 2 : tagEnd + 1;
      if (isClosing) {
        if (bytes[tagEnd] !== GREATER || tag !== (open.pop() ?? name)) return DECLINED;
        if (tag === name) {
          this.text = whole;
          return at;
        }
      } else if (tag.includes(':') || OWN_NAMES.has(tag)) {
        return DECLINED;
      } else if (bytes[tagEnd] === GREATER && tag === 't') {
        at = this.readText(bytes, at);
        if (!startsWith(bytes, at, '</t>')) return DECLINED;
        if (!open.includes('rPh')) whole += this.text;
        at += 4;
      } else if (bytes[tagEnd] === GREATER) {
        open.push(tag);
      }
      at = skipBlanks(bytes, at);
    }
    return DECLINED;
  }
}

/** Elements with their own meaning, which are never part of a text. */
const OWN_NAMES: ReadonlySet<string> = new Set(['si', 'is', 'c', 'v', 'f', 'row', 'col']);
