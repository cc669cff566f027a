/** How files are named: what a name template's `{…}` stand for, and names and folders that every system accepts. */
import type { Json, JsonObject } from '../base/json.ts';
import { KNOWN_EXTENSIONS } from './media-type.ts';
import { columnsOf, operationOf } from '../operations/operations.ts';
import type { OperationPath } from '../operations/operations.ts';
import { plainNameText, safeName, shorten, slug } from '../base/name-text.ts';
import { assertNever } from '../base/result.ts';

/** The name template if neither the batch nor the row has one. */
export const DEFAULT_NAME_TEMPLATE = '{row}-{slug}';

/** What a name template can name besides the columns of the sheet; these win over columns. */
export const NAME_WORDS = [
  'row',
  'slug',
  'operation',
  'family',
  'take',
  'index',
  'batch',
  'date',
  'taskCode',
  'model',
] as const;
type NameWord = (typeof NAME_WORDS)[number];

/** Everything that a name template can use. */
export interface NameVariables {
  /** The row's own id. */
  readonly row: string;
  readonly batch: string;
  readonly operation: OperationPath;
  /** From 1. */
  readonly take: number;
  /** How many takes the row has. */
  readonly takes: number;
  /** Position among the outputs of the task, from 1. */
  readonly index: number;
  /** How many outputs the task has. */
  readonly outputs: number;
  /** From 1; higher for a row whose earlier files were made for other content. */
  readonly version: number;
  /** The day as it should appear: `2025-07-25`. */
  readonly date: string;
  readonly taskCode: string;
  readonly model: string;
  /** The row's cells by header, with the values that were sent; see {@link cellsWithSent}. */
  readonly cells: Readonly<Record<string, string>>;
}

/** An address says nothing in a name, and may be signed. */
const ADDRESS = /\bhttps?:\/\/\S+/giu;

/**
 * The cells for names: each text as it was sent, with its variables, choices and references filled in, under the
 * column's exact name whatever the sheet's header. Addresses and ids stay as in the sheet.
 * @param sent The body of the request.
 */
export function cellsWithSent(
  cells: Readonly<Record<string, string>>,
  operation: OperationPath,
  sent: JsonObject,
): Readonly<Record<string, string>> {
  const named: Record<string, string> = { ...cells };
  for (const { column, object, field } of columnsOf(operationOf(operation))) {
    if (field.role === 'url' || field.role === 'reference') continue;
    const value = object === undefined ? sent[field.name] : memberOf(sent[object], field.name);
    // “yes” stays “yes”: only texts gain something from their sent form.
    if (typeof value === 'string' || Array.isArray(value)) named[column] = textOf(value).replaceAll(ADDRESS, '');
    else if (value !== undefined && !Object.hasOwn(named, column)) named[column] = JSON.stringify(value);
  }
  return named;
}

function textOf(value: string | readonly Json[]): string {
  return typeof value === 'string' ? value : value.filter((item) => typeof item === 'string').join('|');
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject)[name] : undefined;
}

/** A piece of a name. `kept` pieces are never shortened while others can be. */
interface Piece {
  readonly text: string;
  readonly kept: boolean;
  readonly isRow: boolean;
}

/** One less than promised: a device name gets a character in front. */
const MAX_CHARACTERS = 119;
const MAX_BYTES = 199;
/** A longer slug says no more. */
const MAX_SLUG_CHARACTERS = 48;
/**
 * A template is cut at this length, and so is each of its values: a name needs less of both, and strangers write them.
 */
export const MAX_TEMPLATE_CHARACTERS = 1000;
const MAX_VALUE_CHARACTERS = 2000;

/**
 * Renders a name template to a file name without extension that is valid on Linux, macOS and Windows: at most 120
 * characters and 200 bytes. Values are put in once, so braces inside them stay as they are. Takes and outputs of a row
 * that the template does not distinguish get a suffix if there are several, and so do files of a row whose earlier
 * files were made for other content (`-v2`). When the name must be cut, the row's id stays. Two rows may still get the
 * same name: the code that places the files keeps them apart.
 */
export function renderStem(template: string, variables: NameVariables): string {
  const named = template.trim() === '' ? DEFAULT_NAME_TEMPLATE : template.slice(0, MAX_TEMPLATE_CHARACTERS);
  return stemOf(named, named, variables);
}

/** A file's name and the folders that it is in, the outermost first. */
export interface RenderedPath {
  readonly folders: readonly string[];
  /** Without extension. */
  readonly stem: string;
}

