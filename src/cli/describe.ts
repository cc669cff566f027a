import { countText, visibleLine } from '../shared/domain/base/text.ts';
import type { BatchSummary, BatchViews } from '../shared/domain/task/batch-view.ts';
import { batchStanding } from '../shared/domain/task/batch-standing.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { waitingUntil } from '../shared/domain/task/schedule.ts';
import { momentText } from '../shared/domain/task/schedule-text.ts';
import { FAMILIES } from '../shared/domain/operations/operations.ts';
import {
  groupSameProblems,
  headerNamed,
  type SameProblems,
  type SheetProblem,
} from '../shared/domain/sheet/problems.ts';
import { describeColumns } from '../shared/domain/sheet/describe-columns.ts';
import type { CheckedSheet } from '../shared/domain/sheet/row.ts';
import type { StatusQuestion } from '../shared/domain/gateway/seen-status.ts';
import { IDLE_STATUSES } from '../shared/domain/task/row-status.ts';
import { TASK_STATUSES, type TaskStatus } from '../shared/domain/task/task.ts';
import { FAILURE_POLICIES, pauseOf, type Failure } from '../shared/domain/base/failure.ts';
import { limitNamedIn, pauseRemedy } from '../shared/domain/task/spending.ts';
import { EXIT, type ExitCode } from './ending.ts';

/** `1 row`, `3 rows`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${countText(n)} ${n === 1 ? one : many}`;
}

/** The summary of a batch that is known to be in the store. */
export async function summaryOf(views: BatchViews, batchId: string): Promise<BatchSummary> {
  const summary = await views.batchSummary(batchId);
  if (summary === undefined) throw new Error(`The batch is gone: ${batchId}`);
  return summary;
}

/** Tasks in a status over all families. */
export function tasksIn(summary: BatchSummary, status: TaskStatus): number {
  return FAMILIES.reduce((sum, family) => sum + summary.tasks[family][status], 0);
}

/** Takes with an unknown outcome that wait for the user's decision. */
export function undecided(summary: BatchSummary): number {
  return tasksIn(summary, 'submit-unknown') - (summary.settling ?? 0);
}

/** The state of a batch in the window's words: `Finished, 3 failed`, `Paused – needs you`. */
export function standingWords(batch: BatchRecord, summary: BatchSummary): string {
  const { state, pause } = batch;
  const takes = Object.fromEntries(TASK_STATUSES.map((status) => [status, tasksIn(summary, status)]));
  const waitsUntil = waitText(batch);
  const facts = {
    state,
    pause,
    takes: takes as Record<TaskStatus, number>,
    settling: summary.settling,
    rows: summary.rows,
    waitsUntil,
  };
  const { words } = batchStanding(facts);
  const { shelf } = batch.settings;
  return shelf === undefined ? words : `${words} (${shelf.is})`;
}

/** Until when a running batch waits for its schedule, by the clock of this machine: `22:00`. */
export function waitText(batch: BatchRecord): string | undefined {
  const now = Date.now();
  const until = waitingUntil(batch, now);
  return until === undefined ? undefined : momentText(until, Intl.DateTimeFormat().resolvedOptions().timeZone, now);
}

/** The same as a field of a JSON document. */
export function waitFact(batch: BatchRecord, now: number): { readonly waitsUntil?: string } {
  const until = waitingUntil(batch, now);
  return until === undefined ? {} : { waitsUntil: new Date(until).toISOString() };
}

/** `52 done · 3 failed · 5 queued`, without the zeros. Takes that settle themselves do not count as unknown. */
export function statusCounts(summary: BatchSummary): string {
  const counts = TASK_STATUSES.flatMap((status): readonly (readonly [word: string, n: number])[] => {
    if (status !== 'submit-unknown') return [[statusWord(status), tasksIn(summary, status)]];
    return [
      ['settling', summary.settling ?? 0],
      [statusWord(status), undecided(summary)],
    ];
  });
  const parts = counts.filter(([, n]) => n > 0).map(([word, n]) => `${countText(n)} ${word}`);
  return parts.length === 0 ? 'no tasks' : parts.join(' · ');
}

/** A status in words for people; JSON documents have its name. */
export function statusWord(status: TaskStatus): string {
  return status === 'submit-unknown' ? 'outcome unknown' : status;
}

/** How many rows have nothing to run as they are, by status and without zeros: `21 invalid rows`. */
export function idleRowCounts({ rows }: BatchSummary): readonly string[] {
  return IDLE_STATUSES.filter((status) => rows[status] > 0).map((status) => count(rows[status], `${status} row`));
}

/** These problems of a sheet, two lines for each mistake, however often it occurs: where and what, then what to do. */
export function problemTexts(
  problems: readonly SheetProblem[],
  { headers, mapping }: Pick<CheckedSheet, 'headers' | 'mapping'>,
): readonly { readonly severity: SheetProblem['severity']; readonly text: string }[] {
  const columns = describeColumns(headers, mapping);
  return groupSameProblems(problems).map((same) => ({
    severity: same.problem.severity,
    text: sameText(same, headerNamed(same.problem, columns)),
  }));
}

/**
 * The headers that were matched to columns, in one line, separate from what is wrong with the sheet.
 * @param mapping What the user said about its headers.
 */
export function matchesApart(
  { headers, problems }: Pick<CheckedSheet, 'headers' | 'problems'>,
  mapping?: Readonly<Record<string, string>>,
): { readonly matched: readonly string[]; readonly rest: readonly SheetProblem[] } {
  const named = new Set(problems.flatMap(({ code, column }) => (code === 'header-matched' ? (column ?? []) : [])));
  const matches = describeColumns(headers, mapping).filter(({ header, column }) => column !== '' && named.has(header));
  const words = matches.map(({ header, column, also }) => `${header} → ${[column, ...also].join(' or ')}`);
  const apart = new Set(matches.map(({ header }) => header));
  const isApart = ({ code, column }: SheetProblem): boolean =>
    code === 'header-matched' && column !== undefined && apart.has(column);
  return {
    matched:
      words.length === 0 ? [] : [visibleLine(`${count(words.length, 'column')} matched: ${words.join(', ')}`, 1000)],
    rest: problems.filter((problem) => !isApart(problem)),
  };
}

