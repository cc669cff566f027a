import { onTestFinished } from 'vitest';
import { createMediaGateway } from '../../src/engine/gateway/undici-media-gateway.ts';
import type { Clock } from '../../src/engine/ports/base.ts';
import type { MediaGateway } from '../../src/engine/ports/media-gateway.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import { parseProfile } from '../../src/shared/domain/gateway/profile.ts';

/** The client under test, with the profile that a test is about. */

export const KEY = 'a-secret-key-0123456789';
export const MUSIC = 'musicgen/music/generate';

/** A profile for a base URL, with whatever else a test needs. */
export function profileFor(baseUrl: string, different: object = {}): Profile {
  const parsed = parseProfile({ baseUrl, ...different });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

/** A client that is closed when the test ends. */
export function openClient(
  profile: Profile,
  {
    key = KEY,
    clock = systemClock,
    beforeKeyIsSent,
  }: { key?: string; clock?: Clock; beforeKeyIsSent?: () => void } = {},
): MediaGateway {
  const client = createMediaGateway({
    profile,
    key: () => key,
    ...(beforeKeyIsSent === undefined ? {} : { beforeKeyIsSent }),
    keyFinder: () => new KeyFinder([key]),
    clock,
  });
  onTestFinished(() => client.close());
  return client;
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** One submit of a song, as the scheduler makes it. */
export const SONG = { operation: MUSIC, body: bytes('{"prompt":"a quiet harbour"}') } as const;
