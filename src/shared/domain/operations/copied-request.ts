/** A row's request for the clipboard: its prompt alone, or all of it as a command for a terminal, without the key. */
import type { Json, JsonObject } from '../base/json.ts';
import { operationOf, type OperationPath } from './operations.ts';

/** What stands in place of the key: the user's own shell may have the key in this variable. */
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
 * The request as a curl command for a POSIX shell, with a variable in place of the key. Whoever runs the command pays
 * for what it renders.
 * @param baseUrl The gateway's; empty if nobody has named one yet.
 * @param body As it is sent, as JSON.
 */
export function requestAsCurl(baseUrl: string, operation: OperationPath, body: string): string {
  return [
    // Without `--globoff`, brackets and braces in an address would make curl send several requests.
    `curl --globoff -X POST ${addressOf(baseUrl, operation)}`,
    `-H "aiKey: ${KEY_PLACE}"`,
    `-H 'Accept: application/json, */*'`,
    `-H 'Content-Type: application/json'`,
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** Where the request goes, as one shell word. */
function addressOf(baseUrl: string, operation: OperationPath): string {
  return baseUrl === '' ? `"${GATEWAY_PLACE}/${operation}"` : quoted(`${baseUrl.replace(/\/+$/u, '')}/${operation}`);
}

/** A text as one shell word, in which no character has a special meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
