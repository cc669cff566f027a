/**
 * What can be noted about a key without revealing it. The application's main process needs this to keep keys, and must
 * not load the engine for it: this file imports none of our modules.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Enough to distinguish two keys; reveals nothing else about the key. */
export function fingerprintOf(key: string): string {
  return createHash('sha256').update(`nocturne key ${key}`).digest('hex').slice(0, 12);
}

/** Proves that whoever wrote down the origin knew the key: a hand-edited file cannot send the key elsewhere. */
export function sealOf(key: string, origin: string): string {
  return createHmac('sha256', key).update(`nocturne key for ${origin}`).digest('hex');
}

/** True if {@link sealOf} made this seal. */
export function isSealed(key: string, origin: string, seal: string): boolean {
  const expected = Buffer.from(sealOf(key, origin));
  const given = Buffer.from(seal);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