/** A path must still fit where systems allow 260 characters of it. */
export const MAX_FOLDERS = 8;
const MAX_FOLDER_CHARACTERS = 60;
const MAX_FOLDER_BYTES = 120;

/**
 * Renders a template with folders: each `/` in it ends the name of a folder, and what follows the last one is the name
 * of the file, see {@link renderStem}. A folder whose columns are all blank is called `other`, so that no level is
 * missing. A value never makes a folder: only a `/` of the template does. A template that `templateProblem` lets pass
 * names only columns that the sheet has: a column for which a row has no value is blank.
 */
export function renderPath(template: string, variables: NameVariables): RenderedPath {
  const whole = template.slice(0, MAX_TEMPLATE_CHARACTERS);
  const { folders, name } = partsOfTemplate(whole);
  const named = name.trim() === '' ? DEFAULT_NAME_TEMPLATE : name;
  return {
    folders: folders
      .slice(0, MAX_FOLDERS)
      .map((part) => join([...templatePieces(part, variables, blank)]).trim())
      .map((text) => safeName(shorten(text, MAX_FOLDER_CHARACTERS, MAX_FOLDER_BYTES), 'other')),
    stem: stemOf(named, whole, variables, blank),
  };
}

/** The folders of a template, and the name of the file. A `/` within braces belongs to the name of a column. */
export function partsOfTemplate(template: string): { readonly folders: readonly string[]; readonly name: string } {
  const parts = template.split(/\/(?![^{}]*\})/u);
  const name = parts.pop() ?? '';
  return { folders: parts.filter((part) => part.trim() !== ''), name };
}

/** @param whole Takes and outputs that are distinguished anywhere in it get no suffix. */
function stemOf(named: string, whole: string, variables: NameVariables, unknown = literal): string {
  const pieces = [...templatePieces(named, variables, unknown)];
  const withoutExtension = dropExtension(pieces);
  // If everything that the template names is blank, the take alone would not identify a row.
  const told = join(withoutExtension).trim() === '' ? [rowPiece(variables, '')] : withoutExtension;
  const suffixed = [...told, ...distinguishingPieces(whole, variables)];
  // Shortened only after its ends are trimmed: the part of an id that fits may begin as no name may.
  const row = shorten(safeName(plainNameText(variables.row), 'file'), MAX_CHARACTERS, MAX_BYTES);
  return safeName(joinWithin(suffixed, variables), row);
}

