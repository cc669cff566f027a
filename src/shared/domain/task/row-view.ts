/** How a row of the sheet and its tasks look as one line of the grid. */
import { domainWords } from '../../words/domain-words.ts';
import { failure, isRetriedByItself, saidBy, type Failure } from '../base/failure.ts';
import { inEnglish, reason, type Reason } from '../base/reason.ts';
import { GATES } from '../gates/gates.ts';
import { OPERATIONS, type FieldRole, type OperationPath } from '../operations/operations.ts';
import { present } from '../base/result.ts';
import { rowProgress, type IdleStatus } from './row-status.ts';
import type { Row } from '../sheet/row.ts';
import type { SaidProblem, SheetProblem, SheetProblemCode } from '../sheet/problems.ts';
import { MOST_OUTPUTS } from '../gateway/poll-answer.ts';
import { haveSameContent } from './outputs.ts';
import { FILES_SHOWN, type RowFile, type RowSummary } from './views/row-summary.ts';
import { showsHold, type StandingTurn } from './new-tasks.ts';
import { outputIdOf, settlesItself, TERMINAL_STATUSES, type Output, type Task } from './task.ts';

const LABEL_LENGTH = 200;
const LABEL_ROLES: readonly FieldRole[] = ['prompt', 'text', 'reference', 'url'];

/** The fields that may label a row of each operation, the likeliest first. */
const LABEL_FIELDS: ReadonlyMap<OperationPath, readonly string[]> = new Map(
  OPERATIONS.map((operation) => {
    const fields = operation.fields.flatMap((field) => (field.kind === 'leaf' ? [field] : []));
    const byRole = LABEL_ROLES.flatMap((role) =>
      fields.filter((field) => field.role === role).map((field) => field.name),
    );
    return [operation.path, ['title', 'name', ...byRole]];
  }),
);

/** What another row gives is not known yet, and how it is asked for says nothing to a reader. */
const ONLY_REFERENCE = /^\{\{[^{}]*\}\}$/u;

/** What distinguishes a row from its neighbours: its title, or the beginning of its request, on one line. */
export function rowLabel(row: Pick<Row, 'operation' | 'body' | 'note'>): string {
  const fields = row.operation === undefined ? [] : (LABEL_FIELDS.get(row.operation) ?? []);
  for (const field of fields) {
    const label = oneLine(row.body[field]);
    if (label !== '' && !ONLY_REFERENCE.test(label)) return label;
  }
  return oneLine(row.note);
}

