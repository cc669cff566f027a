import Papa from 'papaparse';
import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import { isKnownHeader } from '../../shared/domain/sheet-columns.ts';
import { decodeText } from './decode-text.ts';
import type { TableText } from './table-text.ts';

const DELIMITERS = [',', ';', '\t'] as const;
type Delimiter = (typeof DELIMITERS)[number];

/** Reads a CSV or TSV file's bytes; what separates the cells is found out from the header line. */
export function readCsv(bytes: Buffer): Result<TableText, SheetProblem> {
  const decoded = decodeText(bytes);
  if (!decoded.ok) return decoded;
  const { text, encoding, problems } = decoded.value;
  const delimiter = findDelimiter(text);
  const parsed = Papa.parse<string[]>(unifyLineEnds(text, delimiter), { delimiter, newline: '\n' });
  const broken = parsed.errors.find((error) => error.type === 'Quotes');
  if (broken) return err(brokenQuotes(broken, unifyLineEnds(text, delimiter)));
  return ok({
    lines: parsed.data.map((cells, index) => ({ line: index + 1, cells })),
    problems,
    format: delimiter === '\t' ? 'tsv' : 'csv',
    encoding,
    delimiter,
  });
}

/** The separator that makes most sense of the header line: it gives the most known columns, else the most columns. */
function findDelimiter(text: string): Delimiter {
  const firstLines = text.slice(0, 65_536).replace(/\r\n?/g, '\n').trimStart();
  let best: Delimiter = ',';
  let bestScore = -1;
  for (const delimiter of DELIMITERS) {
    const [header = []] = Papa.parse<string[]>(firstLines, { delimiter, newline: '\n', preview: 1 }).data;
    const score = header.filter(isKnownHeader).length * 1000 + header.length;
    if (score > bestScore) {
      bestScore = score;
      best = delimiter;
    }
  }
  return best;
}

/**
 * The parser knows one line end in a file and would glue rows together in a file with several. So line ends become \n,
 * except inside of quotes, where they belong to the text of a cell.
 */
function unifyLineEnds(text: string, delimiter: Delimiter): string {
  if (!text.includes('\r')) return text;
  const quotedCellOrLineEnd = new RegExp(`(^|${delimiter}|\\n|\\r\\n?)("[^"]*(?:""[^"]*)*"?)|\\r\\n?`, 'g');
  return text.replace(quotedCellOrLineEnd, (_match, before: string | undefined, quoted: string | undefined) => {
    if (quoted === undefined) return '\n';
    return (before?.startsWith('\r') ? '\n' : (before ?? '')) + quoted;
  });
}

function brokenQuotes(error: Papa.ParseError, text: string): SheetProblem {
  const place = text.slice(0, error.index ?? 0).split(/\r\n?|\n/).length;
  const isOpen = error.code === 'MissingQuotes';
  return {
    severity: 'error',
    code: 'quotes-broken',
    message: isOpen
      ? `The quotation mark that opens a cell in line ${place} of the file is never closed.`
      : `After the closing quotation mark of a cell that starts in line ${place} of the file, there is more text.`,
    remedy: `Look at line ${place} with a text editor: a cell in quotes ends with one, and quotes inside of it are doubled ("").`,
  };
}
