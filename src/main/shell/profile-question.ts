/** Questions in a message box of the system: one at a time, and those that confirm changes of the profile, in words. */
import { FAMILY_NAMES } from '../../shared/domain/operations/operations.ts';
import type { ProfileChange } from '../../shared/domain/gateway/profile-difference.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { SaidError } from '../../shared/domain/base/reason.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { StatusQuestionView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
import type { Question } from './desktop.ts';

/** How much a box shows without outgrowing a small screen. */
const CHANGES_SHOWN = 14;
const CHARACTERS_SHOWN = 90;

/**
 * Asks one question at a time, whatever it is about: boxes on top of each other would hide what the first one says.
 * Throws if another one is open, and says so.
 */
export function oneQuestionAtATime(
  ask: (question: Question) => Promise<boolean>,
): (question: Question) => Promise<boolean> {
  let isOpen = false;
  return async (question) => {
    if (isOpen) throw new SaidError(words.desktop.answerFirst);
    isOpen = true;
    try {
      return await ask(question);
    } finally {
      isOpen = false;
    }
  };
}

/** Asks whether to add a gateway whose profile differs in this way from an empty one. */
export function newGatewayQuestion(changes: readonly ProfileChange[], name: string): Question {
  const { askAdd, addIt } = words.settings.gateways;
  const { detail } = profileQuestion(changes);
  return { message: askAdd(visibleLine(name, CHARACTERS_SHOWN)), detail, confirm: addIt, decline: words.common.cancel };
}

/**
 * Asks about these changes; if they do not all fit, names only the settings of the rest, with the weighty ones first.
 * `keptFrom`: the origin of the gateway whose status table is kept for another one.
 */
export function profileQuestion(changes: readonly ProfileChange[], keptFrom?: string): Question {
  const shown = changes.slice(0, CHANGES_SHOWN);
  const rest = changes.slice(CHANGES_SHOWN);
  const settings = Array.from(new Set(rest.map(({ path }) => visibleLine(path.split('.')[0] ?? '', CHARACTERS_SHOWN))));
  const told = words.desktop.profile;
  const more = rest.length === 0 ? [] : [told.moreIn(rest.length, settings)];
  return {
    message: told.question(changes.length),
    detail: [
      ...shown.map(describe),
      ...more,
      ...(keptFrom === undefined ? [] : ['', told.keeps(visibleLine(keptFrom, CHARACTERS_SHOWN))]),
      '',
      told.warning,
    ].join('\n'),
    confirm: told.apply,
    decline: words.common.cancel,
  };
}

/** Asks whether a status of the gateway at `origin` means a failure, and says what follows. */
export function statusFailureQuestion({ family, status }: StatusQuestionView, origin: string): Question {
  const { statusFails, statusFailsDetail, treatAsFailed } = words.desktop.profile;
  return {
    message: statusFails(visibleLine(status, CHARACTERS_SHOWN), FAMILY_NAMES[family]),
    detail: statusFailsDetail(visibleLine(origin, CHARACTERS_SHOWN)).join('\n\n'),
    confirm: treatAsFailed,
    decline: words.common.cancel,
  };
}

/**
 * Asks whether to remove a gateway, and says what stays. `next`: the gateway that new batches then use, if they used
 * this one. `batches`: how many of its batches are under way, and how many were never started.
 */
export function gatewayRemovalQuestion(
  { name, baseUrl }: Profile,
  next: string | undefined,
  batches: { readonly underWay: number; readonly ready: number },
): Question {
  const { askDelete, deleteIt, keepIt, deleteLeadsTo, deleteKey, deleteBatches, deleteReady, deleteNext } =
    words.settings.gateways;
  const shown = (text: string): string => visibleLine(text, CHARACTERS_SHOWN);
  return {
    message: askDelete(shown(name)),
    detail: [
      words.common.sentences([deleteLeadsTo(shown(baseUrl)), deleteKey]),
      deleteBatches(batches.underWay),
      ...(batches.ready === 0 ? [] : [deleteReady(batches.ready)]),
      ...(next === undefined ? [] : [deleteNext(shown(next))]),
    ].join('\n\n'),
    confirm: deleteIt,
    decline: keepIt,
  };
}

function describe({ path, before, after }: ProfileChange): string {
  const name = visibleLine(path, CHARACTERS_SHOWN);
  const { added, removed, changedTo } = words.desktop.profile;
  if (before === undefined) return added(name, shownValue(path, after ?? ''));
  if (after === undefined) return removed(name, shownValue(path, before));
  return changedTo(name, shownValue(path, before), shownValue(path, after));
}

function shownValue(path: string, value: string): string {
  if (value === '') return words.desktop.profile.empty;
  const text = visibleLine(value, CHARACTERS_SHOWN);
  if (path !== 'baseUrl' || !URL.canParse(value)) return text;
  // Letters of another script may look like those of the address that the user knows.
  const { host } = new URL(value);
  return value.toLowerCase().includes(host)
    ? text
    : words.desktop.profile.withHost(text, visibleLine(host, CHARACTERS_SHOWN));
}
