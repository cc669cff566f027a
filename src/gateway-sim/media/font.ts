/**
 * A small bitmap font, drawn for this gateway: printable ASCII, five columns wide, capitals seven rows high, two rows
 * below the baseline. Each character of a glyph is one row from the top, its five columns as a digit of base 32;
 * missing rows are blank.
 */
const GLYPHS = (
  '0 4444404 aaa0000 aavavaa 4fke5u4 op248j3 cik8lid 4480000 2488842 8422248 04lel40 044v440 00000c48 000v000 00000cc ' +
  '01248g0 ehjlphe 4c4444e eh1248v v2421he 26aiv22 vgu11he 68guhhe v124888 ehhehhe ehhf12c 0cc0cc0 0cc0c48 248g842 ' +
  '00v0v00 8421248 eh12404 eh1dlle ehhvhhh uhhuhhu ehggghe uhhhhhu vgguggv vgguggg ehgnhhf hhhvhhh e44444e 72222ic ' +
  'hikokih ggggggv hrllhhh hhpljhh ehhhhhe uhhuggg ehhhlid uhhukih fgge11u v444444 hhhhhhe hhhhha4 hhhllla hha4ahh ' +
  'hhha444 v1248gv e88888e 0g84210 e22222e 4ah0000 0000000v 8420000 00e1fhf ggmphhu 00egghe 11djhhf 00ehvge 698s888 ' +
  '00fhhhf1e ggmphhh 40c444e 2062222ic ggikoki c44444e 00qllhh 00mphhh 00ehhhe 00uhhhugg 00fhhhf11 00mpggg 00fge1u ' +
  '88s8896 00hhhjd 00hhha4 00hhlla 00ha4ah 00hhhhf1e 00v248v 2448442 4444444 8442448 008l200'
).split(' ');

const FIRST_GLYPH = 0x20;
/** The glyph for characters that are not drawn here. */
const BOX = 'vhhhhhv';

export const GLYPH_COLUMNS = 5;
/** The distance from one character to the next. */
export const GLYPH_ADVANCE = 6;
export const LINE_ADVANCE = 11;

/** The rows of a character from the top, each a number of five bits, the leftmost column highest. */
export function glyphRows(character: string): readonly number[] {
  const glyph = GLYPHS[(character.codePointAt(0) ?? 0) - FIRST_GLYPH] ?? BOX;
  return Array.from(glyph, (row) => Number.parseInt(row, 32));
}

const LOOKALIKES: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  ß: 'ss',
};

/** Text as close as this font can show it: without accents, with simple typographic signs and collapsed white space. */
export function drawable(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[‘’“”–—…ß]/g, (sign) => LOOKALIKES[sign] ?? sign)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
}

/** Breaks text into at most `most` lines of at most `columns` characters; an ellipsis replaces what does not fit. */
export function wrapText(text: string, columns: number, most: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of drawable(text)
    .split(' ')
    .flatMap((long) => pieces(long, columns))) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  if (lines.length <= most) return lines;
  const last = lines[most - 1] ?? '';
  return [...lines.slice(0, most - 1), `${last.slice(0, columns - 3)}...`];
}

function pieces(word: string, columns: number): readonly string[] {
  const characters = Array.from(word);
  const cut: string[] = [];
  for (let at = 0; at < characters.length; at += columns) cut.push(characters.slice(at, at + columns).join(''));
  return cut;
}
