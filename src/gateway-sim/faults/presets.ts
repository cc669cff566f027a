import type { BehaviourInput } from './behaviour.ts';

/** Behaviours observed in practice, and one for rehearsals, by name. */
export const PRESETS = {
  /** The rehearsal: follows the interface, with two clips per song and durations of minutes shortened to seconds. */
  default: {},
  /** 0 running, 1 succeeded, 2 failed: no word for waiting. */
  'one-is-success': {
    name: 'one-is-success',
    status: { queued: 0, running: 0, succeeded: 1, failed: 2 },
    envelope: { okCode: 1 },
  },
  /** 0 queued, 1 succeeded, 2 failed, 3 running. */
  'three-is-running': {
    name: 'three-is-running',
    status: { queued: 0, running: 3, succeeded: 1, failed: 2 },
    envelope: { okCode: 0, okInfo: 'ok' },
    times: { format: 'iso' },
    results: { shape: 'array', data: 'beside', blank: 'null' },
  },
  /** 0 queued, 1 running, 2 succeeded, 3 failed. */
  'two-is-success': {
    name: 'two-is-success',
    status: { queued: 0, running: 1, succeeded: 2, failed: 3 },
    times: { format: 'milliseconds' },
    results: { shape: 'plain', data: 'media-field', blank: 'absent' },
  },
  /** Nothing is where a client would look for it. */
  foreign: {
    name: 'foreign',
    pathPrefix: '/gateway/v7',
    status: { queued: 10, running: 20, succeeded: 30, failed: 40 },
    taskCode: { form: 'digits19', in: 'query', name: 'taskId' },
    envelope: { okCode: 1000, okInfo: 'SUCCESS', failureCode: 5001, emptyResult: 'null' },
    times: { format: 'local', utcOffsetMinutes: 480 },
    results: { shape: 'json', data: 'media-field', blank: 'null' },
    queue: { atOnce: 4, scope: 'family' },
  },
  /** The code is a segment of the path and a number in the JSON, the status is a word. */
  'path-and-words': {
    name: 'path-and-words',
    status: { queued: 'PENDING', running: 'GENERATING', succeeded: 'COMPLETE', failed: 'ERROR' },
    taskCode: { form: 'number19', in: 'path', unknownHttp: 404 },
    envelope: { okCode: 'success', emptyResult: 'absent' },
    times: { format: 'seconds' },
    results: { shape: 'json-twice', data: 'beside', gapSeconds: 1 },
    urls: { expiryIn: 'X-Amz', lifeSeconds: 3600 },
    media: { etag: 'weak', length: 'chunked', redirect: 'cross-origin' },
  },
  /** Status values that no table lists, results of every kind in one field, URLs that expire after a minute. */
  undocumented: {
    name: 'undocumented',
    status: { queued: 7, running: 7, succeeded: 42, failed: 13 },
    taskCode: { form: 'hostile' },
    results: { shape: 'plain', data: 'media-field', earlyUrl: true },
    urls: { lifeSeconds: 60, expiryIn: 'hidden', renewed: 'each-poll', expiredHttp: 410 },
    media: { ranges: false, etag: 'none', length: 'close' },
  },
  /** A rehearsal of a bad night: a little of everything that goes wrong. */
  rough: {
    name: 'rough',
    queue: { atOnce: 3, scope: 'family' },
    limits: { submits: { count: 20, seconds: 10 }, requestsPerSecond: 20 },
    moderation: { words: ['forbidden'] },
    faults: [
      { kind: 'lost', when: 'submit', charged: true, nth: [9] },
      { kind: 'lost', when: 'submit', charged: false, nth: [23] },
      { kind: 'remote-failure', when: 'submit', probability: 0.03 },
      { kind: 'http', when: 'poll', status: 502, probability: 0.05 },
      { kind: 'html', when: 'poll', probability: 0.02 },
      { kind: 'truncated', when: 'download', probability: 0.08 },
      { kind: 'truncated', when: 'download', lengthDeclared: false, probability: 0.04 },
      { kind: 'expired', when: 'download', probability: 0.03 },
      { kind: 'slow', when: 'download', delayMs: 1500, probability: 0.05 },
    ],
  },
} as const satisfies Record<string, BehaviourInput>;

export type PresetName = keyof typeof PRESETS;

/** The preset with this name, if there is one. */
export function findPreset(name: string): BehaviourInput | undefined {
  return Object.hasOwn(PRESETS, name) ? PRESETS[name as PresetName] : undefined;
}
