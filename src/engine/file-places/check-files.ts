/** Checks the files on this computer that a sheet names, before anything is put or sent. */
import { localFilesIn, type LocalFile } from '../../shared/domain/cells/local-file.ts';
import { reason, say, type Reason } from '../../shared/domain/base/reason.ts';
import { quoteCell } from '../../shared/domain/cells/cell-value.ts';
import { picturesIn, type LinkedField } from '../../shared/domain/cells/reference.ts';
import { operationOf } from '../../shared/domain/operations/operations.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { FilesPlace } from '../../shared/domain/places/files-place.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { blockedRowIds, isSheetRefused, type CheckedSheet, type Row } from '../../shared/domain/sheet/row.ts';
import { headerOfColumn, layOutColumns, type SheetLayout } from '../../shared/domain/sheet/sheet-columns.ts';
import { checkChains } from '../../shared/domain/sheet/sheet-references.ts';
import { checkFile, seeFile, type FileProblem, type FileTerms } from './local-copy.ts';

/** A file that a row names, as it is now. */
export interface NamedFile {
  readonly row: string;
  readonly column: string;
  /** As the cell has it. */
  readonly written: string;
  /** Where it is, with links resolved. */
  readonly path: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** A sheet with the problems of its files, and the files without problems. */
export interface SheetFiles<Sheet extends CheckedSheet> {
  readonly sheet: Sheet;
  readonly files: readonly NamedFile[];
}

type Looked = Result<Pick<NamedFile, 'path' | 'bytes' | 'mediaType'>, FileProblem>;

/**
 * Looks at every file named by a row that could run.
 * @param folder The folder of the sheet; undefined for a sheet that was typed.
 * @param whyNoPictures Why no pictures can be made from other rows' files, as the end of a sentence; undefined if they
 * can.
 */
export async function checkLocalFiles<Sheet extends CheckedSheet>(
  sheet: Sheet,
  place: Pick<FilesPlace, 'folders' | 'maxMegabytes'>,
  folder: string | undefined,
  whyNoPictures: Reason | undefined,
): Promise<SheetFiles<Sheet>> {
  if (isSheetRefused(sheet)) return { sheet, files: [] };
  const layout = layOutColumns(sheet.headers, sheet.mapping);
  const blocked = blockedRowIds(sheet);
  const looks = new Map<string, Promise<Looked>>();
  const lookAt = (file: LocalFile): Promise<Looked> => {
    const key = JSON.stringify([file.media, file.written]);
    const look = looks.get(key) ?? lookAtFile(file, { media: file.media, ...place }, folder);
    looks.set(key, look);
    return look;
  };
  const files: NamedFile[] = [];
  const problems: SheetProblem[] = [];
  for (const row of sheet.rows) {
    if (row.skip || row.operation === undefined || blocked.has(row.id)) continue;
    for (const file of localFilesIn(operationOf(row.operation), row.body, row.links)) {
      const { column, written } = file;
      const looked = await lookAt(file);
      if (looked.ok) files.push({ row: row.id, column, written, ...looked.value });
      else problems.push(problemOf(row, file, looked.error, layout));
    }
    if (whyNoPictures === undefined) continue;
    const needing = row.links?.find((link) => picturesIn(link).length > 0);
    if (needing !== undefined) problems.push(unmakable(row, needing, whyNoPictures, layout));
  }
  if (problems.length === 0) return { sheet, files };
  return { sheet: { ...sheet, problems: together(sheet, problems, layout) }, files };
}

async function lookAtFile({ written }: LocalFile, terms: FileTerms, folder: string | undefined): Promise<Looked> {
  const seen = await seeFile(written, { folder }, terms);
  if (!seen.ok) return seen;
  const type = await checkFile(seen.value, terms);
  if (!type.ok) return err(type.error);
  return ok({ path: seen.value.path, bytes: seen.value.bytes, mediaType: type.value.mediaType });
}

function problemOf(
  { id, line }: Row,
  { column, written }: LocalFile,
  { said }: FileProblem,
  layout: SheetLayout,
): SheetProblem {
  return {
    severity: 'error',
    code: 'local-file',
    line,
    row: id,
    column,
    message: say(reason('file.named', headerOfColumn(layout, column), quoteCell(written), said)),
    remedy: say(reason('file.correctPath')),
  };
}

function unmakable({ id, line }: Row, link: LinkedField, why: Reason, layout: SheetLayout): SheetProblem {
  const text = picturesIn(link)[0]?.text ?? '';
  const header = headerOfColumn(layout, link.column);
  return {
    severity: 'error',
    code: 'local-file',
    line,
    row: id,
    column: link.column,
    message: say(reason('file.unmakable', header, quoteCell(`{{${text}}}`), why)),
    remedy: say(reason('file.correctPicture')),
  };
}

/** These problems and those of the rows that wait for rows which cannot run now, in sheet order. */
function together(
  { rows, problems }: CheckedSheet,
  found: readonly SheetProblem[],
  layout: SheetLayout,
): readonly SheetProblem[] {
  const all = [...problems, ...found];
  const invalid = new Set(all.flatMap(({ severity, row }) => (severity === 'error' && row !== undefined ? [row] : [])));
  const known = new Set(problems.map((problem) => JSON.stringify(problem)));
  const chains = checkChains(rows, invalid, layout).filter((problem) => !known.has(JSON.stringify(problem)));
  return [...all, ...chains].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
