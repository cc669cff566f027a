import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/shared/domain/base/json.ts';
import type { Operation } from '../../src/shared/domain/operations/operations.ts';
import {
  columnsOf,
  OPERATIONS,
  operationOf,
  RESULT_OPERATIONS,
} from '../../src/shared/domain/operations/operations.ts';
import type { OperationPath, ResultOperation } from '../../src/shared/domain/operations/operations.ts';
import type { ObservedGateway } from '../support/observed-gateway.ts';
import type { BuiltInGatewayOptions } from '../../src/gateway-sim/start-gateway.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';

/** A plain client of the interface, which knows nothing of the built-in gateway but its base URL. */

export const KEY = 'test-key-0123456789';
export const NOW = Date.parse('2026-03-04T05:06:07Z');
/** Longer than any task takes in the default behaviour. */
export const LONG_MS = 3_600_000;

export interface Envelope {
  readonly code: number | string;
  readonly info: string;
  readonly result: { readonly [field: string]: unknown };
  readonly success: boolean;
  readonly failure: boolean;
}

export interface Reply {
  readonly http: number;
  readonly headers: Headers;
  readonly text: string;
  readonly envelope: Envelope;
}

/** A gateway with a clock that stands still until it is advanced; closed when the test ends. */
export async function openGateway(options: BuiltInGatewayOptions = {}): Promise<ObservedGateway> {
  const started = await startObservedGateway({ now: () => NOW, ...options });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

export interface Sending {
  readonly key?: string | undefined;
  readonly contentType?: string | undefined;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

function headersOf({ key, contentType }: Sending): Record<string, string> {
  return {
    ...(key === undefined ? {} : { aiKey: key }),
    ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
  };
}

async function exchange(url: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const looksLikeJson = text.startsWith('{') && text.endsWith('}');
  const envelope = (looksLikeJson ? JSON.parse(text) : undefined) as Envelope;
  return { http: response.status, headers: response.headers, text, envelope };
}

/** Sends a body as it is. */
export function send(
  gateway: ObservedGateway,
  path: OperationPath,
  body: string | Uint8Array<ArrayBuffer>,
  sending: Sending = {},
): Promise<Reply> {
  const headers = headersOf({ key: KEY, contentType: 'application/json', ...sending });
  const { method = 'POST', signal = null } = sending;
  return exchange(`${gateway.baseUrl}/${path}`, { method, headers, signal, ...(method === 'POST' ? { body } : {}) });
}

export function submit(
  gateway: ObservedGateway,
  path: OperationPath,
  body: JsonObject,
  sending: Sending = {},
): Promise<Reply> {
  return send(gateway, path, JSON.stringify(body), sending);
}

/** Submits and gives the task's code, which must be there. */
export async function submitted(
  gateway: ObservedGateway,
  path: OperationPath,
  body: JsonObject = sampleBody(operationOf(path)),
): Promise<string> {
  const { envelope, text } = await submit(gateway, path, body);
  const code = envelope?.result['taskCode'];
  if (typeof code !== 'string') throw new Error(`Not accepted: ${text}`);
  return code;
}

export function resultOf(operation: Operation): ResultOperation {
  const found = RESULT_OPERATIONS.find((result) => result.family === operation.family);
  if (!found) throw new Error(`No result operation for ${operation.family}`);
  return found;
}

export function poll(
  gateway: ObservedGateway,
  path: OperationPath,
  taskCode: string,
  sending: Sending = {},
): Promise<Reply> {
  return pollBy(gateway, `/${resultOf(operationOf(path)).path}?taskCode=${encodeURIComponent(taskCode)}`, sending);
}

/** Polls by a path and query of one's own. */
export function pollBy(gateway: ObservedGateway, pathAndQuery: string, sending: Sending = {}): Promise<Reply> {
  const { method = 'GET', signal = null } = sending;
  return exchange(gateway.baseUrl + pathAndQuery, { method, signal, headers: headersOf({ key: KEY, ...sending }) });
}

/** Submits, lets the task finish, and gives the URLs of its files as the default behaviour shows them. */
export async function renderedUrls(
  gateway: ObservedGateway,
  path: OperationPath,
  body?: JsonObject,
): Promise<readonly string[]> {
  const code = await submitted(gateway, path, body);
  gateway.advance(LONG_MS);
  const { envelope } = await poll(gateway, path, code);
  const urls = envelope.result[resultOf(operationOf(path)).mediaField];
  return typeof urls === 'string' ? urls.split(',') : [];
}

export async function download(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ response: Response; content: Buffer }> {
  const response = await fetch(url, { headers, redirect: 'manual' });
  return { response, content: Buffer.from(await response.arrayBuffer()) };
}

const SAMPLE_VALUES = {
  string: 'a quiet harbour',
  boolean: true,
  int32: 12,
  integer: 2,
  number: 4.5,
  'string[]': ['first', 'second'],
} as const;

/** A body with every field of the operation. */
export function sampleBody(operation: Operation): JsonObject {
  const body: Record<string, JsonObject[string]> = {};
  for (const { object, field } of columnsOf(operation)) {
    const value = SAMPLE_VALUES[field.type];
    if (object === undefined) body[field.name] = value;
    else body[object] = { ...(body[object] as JsonObject | undefined), [field.name]: value };
  }
  return body;
}

export const ALL_PATHS: readonly OperationPath[] = OPERATIONS.map((operation) => operation.path);
