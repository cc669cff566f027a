/** Which files of a batch are delivered, and under which names. */
import { localDate } from '../base/text.ts';
import { present } from '../base/result.ts';
import { manifestFilesOf, type ManifestFile } from '../files/manifest.ts';
import { kindOfMediaType } from '../files/media-type.ts';
import { cellsWithSent, renderPath, type RenderedPath } from '../files/naming.ts';
import { nameCellsOf } from '../files/check-name-template.ts';
import type { Verdict } from '../review/verdict.ts';
import type { BatchRecord } from '../task/batch.ts';
import type { ExportedRow, ExportedTask } from '../task/views/exported-row.ts';
import { aboutOf, rowsNamedIn, wordsLinkOf, withWordsOf, type MediaAbout, type WordsOf } from './media-about.ts';

/** One file to deliver. */
export interface DeliveryItem {
  /** Identifies the output, wherever its file is and whatever it is called. */
  readonly output: string;
  /** The verified file in the media folder. */
  readonly file: ManifestFile;
  readonly place: RenderedPath;
  /** With its dot. */
  readonly extension: string;
  readonly about: MediaAbout;
  readonly verdict?: Verdict;
  /** Its lyrics are in the result of another row. */
  readonly words?: WordsOf;
  /** Rows that its own row names; a picture of one of them is its cover. */
  readonly named: readonly string[];
}

/** What is to be delivered from a batch. */
export interface DeliveryChoice {
  /** Only files that the user kept. */
  readonly isKeptOnly: boolean;
  /** Folders and names; without one, the paths of the media folder. */
  readonly template?: string;
}

/**
 * Everything that a delivery has to know about a batch: a few hundred bytes for each file and row, and never the media.
 */
export interface DeliveryList {
  readonly items: readonly DeliveryItem[];
  /** How many files were left out because nobody kept them. */
  readonly unkept: number;
  /** The first picture of each row that has one. */
  readonly pictures: ReadonlyMap<string, ManifestFile>;
  /** The first document of each row that has one. */
  readonly documents: ReadonlyMap<string, ManifestFile>;
}

/**
 * Goes through a batch in the order of its sheet. Earlier versions and files of rows that are gone are delivered only
 * if the user kept them and asked for what is kept.
 */
export async function deliveryListOf(
  batch: BatchRecord,
  rows: AsyncIterable<ExportedRow> | Iterable<ExportedRow>,
  { isKeptOnly, template }: DeliveryChoice,
): Promise<DeliveryList> {
  const items: DeliveryItem[] = [];
  const [pictures, documents] = [new Map<string, ManifestFile>(), new Map<string, ManifestFile>()];
  const abouts = new Map<string, MediaAbout>();
  const naming = template === undefined ? undefined : { template, cellsOf: nameCellsOf(batch) };
  const makers = new Map<string, Set<string>>();
  let unkept = 0;
  for await (const exported of rows) {
    const { row, isRemoved } = exported;
    const named = rowsNamedIn(row);
    const linked = new Set(row.links?.map(({ column }) => column));
    if (isRemoved !== true) abouts.set(row.id, aboutOf(row.body, linked));
    const files = manifestFilesOf(exported);
    for (const [at, { task, output }] of outputsOf(exported).entries()) {
      const file = files[at];
      if (file === undefined) throw new Error(`No file for ${output.path}`);
      const name = outputName(batch, file);
      makers.set(name, (makers.get(name) ?? new Set()).add(file.account ?? ''));
      const isPresent = isRemoved !== true && task.superseded !== true;
      if (isPresent) noteFile(file, pictures, documents);
      if (isKeptOnly ? output.verdict?.kept !== true : !isPresent) {
        if (isPresent) unkept += 1;
        continue;
      }
      const about = aboutOf(task.request ?? row.body, linked);
      const { rating } = output.verdict ?? {};
      items.push({
        output: name,
        file,
        place: placeOf(batch, exported, task, file, naming),
        extension: extensionOf(file.path),
        about: { ...about, ...present({ rating }) },
        named,
        ...present({ verdict: output.verdict, words: wordsLinkOf(row) }),
      });
    }
  }
  // A row may be made from one that comes later in the sheet.
  const complete = items.map((item) => ({
    ...item,
    output: ownName(item, makers.get(item.output)),
    about: wordsOf(item, abouts),
  }));
  return { items: complete, unkept, pictures, documents };
}

function outputsOf({ tasks }: ExportedRow): readonly { task: ExportedTask; output: ExportedTask['outputs'][number] }[] {
  return tasks.flatMap((task) => task.outputs.map((output) => ({ task, output })));
}

function noteFile(file: ManifestFile, pictures: Map<string, ManifestFile>, documents: Map<string, ManifestFile>): void {
  const kind = kindOfMediaType(file.mediaType);
  const into = kind === 'image' ? pictures : kind === 'data' ? documents : undefined;
  if (into !== undefined && !into.has(file.row)) into.set(file.row, file);
}

function wordsOf({ about, named }: DeliveryItem, abouts: ReadonlyMap<string, MediaAbout>): MediaAbout {
  const source = named.map((row) => abouts.get(row)).find((found) => found !== undefined);
  return withWordsOf(about, source);
}

/** A task code is the gateway's name for a task, and no other task has it there. */
function outputName(batch: BatchRecord, { row, take, index, taskCode }: ManifestFile): string {
  return `${batch.id}/${taskCode ?? `${row}#${take}`}/${index}`;
}

/** The gateways of several accounts may give the same code to different tasks: then only one of them goes by it alone. */
function ownName({ output, file: { account = '' } }: DeliveryItem, makers: Iterable<string> = []): string {
  const [first = account] = [...makers].toSorted();
  return account === first ? output : `${output}@${account}`;
}

function extensionOf(path: string): string {
  return /\.[A-Za-z0-9]+$/u.exec(path)?.[0] ?? '';
}

function placeOf(
  batch: BatchRecord,
  { row }: ExportedRow,
  task: ExportedTask,
  file: ManifestFile,
  naming: { readonly template: string; readonly cellsOf: ReturnType<typeof nameCellsOf> } | undefined,
): RenderedPath {
  const operation = task.operation ?? row.operation;
  if (naming === undefined || operation === undefined) {
    const folders = file.path.split('/');
    const name = folders.pop() ?? '';
    return { folders, stem: name.slice(0, name.length - extensionOf(name).length) };
  }
  const sent = task.request ?? row.body;
  const { model } = sent;
  return renderPath(naming.template, {
    row: row.id,
    batch: batch.name,
    operation,
    take: task.take,
    takes: row.takes,
    index: file.index,
    outputs: task.outputs.length,
    version: 1,
    date: localDate(batch.startedAt ?? batch.createdAt),
    taskCode: task.taskCode ?? '',
    model: typeof model === 'string' ? model : '',
    cells: cellsWithSent(naming.cellsOf(row.cells), operation, sent),
  });
}
