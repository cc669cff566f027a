import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import type { RawAnswer } from '../ports.ts';

/**
 * An inflated answer without the key, should the gateway repeat it in whatever form: answers are kept as evidence and
 * shown, the key never is. All other bytes stay as they came.
 */
export function withoutKey(raw: RawAnswer, finder: KeyFinder): RawAnswer {
  const headers = Object.fromEntries(
    Object.entries(raw.headers).map(([name, value]) => [finder.hide(name), finder.hide(value)]),
  );
  // One character a byte: the key is ASCII, and nothing else may move.
  const text = Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength).toString('latin1');
  const clean = finder.hide(text, raw.truncated);
  return { ...raw, headers, body: clean === text ? raw.body : Uint8Array.from(Buffer.from(clean, 'latin1')) };
}

/** True for a key that can stand in a header as it is. */
export function isSendableKey(key: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(key);
}
