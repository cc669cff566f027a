import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ExportedRow } from '../../../shared/domain/task/views/exported-row.ts';
import { csvLine, CSV_BYTE_ORDER_MARK } from '../../../shared/domain/base/csv-text.ts';
import type { Failure } from '../../../shared/domain/base/failure.ts';
import {
  MANIFEST_CSV_HEADERS,
  MANIFEST_VERSION,
  manifestCsvCells,
  manifestFilesOf,
  manifestRowOf,
  presentRow,
  resultsSheetCells,
  resultsSheetHeaders,
  type ManifestFile,
  type MediaFolderData,
} from '../../../shared/domain/files/manifest.ts';
import type { WorkWatch } from '../../ports/base.ts';
import { copyVerified } from '../copy-verified.ts';
import { diskErrorCode, diskFailure } from '../disk-failure.ts';
import { openIfThere } from '../plain-file.ts';
import { beginDocument, clearDrafts, DOCUMENT_NAMES, publishAll, type DocumentDraft } from './export-documents.ts';
import { galleryPage, galleryRow, type ShownOfFiles } from './gallery/gallery-page.ts';
import { KeptPreviews, type KeptPreview } from './gallery/kept-previews.ts';
import { MissingPreviews, type PreviewMaking } from './gallery/make-previews.ts';
import { createSungSongs, type SungSongs } from './gallery/sung-songs.ts';
import { createTextPreviews, type TextPreviews } from './gallery/text-previews.ts';
import { makeFolder } from '../../make-folder.ts';

/** The drafts of the four documents. */
interface Drafts {
  readonly manifest: DocumentDraft;
  readonly manifestCsv: DocumentDraft;
  readonly resultsSheet: DocumentDraft;
  readonly gallery: DocumentDraft;
}

/** Where the files of a batch are. */
export interface FilesSource {
  /** The whole of a short text; undefined if it is missing. */
  readText(path: string): Promise<string | undefined>;
  /** Copies verified files into another folder; the failure names the first that cannot be copied. */
  copyTo(folder: string, files: readonly ManifestFile[]): Promise<Failure | undefined>;
}

/** The batch's own folder; nothing is copied into itself. */
function ownFolder(source: string): FilesSource {
  return {
    readText: (path) => readText(join(source, ...path.split('/'))),
    async copyTo(folder, files) {
      if (resolve(folder) === resolve(source)) return undefined;
      return copyVerified(files, await realpath(source), await realpath(folder));
    },
  };
}

async function readText(path: string): Promise<string | undefined> {
  let file;
  try {
    file = await openIfThere(path);
    return file === undefined ? undefined : await file.readFile('utf8');
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
    return undefined;
  } finally {
    await file?.close();
  }
}

/**
 * Writes the manifest, its spreadsheet, the results sheet and the gallery: under temporary names, made durable, then
 * renamed. Into a folder other than the batch's own, it also copies the verified files. A failure comes from the disk,
 * or from a file that is not the verified one. If the writing is cancelled on the way, the former documents stay.
 * @param making Makes the small pictures of the gallery that are missing, once the documents are there; without it,
 * none are made.
 */
export async function exportFolder(
  folder: string,
  data: MediaFolderData,
  source: FilesSource = ownFolder(data.batch.settings.folder),
  making?: PreviewMaking,
  watch: WorkWatch = {},
): Promise<Failure | undefined> {
  const now = (): number => making?.clock.now() ?? Date.now();
  const own = data.batch.settings.folder;
  const kept = new KeptPreviews(folder, now);
  const elsewhere = resolve(folder) === resolve(own) ? {} : { ownKept: new KeptPreviews(own, now) };
  const missing = making && new MissingPreviews({ kept, own, ...elsewhere }, making);
  const problem = await writeDocuments(folder, data, source, kept, { missing, watch });
  // The documents are there at once, and are written again with the previews that were made since.
  if (problem !== undefined || (await missing?.make()) !== true) return problem;
  return writeDocuments(folder, data, { ...source, copyTo: async () => undefined }, kept);
}

async function writeDocuments(
  folder: string,
  data: MediaFolderData,
  source: FilesSource,
  kept: KeptPreviews,
  { missing, watch = {} }: { readonly missing?: MissingPreviews | undefined; readonly watch?: WorkWatch } = {},
): Promise<Failure | undefined> {
  const open: DocumentDraft[] = [];
  try {
    // A folder that has an identity is there, or its disk is away: one of its name would be taken for it.
    const { folder: own, folderIdentity } = data.batch.settings;
    if (folderIdentity === undefined || resolve(folder) !== resolve(own)) await makeFolder(folder);
    await clearDrafts(folder);
    // All rows are read twice.
    let seen = 0;
    const onRow = (): void => {
      watch.signal?.throwIfAborted();
      seen += 1;
      watch.onProgress?.(Math.min(seen, 2 * data.batch.rowCount), 2 * data.batch.rowCount);
    };
    const shown = await gatherShown(data, source, kept, { missing, onRow });
    const begin = async (name: (typeof DOCUMENT_NAMES)[keyof typeof DOCUMENT_NAMES]): Promise<DocumentDraft> => {
      const draft = await beginDocument(folder, name);
      open.push(draft);
      return draft;
    };
    const drafts: Drafts = {
      manifest: await begin(DOCUMENT_NAMES.manifest),
      manifestCsv: await begin(DOCUMENT_NAMES.manifestCsv),
      resultsSheet: await begin(DOCUMENT_NAMES.resultsSheet),
      gallery: await begin(DOCUMENT_NAMES.gallery),
    };
    const files = await writeRows(drafts, data, shown, onRow);
    const problem = await source.copyTo(folder, files);
    if (problem !== undefined) return problem;
    watch.signal?.throwIfAborted();
    watch.onBound?.();
    await publishAll(folder, open);
    return undefined;
  } catch (error) {
    watch.signal?.throwIfAborted();
    return diskFailure(error, folder);
  } finally {
    for (const draft of open) await draft.discard();
  }
}

