import { describe, expect, test } from 'vitest';
import { DEFAULT_PROFILE, profileSchema, type Profile } from '../../../../src/shared/domain/gateway/profile.ts';
import { profileChanges } from '../../../../src/shared/domain/gateway/profile-difference.ts';

function changed(change: object): Profile {
  return profileSchema.parse({ ...DEFAULT_PROFILE, ...change });
}

describe('the difference of two profiles', () => {
  test('a profile and itself have none', () => {
    expect(profileChanges(DEFAULT_PROFILE, changed({}))).toEqual([]);
  });

  test('names what was added, removed and changed, by path', () => {
    const before = changed({ status: { musicgen: { 1: 'succeeded', 2: 'running' } } });
    const after = changed({ status: { musicgen: { 1: 'failed', 3: 'failed' } } });
    expect(profileChanges(before, after)).toEqual([
      { path: 'status.musicgen.1', before: 'succeeded', after: 'failed', isWeighty: true },
      { path: 'status.musicgen.2', before: 'running', isWeighty: true },
      { path: 'status.musicgen.3', after: 'failed', isWeighty: true },
    ]);
  });

  test('another order of patterns is a difference: the first that matches wins', () => {
    const [a, b] = [
      { match: 'a', means: 'rate' },
      { match: 'b', means: 'auth' },
    ];
    const changes = profileChanges(changed({ errors: [a, b] }), changed({ errors: [b, a] }));
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ path: 'errors', isWeighty: true });
  });

  test('every setting is told when it changes, and is weighty unless it is known not to be', () => {
    const weighty = new Map(
      Object.keys(DEFAULT_PROFILE).map((key) => {
        const changes = profileChanges(DEFAULT_PROFILE, { ...DEFAULT_PROFILE, [key]: { other: 'x' } });
        return [key, changes.length === 0 ? 'not told' : changes.some(({ isWeighty }) => isWeighty)];
      }),
    );
    const light = ['name', 'limits', 'deadlines', 'prices', 'suggestions', 'tags'];
    expect(Array.from(weighty).filter(([, is]) => is !== true)).toEqual(light.map((key) => [key, false]));
  });
});
