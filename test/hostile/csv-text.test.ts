import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv } from '../../src/engine/sheet-files/read/text/read-csv.ts';

/** What CSV says, character by character, with no care for speed: RFC 4180, any line end; white space after a closing quote is part of the cell. */
function readByTheBook(text: string, delimiter: string): string[][] | 'broken' {
  const lines: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  const endOfLine = (): number => (text.startsWith('\r\n', at) ? 2 : text[at] === '\n' || text[at] === '\r' ? 1 : 0);
  for (;;) {
    let cell = '';
    if (text[at] === '"') {
      at++;
      for (; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (at >= text.length) return 'broken';
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
      const afterSpaces = at + (/^[^\S\r\n]*/.exec(text.slice(at))?.[0].length ?? 0);
      if (afterSpaces === text.length || text[afterSpaces] === delimiter || '\r\n'.includes(text[afterSpaces] ?? 'x')) {
        cell += text.slice(at, afterSpaces);
        at = afterSpaces;
      }
      if (at < text.length && text[at] !== delimiter && endOfLine() === 0) return 'broken';
    } else {
      for (; at < text.length && text[at] !== delimiter && endOfLine() === 0; at++) cell += text[at];
    }
    cells.push(cell);
    if (text[at] === delimiter) {
      at++;
      continue;
    }
    lines.push(cells);
    cells = [];
    if (at >= text.length) return lines;
    at += endOfLine();
  }
}

function readAsSheet(text: string): { lines: string[][] | 'broken'; delimiter: string } {
  const lines: string[][] = [];
  const read = readCsv(Buffer.from(text), {}, ({ cells }) => {
    lines.push([...cells]);
    return undefined;
  });
  if (!read.ok) {
    expect(read.error).toMatchObject({ severity: 'error', code: 'quotes-broken' });
    expect(read.error.message).toMatch(/line \d+/);
    return { lines: 'broken', delimiter: ',' };
  }
  return { lines, delimiter: read.value.delimiter ?? '' };
}

/** Blank lines are skipped later, and one more or less at the end of the file is none. */
function withoutBlankEnd(lines: string[][] | 'broken'): string[][] | 'broken' {
  if (lines === 'broken') return lines;
  return lines.slice(0, lines.findLastIndex((cells) => cells.some((cell) => cell !== '')) + 1);
}

const HEADER = 'operation,prompt,title\n';
const piece = fc.constantFrom(
  'a',
  ',',
  ';',
  '\t',
  '"',
  '""',
  ',"',
  '",',
  '\n',
  '\r',
  '\r\n',
  ' ',
  'ü',
  '😀',
  '世',
  "'",
);
const anyText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

test('any text is read as CSV says, or refused with its line', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const read = readAsSheet(HEADER + text);
      expect(withoutBlankEnd(read.lines)).toEqual(withoutBlankEnd(readByTheBook(HEADER + text, ',')));
    }),
    { numRuns: 3000 },
  );
});

test('a large file is read as CSV says, wherever its pieces are cut', () => {
  const line = 'lyrics,"quiet, and ""slow""",x\r\n';
  const filler = line.repeat(Math.floor((1024 * 1024) / line.length) - 2);
  fc.assert(
    fc.property(anyText, fc.integer({ min: 0, max: 60 }), (text, shift) => {
      // The cut is at 1 MiB: the text lies around it, a little earlier or later each time.
      const before = 1024 * 1024 - HEADER.length - filler.length - shift;
      const around = `${'x'.repeat(Math.max(0, before - 1))}\n${text}\nlyrics,the end,x\n`;
      const read = readAsSheet(HEADER + filler + around);
      const expected = readByTheBook(HEADER + around, ',');
      if (expected === 'broken' || read.lines === 'broken') {
        expect(read.lines).toEqual(expected);
        return;
      }
      const fillerLines = filler.length / line.length;
      expect(read.lines[1]).toEqual(['lyrics', 'quiet, and "slow"', 'x']);
      const rest = [...read.lines.slice(0, 1), ...read.lines.slice(1 + fillerLines)];
      expect(withoutBlankEnd(rest)).toEqual(withoutBlankEnd(expected));
    }),
    { numRuns: 100 },
  );
}, 60_000);

test('any bytes at all are a table or a refusal with a remedy', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const read = readCsv(Buffer.from(bytes), {}, () => undefined);
      expect(read.ok ? read.value.encoding : read.error.remedy).toBeTruthy();
    }),
    { numRuns: 3000 },
  );
});