/** NFC and one case: two paths that fold to the same may be one file on some system. */
export function foldPath(path: string): string {
  // Lower case first: the capital ẞ has no upper case of its own, and would end as ß while ß ends as ss.
  return path.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/** @param unknown What braces become if the row does not have the name in them. */
function* templatePieces(
  template: string,
  variables: NameVariables,
  unknown: (text: string) => Piece,
): Iterable<Piece> {
  let from = 0;
  for (const match of template.matchAll(/\{([^{}]+)\}/gu)) {
    if (match.index > from) yield literal(template.slice(from, match.index));
    const name = (match[1] ?? '').trim();
    yield placeholder(name, variables) ?? unknown(match[0]);
    from = match.index + match[0].length;
  }
  if (from < template.length) yield literal(template.slice(from));
}

function literal(text: string): Piece {
  return { text: plainNameText(text), kept: true, isRow: false };
}

function blank(): Piece {
  return { text: '', kept: false, isRow: false };
}

function placeholder(name: string, variables: NameVariables): Piece | undefined {
  const value = valueOf(name, variables);
  if (value === undefined) return undefined;
  const isRow = name === 'row';
  return {
    text: plainNameText(value.slice(0, MAX_VALUE_CHARACTERS)),
    kept: isRow || name === 'take' || name === 'index',
    isRow,
  };
}

function valueOf(name: string, variables: NameVariables): string | undefined {
  return isNameWord(name) ? wordOf(name, variables) : cellOf(name, variables.cells);
}

/** True for what a template can name whatever the columns of the sheet are. */
export function isNameWord(name: string): name is NameWord {
  return NAME_WORDS.some((word) => word === name);
}

function wordOf(name: NameWord, variables: NameVariables): string {
  switch (name) {
    case 'row':
    case 'batch':
    case 'date':
    case 'taskCode':
    case 'model':
      return variables[name];
    case 'take':
    case 'index':
      return String(variables[name]);
    case 'operation':
      return operationOf(variables.operation).short;
    case 'family':
      return operationOf(variables.operation).family;
    case 'slug':
      return slugOf(variables);
    default:
      return assertNever(name);
  }
}

/** A column by its exact name, or else by its name in any case. */
function cellOf(name: string, cells: Readonly<Record<string, string>>): string | undefined {
  if (Object.hasOwn(cells, name)) return cells[name];
  const folded = name.toLowerCase();
  const key = Object.keys(cells).find((header) => header.toLowerCase() === folded);
  return key === undefined ? undefined : cells[key];
}

/** A row in a few words: its title or name, or else its prompt, or else its operation. */
function slugOf(variables: NameVariables): string {
  const operation = operationOf(variables.operation);
  const columns = columnsOf(operation).filter(({ field }) => field.role === 'text' || field.role === 'prompt');
  const titles = columns.filter(({ column }) => column === 'title' || column === 'name');
  const prompts = columns.filter(({ field }) => field.role === 'prompt');
  const others = columns.filter(({ column }) => !column.startsWith('negative_'));
  for (const { column } of [...titles, ...prompts, ...others]) {
    const text = slug(cellOf(column, variables.cells) ?? '', MAX_SLUG_CHARACTERS);
    if (text !== '') return text;
  }
  return operation.short;
}

/** Drops an extension that users habitually put at the end of a template: the real one comes from the file's type. */
function dropExtension(pieces: readonly Piece[]): readonly Piece[] {
  const last = pieces.at(-1);
  const match = /^(.*)\.(\w{2,5})\s*$/su.exec(last?.text ?? '');
  if (last === undefined || !match || !KNOWN_EXTENSIONS.has((match[2] ?? '').toLowerCase())) return pieces;
  return [...pieces.slice(0, -1), { ...last, text: match[1] ?? '' }];
}

function distinguishingPieces(template: string, variables: NameVariables): readonly Piece[] {
  const has = (name: string): boolean => new RegExp(`\\{\\s*${name}\\s*\\}`, 'u').test(template);
  const pieces: Piece[] = [];
  if (variables.version > 1) pieces.push(literal(`-v${variables.version}`));
  if (variables.takes > 1 && !has('take')) pieces.push(literal(`-take${variables.take}`));
  if (variables.outputs > 1 && !has('index')) pieces.push(literal(`-${variables.index}`));
  return pieces;
}

/** NFC again: a value may begin with a mark that joins with the character before it. */
function join(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => piece.text)
    .join('')
    .normalize('NFC');
}

function rowPiece({ row }: NameVariables, after: string): Piece {
  return { text: `${plainNameText(row)}${after}`, kept: true, isRow: true };
}

/** Shortens the longest value first, and the row's id and the literals only when nothing else is left. */
function joinWithin(pieces: readonly Piece[], variables: NameVariables): string {
  const whole = join(pieces);
  const fits = (text: string): boolean => shorten(text, MAX_CHARACTERS, MAX_BYTES) === text;
  if (fits(whole)) return whole;
  const parts = pieces.some((piece) => piece.isRow) ? [...pieces] : [rowPiece(variables, '-'), ...pieces];
  const order = parts
    .map((piece, at) => ({ at, length: piece.text.length, rank: piece.isRow ? 2 : piece.kept ? 1 : 0 }))
    .sort((a, b) => a.rank - b.rank || b.length - a.length);
  for (const { at } of order) {
    const piece = parts[at];
    if (piece === undefined || fits(join(parts))) break;
    const withText = (text: string): readonly Piece[] => parts.with(at, { ...piece, text });
    // Most pieces of a long template must go completely, so that is tried first.
    const text = fits(join(withText(''))) ? shortenToFit(piece.text, (cut) => fits(join(withText(cut)))) : '';
    parts[at] = { ...piece, text };
  }
  return shorten(join(parts), MAX_CHARACTERS, MAX_BYTES);
}

/** The longest beginning of a text that fits, found by bisection. */
function shortenToFit(text: string, fits: (text: string) => boolean): string {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(shorten(text, middle, Number.POSITIVE_INFINITY))) low = middle;
    else high = middle - 1;
  }
  return shorten(text, low, Number.POSITIVE_INFINITY);
}

/** The file that identifies a media folder. Its name begins with a dot, so that nobody sees it among the media. */
export const FOLDER_IDENTITY_FILE = '.nocturne-folder.json';
