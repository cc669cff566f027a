import { expect, test } from 'vitest';
import { DEFAULT_PROFILE, type Profile } from '../../../../src/shared/domain/gateway/profile.ts';
import { profileUsedAt, type BatchSettings } from '../../../../src/shared/domain/task/batch.ts';

test('the profile last used at a gateway may be that of any account', () => {
  const [a, b] = ['a', 'b'].map((name): Profile => ({ ...DEFAULT_PROFILE, name, baseUrl: `https://${name}.example` }));
  if (a === undefined || b === undefined) throw new Error('Two profiles');
  const newer = { ...a, name: 'newer' };
  const batch = (id: string, profile: Profile, accounts?: BatchSettings['accounts']) => {
    return {
      id,
      settings: { folder: '/media', filename: '{row}', rehearsal: false, profile, ...(accounts && { accounts }) },
    };
  };
  const several = batch('2', newer, { first: { name: 'one' }, others: [{ name: 'two', profile: b }] });
  const batches = [batch('1', a), several];
  expect([a, b].map(({ baseUrl }) => profileUsedAt(baseUrl, batches)?.name)).toEqual(['newer', 'b']);
  expect(profileUsedAt('https://nowhere.example', batches)).toBeUndefined();
});
