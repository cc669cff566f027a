import type { Json } from '../../shared/domain/base/json.ts';
import type { SubmitAnswer } from '../../shared/domain/gateway/submit-outcome.ts';
import type { ReadBody, UnreadBody } from './envelope.ts';
import { isObject, WORD_FIELDS } from './envelope.ts';

export interface SubmitResponse {
  readonly httpStatus: number;
  readonly body: ReadBody | UnreadBody;
  readonly retryAfterMs: number | undefined;
}

/** What an answer to a submit says, before it is judged. `sent` is the request's body: an echo of it is no evidence. */
export function readSubmitAnswer({ httpStatus, body, retryAfterMs }: SubmitResponse, sent: Uint8Array): SubmitAnswer {
  const isRead = 'envelope' in body;
  const seen = body.seenTaskCode();
  const isEcho = seen !== undefined && new TextDecoder().decode(sent).includes(JSON.stringify(seen));
  return {
    httpStatus,
    envelope: isRead ? body.envelope : undefined,
    bodyIs: isRead ? '' : body.bodyIs,
    ...(seen === undefined || isEcho ? {} : { seenTaskCode: seen }),
    ...(isRead && saysMoreThanWords(body.result) ? { holdsResult: true } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** True for a result with anything in it but the words of an error. */
function saysMoreThanWords(result: Json): boolean {
  if (!isObject(result)) return !isBlank(result);
  return Object.entries(result).some(([name, value]) => !WORD_FIELDS.has(name) && !isBlank(value));
}

function isBlank(value: Json): boolean {
  if (typeof value === 'string') return value.trim() === '';
  if (typeof value !== 'object') return value === 0 || value === false;
  return value === null || Object.keys(value).length === 0;
}
