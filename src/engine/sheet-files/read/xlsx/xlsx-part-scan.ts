import { isUtf8 } from 'node:buffer';
import { ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { declaredEncoding } from '../workbook/decode-xml.ts';
import { scanXml, type XmlListener } from '../workbook/scan-xml.ts';
import { DECLINED, GREATER, LESS, SLASH, afterName, skipAttributes, startsWith } from './xlsx-bytes.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';

/** A part whose bytes are nearly all a list of items of one kind: rows, or shared strings. */
export interface ItemPart {
  readonly part: string;
  /** The elements from the root to the one with the items. */
  readonly path: readonly string[];
  readonly item: string;
  /** Names with a meaning inside an item: if one of them occurs outside the list, the part is declined. */
  readonly innerNames: readonly string[];
  /** Reads items; returns where something else comes, or {@link DECLINED}. */
  readonly scan: (bytes: Buffer) => number;
  /** Receives the elements opened outside the list. */
  readonly open: XmlListener['open'];
}

/** `declined`: it is for the general parser, and what was read of it does not count. */
type Scanned = 'scanned' | 'declined' | 'missing';

/** What precedes the list: the general parser reads it, so it need not be understood here. */
const MOST_HEAD_BYTES = 1024 * 1024;
/** A spreadsheet program allows at most 32,767 characters in a cell, and a row here at most 512 columns. */
const MOST_ITEM_BYTES = 32 * 1024 * 1024;
const FIRST_BUFFER_BYTES = 512 * 1024;
const BYTE_ORDER_MARK = '\xef\xbb\xbf';

/**
 * Reads the items of a part from its bytes while they are inflated; the general parser reads everything around them.
 * Declines a part that is not in UTF-8 or that contains anything not surely understood.
 */
export async function scanPart(zip: ZipArchive, of: ItemPart): Promise<Result<Scanned, SheetProblem>> {
  const splitter = new PartSplitter(of);
  const poured = await zip.pour(of.part, splitter.add);
  if (!poured.ok) return poured;
  if (poured.value === 'missing') return ok('missing');
  return ok(poured.value === 'whole' && splitter.end() ? 'scanned' : 'declined');
}

/** Reads the items that are whole in the first bytes of a part, without checking the rest. */
export function scanBeginning(bytes: Buffer, of: ItemPart): void {
  new PartSplitter(of).add(bytes);
}

class PartSplitter {
  readonly #of: ItemPart;
  readonly #closingItem: string;
  readonly #closingList: string;
  /** One buffer for all pieces: new ones would pile up until the garbage collection. */
  #buffer = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);
  /** How much of it is still unread. */
  #length = 0;
  /** Everything outside the list. */
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
    this.#append(piece);
    if (this.#place === 'before' && !this.#findList()) return this.#length <= MOST_HEAD_BYTES;
    const waiting = this.#buffer.subarray(0, this.#length);
    // The next piece completes an item end that two pieces share.
    const end = waiting.subarray(Math.max(0, this.#length - piece.length)).lastIndexOf(this.#closingItem);
    if (end === -1) return this.#length <= MOST_ITEM_BYTES;
    return this.#scan(Math.max(0, this.#length - piece.length) + end + this.#closingItem.length);
  };

  /** True if all of the part was understood. */
  end(): boolean {
    if (this.#place === 'inside' && !this.#scan(this.#length)) return false;
    return this.#place === 'after' && this.#understandsAround();
  }

  #append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  #drop(count: number): void {
    this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  /** Sets aside what comes before the first item. */
  #findList(): boolean {
    const start = afterListTag(this.#buffer.subarray(0, this.#length), this.#of.path.at(-1) ?? '');
    if (start === DECLINED) return false;
    this.#around.push(Buffer.from(this.#buffer.subarray(0, start)));
    this.#drop(start);
    this.#place = 'inside';
    return true;
  }

  /** Reads the first bytes, which end with an item or with the part. */
  #scan(count: number): boolean {
    const bytes = this.#buffer.subarray(0, count);
    if (!isUtf8(bytes)) return false;
    const end = this.#of.scan(bytes);
    if (end === DECLINED) return false;
    if (end < count) {
      if (!startsWith(bytes, end, this.#closingList)) return false;
      this.#around.push(Buffer.from(this.#buffer.subarray(end, this.#length)));
      this.#place = 'after';
    }
    this.#drop(count);
    return true;
  }

  /** Reads what surrounds the list, as one document with an empty list. */
  #understandsAround(): boolean {
    const { part, path, innerNames, open } = this.#of;
    const bytes = Buffer.concat(this.#around);
    const opened: string[] = [];
    let lists = 0;
    let isStrange = !isUtf8(bytes) || (declaredEncoding(bytes) ?? 'utf-8') !== 'utf-8';
    const scanned = scanXml(part, bytes, {
      open: (name, attribute, parent) => {
        opened.push(name);
        if (name === path.at(-1)) lists += opened.join('/') === path.join('/') ? 1 : Infinity;
        if (innerNames.includes(name)) isStrange = true;
        open(name, attribute, parent);
      },
      close: () => opened.pop(),
      text: () => {},
    });
    return scanned.ok && lists === 1 && !isStrange;
  }
}

/**
 * The start of the list. Checks every tag before it, so that this is surely a tag of the document and not part of a
 * comment or an attribute.
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