/** The beginning of a text or a list of texts, without line breaks; empty for anything else. */
function oneLine(value: unknown): string {
  const text = Array.isArray(value) ? value.filter((item) => typeof item === 'string').join(', ') : value;
  if (typeof text !== 'string') return '';
  // Cut twice: a prompt of 100 kB is not read to its end for its first words, and no character may be split.
  const line = text
    .slice(0, LABEL_LENGTH * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= LABEL_LENGTH ? line : Array.from(line).slice(0, LABEL_LENGTH).join('');
}

/** What a view needs from a row of the sheet. */
export interface ViewedRow {
  readonly key: number;
  readonly id: string;
  readonly line: number;
  readonly operation: OperationPath | undefined;
  readonly label: string;
  readonly takes: number;
  readonly idle: IdleStatus;
  readonly problem?: SheetProblem;
  /** What the user last said about its turn. */
  readonly turn?: StandingTurn;
  /** Its batch is held so that no request is sent again under its key. */
  readonly asksNothing?: true;
}

/** What a view needs from a task. */
export interface ViewedTask extends Pick<
  Task,
  | ('id' | 'status' | 'dueAt' | 'cancelWanted' | 'taskCode' | 'submittedAt' | 'finishedAt' | 'failure' | 'again')
  | 'sameAddressAs'
  | 'onHold'
  | 'madeAgain'
  | 'blockedBy'
  | 'awaitsPick'
> {
  readonly outputs: readonly Pick<
    Output,
    'index' | 'state' | 'path' | 'bytes' | 'sha256' | 'mediaType' | 'seconds' | 'verdict' | 'flags'
  >[];
}

/**
 * One line of the grid from a row and its tasks in order of take.
 * @param earlier The files that it had before, in order of take.
 */
export function viewOfRow(row: ViewedRow, tasks: readonly ViewedTask[], earlier: readonly RowFile[] = []): RowSummary {
  const progress = rowProgress(tasks, row.idle);
  const files = tasks.flatMap((task) => verifiedFiles(task));
  const shown = tasks.find((task) => task.status === progress.status && task.failure !== undefined);
  const problem =
    row.problem ??
    sharedAddress(row, tasks) ??
    mostOutputs(row, tasks) ??
    sameContent(row, tasks) ??
    flagged(row, tasks);
  const dueTimes = tasks.filter((task) => !TERMINAL_STATUSES.has(task.status)).map((task) => task.dueAt);
  return {
    key: row.key,
    row: row.id,
    line: row.line,
    ...present({
      operation: row.operation,
      waitsForPickOf: tasks.find((task) => task.awaitsPick)?.blockedBy,
      waitsForRow: tasks.find((task) => task.status === 'queued' && !task.awaitsPick)?.blockedBy,
    }),
    label: row.label,
    takes: row.takes,
    progress: { done: tasks.filter((task) => task.status === 'done').length, total: tasks.length },
    files: files.slice(0, FILES_SHOWN),
    fileCount: files.length,
    ...(files.length === 0 && earlier.length > 0
      ? { earlier: { files: earlier.slice(0, FILES_SHOWN), fileCount: earlier.length } }
      : {}),
    ...present({ kept: countSaid(files, true), rejected: countSaid(files, false) }),
    ...progress,
    ...(shown?.failure === undefined ? {} : { failure: shown.failure }),
    ...(shown !== undefined && isRetried(shown, row) ? { retryAt: shown.dueAt } : {}),
    ...(problem === undefined ? {} : { problem }),
    ...(dueTimes.length > 0 ? { dueAt: Math.min(...dueTimes) } : {}),
    cancelWanted: tasks.some((task) => task.cancelWanted),
    ...(showsHold(row.turn ?? {}, tasks, row.idle === 'draft') ? { isHeld: true as const } : {}),
    taskCodes: tasks.flatMap((task) => task.taskCode ?? []),
  };
}

/**
 * Its file, or the answer to its request, did not arrive, and Nocturne asks for it again by itself: it waits for no
 * disk or key.
 */
function isRetried(task: ViewedTask, { asksNothing }: ViewedRow): boolean {
  const { status, failure: why } = task;
  if (settlesItself(task)) return asksNothing !== true || task.again?.isTaken === true;
  return status === 'downloading' && why !== undefined && isRetriedByItself(why.code);
}

/** The warning of a row whose file has the same address as another row's. */
function sharedAddress(row: ViewedRow, tasks: readonly ViewedTask[]): SaidProblem | undefined {
  const other = tasks.find((task) => task.sameAddressAs !== undefined)?.sameAddressAs;
  if (other === undefined) return undefined;
  const remedy = domainWords.nights.rowWarnings.sharedAddress;
  return warning(row, 'shared-address', reason('rowWarning.sharedAddress', other), remedy);
}

/** The warning of a row with two identical files. */
function sameContent(row: ViewedRow, tasks: readonly ViewedTask[]): SaidProblem | undefined {
  if (!tasks.some(({ outputs }) => haveSameContent(outputs))) return undefined;
  const remedy = domainWords.nights.rowWarnings.sameContent;
  return warning(row, 'same-content', reason('rowWarning.sameContent'), remedy);
}

/** The warning of a row whose gateway may have given more files than are fetched. */
function mostOutputs(row: ViewedRow, tasks: readonly ViewedTask[]): SaidProblem | undefined {
  if (!tasks.some(({ outputs }) => outputs.length >= MOST_OUTPUTS)) return undefined;
  const remedy = domainWords.nights.rowWarnings.mostOutputs;
  return warning(row, 'most-outputs', reason('rowWarning.mostOutputs', MOST_OUTPUTS), remedy);
}

/** The warning of a row with a file that a gate flags: the first flag, and how many there are. */
function flagged(row: ViewedRow, tasks: readonly ViewedTask[]): SaidProblem | undefined {
  const flags = tasks.flatMap(({ outputs, madeAgain = 0 }) =>
    outputs.flatMap(({ path = '', flags: found = [] }) => found.map((flag) => ({ path, madeAgain, ...flag }))),
  );
  const [first] = flags;
  if (first === undefined) return undefined;
  const { gate, path, madeAgain } = first;
  const title = reason('gateTitle', gate);
  const said = reason('rowWarning.flagged', title, path, saidBy(first), madeAgain, flags.length - 1);
  return warning(row, 'flagged', said, GATES[gate].remedy);
}

function warning({ line, id }: ViewedRow, code: SheetProblemCode, said: Reason, remedy: string): SaidProblem {
  return { severity: 'warning', code, line, row: id, message: inEnglish(said), remedy, said };
}

/** The files of a task that can be shown. */
export function verifiedFiles({ id, outputs }: Pick<ViewedTask, 'id' | 'outputs'>): readonly RowFile[] {
  return outputs.flatMap(({ index, state, path, mediaType, bytes, seconds, verdict }): RowFile[] => {
    if (state !== 'verified' || path === undefined || mediaType === undefined || bytes === undefined) return [];
    return [{ outputId: outputIdOf(id, index), path, mediaType, bytes, ...present({ seconds, verdict }) }];
  });
}

/**
 * The file that took the place of an earlier one: that of the next rendering of its take, or else of what counts now,
 * such as after an undo or with fewer takes; at the same index of its task if there is one. Undefined until there is
 * such a file.
 * @param all All tasks that the row ever had.
 */
export function successorOf(
  index: number,
  earlier: SucceedingTask,
  all: readonly SucceedingTask[],
): RowFile | undefined {
  const others = all.filter((task) => task.id !== earlier.id && verifiedFiles(task).length > 0);
  const ofTake = others.filter(({ take }) => take === earlier.take);
  const isNow = (task: SucceedingTask): boolean => !task.isSuperseded;
  const next = ofTake.filter(({ id }) => id > earlier.id).toSorted((a, b) => a.id - b.id)[0];
  const task = next ?? ofTake.find(isNow) ?? others.find(isNow);
  const files = task === undefined ? [] : verifiedFiles(task);
  return files.find(({ outputId }) => outputId === outputIdOf(task?.id ?? 0, index)) ?? files[0];
}

type SucceedingTask = Pick<ViewedTask, 'id' | 'outputs'> & { readonly take: number; readonly isSuperseded: boolean };

/** How many files the user has kept or rejected; undefined if none. */
function countSaid(files: readonly RowFile[], kept: boolean): number | undefined {
  return files.filter(({ verdict }) => verdict?.kept === kept).length || undefined;
}

/** What keeps a row from running, as the failure shown to readers of the results. */
export function failureOfProblem({ message, remedy }: SheetProblem): Failure {
  return failure('INPUT_INVALID', `${message} ${remedy}`);
}

/** The text that a filter searches, and the text it searches for: both must pass through here. */
export function foldSearchText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** The text of a row that a filter searches. */
export function searchText(row: Pick<Row, 'id' | 'note'>, label: string): string {
  return foldSearchText([row.id, label, row.note ?? ''].join('\n'));
}

/** How many characters of a text are read at a glance, and how many of them come before the match. */
const EXCERPT_LENGTH = 160;
const EXCERPT_BEFORE = 24;

/** A text on one line, from shortly before a folded text that it contains; undefined if it does not contain it. */
export function excerptWith(written: string, folded: string): string | undefined {
  const text = written.normalize('NFC');
  const at = foldSearchText(text).indexOf(folded);
  if (at < 0) return undefined;
  // Twice as much is sliced, so that no character is split.
  const before = Array.from(text.slice(Math.max(0, at - 2 * EXCERPT_BEFORE), at)).slice(-EXCERPT_BEFORE);
  const rest = Array.from(text.slice(at, at + 2 * EXCERPT_LENGTH)).slice(0, EXCERPT_LENGTH - before.length);
  const line = [...before, ...rest].join('').replaceAll(/\s+/gu, ' ').trim();
  return `${before.join('').length < at ? '…' : ''}${line}`;
}
