import type { SeededRandom } from '../../src/gateway-sim/random.ts';

/** What texts of strangers break readers with, whatever the format. */
const ODDITIES: readonly string[] = [
  '',
  ' ',
  '\0',
  '\u{feff}',
  '\ud83d',
  '\udc00',
  '\u202e',
  '\u2028',
  '\r',
  '\r\n',
  '"',
  '""',
  "'",
  '\\',
  '\\u',
  '\\u0000',
  '\\ud800',
  '{',
  '}',
  '[',
  ']',
  '<',
  '>',
  '&',
  '&amp;',
  '&#0;',
  '&#x10ffff;',
  '&#99999999;',
  '&lol;',
  '<!--',
  '<![CDATA[',
  ']]>',
  '<?x',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  'Infinity',
  '-0',
  '0',
  '1e999',
  '1E400',
  '-1',
  '2147483648',
  '4294967295',
  '9007199254740993',
  '123456789012345678901234567890',
  'true',
  '=cmd|x',
  '\u00e9'.normalize('NFD'),
  '\u{1f3b5}',
  '\u0130',
  'ß',
  '%00',
  '%',
  '../',
  'http://',
  'https://a.example/b,https://a.example/c',
];
const TOKEN = /<[^<>]{0,300}>|"(?:[^"\\]|\\.){0,300}"|[\p{L}\p{N}_.]+|\s+|[^]/gu;
const MOST_CHARACTERS = 500_000;

/** One to five damages between the tokens of a text: tags, quoted texts, words, blanks and signs. */
export function mutateText(text: string, random: SeededRandom): string {
  let tokens: string[] = text.slice(0, MOST_CHARACTERS).match(TOKEN) ?? [];
  for (let left = 1 + random.below(5); left > 0; left -= 1) tokens = mutateTokens(tokens, random);
  return tokens.join('').slice(0, MOST_CHARACTERS);
}

function mutateTokens(tokens: readonly string[], random: SeededRandom): string[] {
  const at = random.below(tokens.length + 1);
  const to = Math.min(tokens.length, at + 1 + random.below(random.pick([1, 6, 60])));
  const before = tokens.slice(0, at);
  const piece = tokens.slice(at, to);
  const after = tokens.slice(to);
  switch (random.below(9)) {
    case 0:
      return [...before, ...after];
    case 1:
      return [...before, random.pick(ODDITIES), ...after];
    case 2:
      return [...before, random.pick(ODDITIES), ...piece, ...after];
    case 3:
      return [...before, piece.join('').repeat(timesOf(piece, random)), ...after];
    case 4: {
      const other = random.below(tokens.length + 1);
      return [...before, tokens[other] ?? '', ...tokens.slice(at + 1, other), tokens[at] ?? '', ...after];
    }
    case 5:
      return [...before, ...nested(piece, random), ...after];
    case 6:
      return before;
    case 7:
      return [...before, oddText(random), ...after];
    default:
      return [...before, withinToken(piece[0] ?? '', random), ...tokens.slice(at + 1)];
  }
}

function timesOf(piece: readonly string[], random: SeededRandom): number {
  const most = Math.floor(MOST_CHARACTERS / Math.max(1, piece.join('').length));
  return Math.min(most, random.pick([2, 2, 3, 3, 20, 50, 3000, 100_000]));
}

/** The piece between many openings of brackets or tags, and as many closings, or one fewer. */
function nested(piece: readonly string[], random: SeededRandom): string[] {
  const depth = random.pick([2, 2, 3, 13, 600, 6000, 20_000]);
  const missing = random.below(4) === 0 ? 1 : 0;
  const name = /^<([\w:]+)/u.exec(piece.find((token) => /^<\w/u.test(token)) ?? '')?.[1];
  const pairs = [
    ['[', ']'],
    ['{"a":', '}'],
    ['(', ')'],
    ['{', '}'],
    [`<${name ?? 'b'}>`, `</${name ?? 'b'}>`],
  ] as const;
  const [open, close] = random.pick(pairs);
  return [open.repeat(depth), ...piece, close.repeat(depth - missing)];
}

/** Up to some thousand characters of oddities and of one thing again and again, on which patterns go back and forth. */
export function oddText(random: SeededRandom): string {
  if (random.below(3) === 0) {
    const unit = random.pick(['a', ' ', '{', '{{', '|', '__', '\\', '"', '<', '&', '*', '1', ',', '\t', 'a ', '{a|']);
    return unit.repeat(random.pick([10, 1000, 30_000])) + random.pick(ODDITIES);
  }
  return Array.from({ length: 1 + random.below(12) }, () =>
    random.below(3) === 0 ? String.fromCharCode(random.below(0x10000)) : random.pick(ODDITIES),
  ).join('');
}

function withinToken(token: string, random: SeededRandom): string {
  const at = random.below(token.length + 1);
  const inserted = random.below(2) === 0 ? random.pick(ODDITIES) : String.fromCharCode(random.below(0x3000));
  return token.slice(0, at) + inserted + token.slice(at + random.below(3));
}

/** Bytes of a text; halves of characters that UTF-8 cannot hold are put in as the bytes they would be. */
export function textBytes(text: string, random: SeededRandom): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (random.below(8) !== 0 || bytes.length === 0) return bytes;
  const at = random.below(bytes.length);
  bytes[at] = random.pick([0x80, 0xbf, 0xc0, 0xed, 0xf5, 0xff]);
  return bytes;
}
