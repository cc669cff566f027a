import path from 'node:path';
import { chosenOf, type Engine, type SheetDifference } from '../../engine/index.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { quoteCell } from '../../shared/domain/cells/cell-value.ts';
import { accountsOf, dearestPrices } from '../../shared/domain/task/accounts/account.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import { costsOf, costText, type SheetCosts } from '../../shared/domain/sheet/row.ts';
import { releasedTasks } from '../../shared/domain/task/plan-tasks.ts';
import { changedCells, type RowDifference } from '../../shared/domain/sheet/sheet-difference.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { Console } from '../console.ts';
import { count, exitCodeOf, problemTexts, summaryOf } from '../describe.ts';
import { EXIT, type ExitCode, wrongUsage } from '../ending.ts';
import { giveKeys, keysFor, requireKeys } from '../accounts.ts';
import type { KeyOptions } from '../options/common-options.ts';
import { withBatch, withEngine } from '../open-engine.ts';
import { namedBatch } from '../with-store.ts';
import { runToRest } from '../run-batch.ts';
import { refuseRehearsal } from './resume.ts';

export interface UpdateOptions extends KeyOptions {
  readonly dryRun?: true;
  readonly remove?: true;
  readonly withDependents?: true;
}

/** Changed rows that are listed one by one. */
const ROWS_LISTED = 50;
const DEPENDENTS_NAMED = 20;

/** Re-imports a batch's sheet: prints what changed, takes it over, and renders what is new. */
export async function updateCommand(
  console: Console,
  named: string,
  sheetFile: string | undefined,
  options: UpdateOptions,
): Promise<ExitCode> {
  const work = async (engine: Engine, batch: BatchRecord): Promise<ExitCode> => {
    const keys = keysFor(batch.settings, options);
    // The key is known before the file is read, so that no cell of it can bring the key into the store.
    if (!batch.settings.rehearsal) await giveKeys(console, engine, batch.settings, keys, options, options.dryRun);
    const compared = await engine.living.compare(batch.id, sheetFile && path.resolve(sheetFile));
    if (!compared.ok) throw wrongUsage(compared.error, 'The batch is unchanged.');
    const removed = options.remove === true ? 'remove' : 'keep';
    const difference = chosenOf(compared.value, removed);
    const drafts = await draftsOf(engine, difference);
    tell(console, batch, difference, drafts, options);
    if (options.dryRun === true) return EXIT.done;
    const submits = takesOf(requestsOf(difference, drafts, options));
    if (submits > 0) {
      refuseRehearsal(batch);
      requireKeys(batch.settings, options);
    }
    const applied = await engine.sheets.applyDifference(batch.id, difference.id, {
      removed,
      withDependents: options.withDependents === true,
      releases: false,
    });
    if (!applied.ok) throw wrongUsage(applied.error, 'The batch is unchanged.');
    for (const row of applied.value.left)
      console.problem(`row ${visibleLine(row, 60)} cannot be changed now and stays as it is.`);
    if (submits === 0)
      return exitCodeOf(await namedBatch(engine.store, batch.id), await summaryOf(engine.views, batch.id));
    const runs = new Set([...applied.value.keys, ...drafts.keys]);
    const released = await engine.editor.release(batch.id, [...runs]);
    if (!released.ok) throw wrongUsage(released.error, `Continue with: nocturne resume ${batch.id}`);
    return runToRest(console, engine, batch.id, () => engine.startForRows(batch.id));
  };
  if (options.dryRun !== true) return withBatch(options, named, work);
  return withEngine(options, async (engine) => work(engine, await namedBatch(engine.store, named)));
}

/** Paid requests of an operation. */
interface Requests {
  readonly operation: OperationPath | undefined;
  readonly takes: number;
}

interface Drafts {
  readonly keys: readonly number[];
  readonly requests: readonly (Requests & { readonly key: number })[];
}

/** Rows that are the same in the file and in the batch but never started: an earlier update was stopped before that. */
async function draftsOf({ rows }: Engine, { batchId, comparison }: SheetDifference): Promise<Drafts> {
  const isSame = ({ kind }: RowDifference): boolean => kind === 'unchanged' || kind === 'details';
  const same = new Set(comparison.rows.flatMap((row) => (isSame(row) && 'key' in row ? [row.key] : [])));
  const keys = (await rows.draftKeys(batchId)).filter((key) => same.has(key));
  const requests = (await rows.rowsByKeys(batchId, keys)).map(({ key, row, position, problems, tasks }) => {
    const isBlocked = problems.some((problem) => problem.severity === 'error');
    const released = releasedTasks({ row, position, isBlocked }, tasks, { batchId, now: Date.now() });
    return { key, operation: row.operation, takes: released.length };
  });
  return { keys, requests };
}

