import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';
import { unsupported } from '../detect-format.ts';
import { readOdsContent } from './ods-content.ts';
import { scanXml } from '../workbook/scan-xml.ts';
import type { TableText, TakeLine } from '../../sheet-intake.ts';
import { otherSheets, sheetsToRead, visibleNames } from '../workbook/workbook-sheets.ts';
import { externalLink, hiddenParts, noticesOf, takeInOrder } from '../workbook/workbook-problems.ts';
import { damagedArchive, type ZipArchive } from '../zip/zip-archive.ts';

const CONTENT = 'content.xml';
const MANIFEST = 'meta-inf/manifest.xml';

/** True for the archive of an OpenDocument file, whatever it contains: a sheet, a text, something encrypted. */
export function isOpenDocument(zip: ZipArchive): boolean {
  return zip.names.has(MANIFEST) || (zip.names.has('mimetype') && zip.names.has(CONTENT));
}

/**
 * Reads one sheet of an OpenDocument spreadsheet (ODS) as text. Computes no formula, runs no macro, follows no link.
 * @param wanted The name of the sheet; undefined for the first one that is visible.
 */
export function readOds(zip: ZipArchive, wanted: string | undefined, take: TakeLine): Result<TableText, SheetProblem> {
  const locked = isEncrypted(zip);
  if (!locked.ok) return locked;
  if (locked.value) return err(encrypted());
  const bytes = zip.read(CONTENT);
  if (!bytes.ok) return bytes;
  if (!bytes.value) return err(damagedArchive(domainWords.problems.file.damage.missing(CONTENT)));
  const content = readOdsContent(CONTENT, bytes.value, wanted);
  if (!content.ok) return content;
  const { sheets, hasLinks, isSpreadsheet } = content.value;
  if (!isSpreadsheet) return err(unsupported('openDocument'));
  const chosen = sheetsToRead(sheets, wanted);
  if (!chosen.ok) return chosen;
  const sheet = sheets.find((one) => one.cells !== undefined);
  // The same rank decides which sheets to read and which one was read.
  if (sheet?.cells === undefined) throw new Error('A sheet was chosen and none was read.');
  const { name, cells } = sheet;
  const refused = takeInOrder(cells, take);
  if (refused) return err(refused);
  return ok({
    problems: [
      ...otherSheets(sheets, sheet, wanted),
      ...(hasLinks ? [externalLink()] : []),
      ...hiddenParts(cells),
      ...noticesOf(cells),
    ],
    format: 'ods',
    sheet: name,
    sheets: visibleNames(sheets),
  });
}

/** Its parts are encrypted one by one, and the manifest says how (ODF 1.3 part 2, 4.8). */
function isEncrypted(zip: ZipArchive): Result<boolean, SheetProblem> {
  const manifest = zip.read(MANIFEST);
  if (!manifest.ok) return manifest;
  if (!manifest.value) return ok(false);
  let found = false;
  const scanned = scanXml(MANIFEST, manifest.value, {
    open: (name) => {
      if (name === 'encryption-data') found = true;
    },
    close: () => {},
    text: () => {},
  });
  return scanned.ok ? ok(found) : scanned;
}

function encrypted(): SheetProblem {
  return {
    severity: 'error',
    code: 'encrypted',
    ...domainWords.problems.file.password.workbook,
  };
}