/** What the page shows about files besides what the store knows. */
interface Shown {
  readonly texts: TextPreviews;
  readonly songs: SungSongs;
  readonly kept: KeptPreviews;
}

/** Looks at all rows before any is written: what is said about a song may be in a later row. */
async function gatherShown(
  { rows }: MediaFolderData,
  source: FilesSource,
  kept: KeptPreviews,
  { missing, onRow }: { readonly missing?: MissingPreviews | undefined; readonly onRow: () => void },
): Promise<Shown> {
  const readFile = (path: string): Promise<string | undefined> => source.readText(path);
  const songs = createSungSongs(readFile, (sha256) => kept.get(sha256));
  for await (const exported of rows) {
    onRow();
    songs.note(exported);
    await missing?.note(exported);
  }
  await missing?.clear();
  return { texts: createTextPreviews(readFile), songs, kept };
}

async function shownOf(exported: ExportedRow, { texts, songs, kept }: Shown): Promise<ShownOfFiles> {
  const outputs = exported.tasks.flatMap((task) => task.outputs);
  const previews = new Map<string, KeptPreview>();
  for (const { path, sha256 } of outputs) {
    const found = await kept.get(sha256);
    if (found !== undefined) previews.set(path, found);
  }
  return { texts: await texts.of(exported), songs: await songs.of(exported), previews };
}

/** What the documents say about one row. */
interface RowTexts {
  readonly manifest: string;
  /** Absent for a row that is no longer in the sheet. */
  readonly present?: { readonly resultsSheet: string; readonly gallery: string };
}

/** Omits a request that cannot be written (it may be nested without end): all other rows get their documents. */
async function textsOf(exported: ExportedRow, headers: readonly string[], shown: Shown): Promise<RowTexts> {
  try {
    return await rowTexts(exported, headers, shown);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const tasks = exported.tasks.map((task) => {
      const { request: _, sent: __, ...rest } = task;
      return rest;
    });
    return rowTexts({ ...exported, row: { ...exported.row, body: {} }, tasks }, headers, shown);
  }
}

async function rowTexts(exported: ExportedRow, headers: readonly string[], shown: Shown): Promise<RowTexts> {
  const manifest = JSON.stringify(manifestRowOf(exported));
  const present = presentRow(exported);
  if (present === undefined) return { manifest };
  return {
    manifest,
    present: {
      resultsSheet: csvLine(resultsSheetCells(headers, present)),
      // Earlier versions are kept for comparison.
      gallery: galleryRow(exported, await shownOf(exported, shown)),
    },
  };
}

/** Reads the rows as they are written, so that a large batch is never in memory as a whole. Returns the files. */
async function writeRows(
  drafts: Drafts,
  data: MediaFolderData,
  shown: Shown,
  onRow: () => void,
): Promise<readonly ManifestFile[]> {
  const { batch } = data;
  const files: ManifestFile[] = [];
  await drafts.manifest.write(
    `{"version":${MANIFEST_VERSION},"batch":${JSON.stringify(batch.name)},` +
      `"createdAt":${JSON.stringify(new Date(data.createdAt).toISOString())},"rows":[`,
  );
  await drafts.manifestCsv.write(CSV_BYTE_ORDER_MARK + csvLine(MANIFEST_CSV_HEADERS));
  await drafts.resultsSheet.write(CSV_BYTE_ORDER_MARK + csvLine(resultsSheetHeaders(batch.headers)));
  const page = galleryPage(data);
  await drafts.gallery.write(page.head);
  let separator = '\n';
  let gallerySeparator = '\n';
  for await (const exported of data.rows) {
    onRow();
    const texts = await textsOf(exported, batch.headers, shown);
    await drafts.manifest.write(separator + texts.manifest);
    if (texts.present !== undefined) {
      await drafts.resultsSheet.write(texts.present.resultsSheet);
      await drafts.gallery.write(gallerySeparator + texts.present.gallery);
      gallerySeparator = ',\n';
    }
    for (const file of manifestFilesOf(exported)) {
      files.push(file);
      await drafts.manifestCsv.write(csvLine(manifestCsvCells(file)));
    }
    separator = ',\n';
  }
  await drafts.manifest.write('\n],"files":[');
  separator = '\n';
  for (const file of files) {
    await drafts.manifest.write(separator + JSON.stringify(file));
    separator = ',\n';
  }
  await drafts.manifest.write('\n]}\n');
  await drafts.gallery.write(page.tail);
  return files;
}
