import { FAILURE_POLICIES, type Failure } from '../shared/domain/failure.ts';
import type { TaskEventKind } from '../shared/domain/task-machine.ts';

const TEXTS: Readonly<Record<TaskEventKind, string>> = {
  'submit-started': 'The request was written down and sent.',
  accepted: 'The gateway accepted it.',
  'not-sent': 'Nothing reached the gateway; it is sent again later.',
  'rate-limited': 'The gateway asked to slow down; it is sent again later.',
  held: 'The gateway refused for a reason that concerns the whole night; the row keeps its place.',
  rejected: 'The gateway refused it.',
  'outcome-unknown': 'The gateway’s answer was lost: it may have been charged.',
  adopted: 'You gave it a task code.',
  'user-resubmit': 'You had it sent again.',
  'written-off': 'You wrote it off.',
  'still-running': 'The gateway is still rendering.',
  'poll-failed': 'The gateway gave no answer that could be used; it is asked again.',
  rendered: 'The gateway has rendered it.',
  'remote-failed': 'The gateway could not render it.',
  overdue: 'It was not finished before the deadline.',
  'output-started': 'The download of a file began.',
  'output-placing': 'A file was downloaded and verified.',
  'output-verified': 'A file is in its place.',
  'url-expired': 'The address of a file had expired; the gateway is asked for a fresh one.',
  'download-failed': 'A download failed; it is tried again.',
  'download-given-up': 'A download failed for the last time.',
  unverifiable: 'A file could not be verified and was set aside.',
  'download-held': 'The disk would not take a file; the download waits.',
  'user-retry': 'You had it tried again.',
  'cancel-requested': 'You cancelled it.',
  blocked: 'It waits for another row that it refers to.',
  unblocked: 'Every row that it refers to is done.',
  'blocked-row-failed': 'A row that it waits for has failed.',
  'reference-unresolved': 'What it refers to could not be put in; nothing was sent.',
};

/** What happened to a task, in words for its owner. */
export function taskEventText(kind: TaskEventKind, failure: Failure | undefined): string {
  if (failure === undefined) return TEXTS[kind];
  return `${TEXTS[kind]} ${FAILURE_POLICIES[failure.code].title}: ${failure.message}`;
}
