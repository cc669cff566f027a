import { writeFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import Papa from 'papaparse';

const STYLES = ['slow waltz', 'night train', 'harbour jazz', 'quiet piano, strings', 'he said "again"', 'rain on tin'];
const NUMBER_COLUMNS = 5;

/** A sheet as text, `columns` wide: ids, long unique prompts, short repeated texts, blanks, whole numbers. */
export function* linesOf(rows: number, columns: number): Generator<readonly string[]> {
  yield Array.from(
    { length: columns },
    (_, column) => ['row', 'operation', 'prompt'][column] ?? `column ${column + 1}`,
  );
  for (let i = 0; i < rows; i += 1) yield Array.from({ length: columns }, (_, column) => cellOf(i, column, columns));
}

function cellOf(i: number, column: number, columns: number): string {
  if (column === 0) return `row-${i}`;
  if (column === 1) return 'musicgen/music/generate';
  if (column === 2)
    return `Number ${i}: a quiet night over the harbour & the sea, slow, warm, with a lighthouse far away`;
  if (column >= columns - NUMBER_COLUMNS) return String((i * 31 + column * 7) % 1000);
  return (i + column) % 3 === 0 ? '' : (STYLES[(i * 7 + column) % STYLES.length] ?? '');
}

/** Writes the sheet as CSV, quoted where necessary. */
export function writeCsv(path: string, rows: number, columns: number): void {
  writeFileSync(path, Papa.unparse([...linesOf(rows, columns)] as string[][], { newline: '\r\n' }));
}

/** Writes the sheet as a workbook the way Excel does: shared strings, numbers as numbers, blanks left out. */
export function writeXlsx(path: string, rows: number, columns: number): void {
  const shared = new Map<string, number>();
  const sheet: string[] = [];
  let line = 0;
  for (const cells of linesOf(rows, columns)) {
    line += 1;
    const isHeader = line === 1;
    sheet.push(`<row r="${line}">`);
    cells.forEach((cell, column) => {
      if (cell === '') return;
      const place = `${String.fromCharCode(65 + column)}${line}`;
      const isNumber = !isHeader && column >= columns - NUMBER_COLUMNS;
      sheet.push(
        isNumber ? `<c r="${place}"><v>${cell}</v></c>` : `<c r="${place}" t="s"><v>${indexOf(shared, cell)}</v></c>`,
      );
    });
    sheet.push('</row>');
  }
  const strings = [...shared.keys()].map((text) => `<si><t>${escape(text)}</t></si>`).join('');
  writeFileSync(
    path,
    zipSync(
      {
        '[Content_Types].xml': part(
          `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>
<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>
<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
        ),
        '_rels/.rels': part(relationships(['officeDocument', 'xl/workbook.xml'])),
        'xl/workbook.xml': part(
          `<workbook ${MAIN} xmlns:r="${OFFICE}/relationships"><sheets><sheet name="Night" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        ),
        'xl/_rels/workbook.xml.rels': part(
          relationships(
            ['worksheet', 'worksheets/sheet1.xml'],
            ['sharedStrings', 'sharedStrings.xml'],
            ['styles', 'styles.xml'],
          ),
        ),
        'xl/styles.xml': part(
          `<styleSheet ${MAIN}><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf numFmtId="0"/></cellXfs></styleSheet>`,
        ),
        'xl/sharedStrings.xml': part(`<sst ${MAIN} uniqueCount="${shared.size}">${strings}</sst>`),
        'xl/worksheets/sheet1.xml': part(`<worksheet ${MAIN}><sheetData>${sheet.join('')}</sheetData></worksheet>`),
      },
      { level: 6 },
    ),
  );
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

function part(xml: string): Uint8Array {
  return strToU8(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${xml}`);
}

function relationships(...targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(
    ([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/relationships/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each.join('')}</Relationships>`;
}

function indexOf(shared: Map<string, number>, text: string): number {
  const index = shared.get(text) ?? shared.size;
  shared.set(text, index);
  return index;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
