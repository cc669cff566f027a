import type { RowViewStatus } from '../../shared/domain/task/row-status.ts';
import type { TaskStatus } from '../../shared/domain/task/task.ts';
import { words } from '../../shared/words/words.ts';

/** How a status looks everywhere: a word, an icon and a colour, so that nobody has to rely on only one of them. */
export interface StatusLook {
  readonly word: string;
  /** Its meaning, for help and the inspector. */
  readonly meaning: string;
  /** Lines in a square of 16 units, drawn 1.5 units wide with round ends, on the page as on the grid's canvas. */
  readonly glyph: string;
  /** Name of its colour among the design tokens. */
  readonly color: `--status-${RowViewStatus}`;
}

const RING = 'M8 1.9a6.1 6.1 0 1 1 0 12.2A6.1 6.1 0 0 1 8 1.9Z';

export const STATUS_LOOKS: Readonly<Record<RowViewStatus, StatusLook>> = {
  queued: {
    ...words.shell.statuses.queued,
    glyph: `${RING} M8 4.9V8l2.1 1.6`,
    color: '--status-queued',
  },
  submitting: {
    ...words.shell.statuses.submitting,
    glyph: 'M8 13.2V3.4 M3.9 7.4 8 3.3l4.1 4.1',
    color: '--status-submitting',
  },
  'submit-unknown': {
    ...words.shell.statuses['submit-unknown'],
    glyph: 'M5.2 5.7a2.8 2.8 0 1 1 4.3 2.4c-1 .6-1.5 1.1-1.5 2.1 M8 13.1v.05',
    color: '--status-submit-unknown',
  },
  rendering: {
    ...words.shell.statuses.rendering,
    glyph: 'M2.6 6.7v2.6 M6.2 3.4v9.2 M9.8 5.3v5.4 M13.4 6.9v2.2',
    color: '--status-rendering',
  },
  downloading: {
    ...words.shell.statuses.downloading,
    glyph: 'M8 2.4v7.2 M4.5 6.3 8 9.8l3.5-3.5 M2.9 13.4h10.2',
    color: '--status-downloading',
  },
  done: {
    ...words.shell.statuses.done,
    glyph: 'M2.8 8.6 6.3 12l6.9-7.6',
    color: '--status-done',
  },
  failed: {
    ...words.shell.statuses.failed,
    glyph: 'M4 4l8 8 M12 4l-8 8',
    color: '--status-failed',
  },
  cancelled: {
    ...words.shell.statuses.cancelled,
    glyph: `${RING} M3.8 12.2l8.4-8.4`,
    color: '--status-cancelled',
  },
  draft: {
    ...words.shell.statuses.draft,
    glyph: 'M3 13l.8-3.2L10.9 2.7l2.4 2.4-7.1 7.1L3 13Z',
    color: '--status-draft',
  },
  invalid: {
    ...words.shell.statuses.invalid,
    glyph: 'M8 2.2 14.3 13.3H1.7L8 2.2Z M8 6.5v3.1 M8 11.4v.05',
    color: '--status-invalid',
  },
  skipped: {
    ...words.shell.statuses.skipped,
    glyph: 'M3.6 3.8 9.4 8l-5.8 4.2V3.8Z M12.4 3.8v8.4',
    color: '--status-skipped',
  },
};

/** The order of a bar from left to right: what is done, what is in progress, what waits, what did not succeed. */
export const BAR_ORDER: readonly TaskStatus[] = [
  'done',
  'downloading',
  'rendering',
  'submitting',
  'queued',
  'submit-unknown',
  'failed',
  'cancelled',
];

/** The order of the status filters. */
export const FILTER_ORDER: readonly RowViewStatus[] = [
  'queued',
  'submitting',
  'rendering',
  'downloading',
  'done',
  'submit-unknown',
  'failed',
  'cancelled',
  'draft',
  'invalid',
  'skipped',
];

/** A row that waits because the user holds it. */
const HELD_LOOK: StatusLook = {
  ...words.shell.held,
  glyph: 'M5.6 3.6v8.8 M10.4 3.6v8.8',
  color: '--status-queued',
};

/** How a row looks with its status. */
export function rowLook({
  status,
  isHeld,
}: {
  readonly status: RowViewStatus;
  readonly isHeld?: true | undefined;
}): StatusLook {
  return status === 'queued' && isHeld === true ? HELD_LOOK : STATUS_LOOKS[status];
}
