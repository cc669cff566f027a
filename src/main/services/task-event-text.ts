import type { TaskDetail } from '../../shared/domain/task/batch-view.ts';
import { FAILURE_POLICIES } from '../../shared/domain/base/failure.ts';
import type { EndedPhase } from '../../shared/domain/gateway/poll-outcome.ts';
import { renderedAfterAnswer, type Rendered } from '../../shared/domain/task/task-results.ts';
import { subjectOf, type TaskEventKind } from '../../shared/domain/task/task-event.ts';

const TEXTS: Readonly<Record<TaskEventKind, string>> = {
  'submit-started': 'The request was recorded and sent.',
  accepted: 'The gateway accepted it.',
  'not-sent': 'Nothing reached the gateway; Nocturne sends it again later.',
  'rate-limited': 'The gateway asked to slow down; Nocturne sends it again later.',
  held: 'The gateway refused for a reason that concerns the whole night; the row keeps its place.',
  rejected: 'The gateway refused it.',
  'outcome-unknown': 'The gateway’s answer was lost: it may have been charged.',
  'asked-again': 'It was sent once more under its key, which is charged only once.',
  'still-unknown': 'It is still not known whether the gateway accepted it.',
  'code-offered': 'The gateway’s answer came late and names its task code: adopt it if the row waits for you.',
  'answered-late': 'The gateway’s answer came late; Nocturne has kept it.',
  adopted: 'You gave it a task code.',
  'user-resubmit': 'You sent it again.',
  'written-off': 'You wrote it off.',
  'still-running': 'The gateway is still rendering.',
  'poll-failed': 'The gateway gave no usable answer; Nocturne asks again.',
  rendered: 'The gateway has rendered it.',
  'remote-failed': 'The gateway could not render it.',
  overdue: 'It was not finished before the deadline.',
  'output-started': 'The download of a file started.',
  'output-placing': 'A file was downloaded and verified.',
  'output-verified': 'A file is in its place.',
  'url-expired': 'The address of a file had expired; Nocturne asks the gateway for a fresh one.',
  'download-failed': 'A download failed; Nocturne tries again.',
  unsound:
    'The download was not the file, or not all of it; Nocturne asks the gateway for a fresh address and fetches it again.',
  'download-given-up': 'A download failed for the last time.',
  unverifiable: 'A file could not be verified, for the last time.',
  'file-checked': 'The gates of the batch looked at a file.',
  'made-again': 'A gate flags a file of it, so its take is rendered once more.',
  'download-held': 'A file could not be written to the disk; the download waits.',
  'user-retry': 'You tried it again.',
  'cancel-requested': 'You cancelled it.',
  'put-on-hold': 'You held its row: nothing new is submitted for it.',
  released: 'You released its row.',
  'put-first': 'You had its row run next.',
  blocked: 'It waits for another row that it refers to.',
  unblocked: 'Every row that it refers to is done.',
  'blocked-row-failed': 'A row that it waits for has failed.',
  'reference-unresolved': 'The values that it refers to could not be filled in; nothing was sent.',
  reviewed: 'You reviewed a file.',
  'file-moved': 'A file was moved: you rejected it, or took that back.',
  'file-deleted': 'You deleted a rejected file for good.',
  'path-freed': 'Nothing is left at the former path of a file.',
  'file-awaited': 'It waits for a file of this computer to be where the gateway can read it; nothing was sent.',
};

const ENDED_TEXTS: Readonly<Record<EndedPhase, string>> = {
  'ended-in-words': 'The gateway ended it with a message; waiting to be sure.',
  'ended-empty': 'The gateway ended it without a result; waiting to be sure.',
};

type TaskEventView = TaskDetail['events'][number];

/** How far a task is when an event comes. */
interface Standing {
  readonly rendered: Rendered;
  /** One of its files has arrived. */
  readonly hasFile: boolean;
}

function standingAfter(event: TaskEventView, { rendered, hasFile }: Standing): Standing {
  switch (subjectOf(event.kind)) {
    case 'submit':
      return { rendered: 'no', hasFile: false };
    case 'answer':
      return { rendered: renderedAfterAnswer(rendered, event, hasFile), hasFile };
    case 'download':
      // Of a long story only the end is shown: what is fetched was rendered before.
      return {
        rendered: rendered === 'no' ? 'yes' : rendered,
        hasFile: hasFile || event.kind === 'output-verified',
      };
    case 'other':
      // A retry asks again about what was only inferred.
      return { rendered: event.kind === 'user-retry' && rendered === 'inferred' ? 'no' : rendered, hasFile };
  }
}

/** What happened to a task, in words for its owner. */
function taskEventText(event: TaskEventView, before: Standing): string {
  const { kind, failure, ended } = event;
  const fresh = freshAddressText(event, before);
  if (fresh !== undefined) return fresh;
  if (ended !== undefined) return ENDED_TEXTS[ended];
  if (kind === 'rendered' && event.provisional === true) return 'The gateway seems to have rendered it.';
  if (failure === undefined) return TEXTS[kind];
  const what = failure.suspected === true ? 'It seems to have failed; Nocturne keeps asking the gateway.' : TEXTS[kind];
  return `${what} ${FAILURE_POLICIES[failure.code].title}: ${failure.message}`;
}

/**
 * A rendered take stays rendered: an answer about it only says whether there is another address for its files.
 * Undefined for any other event, and for an answer that withdraws what was inferred.
 */
function freshAddressText(event: TaskEventView, before: Standing): string | undefined {
  const { kind, failure } = event;
  const { rendered } = before;
  if (rendered === 'no' || standingAfter(event, before).rendered !== rendered) return undefined;
  if (kind === 'rendered') return 'The gateway gave the address of its files again.';
  if (kind === 'still-running') return 'The gateway was asked for a fresh address.';
  if (kind !== 'remote-failed') return undefined;
  const none = 'The gateway was asked for a fresh address, and gave none';
  return failure === undefined ? `${none}.` : `${none}: ${failure.message}`;
}

/** The story of a task, oldest first: equal answers in a row become one line, at the time of the first. */
export function taskStory(
  events: readonly TaskEventView[],
): { readonly at: number; readonly kind: TaskEventKind; readonly text: string }[] {
  const lines: { at: number; kind: TaskEventKind; text: string }[] = [];
  let standing: Standing = { rendered: 'no', hasFile: false };
  for (const event of events) {
    const line = { at: event.at, kind: event.kind, text: taskEventText(event, standing) };
    if (!isAnswer(event) || lines.at(-1)?.text !== line.text) lines.push(line);
    standing = standingAfter(event, standing);
  }
  return lines;
}

function isAnswer({ kind }: TaskEventView): boolean {
  return kind === 'still-running' || kind === 'poll-failed' || kind === 'remote-failed';
}
