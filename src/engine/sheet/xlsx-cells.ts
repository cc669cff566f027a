import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import { scanXml } from './scan-xml.ts';
import type { XmlListener } from './scan-xml.ts';
import type { ColumnRange, SheetCells } from './workbook-cells.ts';
import { withoutCovered } from './merged-cells.ts';
import { XlsxLines } from './xlsx-lines.ts';
import type { StoredCell } from './xlsx-lines.ts';
import { scanPart } from './xlsx-part-scan.ts';
import { RowScanner } from './xlsx-row-scanner.ts';
import type { Workbook } from './xlsx-workbook.ts';
import { damagedArchive } from './zip-archive.ts';
import type { ZipArchive } from './zip-archive.ts';

/** Where the text of the document belongs to just now. */
type Target = 'nowhere' | 'value' | 'inline';

/**
 * Reads one sheet. Formulas are never computed; what their cells showed when the file was saved counts. Sheets are read
 * from their bytes, which takes a quarter of the time, and by the general parser where anything in them is unusual.
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

/** The same from the bytes of the part; undefined where there is something unusual in them. */
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
    open: (name, attribute) => {
      if (name === 'col') noteColumns(hiddenColumns, attribute);
      else if (name === 'mergeCell') merges.push(attribute('ref') ?? '');
    },
  });
  if (!scanned.ok) return scanned;
  if (scanned.value === 'missing') return err(missing(part));
  if (scanned.value === 'declined') return ok(undefined);
  return cellsOf(lines, hiddenColumns, merges);
}

/** The same by the general parser, whatever XML it is. */
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
  return damagedArchive(`${part} is missing from it`);
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

class CellReader implements XmlListener {
  readonly hiddenColumns: ColumnRange[] = [];
  readonly merges: string[] = [];
  readonly #lines: XlsxLines;
  #column = -1;
  #cell: StoredCell | undefined;
  #target: Target = 'nowhere';
  #phonetic = 0;

  constructor(lines: XlsxLines) {
    this.#lines = lines;
  }

  readonly open = (name: string, attribute: (name: string) => string | undefined): void => {
    switch (name) {
      case 'c':
        this.#openCell(attribute);
        break;
      case 'v':
        this.#target = 'value';
        if (this.#cell) this.#cell.value = '';
        break;
      case 't':
        this.#target = this.#phonetic === 0 ? 'inline' : 'nowhere';
        break;
      case 'f':
        if (this.#cell) this.#cell.hasFormula = true;
        break;
      case 'rPh':
        this.#phonetic++;
        break;
      case 'col':
        noteColumns(this.hiddenColumns, attribute);
        break;
      case 'mergeCell':
        this.merges.push(attribute('ref') ?? '');
        break;
      case 'row':
        this.#column = -1;
        this.#openRow(attribute('r'), attribute('hidden'));
        break;
      default:
    }
  };

  readonly where = (): string => (this.#lines.line === 0 ? '' : `in row ${this.#lines.line}`);

  readonly close = (name: string): void => {
    switch (name) {
      case 'c':
        if (this.#cell) this.#lines.add(this.#cell);
        this.#cell = undefined;
        break;
      case 'v':
      case 't':
        this.#target = 'nowhere';
        break;
      case 'rPh':
        this.#phonetic--;
        break;
      case 'row':
        this.#lines.closeRow();
        break;
      default:
    }
  };

  readonly text = (piece: string): void => {
    if (!this.#cell || this.#target === 'nowhere') return;
    if (this.#target === 'value') this.#cell.value = (this.#cell.value ?? '') + piece;
    else this.#cell.inline += piece;
  };

  #openRow(line: string | undefined, hidden: string | undefined): void {
    this.#lines.openRow(line === undefined ? undefined : Number(line), isTrue(hidden));
  }

  #openCell(attribute: (name: string) => string | undefined): void {
    this.#column = columnOf(attribute('r')) ?? this.#column + 1;
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

/** Takes down the columns of an element `col` where it hides them. */
function noteColumns(columns: ColumnRange[], attribute: (name: string) => string | undefined): void {
  if (!isTrue(attribute('hidden'))) return;
  columns.push({ first: Number(attribute('min')) - 1, last: Number(attribute('max')) - 1 });
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** The column, counted from 0, of a cell's name such as `AB12`. */
function columnOf(reference: string | undefined): number | undefined {
  if (reference === undefined) return undefined;
  let column = 0;
  for (let index = 0; index < reference.length; index++) {
    const letter = reference.charCodeAt(index) & ~32;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return column > 0 ? column - 1 : undefined;
}