function requestsOf(difference: SheetDifference, drafts: Drafts, { withDependents }: UpdateOptions): Requests[] {
  const { submits, dependentSubmits, comparison } = difference;
  const counted = new Set<number>();
  const chosen = [...submits, ...(withDependents === true ? dependentSubmits : [])].map(([index, takes]) => {
    const row = comparison.rows[index];
    if (row !== undefined && 'key' in row) counted.add(row.key);
    return { operation: row !== undefined && 'after' in row ? row.after.operation : undefined, takes };
  });
  // A row that never started and refers to a changed row is both.
  return [...drafts.requests.filter(({ key }) => !counted.has(key)), ...chosen];
}

function takesOf(requests: readonly Requests[]): number {
  return requests.reduce((sum, { takes }) => sum + takes, 0);
}

/** By the profile's prices, of several accounts the highest: `, 0.40 USD by the profile’s prices`. */
function costWords(costs: SheetCosts): string {
  const cost = costText(costs);
  const rest = costs.takesWithoutPrice;
  if (cost === '') return '';
  return `, ${cost} by the profile’s prices${rest > 0 ? ` and ${count(rest, 'paid request')} without a price` : ''}`;
}

function tell(
  console: Console,
  batch: BatchRecord,
  difference: SheetDifference,
  drafts: Drafts,
  options: UpdateOptions,
): void {
  const { comparison, read, file, invalid } = difference;
  const of = (kind: RowDifference['kind']): readonly RowDifference[] =>
    comparison.rows.filter((row) => row.kind === kind);
  const counts = {
    new: of('new').length,
    changed: of('changed').length,
    details: of('details').length,
    unchanged: of('unchanged').length,
    removed: of('removed').length,
    locked: of('locked').length,
    dependent: comparison.dependents.size,
    invalid: invalid.size,
    drafts: drafts.keys.length,
  };
  const requests = requestsOf(difference, drafts, options);
  const submits = takesOf(requests);
  const { settings } = batch;
  const costs = costsOf(requests, settings.rehearsal ? {} : dearestPrices(accountsOf(settings)));
  for (const { severity, text } of problemTexts(read.sheet.problems, read.sheet)) {
    if (severity === 'error') console.problem(text);
  }
  const differing = (['changed', 'new', 'removed', 'locked', 'details'] as const).flatMap(of);
  for (const row of differing.slice(0, ROWS_LISTED)) console.line(rowText(row, options));
  if (differing.length > ROWS_LISTED) console.line(`and ${count(differing.length - ROWS_LISTED, 'more row')}.`);
  const words = `${counts.new} new, ${counts.changed} changed, ${counts.details} with changes that need no request, ${counts.removed} not in the file, ${counts.unchanged} unchanged`;
  console.line(`${file}: ${words}; ${count(submits, 'paid request')}${costWords(costs)}`);
  if (counts.drafts > 0) {
    console.line(
      `${count(counts.drafts, 'unchanged row')} not started yet: ${count(takesOf(drafts.requests), 'paid request')} of these`,
    );
  }
  if (counts.removed > 0 && options.remove !== true) {
    console.line(
      `${count(counts.removed, 'row')} not in the file, kept in the batch; to remove ${counts.removed === 1 ? 'it' : 'them'}: --remove`,
    );
  }
  const dependents = [...comparison.dependents];
  if (dependents.length > 0) {
    const named = dependents.slice(0, DEPENDENTS_NAMED).map((row) => visibleLine(row, 60));
    const more = dependents.length - named.length;
    const rows = `${count(dependents.length, 'unchanged row')} with a reference to a changed row (${named.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
    const isWanted = options.withDependents === true;
    console.line(`${rows}${isWanted ? ', rendered again too' : '; to render them again too: --with-dependents'}`);
  }
  const document = {
    batch: batch.id,
    sheet: file,
    counts,
    submits,
    ...costs,
    rows: differing.map((row) => ({ kind: row.kind, ...changesOf(row) })),
    dependents,
    problems: read.sheet.problems,
  };
  if (options.dryRun === true) console.document(document);
  else console.event('difference', document);
}

function rowText(difference: RowDifference, { remove }: UpdateOptions): string {
  const { row, changes } = changesOf(difference);
  const kind = difference.kind === 'removed' && remove !== true ? 'not in the file:' : difference.kind;
  const cells = changes.map(
    ({ header, before, after }) => `\n    ${visibleLine(header, 40)}: ${quoteCell(before)} → ${quoteCell(after)}`,
  );
  const reason = difference.kind === 'locked' ? `: ${difference.reason}` : '';
  return `${kind} row ${visibleLine(row, 60)}${reason}${cells.join('')}`;
}

function changesOf(difference: RowDifference) {
  switch (difference.kind) {
    case 'new':
    case 'unchanged':
      return { row: difference.after.id, changes: [] };
    case 'removed':
      return { row: difference.before.id, changes: [] };
    case 'changed':
    case 'details':
    case 'locked':
      return { row: difference.after.id, changes: changedCells(difference.before, difference.after) };
  }
}
