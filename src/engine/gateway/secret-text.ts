import type { RawAnswer } from '../ports.ts';

/** A shorter key would be found in words that have nothing to do with it. */
const SHORTEST_SECRET = 8;

/**
 * The answer without the key, should the gateway repeat it: answers are kept as evidence and shown, the key never is.
 * Its bytes become asterisks, so that nothing else moves.
 */
export function withoutSecret(raw: RawAnswer, secret: string): RawAnswer {
  if (secret.length < SHORTEST_SECRET) return raw;
  const isInHeaders = Object.values(raw.headers).some((value) => value.includes(secret));
  const body = Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength);
  if (!isInHeaders && !body.includes(secret)) return raw;
  const clean = new Uint8Array(raw.body);
  const stars = new Uint8Array(secret.length).fill(0x2a);
  for (let at = body.indexOf(secret); at >= 0; at = body.indexOf(secret, at + secret.length)) clean.set(stars, at);
  const headers = Object.fromEntries(
    Object.entries(raw.headers).map(([name, value]) => [name, value.replaceAll(secret, '*'.repeat(secret.length))]),
  );
  return { ...raw, headers, body: clean };
}

/**
 * Whether a JSON text holds the key, or what {@link withoutSecret} has put in its place: what a gateway's answer gave
 * must not be sent on then.
 */
export function holdsSecret(json: string, secret: string): boolean {
  if (secret === '') return false;
  if (json.includes(JSON.stringify(secret).slice(1, -1))) return true;
  const blotted = new RegExp(`(?<!\\*)\\*{${secret.length}}(?!\\*)`);
  return secret.length >= SHORTEST_SECRET && blotted.test(json);
}

/** True for a key that can stand in a header as it is. */
export function isSendableKey(key: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(key);
}
