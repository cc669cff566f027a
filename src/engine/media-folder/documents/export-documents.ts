import { open, rename, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CSV_BYTE_ORDER_MARK } from '../../../shared/domain/base/csv-text.ts';
import { hasAllResultColumns } from '../../../shared/domain/base/result-columns.ts';
import { FOLDER_FILE_MODE, openIfThere } from '../plain-file.ts';
import { diskErrorCode } from '../disk-failure.ts';
import { syncFolder } from '../../whole-file.ts';
import { clearUnfinished, unfinishedName, unfinishedNames } from '../../own-mark.ts';
import { candidateNames, isTaken } from '../place-file.ts';

/** The documents of a media folder, by purpose. */
export const DOCUMENT_NAMES = {
  gallery: 'index.html',
  manifest: 'manifest.json',
  manifestCsv: 'manifest.csv',
  resultsSheet: 'sheet.results.csv',
} as const;

export type DocumentName = (typeof DOCUMENT_NAMES)[keyof typeof DOCUMENT_NAMES];

const MANIFEST_START = /^\{"version":\d+,"batch":(?:"([^"\\]{1,200})")?/u;

/** How each of our documents begins, so that we do not replace somebody else's file of the same name. */
const BEGINNINGS: Readonly<Record<DocumentName, { test(beginning: string): boolean }>> = {
  'index.html': /^[^]{0,4000}<meta name="generator" content="Nocturne"/u,
  'manifest.json': MANIFEST_START,
  'manifest.csv': /^\u{feff}?row,operation,take,index,path,/u,
  'sheet.results.csv': { test: hasResultsHeader },
};
/** The first line of a CSV file: line ends in quotes belong to it. */
const HEADER_LINE = /^(?:"[^"]*"|[^"\r\n])*/u;
/** Ours has commas; a spreadsheet program that saved it again may have put others in their place. */
const HEADER_CELL = /(?:"[^"]*"|[^",;\t])+/gu;

const WRITE_CHARACTERS = 1 << 20;
/** How much of a document is looked at to see whether it is ours: all headers of a wide sheet, too. */
export const BEGINNING_BYTES = 1 << 18;

/** True for what begins like our document of that name. */
export function isOurBeginning(name: DocumentName, beginning: Buffer): boolean {
  return BEGINNINGS[name].test(beginning.toString('utf8', 0, BEGINNING_BYTES));
}

/** The user's own columns come first, and may be any; the columns of the results are in no sheet but ours. */
function hasResultsHeader(beginning: string): boolean {
  const [header = ''] = HEADER_LINE.exec(beginning) ?? [];
  const cells = header.replace(CSV_BYTE_ORDER_MARK, '').match(HEADER_CELL) ?? [];
  return hasAllResultColumns(cells.map((cell) => cell.replace(/^"(.*)"$/su, '$1')));
}

/** The names that somebody else's file with a document's name may get, in order. */
export function namesForForeign(name: DocumentName): Iterable<string> {
  const extension = extname(name).slice(1);
  return candidateNames(`${name.slice(0, -extension.length - 1)}.yours`, extension);
}

/** A document under a temporary name, until all of them are complete. */
export interface DocumentDraft {
  write(text: string): Promise<void>;
  /** Makes the document durable under its temporary name. */
  finish(): Promise<void>;
  /** Gives the document its name, and replaces the previous one in one step. */
  publish(): Promise<void>;
  /** Removes the temporary file, unless the document was published. */
  discard(): Promise<void>;
}

const DRAFTS = unfinishedNames(
  String.raw`(?:${Object.values(DOCUMENT_NAMES)
    .join('|')
    .replaceAll('.', String.raw`\.`)})\.`,
  String.raw`\.tmp`,
);

/** Removes the drafts of killed exports from a folder. */
export function clearDrafts(folder: string): Promise<void> {
  return clearUnfinished(folder, DRAFTS);
}

/** Begins a document in a folder. */
export async function beginDocument(folder: string, name: DocumentName): Promise<DocumentDraft> {
  const path = join(folder, unfinishedName(`${name}.`, '.tmp'));
  const file = await open(path, 'wx', FOLDER_FILE_MODE);
  let pending: string[] = [];
  let length = 0;
  let isOpen = true;

  async function flush(): Promise<void> {
    const text = pending.join('');
    pending = [];
    length = 0;
    await file.appendFile(text, 'utf8');
  }

  async function close(): Promise<void> {
    if (isOpen) await file.close();
    isOpen = false;
  }

  return {
    async write(text) {
      pending.push(text);
      length += text.length;
      if (length >= WRITE_CHARACTERS) await flush();
    },
    async finish() {
      await flush();
      await file.sync();
      await close();
    },
    async publish() {
      await keepForeign(folder, name);
      await rename(path, join(folder, name));
    },
    async discard() {
      await close();
      await rm(path, { force: true });
    },
  };
}

/** Publishes all documents, each of them whole; after an error before the first one, none. */
export async function publishAll(folder: string, drafts: readonly DocumentDraft[]): Promise<void> {
  for (const draft of drafts) await draft.finish();
  for (const draft of drafts) await draft.publish();
  await syncFolder(folder);
}

/** Moves a file of the same name that we did not write out of the way: `index.yours.html`. */
async function keepForeign(folder: string, name: DocumentName): Promise<void> {
  const path = join(folder, name);
  if (await isOurs(path, name)) return;
  for (const candidate of namesForForeign(name)) {
    if (await isTaken(join(folder, candidate))) continue;
    await rename(path, join(folder, candidate));
    return;
  }
}

/** The id of the batch that a folder's manifest describes, whichever store has it; undefined without one of ours. */
export async function batchOfManifest(folder: string): Promise<string | undefined> {
  const beginning = await beginningOf(join(folder, DOCUMENT_NAMES.manifest)).catch(() => undefined);
  return beginning && MANIFEST_START.exec(beginning.toString('utf8', 0, 1000))?.[1];
}

/** The beginning of a file; undefined if there is none, or something else with that name. */
async function beginningOf(path: string): Promise<Buffer | undefined> {
  const file = await openIfThere(path);
  try {
    const head = Buffer.alloc(BEGINNING_BYTES);
    return file && head.subarray(0, (await file.read(head, 0, head.length, 0)).bytesRead);
  } finally {
    await file?.close();
  }
}

async function isOurs(path: string, name: DocumentName): Promise<boolean> {
  try {
    const beginning = await beginningOf(path);
    // A folder, a link or a pipe with that name is not ours.
    return beginning === undefined ? !(await isTaken(path)) : isOurBeginning(name, beginning);
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
    return false;
  }
}
