import { domainWords } from '../../words/domain-words.ts';
import type { Json } from '../base/json.ts';
import type { LeafType } from '../operations/operations.ts';
import { assertNever, err, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';

/** Why a cell is not a value of its field's type, in words for the sheet's author. */
export interface CellProblem {
  readonly code: 'value-type' | 'value-range';
  readonly message: string;
  readonly remedy: string;
}

const INT32_MIN = -2_147_483_648;
const INT32_MAX = 2_147_483_647;
/** A cell with this text sends an empty string, because a blank cell sends nothing. */
const EMPTY_STRING_CELL = '""';
const EXCERPT_CHARACTERS = 40;

/**
 * A cell's text as the JSON value to send. Strings stay byte for byte as they are, and `""` is the empty string;
 * everything else may have blanks around it.
 * @param text A cell that is not blank.
 */
export function parseCell(text: string, type: LeafType): Result<Json, CellProblem> {
  switch (type) {
    case 'string':
      return ok(text === EMPTY_STRING_CELL ? '' : text);
    case 'boolean':
      return parseBoolean(text);
    case 'int32':
      return parseWhole(text, INT32_MIN, INT32_MAX);
    case 'integer':
      return parseWhole(text, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    case 'number':
      return parseNumber(text);
    case 'string[]':
      return parseList(text);
    default:
      return assertNever(type);
  }
}

/** true/false/yes/no/1/0, in any case. */
export function parseBoolean(text: string): Result<boolean, CellProblem> {
  switch (text.trim().toLowerCase()) {
    case 'true':
    case 'yes':
    case '1':
      return ok(true);
    case 'false':
    case 'no':
    case '0':
      return ok(false);
    default:
      return typeProblem(domainWords.problems.cell.notBoolean(quoteCell(text)));
  }
}

/**
 * A whole number between two bounds, both included. `3.0` counts, because some programs write whole numbers this way.
 */
export function parseWhole(text: string, least: number, most: number): Result<number, CellProblem> {
  const match = /^([+-]?\d+)(?:\.0+)?$/.exec(text.trim());
  if (!match) return typeProblem(domainWords.problems.cell.notWhole(quoteCell(text)));
  const value = Number(match[1]);
  if (value < least || value > most) {
    return err({ code: 'value-range', ...domainWords.problems.cell.outOfRange(quoteCell(text), least, most) });
  }
  // Adding 0 turns -0 into 0; JSON would write 0 for both.
  return ok(value + 0);
}

function parseNumber(text: string): Result<number, CellProblem> {
  const trimmed = text.trim();
  const value = Number(trimmed);
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) && Number.isFinite(value)) return ok(value + 0);
  const withPoint = /^[+-]?\d+,\d+$/.test(trimmed) ? trimmed.replace(',', '.') : undefined;
  return typeProblem(domainWords.problems.cell.notNumber(quoteCell(text), withPoint));
}

/**
 * Items separated by `|`, trimmed, without empty ones; or a JSON array of strings. A cell that starts with `[` always
 * counts as JSON: a broken array sent as one item would be paid for and useless.
 */
function parseList(text: string): Result<readonly string[], CellProblem> {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) return parseJsonList(trimmed);
  const items = trimmed.split('|').flatMap((item) => {
    const word = item.trim();
    if (word === EMPTY_STRING_CELL) return [''];
    return word === '' ? [] : [word];
  });
  if (items.length > 0) return ok(items);
  return typeProblem(domainWords.problems.cell.noItems(quoteCell(text)));
}

function parseJsonList(text: string): Result<readonly string[], CellProblem> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return typeProblem(domainWords.problems.cell.notArray(quoteCell(text), 'no-json'));
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return ok(value);
  return typeProblem(domainWords.problems.cell.notArray(quoteCell(text), 'no-texts'));
}

function typeProblem(told: Pick<CellProblem, 'message' | 'remedy'>): Result<never, CellProblem> {
  return err({ code: 'value-type', ...told });
}

/** The beginning of a cell in quotation marks for a message: one line, with nothing in it that controls a screen. */
export function quoteCell(text: string): string {
  const characters = Array.from(text.slice(0, 2 * EXCERPT_CHARACTERS));
  const isCut = characters.length > EXCERPT_CHARACTERS || text.length > 2 * EXCERPT_CHARACTERS;
  const excerpt = characters.slice(0, EXCERPT_CHARACTERS).join('');
  const visible = excerpt.replace(/[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu, escapeCharacter);
  return `“${visible}${isCut ? '…' : ''}”`;
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '↵';
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
