import { isUtf8 } from 'node:buffer';
import { ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import { scanXml } from './scan-xml.ts';
import type { XmlListener } from './scan-xml.ts';
import { DECLINED, GREATER, LESS, SLASH, afterName, skipAttributes, startsWith } from './xlsx-bytes.ts';
import type { ZipArchive } from './zip-archive.ts';

/** A part of which nearly all bytes are a list of items of one kind: rows, or shared strings. */
export interface ItemPart {
  readonly part: string;
  /** The elements from the root to the one that holds the items. */
  readonly path: readonly string[];
  readonly item: string;
  /** Names that mean something in an item: where they stand outside of the list, the part is declined. */
  readonly innerNames: readonly string[];
  /** Reads items; gives where something else comes, or {@link DECLINED}. */
  readonly scan: (bytes: Buffer) => number;
  /** Gets what is opened outside of the list. */
  readonly open: XmlListener['open'];
}

/** `declined`: it is for the general parser, and what was read of it counts for nothing. */
export type Scanned = 'scanned' | 'declined' | 'missing';

/** What is before the list: a general parser looks at it, so it need not be understood here. */
const MOST_HEAD_BYTES = 1024 * 1024;
const BYTE_ORDER_MARK = '\xef\xbb\xbf';

/**
 * Reads the items of a part from its bytes, while they are inflated, and has everything around them read by the general
 * parser. A part that is not in UTF-8, or has anything in it that is not surely understood, is declined.
 */
export async function scanPart(zip: ZipArchive, of: ItemPart): Promise<Result<Scanned, SheetProblem>> {
  const splitter = new PartSplitter(of);
  const poured = await zip.pour(of.part, splitter.add);
  if (!poured.ok) return poured;
  if (poured.value === 'missing') return ok('missing');
  return ok(poured.value === 'whole' && splitter.end() ? 'scanned' : 'declined');
}

class PartSplitter {
  readonly #of: ItemPart;
  readonly #closingItem: string;
  readonly #closingList: string;
  /** What was not read yet. */
  #waiting: Buffer[] = [];
  /** What is not of the list. */
  readonly #around: Buffer[] = [];
  #place: 'before' | 'inside' | 'after' = 'before';

  constructor(of: ItemPart) {
    this.#of = of;
    this.#closingItem = `</${of.item}>`;
    this.#closingList = `</${of.path.at(-1)}>`;
  }

  /** Takes the next bytes; false declines the part. */
  readonly add = (piece: Buffer): boolean => {
    if (this.#place === 'after') {
      this.#around.push(piece);
      return true;
    }
    this.#waiting.push(piece);
    if (this.#place === 'before' && !this.#findList()) return this.#waitingBytes() <= MOST_HEAD_BYTES;
    return this.#scanItems();
  };

  /** True when all of the part was understood. */
  end(): boolean {
    const rest = Buffer.concat(this.#waiting);
    this.#waiting = [];
    if (this.#place === 'before' || (this.#place === 'inside' && !this.#scan(rest))) return false;
    return this.#place === 'after' && this.#understandsAround();
  }

  #waitingBytes(): number {
    return this.#waiting.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Sets aside what comes before the first item. */
  #findList(): boolean {
    const bytes = Buffer.concat(this.#waiting);
    const start = afterListTag(bytes, this.#of.path.at(-1) ?? '');
    if (start === DECLINED) return false;
    this.#around.push(bytes.subarray(0, start));
    this.#waiting = [bytes.subarray(start)];
    this.#place = 'inside';
    return true;
  }

  /** Scans the items that are whole by now. An end of one that two pieces share is found with the next one. */
  #scanItems(): boolean {
    const last = this.#waiting.at(-1);
    const end = last === undefined ? -1 : last.lastIndexOf(this.#closingItem);
    if (last === undefined || end === -1) return true;
    const cut = end + this.#closingItem.length;
    const bytes = Buffer.concat([...this.#waiting.slice(0, -1), last.subarray(0, cut)]);
    this.#waiting = [last.subarray(cut)];
    return this.#scan(bytes);
  }

  #scan(bytes: Buffer): boolean {
    if (!isUtf8(bytes)) return false;
    const end = this.#of.scan(bytes);
    if (end === DECLINED || end === bytes.length) return end !== DECLINED;
    if (!startsWith(bytes, end, this.#closingList)) return false;
    this.#around.push(bytes.subarray(end), ...this.#waiting);
    this.#waiting = [];
    this.#place = 'after';
    return true;
  }

  /** Reads what is around the list, as one document in which the list is empty. */
  #understandsAround(): boolean {
    const { part, path, innerNames, open } = this.#of;
    const bytes = Buffer.concat(this.#around);
    const opened: string[] = [];
    let lists = 0;
    let isStrange = !isUtf8(bytes);
    const scanned = scanXml(part, bytes, {
      open: (name, attribute) => {
        opened.push(name);
        if (name === path.at(-1)) lists += opened.join('/') === path.join('/') ? 1 : Infinity;
        if (innerNames.includes(name)) isStrange = true;
        open(name, attribute);
      },
      close: () => opened.pop(),
      text: () => {},
    });
    return scanned.ok && lists === 1 && !isStrange;
  }
}

/**
 * Where the list begins. Every tag before it is gone over, so that this is surely a tag of the document and no part of a
 * comment or of an attribute.
 */
function afterListTag(bytes: Buffer, list: string): number {
  let at = startsWith(bytes, 0, BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  for (;;) {
    at = bytes.indexOf(LESS, at);
    if (at === -1) return DECLINED;
    if (startsWith(bytes, at, '<?')) {
      at = bytes.indexOf('?>', at);
      if (at === -1) return DECLINED;
    } else {
      const nameStart = bytes[at + 1] === SLASH ? at + 2 : at + 1;
      const nameEnd = afterName(bytes, nameStart);
      const tagEnd = nameEnd === DECLINED ? DECLINED : skipAttributes(bytes, nameEnd);
      if (tagEnd === DECLINED) return DECLINED;
      const isList = startsWith(bytes, at, `<${list}`) && nameEnd === at + 1 + list.length;
      if (isList) return bytes[tagEnd] === GREATER ? tagEnd + 1 : DECLINED;
      at = tagEnd;
    }
  }
}
