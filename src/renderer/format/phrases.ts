import { operationOf, type OperationPath, type OutputKind } from '../../shared/domain/operations/operations.ts';
import { FAILURE_POLICIES } from '../../shared/domain/base/failure.ts';
import { formatBytes } from '../../shared/domain/base/text.ts';
import type { SheetView } from '../../shared/ipc/opening.ts';
import type { FileView, RowView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { shownLine } from './shown-text.ts';
import { formatClock, formatDayAndClock, formatPosition } from './times.ts';

// The command line says sizes in the same words.
export { formatBytes } from '../../shared/domain/base/text.ts';

/** The operation's title, or a dash if the row names none. */
export function operationTitle(operation: OperationPath | undefined): string {
  return operation === undefined ? '—' : operationOf(operation).title;
}

/** What a row asks for, and where it is in the sheet. */
export function placeWords({ operation, line }: Pick<RowView, 'operation' | 'line'>): string {
  const { common } = words;
  return operation === undefined ? common.line(line) : common.lineOf(operationOf(operation).title, line);
}

/** How the player treats a file, by its verified type. */
export function fileKind(file: Pick<FileView, 'mediaType'>): OutputKind {
  const type = file.mediaType.toLowerCase();
  if (type.startsWith('audio/')) return 'music';
  if (type.startsWith('video/')) return 'video';
  return type.startsWith('image/') ? 'image' : 'data';
}

/** How long a song or a film plays, `3:05`; undefined if that is not known, or less than a second. */
export function lengthWords({ seconds = 0 }: Pick<FileView, 'seconds'>): string | undefined {
  return seconds < 1 ? undefined : formatPosition(seconds);
}

/** How long a file plays, if that is known, and how large it is: `3:05 · 4.1 MB`. */
export function sizeWords(file: Pick<FileView, 'seconds' | 'bytes'>): string {
  return [lengthWords(file) ?? [], formatBytes(file.bytes)].flat().join(' · ');
}

/** The address at which the window, and nothing else, can show a file. */
export function mediaUrl(fileId: string): string {
  return `media://file/${encodeURIComponent(fileId)}`;
}

/** The address of its small picture. */
export function thumbnailUrl(fileId: string): string {
  return `media://thumbnail/${encodeURIComponent(fileId)}`;
}

/** Why a row has its status, on one line: its next attempt, the failure's title and message, or the sheet's problem. */
export function rowReason(row: Pick<RowView, 'failure' | 'problem' | 'status' | 'retryAt'>): string {
  if (row.failure !== undefined) {
    const title = FAILURE_POLICIES[row.failure.code].title;
    const reason = row.failure.message === '' ? title : words.common.titled(title, row.failure.message);
    if (row.retryAt === undefined) return reason;
    return words.common.sentences([words.notices.tryingAgain(formatClock(row.retryAt)), reason]);
  }
  return row.problem ?? '';
}

/** How much is wrong with a sheet; zero counts are left out. */
export function problemWords(errors: number, warnings: number): string {
  const { common } = words;
  if (errors === 0 && warnings === 0) return common.noProblems;
  return common.list([errors > 0 ? common.errors(errors) : '', warnings > 0 ? common.warnings(warnings) : '']);
}

/** How much is wrong with a sheet, and what follows. In one that could not be read, no row is left to run or to mend. */
export function problemSummary({
  errorCount,
  warningCount,
  rowCount,
}: Pick<SheetView, 'errorCount' | 'warningCount' | 'rowCount'>): string {
  const { problems } = words.sheet;
  const counts = problemWords(errorCount, warningCount);
  if (errorCount === 0) return problems.onlyWarnings(counts);
  return rowCount === 0 ? problems.withoutRows(counts) : problems.withErrors(counts);
}

/** What an outdated Electron means for the user. */
export function outdatedElectronWords(version: string): string {
  return words.notices.outdatedElectron(version);
}

/** Says that the same file was imported before. A rehearsal costs nothing, so nothing is paid again. */
export function earlierWords(
  { name, createdAt, rehearsal, isStarted }: NonNullable<SheetView['earlier']>,
  submits: number | undefined,
  timeZone?: string,
): { readonly title: string; readonly text: string } {
  const { earlier } = words.notices;
  const facts = [shownLine(name), formatDayAndClock(createdAt, timeZone)] as const;
  if (!isStarted) return { title: earlier.notStarted(...facts), text: earlier.nothingSent };
  if (rehearsal) return { title: earlier.rehearsed(...facts), text: earlier.nothingPaid };
  return { title: earlier.imported(...facts), text: earlier.paysAgain(submits) };
}

/** A share in whole percent. Rounded down, so that 100 % means all of it. */
export function formatPercent(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.floor((part / whole) * 100)}%`;
}
