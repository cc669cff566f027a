import type { TaskDetail } from '../../shared/domain/task/views/full-row.ts';
import { FAILURE_POLICIES, spokenMessage } from '../../shared/domain/base/failure.ts';
import { renderedAfterAnswer, type Rendered } from '../../shared/domain/task/task-results.ts';
import { subjectOf, type TaskEventKind } from '../../shared/domain/task/task-event.ts';
import { words } from '../../shared/words/words.ts';

type TaskEventView = TaskDetail['events'][number];

/** How far a task has come when an event happens. */
interface Standing {
  readonly rendered: Rendered;
  /** Whether one of its files has arrived. */
  readonly hasFile: boolean;
}

function standingAfter(event: TaskEventView, { rendered, hasFile }: Standing): Standing {
  switch (subjectOf(event.kind)) {
    case 'submit':
      return { rendered: 'no', hasFile: false };
    case 'answer':
      return { rendered: renderedAfterAnswer(rendered, event, hasFile), hasFile };
    case 'download':
      // Only the end of a long story is shown: a task that is being fetched was rendered before.
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
  const { events, story } = words.desktop;
  if (ended !== undefined) return story[ended];
  if (kind === 'rendered' && event.provisional === true) return story.seemsRendered;
  if (failure === undefined) return events[kind];
  const what = failure.suspected === true ? story.seemsFailed : events[kind];
  return story.withFailure(what, FAILURE_POLICIES[failure.code].title, spokenMessage(failure));
}

/**
 * A rendered take stays rendered: an answer about it only says whether there is another address for its files.
 * Undefined for any other event, and for an answer that withdraws what was inferred.
 */
function freshAddressText(event: TaskEventView, before: Standing): string | undefined {
  const { kind, failure } = event;
  const { rendered } = before;
  if (rendered === 'no' || standingAfter(event, before).rendered !== rendered) return undefined;
  if (kind === 'rendered') return words.desktop.story.addressAgain;
  if (kind === 'still-running') return words.desktop.story.askedForAddress;
  if (kind !== 'remote-failed') return undefined;
  const { noAddress, noAddressBut } = words.desktop.story;
  return failure === undefined ? noAddress : noAddressBut(spokenMessage(failure));
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
