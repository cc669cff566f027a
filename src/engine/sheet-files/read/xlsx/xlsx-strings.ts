import { ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { scanXml } from '../workbook/scan-xml.ts';
import { DECLINED, TextReader, skipBlanks, startsWith } from './xlsx-bytes.ts';
import { scanPart } from './xlsx-part-scan.ts';
import { unescapeText } from './xlsx-values.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';

/** Takes the texts read so far, each time there are more. */
export type OnStrings = (strings: readonly string[]) => void;

/** Reads the texts that the cells of a workbook refer to by number; none if the workbook has no such part. */
export async function readStrings(
  zip: ZipArchive,
  part: string,
  onMore?: OnStrings,
): Promise<Result<readonly string[], SheetProblem>> {
  const scanned = await scanStrings(zip, part, onMore);
  if (!scanned.ok) return scanned;
  return scanned.value === undefined ? parseStrings(zip, part) : ok(scanned.value);
}

/** The same from the bytes of the part; undefined if they contain anything unusual. */
export async function scanStrings(
  zip: ZipArchive,
  part: string,
  onMore?: OnStrings,
): Promise<Result<readonly string[] | undefined, SheetProblem>> {
  const scanner = new StringScanner();
  const { strings } = scanner;
  const scan = (bytes: Buffer): number => {
    const end = scanner.scan(bytes);
    onMore?.(strings);
    return end;
  };
  const scanned = await scanPart(zip, { part, path: ['sst'], item: 'si', innerNames: ['si'], scan, open: () => {} });
  if (!scanned.ok) return scanned;
  return ok(scanned.value === 'declined' ? undefined : strings);
}

class StringScanner {
  readonly strings: string[] = [];
  readonly #reader = new TextReader();

  /** @returns Where something other than a shared string comes, or that the bytes are declined. */
  readonly scan = (bytes: Buffer): number => {
    for (let at = skipBlanks(bytes, 0); ; at = skipBlanks(bytes, at)) {
      if (startsWith(bytes, at, '<si/>')) {
        this.strings.push('');
        at += 5;
      } else if (startsWith(bytes, at, '<si>')) {
        at = this.#reader.readItem(bytes, at + 4, 'si');
        if (at === DECLINED) return DECLINED;
        this.strings.push(unescapeText(this.#reader.text));
      } else {
        return at;
      }
    }
  };
}

/** The same with the general parser, whatever the XML is. */
export function parseStrings(zip: ZipArchive, part: string): Result<readonly string[], SheetProblem> {
  const bytes = zip.read(part);
  if (!bytes.ok) return bytes;
  if (!bytes.value) return ok([]);
  const strings: string[] = [];
  let text = '';
  let isText = false;
  let phonetic = 0;
  const scanned = scanXml(part, bytes.value, {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 't') isText = phonetic === 0;
      else if (name === 'rPh') phonetic++;
    },
    close: (name) => {
      if (name === 'si') strings.push(unescapeText(text));
      else if (name === 't') isText = false;
      else if (name === 'rPh') phonetic--;
    },
    text: (piece) => {
      if (isText) text += piece;
    },
  });
  return scanned.ok ? ok(strings) : scanned;
}
