import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Behaviour } from '../faults/behaviour.ts';

/** What the gateway does with one request: answer it, cut the connection, or stay silent. */
export type Answer =
  | { readonly kind: 'reply'; readonly status: number; readonly headers: Headers; readonly body: string }
  | { readonly kind: 'cut' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'later'; readonly delayMs: number; readonly then: Answer };

type Headers = Readonly<Record<string, string>>;
type CodeValue = string | number;

const JSON_TYPE = { 'Content-Type': 'application/json;charset=UTF-8' };

export const WEB_PAGE =
  '<!DOCTYPE html><html><head><title>One moment, please</title></head><body><h1>We are checking your browser</h1></body></html>';

/** An answer with JSON text. */
export function replyJson(status: number, body: string, headers: Headers = {}): Answer {
  return { kind: 'reply', status, headers: { ...JSON_TYPE, ...headers }, body };
}

/** The envelope of a success around `resultJson`, which is JSON text so that numbers keep all their digits. */
export function successEnvelope(envelope: Behaviour['envelope'], resultJson: string): string {
  return `{"code":${JSON.stringify(envelope.okCode)},"info":${JSON.stringify(envelope.okInfo)},"result":${resultJson},"success":true,"failure":false}`;
}

/** The envelope of a failure. */
export function failureEnvelope(envelope: Behaviour['envelope'], code: CodeValue, info: string): string {
  const result = { object: '"result":{},', null: '"result":null,', absent: '' }[envelope.emptyResult];
  return `{"code":${JSON.stringify(code)},"info":${JSON.stringify(info)},${result}"success":false,"failure":true}`;
}

/** A task's code as JSON: a string, or the bare digits. */
export function codeJson(form: Behaviour['taskCode']['form'], code: string): string {
  return form === 'number19' ? code : JSON.stringify(code);
}

/** Sends an answer. A silent connection stays open until one side closes it. */
export async function send(response: ServerResponse, answer: Answer): Promise<void> {
  if (answer.kind === 'later') {
    await delay(answer.delayMs, undefined, { ref: false });
    await send(response, answer.then);
  } else if (answer.kind === 'cut') {
    response.socket?.destroy();
  } else if (answer.kind === 'reply') {
    response.writeHead(answer.status, { ...answer.headers, 'Content-Length': Buffer.byteLength(answer.body) });
    response.end(answer.body);
  }
}
