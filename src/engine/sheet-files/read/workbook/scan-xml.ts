import { Parser } from 'saxen';
import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';
import { decodeXml, replaceInPieces, type Replacement } from './decode-xml.ts';
import { damagedArchive } from '../zip/zip-archive.ts';

/** Listeners called while a document is scanned. Names have no namespace prefix. */
export interface XmlListener {
  /**
   * @param attribute Returns the value of an attribute by its name without prefix.
   * @param parent The name of the element around this one; empty for the root.
   */
  readonly open: (name: string, attribute: (name: string) => string | undefined, parent: string) => void;
  readonly close: (name: string) => void;
  readonly text: (text: string) => void;
  /** The current place in the document, for a message, such as `in row 7`; empty if there is nothing to say. */
  readonly where?: () => string;
}

/**
 * Scans an XML part of a workbook. Refuses errors that could lose or change a text: the parser continues after a tag
 * that swallows the next one, and only warns. Refuses a document type, too: workbooks have none, and entities that
 * expand or fetch something are declared there. Replaces no entity but those of XML itself.
 * @param part Its name, for messages.
 */
export function scanXml(part: string, bytes: Buffer, listener: XmlListener): Result<null, SheetProblem> {
  const decoded = decodeXml(bytes);
  const found = parseStrictly(decoded.text, listener);
  if (found === DOCUMENT_TYPE) return err(refusedDocumentType(part));
  const place = listener.where?.() ?? '';
  const at = place === '' ? '' : ` ${place}`;
  if (decoded.problem !== undefined) return err(damagedArchive(`${part} ${decoded.problem}${at}`));
  return found === undefined ? ok(null) : err(damagedArchive(domainWords.problems.file.damage.broken(part, at, found)));
}

const DOCUMENT_TYPE = 'document type';
/** Characters that XML 1.0 cannot contain at all (section 2.2), except halves of characters. */
const NOT_A_CHARACTER = /[^\t\n\r\u0020-\uFFFD]/;

/** Calls the listeners until there is an error, and returns it. */
function parseStrictly(text: string, listener: XmlListener): string | undefined {
  const parser = new Parser();
  const open: string[] = [];
  let roots = 0;
  let wrong: string | undefined;
  const refuse = (why: string): void => {
    wrong ??= why;
    parser.stop();
  };
  parser.on('attention', () => refuse(DOCUMENT_TYPE));
  parser.on('error', (error) => refuse(error.message));
  parser.on('warn', (error) => refuse(error.message));
  parser.on('openTag', (name, attributes) => {
    // Requested even if nobody listens: otherwise the parser does not check them.
    const all = attributes();
    if (wrong !== undefined) return;
    const parent = open.at(-1) ?? '';
    const own = withoutPrefix(name);
    if (parent === '' && ++roots > 1) return refuse('a second root');
    for (const value of Object.values(all)) {
      if (value.includes('<')) return refuse('a tag within a tag');
      if (!hasSoundReferences(value)) return refuse(UNKNOWN_REFERENCE);
    }
    open.push(own);
    listener.open(
      own,
      (wanted) => {
        const value = all[wanted] ?? prefixedAttribute(all, wanted);
        return value === undefined ? undefined : decodeReferences(value);
      },
      parent,
    );
  });
  parser.on('closeTag', () => listener.close(open.pop() ?? ''));
  parser.on('text', (piece) => {
    if (piece.includes(']]>')) refuse('an end of CDATA without its start');
    else if (hasSoundReferences(piece)) listener.text(decodeReferences(piece));
    else refuse(UNKNOWN_REFERENCE);
  });
  parser.on('cdata', (piece) => {
    if (open.length === 0) refuse('text outside of the root');
    else listener.text(piece);
  });
  // XML has one line end (XML 1.0, 2.11); a real carriage return in a cell is written as _x000D_.
  const end = firstStrange(text);
  const error = parser.parse(unifyLineEnds(end === -1 ? text : text.slice(0, end)));
  return wrong ?? (end === -1 ? error?.message : 'a character that XML cannot hold');
}

/** The position of the first character that XML cannot contain, or of half a character; -1 if there is none. */
function firstStrange(text: string): number {
  const strange = text.search(NOT_A_CHARACTER);
  const half = text.search(/\p{Surrogate}/u);
  if (half === -1) return strange;
  return strange === -1 ? half : Math.min(strange, half);
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function prefixedAttribute(all: Record<string, string>, wanted: string): string | undefined {
  const name = Object.keys(all).find((candidate) => candidate.endsWith(`:${wanted}`));
  return name === undefined ? undefined : all[name];
}

const UNKNOWN_REFERENCE = 'an “&” that stands for nothing';
const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const LINE_ENDS: Replacement = { pattern: /\r\n?/g, start: '\r', longest: 2, by: () => '\n' };

const REFERENCE = String.raw`&(?:#(\d{1,10})|#x([\da-fA-F]{1,10})|(amp|lt|gt|quot|apos));`;
const REFERENCE_HERE = new RegExp(`^${REFERENCE}`);

/** Replaces the parser's own function, which decodes references above U+FFFF wrongly, and emoji are there. */
const REFERENCES: Replacement = {
  pattern: new RegExp(REFERENCE, 'g'),
  start: '&',
  longest: 14,
  by: (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return PREDEFINED[name] ?? whole;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(String(hexadecimal), 16) : Number(decimal));
  },
};

const NOT_PREDEFINED = /&(?!(?:amp|lt|gt|quot|apos);)/;

/** True if every `&` begins a reference to a character that XML can contain. */
function hasSoundReferences(text: string): boolean {
  // Nearly all are predefined, and a text may have millions of them.
  if (!NOT_PREDEFINED.test(text)) return true;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    const reference = text.slice(at, at + REFERENCES.longest);
    const [, decimal, hexadecimal, name] = REFERENCE_HERE.exec(reference) ?? [];
    if (name !== undefined) continue;
    const digits = decimal ?? hexadecimal;
    if (digits === undefined) return false;
    const code = Number.parseInt(digits, decimal === undefined ? 16 : 10);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return false;
    if (NOT_A_CHARACTER.test(String.fromCodePoint(code))) return false;
  }
  return true;
}

function unifyLineEnds(text: string): string {
  return text.includes('\r') ? replaceInPieces(text, LINE_ENDS) : text;
}

function decodeReferences(text: string): string {
  return text.includes('&') ? replaceInPieces(text, REFERENCES) : text;
}

/** The text between two tags, as a listener would get it; undefined if it is not well-formed. */
export function decodeXmlText(raw: string): string | undefined {
  if (raw.includes(']]>') || !isSoundXmlText(raw)) return undefined;
  return decodeReferences(unifyLineEnds(raw));
}

/** True for a text of characters that XML can contain and references to such characters. */
export function isSoundXmlText(raw: string): boolean {
  return !NOT_A_CHARACTER.test(raw) && hasSoundReferences(raw);
}

function refusedDocumentType(part: string): SheetProblem {
  return {
    severity: 'error',
    code: 'unreadable',
    ...domainWords.problems.file.documentType(part),
  };
}
