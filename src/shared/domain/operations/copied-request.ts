/** A row's request for the clipboard: its prompt alone, or all of it as a command for a terminal, without the key. */
import type { Json, JsonObject } from '../base/json.ts';
import { operationOf, type OperationPath } from './operations.ts';

/** What stands in the place of the key: the user's own shell may have it in this variable. */
const KEY_PLACE = '$NOCTURNE_KEY';
const GATEWAY_PLACE = '$NOCTURNE_GATEWAY';

/** The text that a request renders; undefined if it has none. */
export function promptOf(operation: OperationPath, body: Json | undefined): string | undefined {
  const given = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as JsonObject) : {};
  const { fields } = operationOf(operation);
  const named = fields.flatMap((field) => (field.kind === 'leaf' && field.role === 'prompt' ? [field.name] : []));
  const texts = named.map((name) => given[name]);
  return texts.find((text): text is string => typeof text === 'string' && text.trim() !== '');
}

/**
 * The request as a command of curl for a POSIX shell, with a variable in the place of the key. Whoever runs it pays for what
 * it renders.
 * @param baseUrl Of the gateway; empty if nobody has named one yet.
 * @param body As it is sent, as JSON.
 */
export function requestAsCurl(baseUrl: string, operation: OperationPath, body: string): string {
  return [
    // Brackets and braces in an address mean nothing to it: they would ask several times.
    `curl --globoff -X POST ${addressOf(baseUrl, operation)}`,
    `-H "aiKey: ${KEY_PLACE}"`,
    `-H 'Accept: application/json, */*'`,
    `-H 'Content-Type: application/json'`,
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** Where it goes, as one word of a shell. */
function addressOf(baseUrl: string, operation: OperationPath): string {
  return baseUrl === '' ? `"${GATEWAY_PLACE}/${operation}"` : quoted(`${baseUrl.replace(/\/+$/u, '')}/${operation}`);
}

/** A text as one word of a shell: nothing in it means anything to it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