function sameText({ problem, count: places, lines }: SameProblems, header: string | undefined): string {
  const alias = header === undefined || header === problem.column ? '' : ` (“${visibleLine(header, 60)}”)`;
  const where = [
    ...(places === 1
      ? [
          problem.line === undefined ? undefined : `line ${problem.line}`,
          problem.row === undefined ? undefined : `row ${visibleLine(problem.row, 60)}`,
        ]
      : [
          count(places, 'row'),
          lines.length === 0 ? undefined : `line ${lines.join(', ')}${lines.length < places ? ' …' : ''}`,
        ]),
    problem.column === undefined ? undefined : `column ${visibleLine(problem.column, 60)}${alias}`,
  ].filter((part) => part !== undefined);
  const place = where.length === 0 ? '' : `${where.join(', ')}: `;
  // The window has a choice for each of these beside the problem.
  const how = problem.code === 'no-operation-column' ? ' On the command line: --operation NAME, --header-line N.' : '';
  return `${problem.severity}: ${place}${visibleLine(problem.message, 400)}\n    → ${visibleLine(problem.remedy, 400)}${how}`;
}

/** Why a batch is paused and what to do, or undefined. */
export function pauseText(batch: BatchRecord): string | undefined {
  const { pause, state } = batch;
  if (pause === undefined) return undefined;
  if (state === 'ready') return pause.by === 'failure' ? withRemedy(pause.failure) : undefined;
  const why =
    pause.by === 'user'
      ? `Paused by you. Continue with: nocturne resume ${batch.id}`
      : `Paused: ${withRemedy(pause.failure)}`;
  return pause.disk === undefined ? why : `${why}\n    No files are fetched: ${withRemedy(pause.disk)}`;
}

/** The accounts of a batch that stand still while the others go on, each with the reason and what to do. */
export function stopTexts({ stops = {} }: BatchRecord): readonly string[] {
  return Object.entries(stops).map(
    ([name, why]) => `The account “${visibleLine(name, 60)}” stands still: ${withRemedy(why, name)}`,
  );
}

/** @param account The one of several accounts that it is about, if the failure itself does not say. */
function withRemedy(failed: Failure, account?: string): string {
  const { code, message, data } = failed;
  const of = limitNamedIn(failed)?.of;
  const isOfAll = of === 'night' || of === 'month';
  const named = data?.['account'] ?? account;
  if (code === 'CAP_REACHED' && of === 'account' && typeof named === 'string') return capOfAccount(failed, named);
  const isKey = pauseOf(code)?.remedyAt === 'key' && typeof named === 'string';
  const key = isKey ? `--account-key "${visibleLine(named, 60)}=FILE"` : '';
  const option = isKey ? ` Give it with: nocturne resume ${key}; where workers render: nocturne worker ${key}` : '';
  const remedy = isOfAll
    ? `${pauseRemedy(code, of)} On the command line: nocturne limits.`
    : `${FAILURE_POLICIES[code].remedy}${option}`;
  return `${FAILURE_POLICIES[code].title}. ${visibleLine(message, 400)}\n    → ${remedy}`;
}

function capOfAccount(failed: Failure, account: string): string {
  const { code, message } = failed;
  const option = limitNamedIn(failed)?.lacks === 'cost' ? 'cost' : 'requests';
  const command = `nocturne resume --account-max-${option} "${visibleLine(account, 60)}=${option === 'cost' ? 'AMOUNT' : 'N'}"`;
  return `${FAILURE_POLICIES[code].title}. ${visibleLine(message, 400)}\n    → ${pauseRemedy(code, 'account')} On the command line: ${command}`;
}

/** The exit code of a batch at rest: what most needs the user comes first. */
export function exitCodeOf(batch: BatchRecord, summary: BatchSummary): ExitCode {
  if (batch.state === 'paused') return isForDecision(batch.pause) ? EXIT.waitsForUser : EXIT.paused;
  // What still waits in a batch at rest is held, or waits for a row that needs the user.
  if (undecided(summary) + tasksIn(summary, 'queued') + summary.rows.draft > 0) return EXIT.waitsForUser;
  const fallen = tasksIn(summary, 'failed') + tasksIn(summary, 'cancelled') + summary.rows.invalid;
  return fallen > 0 ? EXIT.failedRows : EXIT.done;
}

/** True if only a row whose outcome the user has to settle holds it up. */
function isForDecision(pause: BatchRecord['pause']): boolean {
  return pause?.by === 'failure' && pause.failure.code === 'CANARY_FAILED' && pause.failure.data?.['why'] === 'unknown';
}

/**
 * Asks whether a status means a failure, and says how to answer.
 * @param batchId The batch that can go on with the answer.
 */
export function statusHint({ family, status, tasks }: StatusQuestion, batchId?: string): string {
  const entry = (meaning: string): string =>
    visibleLine(JSON.stringify({ status: { [family]: { [status]: meaning } } }), 300);
  return (
    `The gateway ended ${count(tasks, 'task')} of ${family} with status ${JSON.stringify(visibleLine(status, 60))} and no result. ` +
    `Does it mean that they failed?\n    → If so, add ${entry('failed')} to the profile: rows with this status then fail at once.${batchId === undefined ? '' : ` Then: nocturne resume ${batchId} --profile FILE`}`
  );
}
