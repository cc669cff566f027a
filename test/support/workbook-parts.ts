/** Workbooks for tests, part by part, including the tests of the window, which run without Vitest. */
import { strToU8, zipSync } from 'fflate';

/** The fewest parts that make a workbook, with the given content of its sheet. */
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

/** The same with a number format for each of these codes, in the order of the cell styles. */
export function withFormats(parts: Record<string, string>, codes: readonly string[]): Record<string, string> {
  const relationships = 'xl/_rels/workbook.xml.rels';
  const styles = '<Relationship Id="s" Type="http://x/styles" Target="styles.xml"/></Relationships>';
  const formats = codes.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code}"/>`);
  const uses = codes.map((_, index) => `<xf numFmtId="${200 + index}"/>`);
  return {
    ...parts,
    [relationships]: (parts[relationships] ?? '').replace('</Relationships>', styles),
    'xl/styles.xml': `<styleSheet><numFmts>${formats.join('')}</numFmts><cellXfs>${uses.join('')}</cellXfs></styleSheet>`,
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
