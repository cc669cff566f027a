import { expect, test, vi } from 'vitest';
import { KeyRing } from '../../../../src/engine/gateway/key-ring.ts';
import { profileSchema } from '../../../../src/shared/domain/gateway/profile.ts';

const ORIGIN = 'https://gateway.example';
const profile = profileSchema.parse({ baseUrl: `${ORIGIN}/api` });

test('of several keys for an origin none takes the place of one that is missing', () => {
  const ring = new KeyRing();
  const beforeSent = vi.fn();
  ring.set(ORIGIN, 'the-only-key', beforeSent);
  ring.set(ORIGIN, 'key-of-a-1234', undefined, 'a');
  expect(ring.of({ profile })).toBe('the-only-key');
  expect(ring.of({ profile, keyName: 'a' })).toBe('key-of-a-1234');
  expect(ring.of({ profile, keyName: 'b' })).toBeUndefined();
  expect(ring.fingerprintOf({ profile, keyName: 'b' })).toBeUndefined();
  ring.beforeSent({ profile, keyName: 'a' });
  expect(beforeSent).not.toHaveBeenCalled();
  ring.beforeSent({ profile });
  expect(beforeSent).toHaveBeenCalledOnce();
});
