/**
 * Builds the text of one HTML cell from its elements, as a browser shows it: blanks in the source collapse, breaks and
 * paragraphs become lines. Excel marks blanks that count (`mso-spacerun`), others write them as non-breaking ones.
 */
export class ClipboardCellText {
  /** For each open element, how to take its text. */
  readonly #modes: Mode[];
  #text = '';
  /** The text's last character: reading the end of a text that grows piece by piece would copy all of it each time. */
  #last = '';
  /** A blank that counts only if something follows on its line. */
  #hasBlank = false;
  /** A paragraph has begun or ended: what follows, if anything, goes on a new line. */
  #isNewLine = false;

  /** @param style The style of the cell itself. */
  constructor(style: string) {
    this.#modes = [modeOf('td', style, 'collapse')];
  }

  open(name: string, style: string): void {
    if (name === 'br') this.#break();
    else if (name === 'td' || name === 'th') this.#hasBlank = true;
    else if (BLOCKS.has(name)) this.#startLine();
    this.#modes.push(modeOf(name, style, this.#mode));
  }

  close(name: string): void {
    if (BLOCKS.has(name)) this.#startLine();
    if (this.#modes.length > 1) this.#modes.pop();
  }

  add(piece: string): void {
    switch (this.#mode) {
      case 'leave-out':
        break;
      case 'keep':
        this.#append(piece.replace(/\r\n?/g, '\n'));
        break;
      case 'blanks':
        this.#append(piece.replace(/\s/g, ' '));
        break;
      case 'collapse':
        this.#addCollapsed(piece);
        break;
    }
  }

  /** The whole text, once the cell is closed. */
  end(): string {
    // The last break of a cell is invisible: an empty cell of LibreOffice is a break.
    const text = this.#text.endsWith('\n') ? this.#text.slice(0, -1) : this.#text;
    return text === NO_BREAK_SPACE ? '' : text.replace(STANDING_FOR_BLANKS, (run) => ' '.repeat(run.length));
  }

  get #mode(): Mode {
    return this.#modes.at(-1) ?? 'collapse';
  }

  #addCollapsed(piece: string): void {
    const text = piece.replace(/[ \t\n\r\f]+/g, ' ');
    const words = text.startsWith(' ') ? text.slice(1) : text;
    if (words !== text) this.#hasBlank = true;
    if (words === '') return;
    const isOpenEnded = words.endsWith(' ');
    this.#append(isOpenEnded ? words.slice(0, -1) : words);
    this.#hasBlank = isOpenEnded;
  }

  #append(text: string): void {
    if (text === '') return;
    if (this.#isNewLine) this.#endLine();
    else if (this.#hasBlank && this.#last !== '' && this.#last !== '\n' && this.#last !== ' ') this.#write(' ');
    this.#isNewLine = false;
    this.#hasBlank = false;
    this.#write(text);
  }

  #write(text: string): void {
    this.#text += text;
    this.#last = text.at(-1) ?? this.#last;
  }

  /** Ends the line that has begun, if one has. */
  #endLine(): void {
    if (this.#last !== '' && this.#last !== '\n') this.#write('\n');
  }

  #break(): void {
    if (this.#isNewLine) this.#endLine();
    this.#write('\n');
    this.#isNewLine = false;
    this.#hasBlank = false;
  }

  #startLine(): void {
    this.#isNewLine = true;
    this.#hasBlank = false;
  }
}

/** `blanks`: every character is a blank that counts. */
type Mode = 'collapse' | 'keep' | 'blanks' | 'leave-out';

const NO_BREAK_SPACE = '\u00A0';
/** Beside other blanks or at the end of a line, they keep blanks from collapsing; between words, they are intended. */
const STANDING_FOR_BLANKS = /^[ \u00A0]+|[ \u00A0]+$|(?<=\n)[ \u00A0]+|[ \u00A0]+(?=\n)|[ \u00A0]{2,}/g;

const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote center dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const NOT_SHOWN: ReadonlySet<string> = new Set(['style', 'script', 'template', 'title', 'comment', 'xml', 'noscript']);

function modeOf(name: string, style: string, around: Mode): Mode {
  if (around === 'leave-out' || NOT_SHOWN.has(name)) return 'leave-out';
  if (around === 'blanks' || /mso-spacerun\s*:\s*yes/i.test(style)) return 'blanks';
  if (name === 'pre' || /white-space\s*:\s*(?:pre|pre-wrap|break-spaces)\s*(?:;|$)/i.test(style)) return 'keep';
  return /white-space\s*:\s*(?:normal|nowrap|pre-line)/i.test(style) ? 'collapse' : around;
}
