/** The answers of the model gateway, byte for byte as in the interface. */
import { assertNever } from '../../src/shared/domain/base/result.ts';
import type { NightPlan } from './plan.ts';
import { FAILED } from './sim-sheet.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the gateway took money for. */
export interface Charge {
  readonly code: string;
  readonly row: string;
  readonly body: string;
  readonly account: number;
  /** The key that pays. */
  readonly key: string;
  /** The key of the request itself, if it had one. */
  readonly requestKey?: string;
  readonly isData: boolean;
  readonly isImage: boolean;
  readonly atMs: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly hasFailed: boolean;
  readonly files: number;
  /** What a gate flags about its files. */
  readonly isBlack: boolean;
}

/** Times of the simulated night begin here: a Saturday evening before the clocks go back. */
export const EPOCH_MS = Date.UTC(2026, 9, 24, 19, 0, 0);

export const WEB_PAGE: HttpAnswer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><body>502 Bad Gateway</body></html>',
};

export function acceptedAnswer(code: string): HttpAnswer {
  return success(`{"taskCode":"${code}"}`);
}

/** An answer that asks the client to come back later, as a file server or a proxy in front of the gateway says it. */
export function slowDownAnswer(retryAfter: string): HttpAnswer {
  return { ...failureAnswer(429, 429, 'slow down'), headers: { 'retry-after': retryAfter } };
}

export function failureAnswer(status: number, code: number, info: string): HttpAnswer {
  const body = JSON.stringify({ code, info, success: false, failure: true, result: null });
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** Where a file of a task is, at an address that was given out now. */
function addressOf(code: string, file: number, nowMs: number): string {
  return `https://media.example/${code}/${file}.mp3?given=${Math.floor(nowMs)}`;
}

/** What an address names; undefined for one that this gateway never gave. */
export function readAddress(
  url: string,
): { readonly code: string; readonly file: number; readonly givenAtMs: number } | undefined {
  const parts = /^https:\/\/media\.example\/(\d+)\/(\d+)\.mp3\?given=(\d+)$/u.exec(url);
  if (parts === null) return undefined;
  const [, code = '', file, givenAt] = parts;
  return { code, file: Number(file), givenAtMs: Number(givenAt) };
}

/** The record of a task as it is now. */
export function recordAnswer(charge: Charge, nowMs: number, shape: NightPlan['shape']): HttpAnswer {
  const { code, startsAtMs, endsAtMs, atMs, hasFailed, isData, isImage, files } = charge;
  const hasEnded = nowMs >= endsAtMs;
  const isRendered = hasEnded && !hasFailed;
  const urls = Array.from({ length: isRendered ? files : 0 }, (_, i) => addressOf(code, i + 1, nowMs));
  const status = hasEnded ? (hasFailed ? FAILED : '2') : nowMs >= startsAtMs ? '1' : '0';
  const record = {
    taskId: code,
    status,
    message: hasEnded ? (hasFailed ? 'rendering failed' : 'finished') : '',
    ...(urls.length === 0 ? { musicUrl: '' } : mediaOf(code, urls, isImage, shape)),
    addTime: timeText(atMs),
    endTime: hasEnded ? timeText(endsAtMs) : '',
    ...(isRendered && isData ? { data: { title: `of ${code}`, text: 'la la' } } : {}),
  };
  return success(JSON.stringify(shape === 'in-a-list' ? [record] : record));
}

/** The fields of a record that say where its files are, and their picture, which is not one of them. */
function mediaOf(code: string, urls: readonly string[], isImage: boolean, shape: NightPlan['shape']): object {
  const picture = `https://media.example/${code}/cover.jpg`;
  const works = urls.map((url) =>
    isImage ? { image_url: url, thumbnail: picture } : { audio_url: url, image_url: picture },
  );
  switch (shape) {
    case 'text':
    case 'in-a-list':
      return { musicUrl: urls.join(',') };
    case 'list':
      return { musicUrl: urls };
    case 'objects':
      return { musicUrl: works };
    case 'elsewhere':
      return { musicUrl: null, clips: { works } };
    case 'json':
      return { musicUrl: JSON.stringify(works) };
    default:
      return assertNever(shape);
  }
}

/** The answer about a task that the gateway has forgotten for a moment. */
export const EMPTY_RECORD: HttpAnswer = success('null');

function timeText(ms: number): string {
  return new Date(EPOCH_MS + ms).toISOString().slice(0, 19).replace('T', ' ');
}

function success(result: string): HttpAnswer {
  const body = `{"code":200,"info":"success","success":true,"failure":false,"result":${result}}`;
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}
