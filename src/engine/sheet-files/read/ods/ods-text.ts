/** How OpenDocument stores texts and values, and how a person sees them (OASIS ODF 1.3 part 3, 18.2 and 19.385). */
import { MOST_CHARACTERS } from '../../sheet-intake.ts';
import { numberText } from '../xlsx/xlsx-values.ts';

/** Collects the text of one cell of an OpenDocument sheet from its elements: paragraphs, spaces, tabs, line breaks. */
export class OdsCellText {
  readonly #paragraphs: string[] = [];
  #open: string | undefined;
  #blanks = 0;
  /** The depth inside elements whose text is not the cell's own. */
  #muted = 0;

  /** The text, one line per paragraph; undefined if there is no paragraph. */
  get text(): string | undefined {
    return this.#paragraphs.length === 0 ? undefined : this.#paragraphs.join('\n');
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (this.#muted > 0 || NOT_OF_THE_CELL.has(name)) {
      this.#muted++;
      return;
    }
    if (name === 'p' || name === 'h') {
      this.#endParagraph();
      this.#open = '';
    } else if (name === 's') this.#addBlanks(spacesOf(attribute('c')));
    else if (name === 'tab') this.#add('\t');
    else if (name === 'line-break') this.#add('\n');
  }

  close(name: string): void {
    if (this.#muted > 0) this.#muted--;
    else if (name === 'p' || name === 'h') this.#endParagraph();
  }

  /**
   * Blanks stay as they are, as in LibreOffice, because writers store the user's own blanks here; but those around a
   * line end are only the layout of the document (ODF 1.3 part 3, 6.1.2), and count as one.
   */
  add(piece: string): void {
    if (this.#muted > 0 || this.#open === undefined) return;
    const text = LAID_OUT.test(piece) ? piece.replace(BLANKS, (run) => (LAID_OUT.test(run) ? ' ' : run)) : piece;
    this.#open += this.#open === '' && text !== piece ? text.trimStart() : text;
  }

  /** An element of 30 bytes can stand for 30,000 blanks: as many as refuse the sheet anyway are enough. */
  #addBlanks(count: number): void {
    if (this.#blanks > MOST_CHARACTERS) return;
    this.#blanks += count;
    this.#add(' '.repeat(count));
  }

  #add(text: string): void {
    if (this.#open !== undefined) this.#open += text;
  }

  #endParagraph(): void {
    if (this.#open !== undefined) this.#paragraphs.push(this.#open);
    this.#open = undefined;
  }
}

const LAID_OUT = /[\n\r]/;
const BLANKS = /[ \t\n\r]+/g;
/** Nobody types more blanks than this. */
const MOST_SPACES = 32_767;

function spacesOf(count: string | undefined): number {
  const wanted = Number(count ?? 1);
  return wanted >= 1 ? Math.min(Math.floor(wanted), MOST_SPACES) : 1;
}

/** Notes, readings of characters, and drawings over a cell. */
const NOT_OF_THE_CELL: ReadonlySet<string> = new Set(
  (
    'annotation note ruby-text tracked-changes event-listeners detective shapes frame custom-shape g rect line polyline ' +
    'polygon regular-polygon path circle ellipse connector caption measure control scene page-thumbnail'
  ).split(' '),
);

/** A number's text. Keeps leading zeros that were shown: such a number is an id. */
export function odsNumberText(stored: string, shown: string): string {
  const text = numberText(stored, { kind: 'number' }, false);
  return /^0\d{1,100}$/.test(shown) && Number(shown) === Number(stored) ? shown : text;
}

/**
 * LibreOffice stores the boolean result of a formula as 1 or 0, and shows it as a word of its language; for such a cell
 * this returns the boolean, and undefined for any other.
 */
export function odsTruth(stored: string, shown: string): 'true' | 'false' | undefined {
  if (!/^\p{L}+$/u.test(shown)) return undefined;
  return stored === '1' ? 'true' : stored === '0' ? 'false' : undefined;
}
