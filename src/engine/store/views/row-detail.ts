import {
  EARLIER_TAKES_SHOWN,
  EVENTS_SHOWN,
  type AttemptView,
  type EarlierOutput,
  type EarlierTakes,
  type OutputView,
  type FullRow,
  type TaskDetail,
} from '../../../shared/domain/task/views/full-row.ts';
import { outputIdOf, mayStillGive } from '../../../shared/domain/task/task.ts';
import { cellChanges } from '../../../shared/domain/cells/row-edits.ts';
import { cellTexts } from '../../../shared/domain/sheet/row.ts';
import { isIgnored } from '../../../shared/domain/sheet/problems.ts';
import { rowLabel, successorOf } from '../../../shared/domain/task/row-view.ts';
import type { Failure } from '../../../shared/domain/base/failure.ts';
import type { EndedPhase } from '../../../shared/domain/gateway/poll-outcome.ts';
import type { TaskEventKind } from '../../../shared/domain/task/task-event.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { costOf, mayBeCharged, openSentRequests } from '../tasks/evidence-records.ts';
import { isOtherRequest } from '../../request-body.ts';
import { restOf, rowOf, ROW_CONTENT_SELECT, type RowContentColumns } from '../sheets/row-table.ts';
import type { RowViews, SeenTask } from './row-views.ts';
import type { SheetLines } from '../sheets/row-places.ts';
import type { StoreParts } from '../tasks/store-parts.ts';
import { IN_LIST, type Database } from '../open/database.ts';

interface AttemptMetadata {
  readonly id: number;
  readonly started_at: number;
  readonly origin: string;
  readonly key_fingerprint: string;
  readonly body_sha256: string;
  readonly answered_at: number | null;
  readonly outcome: NonNullable<AttemptView['outcome']> | null;
  readonly http_status: number | null;
  readonly cost: number | null;
  readonly cost_currency: string | null;
  readonly idempotency_key: string | null;
}

interface EventColumns {
  readonly at: number;
  readonly kind: TaskEventKind;
  readonly failure: string | null;
  readonly ended: EndedPhase | null;
  readonly provisional: 0 | 1 | null;
}

/** Returns a function that reads everything about one row, except the bytes of requests and answers. */
export function openRowDetail(
  { db, batchRecords, problemRecords }: Pick<StoreParts, 'db' | 'batchRecords' | 'problemRecords'>,
  rowViews: RowViews,
  lines: SheetLines,
): (batch: number, key: number) => FullRow | undefined {
  const selectRow = db.prepare<RowContentColumns>(`${ROW_CONTENT_SELECT} WHERE batch = ? AND removed = 0 AND seq = ?`);
  const selectKey = db.prepareColumn<number>(
    'SELECT seq FROM rows WHERE batch = ? AND removed = 0 AND row_id = ? ORDER BY position LIMIT 1',
  );
  const selectReference = db.prepareColumn<number>('SELECT 1 FROM row_links WHERE batch = ? AND target = ? LIMIT 1');
  const isReferredTo = (batch: number, rowId: string): boolean => selectReference(batch, rowId).length > 0;
  const takeView = openTakeView(db);
  const taskEvents = openTaskEvents(db);
  const earlierTakesOf = openEarlierTakes(db, takeView);
  const sentRequests = openSentRequests(db);

  return (batch, key) => {
    const columns = selectRow.get(batch, key);
    const view = columns && rowViews.bySeqs([columns.seq])[0];
    if (columns === undefined || view === undefined) return undefined;
    const { columns: headers, record } = batchRecords.bySeq(batch);
    const rest = restOf(columns);
    const { edits } = rest;
    const row = rowOf(columns, headers, rest);
    const { note, cells, body, pick } = row;
    const isPickWanted = pick === true || (record.settings.picks === true && isReferredTo(batch, columns.row_id));
    const problems = (problemRecords.ofRows([columns.seq]).get(columns.seq) ?? [])
      .filter((problem) => !isIgnored(problem, record.sheet.ignored))
      .map((problem) => lines.onLine(problem, { ...columns, batch }));
    const all = rowViews.tasksOfRows([columns.seq], true).get(columns.seq) ?? [];
    const tasks = all
      .filter((task) => !task.isSuperseded)
      .map((task) => ({
        ...takeView(task),
        dueAt: task.dueAt,
        ...present({ again: task.again }),
        events: taskEvents(task.id),
      }));
    const superseded = byVersion(all.filter((task) => task.isSuperseded));
    const requests = sentRequests(superseded.filter(({ outputs }) => outputs.length > 0).map(({ id }) => id));
    const earlier = superseded.flatMap((task) =>
      outputViews(task).map((output): EarlierOutput => {
        const request = requests.get(task.id);
        const isOther = request !== undefined && isOtherRequest(row, { operation: task.operation, request });
        return {
          ...output,
          ...present({ madeAt: task.finishedAt, successorId: successorOf(output.index, task, all)?.outputId }),
          ...(isOther && { isOfOtherRequest: true }),
        };
      }),
    );
    const isEarlierWatched = superseded.some(mayStillGive);
    const { waitsForPickOf } = view;
    const [pickFrom] = waitsForPickOf === undefined ? [] : selectKey(batch, waitsForPickOf);
    return {
      view,
      ...(isPickWanted && { isPickWanted }),
      ...present({ note, pickFrom }),
      ...(edits !== undefined && {
        edits: {
          ...present({ addedAt: edits.addedAt }),
          changes: cellChanges(edits, record.headers, cellTexts(cells, record.headers)),
        },
      }),
      cells,
      body,
      problems,
      tasks,
      earlier,
      earlierTakes: earlierTakesOf(superseded),
      isEarlierWatched,
    };
  };
}

