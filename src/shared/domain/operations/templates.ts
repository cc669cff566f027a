/** Sheets to begin with: an example of each operation, the common chains, and empty ones. */
import { OPERATIONS, columnsOf, findOperation } from './operations.ts';
import type { Operation, OperationPath } from './operations.ts';
import { CHAIN_EXAMPLES } from './template-chains.ts';
import { OPERATION_EXAMPLES, type TemplateExample } from './template-examples.ts';

/** A sheet to begin with. */
export interface SheetTemplate {
  /** Names it in the contract and on the command line. */
  readonly name: string;
  readonly kind: 'operation' | 'chain' | 'empty';
  readonly title: string;
  /** What comes out of it, as a sentence. */
  readonly makes: string;
  readonly headers: readonly string[];
  /** Line by line, as many cells as headers. */
  readonly rows: readonly (readonly string[])[];
  /** What its rows are that name no operation. */
  readonly defaultOperation?: OperationPath;
  /** Submits that a run of it makes. */
  readonly submits: number;
}

/** The name of the empty sheet; `empty-music` and the like have the columns of one operation. */
export const EMPTY_TEMPLATE = 'empty';

/** Columns that every template has, before the fields of its rows and after them. */
const FIRST_HEADERS = ['row', 'operation'];
const LAST_HEADERS = ['takes', 'filename', 'note', 'skip'];

/** Every template, in the order in which they are offered: chains, examples of the operations, empty sheets. */
export const TEMPLATES: readonly SheetTemplate[] = [
  ...Object.entries(CHAIN_EXAMPLES).map(([name, example]) => templateOf(name, 'chain', example)),
  ...OPERATIONS.map(({ path, short }) => templateOf(short, 'operation', OPERATION_EXAMPLES[path])),
  emptyTemplate(),
  ...OPERATIONS.map(emptyTemplateOf),
];

const BY_NAME: ReadonlyMap<string, SheetTemplate> = new Map(TEMPLATES.map((template) => [template.name, template]));

/** The template with this name; an operation's full path names its example, too. */
export function findTemplate(name: string): SheetTemplate | undefined {
  const wanted = name.trim().toLowerCase();
  return BY_NAME.get(wanted) ?? BY_NAME.get(findOperation(wanted)?.short ?? '');
}

function templateOf(name: string, kind: 'operation' | 'chain', { title, makes, rows }: TemplateExample): SheetTemplate {
  const used = new Set(rows.flatMap((row) => Object.keys(row)));
  const fields = [...used].filter((header) => ![...FIRST_HEADERS, ...LAST_HEADERS].includes(header));
  const headers = [...FIRST_HEADERS, ...fields, ...LAST_HEADERS.filter((header) => used.has(header))];
  const cells = rows.map((row) => headers.map((header) => (Object.hasOwn(row, header) ? (row[header] ?? '') : '')));
  return { name, kind, title, makes, headers, rows: cells, submits: submitsOf(rows) };
}

function submitsOf(rows: TemplateExample['rows']): number {
  const wanted = rows.filter((row) => row['skip'] !== 'yes');
  return wanted.reduce((sum, row) => sum + Number(row['takes'] ?? 1), 0);
}

function emptyTemplate(): SheetTemplate {
  return {
    name: EMPTY_TEMPLATE,
    kind: 'empty',
    title: 'Empty sheet',
    makes: 'A sheet without rows. Add the columns that you need.',
    headers: [...FIRST_HEADERS, 'prompt', ...LAST_HEADERS],
    rows: [],
    submits: 0,
  };
}

/** Its rows need not name the operation: a sheet of one operation has one. */
function emptyTemplateOf(operation: Operation): SheetTemplate {
  return {
    name: `${EMPTY_TEMPLATE}-${operation.short}`,
    kind: 'empty',
    title: operation.title,
    makes: operation.help,
    headers: [...FIRST_HEADERS, ...columnsOf(operation).map(({ column }) => column), ...LAST_HEADERS],
    rows: [],
    defaultOperation: operation.path,
    submits: 0,
  };
}
