import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';
import { scanXml, type XmlListener } from '../workbook/scan-xml.ts';
import { columnOf, type ColumnRange, type SheetCells, withoutCovered } from '../workbook/workbook-cells.ts';
import { XlsxLines, type StoredCell } from './xlsx-lines.ts';
import { scanPart } from './xlsx-part-scan.ts';
import { RowScanner } from './xlsx-row-scanner.ts';
import type { Workbook } from './xlsx-workbook.ts';
import { damagedArchive, type ZipArchive } from '../zip/zip-archive.ts';

/**
 * Reads one sheet. Never computes formulas; uses what their cells showed when the file was saved. Reads sheets from
 * their bytes, which takes a quarter of the time, and with the general parser if anything in them is unusual.
 */
export async function readCells(
  zip: ZipArchive,
  part: string,
  workbook: Workbook,
): Promise<Result<SheetCells, SheetProblem>> {
  const scanned = await scanCells(zip, part, workbook);
  if (!scanned.ok) return scanned;
  return scanned.value === undefined ? parseCells(zip, part, workbook) : ok(scanned.value);
}

/** The same from the bytes of the part; undefined if they contain anything unusual. */
export async function scanCells(
  zip: ZipArchive,
  part: string,
  workbook: Workbook,
): Promise<Result<SheetCells | undefined, SheetProblem>> {
  const lines = new XlsxLines(workbook);
  const hiddenColumns: ColumnRange[] = [];
  const merges: string[] = [];
  const scanned = await scanPart(zip, {
    part,
    path: ['worksheet', 'sheetData'],
    item: 'row',
    innerNames: ['row', 'c'],
    scan: new RowScanner(lines).scan,
    open: (name, attribute, parent) => {
      if (name === 'col' && parent === 'cols') noteColumns(hiddenColumns, attribute);
      else if (name === 'mergeCell' && parent === 'mergeCells') merges.push(attribute('ref') ?? '');
    },
  });
  if (!scanned.ok) return scanned;
  if (scanned.value === 'missing') return err(missing(part));
  if (scanned.value === 'declined') return ok(undefined);
  return cellsOf(lines, hiddenColumns, merges);
}

/** The same with the general parser, whatever the XML is. */
export function parseCells(zip: ZipArchive, part: string, workbook: Workbook): Result<SheetCells, SheetProblem> {
  const bytes = zip.read(part);
  if (!bytes.ok) return bytes;
  if (!bytes.value) return err(missing(part));
  const lines = new XlsxLines(workbook);
  const reader = new CellReader(lines);
  const scanned = scanXml(part, bytes.value, reader);
  if (!scanned.ok) return scanned;
  return cellsOf(lines, reader.hiddenColumns, reader.merges);
}

function missing(part: string): SheetProblem {
  return damagedArchive(domainWords.problems.file.damage.missing(part));
}

function cellsOf(
  { lines, hiddenLines, notices, damage }: XlsxLines,
  hiddenColumns: readonly ColumnRange[],
  merges: readonly string[],
): Result<SheetCells, SheetProblem> {
  if (damage !== undefined) return err(damagedArchive(damage));
  const shown = withoutCovered(lines, merges);
  return shown.ok ? ok({ lines: shown.value, hiddenLines, notices, hiddenColumns }) : err(damagedArchive(shown.error));
}

/** Elements with a meaning in a certain place; extensions and drawings use the same names for other things. */
type Place = 'sheet' | 'data' | 'row' | 'cell' | 'value' | 'formula' | 'inline' | 'run' | 'text' | 'columns' | 'merges';

/** The meaning of an element inside its parent; undefined if it does not concern the cells. */
function placeOf(name: string, parent: Place | undefined): Place | undefined {
  switch (parent) {
    case 'sheet':
      return name === 'sheetData' ? 'data' : name === 'cols' ? 'columns' : name === 'mergeCells' ? 'merges' : undefined;
    case 'data':
      return name === 'row' ? 'row' : undefined;
    case 'row':
      return name === 'c' ? 'cell' : undefined;
    case 'cell':
      return name === 'v' ? 'value' : name === 'f' ? 'formula' : name === 'is' ? 'inline' : undefined;
    // The pronunciation of a text is beside it, and not part of it.
    case 'inline':
      return name === 't' ? 'text' : name === 'r' ? 'run' : undefined;
    case 'run':
      return name === 't' ? 'text' : undefined;
    default:
      return undefined;
  }
}

class CellReader implements XmlListener {
  readonly hiddenColumns: ColumnRange[] = [];
  readonly merges: string[] = [];
  readonly #lines: XlsxLines;
  /** The path of open elements. */
  readonly #places: (Place | undefined)[] = [];
  #column = -1;
  #cell: StoredCell | undefined;

  constructor(lines: XlsxLines) {
    this.#lines = lines;
  }

  readonly open = (name: string, attribute: (name: string) => string | undefined): void => {
    const parent = this.#places.at(-1);
    const place = this.#places.length === 0 ? 'sheet' : placeOf(name, parent);
    this.#places.push(place);
    if (parent === 'columns' && name === 'col') noteColumns(this.hiddenColumns, attribute);
    else if (parent === 'merges' && name === 'mergeCell') this.merges.push(attribute('ref') ?? '');
    else if (place === 'row') {
      this.#column = -1;
      this.#openRow(attribute('r'), attribute('hidden'));
    } else if (place === 'cell') this.#openCell(attribute);
    else if (place === 'value' && this.#cell) this.#cell.value = '';
    else if (place === 'formula' && this.#cell) this.#cell.hasFormula = true;
  };

  readonly where = (): string =>
    this.#lines.line === 0 ? '' : domainWords.problems.file.damage.inRow(this.#lines.line);

  readonly close = (): void => {
    const place = this.#places.pop();
    if (place === 'row') this.#lines.closeRow();
    if (place !== 'cell' || !this.#cell) return;
    this.#lines.add(this.#cell);
    this.#cell = undefined;
  };

  readonly text = (piece: string): void => {
    if (!this.#cell) return;
    const place = this.#places.at(-1);
    if (place === 'value') this.#cell.value = (this.#cell.value ?? '') + piece;
    else if (place === 'text') this.#cell.inline += piece;
  };

  #openRow(line: string | undefined, hidden: string | undefined): void {
    this.#lines.openRow(line === undefined ? undefined : Number(line), isTrue(hidden));
  }

  #openCell(attribute: (name: string) => string | undefined): void {
    this.#column = columnOf(attribute('r') ?? '') ?? this.#column + 1;
    this.#cell = {
      column: this.#column,
      type: attribute('t') ?? 'n',
      style: Number(attribute('s') ?? 0),
      value: undefined,
      inline: '',
      hasFormula: false,
    };
  }
}

/** Notes the columns of an element `col` if it hides them. */
function noteColumns(columns: ColumnRange[], attribute: (name: string) => string | undefined): void {
  if (!isTrue(attribute('hidden'))) return;
  columns.push({ first: Number(attribute('min')) - 1, last: Number(attribute('max')) - 1 });
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