/**
 * By version, the newest first, and in order of take within each: the takes of one version were created one after the
 * other.
 */
function byVersion(superseded: readonly SeenTask[]): readonly SeenTask[] {
  const versions: SeenTask[][] = [];
  for (const task of superseded.toSorted((a, b) => a.id - b.id)) {
    const version = versions.at(-1);
    if (version === undefined || (version.at(-1)?.take ?? 0) >= task.take) versions.push([task]);
    else version.push(task);
  }
  return versions.toReversed().flat();
}

type TakeView = Omit<TaskDetail, 'events' | 'dueAt' | 'again'>;

function openTakeView(db: Database): (task: SeenTask) => TakeView {
  const selectAttempts = db.prepare<AttemptMetadata>(`
    SELECT id, started_at, origin, key_fingerprint, body_sha256, answered_at, outcome, http_status, cost, cost_currency,
      idempotency_key FROM attempts WHERE task = ? ORDER BY id`);
  return ({ id, take, status, taskCode, submittedAt, finishedAt, failure, outputs }) => ({
    taskId: id,
    take,
    status,
    ...present({ taskCode, submittedAt, finishedAt, failure }),
    outputs: outputViews({ id, outputs }),
    attempts: selectAttempts.all(id).map(attemptView),
  });
}

/** A row may have been changed and paid for very often: for most of its takes, only their cost is read. */
function openEarlierTakes(
  db: Database,
  takeView: (task: SeenTask) => TakeView,
): (superseded: readonly SeenTask[]) => EarlierTakes {
  const selectOutcomes = db.prepare<{ readonly task: number; readonly outcome: string | null }>(`
    SELECT task, outcome FROM attempts WHERE task ${IN_LIST}`);
  const sentRequests = openSentRequests(db);
  return (superseded) => {
    if (superseded.length === 0) return { shown: [], count: 0, submitsUsed: 0 };
    const attempts = selectOutcomes.all(JSON.stringify(superseded.map(({ id }) => id)));
    const wereSent = new Set(attempts.map(({ task }) => task));
    const sent = superseded.filter(({ id }) => wereSent.has(id));
    const shown = sent.slice(0, EARLIER_TAKES_SHOWN);
    const requests = sentRequests(shown.map(({ id }) => id));
    return {
      shown: shown.map((task) => {
        const { id, operation } = task;
        const request = requests.get(id);
        return {
          ...takeView(task),
          operation,
          label: rowLabel({ operation, body: request ?? {}, note: undefined }),
          ...present({ request }),
        };
      }),
      count: sent.length,
      submitsUsed: attempts.filter(({ outcome }) => mayBeCharged(outcome ?? undefined)).length,
    };
  };
}

function openTaskEvents(db: Database): (taskId: number) => TaskDetail['events'] {
  // A rendering's documents are in its event; they stay in the database.
  const selectEvents = db.prepare<EventColumns>(`
    SELECT at, event ->> '$.kind' AS kind, event -> '$.failure' AS failure, event ->> '$.ended' AS ended,
      CAST(event ->> '$.provisional' AS INTEGER) AS provisional
    FROM (SELECT seq, at, event FROM events WHERE task = ? ORDER BY seq DESC LIMIT ${EVENTS_SHOWN}) AS latest ORDER BY seq`);
  return (taskId) => selectEvents.all(taskId).map(eventView);
}

function outputViews({ id, outputs }: Pick<SeenTask, 'id' | 'outputs'>): readonly OutputView[] {
  return outputs.map((output) => ({ outputId: outputIdOf(id, output.index), ...output }));
}

function eventView({ at, kind, failure, ended, provisional }: EventColumns): TaskDetail['events'][number] {
  return {
    at,
    kind,
    ...(failure === null ? {} : { failure: JSON.parse(failure) as Failure }),
    ...present({ ended }),
    ...(provisional === 1 ? { provisional: true } : {}),
  };
}

function attemptView(columns: AttemptMetadata): AttemptView {
  const { id, started_at: startedAt, origin, key_fingerprint: keyFingerprint, body_sha256: bodySha256 } = columns;
  return {
    id,
    startedAt,
    origin,
    keyFingerprint,
    bodySha256,
    ...present({ answeredAt: columns.answered_at, outcome: columns.outcome, httpStatus: columns.http_status }),
    ...present({ cost: costOf(columns), idempotencyKey: columns.idempotency_key }),
  };
}
