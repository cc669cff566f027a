import { Parser } from 'saxen';
import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import { decodeText } from './decode-text.ts';
import { replaceInPieces } from './replace-in-pieces.ts';
import type { Replacement } from './replace-in-pieces.ts';
import { damagedArchive } from './zip-archive.ts';

/** What is called while a document goes by. Names come without their namespace prefix. */
export interface XmlListener {
  /** @param attribute The value of an attribute by its name without prefix. */
  readonly open: (name: string, attribute: (name: string) => string | undefined) => void;
  readonly close: (name: string) => void;
  readonly text: (text: string) => void;
}

/**
 * Goes through an XML part of a workbook. A document type is refused: workbooks have none, and it is where entities
 * that grow, or that fetch something, are declared. No entity but those of XML itself is ever replaced.
 * @param part Its name, for messages.
 */
export function scanXml(part: string, bytes: Buffer, listener: XmlListener): Result<null, SheetProblem> {
  const decoded = decodeText(bytes);
  if (!decoded.ok) return err(damagedArchive(`the text of ${part} cannot be decoded`));
  const text = decoded.value;
  const parser = new Parser();
  let hasDocumentType = false;
  parser.on('attention', () => {
    hasDocumentType = true;
    parser.stop();
  });
  parser.on('error', () => parser.stop());
  parser.on('openTag', (name, attributes) => {
    let all: Record<string, string> | undefined;
    listener.open(withoutPrefix(name), (wanted) => {
      all ??= attributes();
      const value = all[wanted] ?? prefixedAttribute(all, wanted);
      return value === undefined ? undefined : decodeReferences(value);
    });
  });
  parser.on('closeTag', (name) => listener.close(withoutPrefix(name)));
  parser.on('text', (piece) => listener.text(decodeReferences(piece)));
  parser.on('cdata', listener.text);
  // XML has one line end (XML 1.0, 2.11); a real carriage return in a cell is written as _x000D_.
  const error = parser.parse(unifyLineEnds(text));
  if (hasDocumentType) return err(refusedDocumentType(part));
  return error ? err(damagedArchive(`${part} is broken (${error.message})`)) : ok(null);
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function prefixedAttribute(all: Record<string, string>, wanted: string): string | undefined {
  const name = Object.keys(all).find((candidate) => candidate.endsWith(`:${wanted}`));
  return name === undefined ? undefined : all[name];
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const LINE_ENDS: Replacement = { pattern: /\r\n?/g, start: '\r', longest: 2, by: () => '\n' };

/** By hand: the parser's own function makes wrong characters of references above U+FFFF, which is where emoji are. */
const REFERENCES: Replacement = {
  pattern: /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,8}));/g,
  start: '&',
  longest: 10,
  by: (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return PREDEFINED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hexadecimal), 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  },
};

function unifyLineEnds(text: string): string {
  return text.includes('\r') ? replaceInPieces(text, LINE_ENDS) : text;
}

function decodeReferences(text: string): string {
  return text.includes('&') ? replaceInPieces(text, REFERENCES) : text;
}

/** The text that stands between two tags: what a listener would get of it. */
export function decodeXmlText(raw: string): string {
  return decodeReferences(unifyLineEnds(raw));
}

function refusedDocumentType(part: string): SheetProblem {
  return {
    severity: 'error',
    code: 'unreadable',
    message: `The workbook declares a document type in ${part}, as no spreadsheet program does; it was not read.`,
    remedy: 'Do not open it elsewhere if you do not know where it is from; otherwise save it again as “.xlsx”.',
  };
}
