/** Templates: an example of each operation, the common chains, and empty sheets. */
import { z } from 'zod';
import tables from '../../../../resources/tables/templates.json' with { type: 'json' };
import { domainWords } from '../../words/domain-words.ts';
import { OPERATIONS, OPERATION_PATHS, columnsOf, findOperation } from './operations.ts';
import type { Operation, OperationPath } from './operations.ts';

/** The rows of a template: cells by header, in the order of the sheet. */
const example = z.strictObject({ rows: z.array(z.record(z.string(), z.string()).readonly()).readonly() });
type TemplateRows = z.output<typeof example>['rows'];

const CHAINS = [
  'lyrics-to-song',
  'song-in-one-voice',
  'picture-to-video',
  'upload-to-cover',
  'long-song',
  'rich-style',
  'variations',
] as const;

/** Rows that wait for each other, in the chains that people use most; and three rows for each operation. */
const EXAMPLES = z
  .strictObject({ chains: z.record(z.enum(CHAINS), example), operations: z.record(z.enum(OPERATION_PATHS), example) })
  .parse(tables);

/** A template. */
export interface SheetTemplate {
  /** Its name in the contract and on the command line. */
  readonly name: string;
  readonly kind: 'operation' | 'chain' | 'empty';
  readonly title: string;
  /** A sentence that says what it produces. */
  readonly makes: string;
  readonly headers: readonly string[];
  /** Line by line, with as many cells as headers. */
  readonly rows: readonly (readonly string[])[];
  /** The operation of rows that do not name one. */
  readonly defaultOperation?: OperationPath;
  /** Paid requests of a run. */
  readonly submits: number;
}

/** The name of the empty sheet; `empty-music` and the like have the columns of one operation. */
export const EMPTY_TEMPLATE = 'empty';

/** Columns that every template has, before the fields of its rows and after them. */
const FIRST_HEADERS = ['row', 'operation'];
const LAST_HEADERS = ['takes', 'filename', 'note', 'skip'];

/** Every template, in the order of the list: chains, examples of the operations, empty sheets. */
export const TEMPLATES: readonly SheetTemplate[] = [
  ...CHAINS.map((name) =>
    templateOf('chain', name, EXAMPLES.chains[name].rows, () => domainWords.operations.chains[name]),
  ),
  ...OPERATIONS.map(({ path, short }) =>
    templateOf('operation', short, EXAMPLES.operations[path].rows, () => {
      const { title, example: makes } = domainWords.operations.submit[short];
      return { title, makes };
    }),
  ),
  emptyTemplate(),
  ...OPERATIONS.map(emptyTemplateOf),
];

const BY_NAME: ReadonlyMap<string, SheetTemplate> = new Map(TEMPLATES.map((template) => [template.name, template]));

/** The template with this name; an operation's full path also names its example. */
export function findTemplate(name: string): SheetTemplate | undefined {
  const wanted = name.trim().toLowerCase();
  return BY_NAME.get(wanted) ?? BY_NAME.get(findOperation(wanted)?.short ?? '');
}

/** @param told What it is called and what it makes, in the language in use when somebody asks. */
function templateOf(
  kind: 'operation' | 'chain',
  name: string,
  rows: TemplateRows,
  told: () => Pick<SheetTemplate, 'title' | 'makes'>,
): SheetTemplate {
  const used = new Set(rows.flatMap((row) => Object.keys(row)));
  const fields = [...used].filter((header) => ![...FIRST_HEADERS, ...LAST_HEADERS].includes(header));
  const headers = [...FIRST_HEADERS, ...fields, ...LAST_HEADERS.filter((header) => used.has(header))];
  const cells = rows.map((row) => headers.map((header) => (Object.hasOwn(row, header) ? (row[header] ?? '') : '')));
  return {
    name,
    kind,
    get title() {
      return told().title;
    },
    get makes() {
      return told().makes;
    },
    headers,
    rows: cells,
    submits: submitsOf(rows),
  };
}

function submitsOf(rows: TemplateRows): number {
  const wanted = rows.filter((row) => row['skip'] !== 'yes');
  return wanted.reduce((sum, row) => sum + Number(row['takes'] ?? 1), 0);
}

function emptyTemplate(): SheetTemplate {
  return {
    name: EMPTY_TEMPLATE,
    kind: 'empty',
    get title() {
      return domainWords.operations.emptySheet.title;
    },
    get makes() {
      return domainWords.operations.emptySheet.makes;
    },
    headers: [...FIRST_HEADERS, 'prompt', ...LAST_HEADERS],
    rows: [],
    submits: 0,
  };
}

/** The empty sheet of an operation. Its rows need not name the operation: the sheet has only one. */
function emptyTemplateOf(operation: Operation): SheetTemplate {
  return {
    name: `${EMPTY_TEMPLATE}-${operation.short}`,
    kind: 'empty',
    get title() {
      return operation.title;
    },
    get makes() {
      return operation.help;
    },
    headers: [...FIRST_HEADERS, ...columnsOf(operation).map(({ column }) => column), ...LAST_HEADERS],
    rows: [],
    defaultOperation: operation.path,
    submits: 0,
  };
}
