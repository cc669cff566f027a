import { type StatusMeaning, profileSchema, type Profile } from './profile.ts';

/** A table of status values to merge into a family or an operation of a profile. */
type StatusTable = Readonly<Record<string, StatusMeaning>>;

/** Words that gateways use as statuses. */
const STATUS_WORDS: Readonly<Record<Exclude<StatusMeaning, 'inferred'>, string>> = {
  queued: 'queued queueing pending waiting submitted created not_start in_queue',
  running: 'running processing generating in_progress rendering streaming text_success first_success',
  succeeded: 'success succeed succeeded complete completed done finished',
  failed: 'fail failed failure error cancelled canceled expired timeout rejected',
};

function tableOfWords(): StatusTable {
  const meanings = Object.entries(STATUS_WORDS) as [StatusMeaning, string][];
  return Object.fromEntries(meanings.flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning])));
}

/** Tables observed at gateways of this kind. They contradict each other, so none is the default. */
export const STATUS_PRESETS = {
  /** No word for waiting, two for failing. */
  '0-running-1-succeeded': { '0': 'running', '1': 'succeeded', '2': 'failed', '3': 'failed' },
  '0-queued-1-succeeded-3-running': { '0': 'queued', '1': 'succeeded', '2': 'failed', '3': 'running' },
  '0-queued-1-running-2-succeeded': { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' },
  words: tableOfWords(),
} as const satisfies Readonly<Record<string, StatusTable>>;

/**
 * The profile of the built-in gateway at `baseUrl`: its status values are stated, and its limits let a night of 60 rows
 * finish in under a minute. Its media come from this machine, which is otherwise forbidden, but the rule against
 * private addresses exempts the profile's own gateway.
 */
export function rehearsalProfile(baseUrl: string): Profile {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' } as const;
  return profileSchema.parse({
    name: 'Rehearsal',
    baseUrl,
    status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
    limits: {
      requestsPerSecond: 100,
      activePerFamily: { musicgen: 16, 'videogen-a': 8, 'videogen-b': 8 },
      downloads: 8,
    },
    deadlines: { submitSeconds: 30, pollSeconds: 15, taskHours: 1 },
  });
}
