import type { CellTable, ClipboardText } from './clipboard-html.ts';

/**
 * The clipboard content that Excel, LibreOffice and Google Sheets paste unchanged, cell for cell: no text becomes a
 * formula, a date or a number, and plain numbers stay numbers.
 */
export function writeClipboardTable(cells: CellTable): ClipboardText {
  const rows = cells.map((line) => `<tr>${line.map(htmlCell).join('')}</tr>`);
  return { html: `${HTML_START}${rows.join('')}</tbody></table>`, text: tabbedText(cells) };
}

/** Cells with tabs between them. A single cell is plain text; in a table, each line ends with a line end. */
export function tabbedText(cells: CellTable): string {
  const lines = cells.map((line) => line.map(tabbedCell).join('\t'));
  const [only] = lines;
  if (lines.length === 1 && cells[0]?.length === 1 && only) return only;
  return lines.map((line) => `${line}\n`).join('');
}

function tabbedCell(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Breaks stay in their cell, and Excel treats cells as texts (`\@` is its format for texts). */
const HTML_START =
  '<meta charset="utf-8"><google-sheets-html-origin><style>br{mso-data-placement:same-cell}' +
  'td{mso-number-format:"\\@"}td.n{mso-number-format:General}</style><table data-sheets-root="1"><tbody>';

/** A number that every program shows with the same digits. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,9})(?:\.\d{0,4}[1-9])?$/;
/** Programs read short texts with digits as numbers and dates, and texts that begin like this as formulas. */
const MISTAKABLE = /^\s*[=+\-@']|^(?=[^]{1,40}$)(?:.*\d|\s*(?:true|false)\s*$)/i;
/** Blanks that HTML does not show: at an end, several together, or other than spaces. */
const LOST_BLANKS = /^\s|\s$|\s\s|[^\S ]/;

function htmlCell(text: string): string {
  if (PLAIN_NUMBER.test(text)) return `<td class="n">${text}</td>`;
  const shown = escapeHtml(text)
    .replace(/ {2,}|^ +| +$/gm, (blanks) => `<span style="mso-spacerun:yes">${'&nbsp;'.repeat(blanks.length)}</span>`)
    .replace(/\r\n?|\n/g, '<br>');
  // The last break of a cell is invisible.
  const ended = shown.endsWith('<br>') ? `${shown}<br>` : shown;
  if (!MISTAKABLE.test(text) && !LOST_BLANKS.test(text)) return `<td>${ended}</td>`;
  // Tells Google Sheets and LibreOffice that this is a text with these blanks, and older LibreOffice its text format.
  const exact = escapeHtml(JSON.stringify({ 1: 2, 2: text }));
  return `<td sdnum="1033;0;@" data-sheets-value="${exact}">${ended}</td>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
