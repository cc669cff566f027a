import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import type { SheetProblem } from '../../src/shared/domain/row.ts';
import type { RawSheet } from '../../src/shared/domain/sheet-raw.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
let count = 0;

/** Writes a sheet's file somewhere and says where. */
export function sheetFile(content: string | Uint8Array, ending = 'csv'): string {
  const path = join(folder, `sheet-${++count}.${ending}`);
  writeFileSync(path, content);
  return path;
}

/** A fixture made by another program. */
export function fixture(name: string): string {
  return join(import.meta.dirname, '../fixtures/sheets', name);
}

/** The least that a workbook consists of, with the given inside of its sheet. */
export function workbookParts(sheetXml: string): Record<string, string> {
  const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  return {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': `<Relationships xmlns="${relationships}"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${relationships}"><Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': sheetXml,
  };
}

/** A workbook's bytes. */
export function zipParts(parts: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const files = Object.entries(parts).map(([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part]);
  return zipSync(Object.fromEntries(files) as Record<string, Uint8Array>);
}

/** The XML of a sheet with these lines of text, each cell as an inline string. */
export function sheetXml(lines: readonly (readonly string[])[]): string {
  const rows = lines.map(
    (cells) => `<row>${cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`,
  );
  return `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`;
}

/** Code, line and row of each problem: what the contract of a check is about. */
export function places(problems: readonly SheetProblem[]): string[] {
  return problems.map((p) =>
    [p.severity, p.code, p.line, p.row, p.column].filter((part) => part !== undefined).join(' '),
  );
}

/** A sheet as a reader hands it over: the header and then its lines. */
export function rawSheet([headers = [], ...lines]: readonly (readonly string[])[]): RawSheet {
  return {
    headers,
    records: lines.map((cells, index) => ({ line: index + 2, cells })),
    problems: [],
    source: { format: 'csv', encoding: 'utf-8', delimiter: ',', bytes: 0, sha256: '' },
  };
}
