/** The questions that confirm changes of the profile, in words for a message box of the system. */
import { FAMILY_NAMES } from '../../shared/domain/operations/operations.ts';
import type { ProfileChange } from '../../shared/domain/gateway/profile-difference.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { StatusQuestionView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
import type { Question } from './desktop.ts';

/** What a box shows without outgrowing a small screen. */
const CHANGES_SHOWN = 14;
const CHARACTERS_SHOWN = 90;

/** Asks whether a gateway is to be added that differs so from one that says nothing. */
export function newGatewayQuestion(changes: readonly ProfileChange[], name: string): Question {
  const { askAdd, addIt } = words.settings.gateways;
  const { detail } = profileQuestion(changes);
  return { message: askAdd(visibleLine(name, CHARACTERS_SHOWN)), detail, confirm: addIt, decline: words.common.cancel };
}

/**
 * Asks about these changes; names only the settings of what does not fit, with the weighty ones first. `keptFrom`: the
 * origin of the gateway whose status table is kept for another one.
 */
export function profileQuestion(changes: readonly ProfileChange[], keptFrom?: string): Question {
  const shown = changes.slice(0, CHANGES_SHOWN);
  const rest = changes.slice(CHANGES_SHOWN);
  const settings = Array.from(new Set(rest.map(({ path }) => visibleLine(path.split('.')[0] ?? '', CHARACTERS_SHOWN))));
  const more = rest.length === 0 ? [] : [`And ${rest.length} more, in: ${settings.join(', ')}`];
  return {
    message: changes.length === 1 ? 'Change this setting of the gateway?' : 'Change these settings of the gateway?',
    detail: [
      ...shown.map(describe),
      ...more,
      ...(keptFrom === undefined ? [] : ['', keptWords(keptFrom)]),
      '',
      WARNING,
    ].join('\n'),
    confirm: 'Apply changes',
    decline: 'Cancel',
  };
}

const WARNING =
  'Such settings decide where your prompts go, where files are fetched from, and what counts as failed. Apply only what you wrote ' +
  'yourself or got from somebody you trust.';

function keptWords(origin: string): string {
  return (
    `What you said of ${visibleLine(origin, CHARACTERS_SHOWN)} stays in the profile: its table “status”, and all that is not ` +
    'listed above. At another gateway the same status may mean something else, and rows would fail at once. Look at the ' +
    'profile before you start a batch.'
  );
}

/** Asks whether a status of the gateway at `origin` means a failure, and says what follows. */
export function statusFailureQuestion({ family, status }: StatusQuestionView, origin: string): Question {
  return {
    message: `Treat status ${visibleLine(status, CHARACTERS_SHOWN)} of ${FAMILY_NAMES[family]} as failed?`,
    detail: [
      `From now on a row fails as soon as ${visibleLine(origin, CHARACTERS_SHOWN)} answers with this status, in every ` +
        'batch. Nocturne no longer asks the gateway about it, so a file that would come later is not fetched.',
      'Rows that seemed to have failed with it count as failed. To retry one is a new paid request.',
      'You can change this in the profile, under Settings.',
    ].join('\n\n'),
    confirm: 'Treat as failed',
    decline: 'Cancel',
  };
}

/**
 * Asks whether a gateway is to be removed, and says what stays. `next`: the one that new batches use then, if they used this
 * one. `batches`: how many that are not finished were made with it.
 */
export function gatewayRemovalQuestion(
  { name, baseUrl }: Profile,
  next: string | undefined,
  batches: number,
): Question {
  const { askDelete, deleteIt, keepIt, deleteLeadsTo, deleteKey, deleteBatches, deleteNext } = words.settings.gateways;
  const shown = (text: string): string => visibleLine(text, CHARACTERS_SHOWN);
  return {
    message: askDelete(shown(name)),
    detail: [
      words.common.sentences([deleteLeadsTo(shown(baseUrl)), deleteKey]),
      deleteBatches(batches),
      ...(next === undefined ? [] : [deleteNext(shown(next))]),
    ].join('\n\n'),
    confirm: deleteIt,
    decline: keepIt,
  };
}

function describe({ path, before, after }: ProfileChange): string {
  const name = visibleLine(path, CHARACTERS_SHOWN);
  if (before === undefined) return `${name}: added ${shownValue(path, after ?? '')}`;
  if (after === undefined) return `${name}: removed ${shownValue(path, before)}`;
  return `${name}: ${shownValue(path, before)} → ${shownValue(path, after)}`;
}

function shownValue(path: string, value: string): string {
  if (value === '') return '(empty)';
  const text = visibleLine(value, CHARACTERS_SHOWN);
  if (path !== 'baseUrl' || !URL.canParse(value)) return text;
  // Letters of another script look like those of the address that the user knows.
  const { host } = new URL(value);
  return value.toLowerCase().includes(host) ? text : `${text} (${visibleLine(host, CHARACTERS_SHOWN)})`;
}
