import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';
import { scanXml, type XmlListener } from '../workbook/scan-xml.ts';
import { readStrings, type OnStrings } from './xlsx-strings.ts';
import { numberFormat, type NumberFormat } from './xlsx-values.ts';
import { damagedArchive, type ZipArchive } from '../zip/zip-archive.ts';

/** One sheet of a workbook. */
export interface WorkbookSheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Name of its part in the archive; undefined if the workbook names a sheet that it does not have. */
  readonly part: string | undefined;
}

/** What a workbook says about itself, and the data that its cells refer to. */
export interface Workbook {
  readonly sheets: readonly WorkbookSheet[];
  /** Days count from 1904, as on old Macintoshes. */
  readonly epoch1904: boolean;
  readonly strings: readonly string[];
  /** Number formats by the style number of a cell. */
  readonly formats: readonly NumberFormat[];
}

interface Relationship {
  readonly id: string;
  /** The last word of its type, such as `worksheet`. */
  readonly type: string;
  readonly part: string;
}

const NOTHING: XmlListener = { open: () => {}, close: () => {}, text: () => {} };
const USUAL_WORKBOOK_PART = 'xl/workbook.xml';

/**
 * Reads everything in a workbook except its cells.
 * @param beforeStrings Receives what is known before the shared strings, which are most of the work; returns a listener
 *   for these as they are read.
 */
export async function readWorkbook(
  zip: ZipArchive,
  beforeStrings?: (known: Omit<Workbook, 'strings'>) => Promise<OnStrings | undefined>,
): Promise<Result<Workbook, SheetProblem>> {
  const roots = readRelationships(zip, '_rels/.rels', '');
  if (!roots.ok) return roots;
  const part = roots.value.find((root) => root.type === 'officeDocument')?.part ?? USUAL_WORKBOOK_PART;
  const slash = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, slash);
  const related = readRelationships(zip, `${folder}_rels/${part.slice(slash)}.rels`, folder);
  if (!related.ok) return related;
  const partOf = (type: string): string | undefined => related.value.find((one) => one.type === type)?.part;
  const index = readSheetList(zip, part, related.value);
  if (!index.ok) return index;
  const formats = readFormats(zip, partOf('styles'));
  if (!formats.ok) return formats;
  const known = { ...index.value, formats: formats.value };
  const onStrings = await beforeStrings?.(known);
  const stringsPart = partOf('sharedStrings');
  const strings = stringsPart === undefined ? ok([]) : await readStrings(zip, stringsPart, onStrings);
  return strings.ok ? ok({ ...known, strings: strings.value }) : strings;
}

function readRelationships(zip: ZipArchive, part: string, folder: string): Result<Relationship[], SheetProblem> {
  const found: Relationship[] = [];
  const scanned = scanOptionalPart(zip, part, {
    ...NOTHING,
    open: (name, attribute) => {
      const target = attribute('Target');
      if (name !== 'Relationship' || target === undefined || attribute('TargetMode') === 'External') return;
      const type = (attribute('Type') ?? '').split('/').at(-1) ?? '';
      found.push({ id: attribute('Id') ?? '', type, part: resolvePart(folder, target) });
    },
  });
  return scanned.ok ? ok(found) : scanned;
}

function scanOptionalPart(
  zip: ZipArchive,
  part: string | undefined,
  listener: XmlListener,
): Result<null, SheetProblem> {
  if (part === undefined) return ok(null);
  const bytes = zip.read(part);
  if (!bytes.ok) return bytes;
  return bytes.value ? scanXml(part, bytes.value, listener) : ok(null);
}

/** A target is relative to the folder of the part that names it, or starts with a slash. */
export function resolvePart(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  const steps: string[] = [];
  for (const step of `${folder}${target}`.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '.' && step !== '') steps.push(step);
  }
  return steps.join('/');
}

function readSheetList(
  zip: ZipArchive,
  part: string,
  related: readonly Relationship[],
): Result<Pick<Workbook, 'sheets' | 'epoch1904'>, SheetProblem> {
  const bytes = zip.read(part);
  if (!bytes.ok) return bytes;
  if (!bytes.value) return err(damagedArchive(domainWords.problems.file.damage.missing(part)));
  const sheets: WorkbookSheet[] = [];
  const relations = new Map(related.map((one) => [one.id, one]));
  let epoch1904 = false;
  const scanned = scanXml(part, bytes.value, {
    ...NOTHING,
    open: (name, attribute, parent) => {
      // Extensions of later programs reuse names of elements with other meanings.
      if (name === 'workbookPr' && parent === 'workbook')
        epoch1904 = ['1', 'true'].includes(attribute('date1904') ?? '');
      if (name !== 'sheet' || parent !== 'sheets') return;
      const relation = relations.get(attribute('id') ?? '');
      // Charts and dialogs are listed like sheets and have no cells.
      if (relation !== undefined && relation.type !== 'worksheet') return;
      const isHidden = (attribute('state') ?? 'visible') !== 'visible';
      sheets.push({ name: attribute('name') ?? '', isHidden, part: relation?.part });
    },
  });
  return scanned.ok ? ok({ sheets, epoch1904 }) : scanned;
}

function readFormats(zip: ZipArchive, part: string | undefined): Result<NumberFormat[], SheetProblem> {
  const codes = new Map<number, string>();
  const formats: NumberFormat[] = [];
  let isInCellFormats = false;
  const scanned = scanOptionalPart(zip, part, {
    ...NOTHING,
    open: (name, attribute, parent) => {
      if (name === 'numFmt' && parent === 'numFmts')
        codes.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '');
      else if (name === 'cellXfs') isInCellFormats = true;
      else if (name === 'xf' && isInCellFormats) {
        const id = Number(attribute('numFmtId') ?? 0);
        formats.push(numberFormat(id, codes.get(id)));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  return scanned.ok ? ok(formats) : scanned;
}
