import { describe, expect, test } from 'vitest';
import { keptAddress, storeAddress } from '../../../../src/engine/store/postgres/store-address.ts';

function connectionOf(text: string, environment: Readonly<Record<string, string>> = {}): string {
  const address = storeAddress(text, environment);
  if (!address.ok) throw new Error(address.error.message);
  return address.value.connection;
}

describe('the address of a store', () => {
  test.each([
    'postgres://u:hunter2@h/db',
    'postgres://u:p@hunter2@h/db',
    'postgres://u:my hunter2@h/db',
    'postgres://u:pa/hunter2@h/db',
    'postgres://u:12/hunter2@h/db',
    'postgres://u:12?hunter2@h/db',
    'postgres://u:12#hunter2@h/db',
    'postgres://h/db?password=hunter2',
    'postgres://h/db?password=one hunter2',
    'postgres://h/db?pass%77ord=hunter2',
    'pg://u:hunter2@h/db',
    'u:hunter2@h/db',
  ])('shows no password: %s', (text) => {
    const address = storeAddress(text, {});
    expect(JSON.stringify(address.ok ? address.value.shown : address.error)).not.toContain('hunter2');
  });

  test('says which store it is', () => {
    const address = storeAddress('postgres://u:secret@db.example:5433/nights?schema=two', {});
    expect(address).toMatchObject({ ok: true, value: { shown: 'postgres://u@db.example:5433/nights?schema=two' } });
  });
});

describe('encryption', () => {
  test.each([
    ['postgres://u@db.example/x', {}, 'verify-full'],
    ['postgres://u@db.example/x?sslmode=require', {}, 'verify-full'],
    ['postgres://u@db.example/x', { PGSSLMODE: 'disable' }, 'disable'],
    ['postgres://u@db.example/x?sslmode=disable', { PGSSLMODE: 'require' }, 'disable'],
    ['postgres:///x', { PGHOST: 'db.example' }, 'verify-full'],
    ['postgres://u@localhost/x?host=db.example', {}, 'verify-full'],
    ['postgres://u@localhost/x', {}, 'disable'],
    ['postgres://u@localhost/x?host=%2Frun%2Fpostgresql', {}, 'disable'],
  ])('of %s with %j is %s', (text, environment, mode) => {
    expect(
      new URL(connectionOf(text, environment as Readonly<Record<string, string>>)).searchParams.get('sslmode'),
    ).toBe(mode);
  });

  test.each(['requrie', 'allow'])(
    'is not left open by a word that is unknown or leaves it to the server: %s',
    (mode) => {
      expect(storeAddress(`postgres://u@db.example/x?sslmode=${mode}`, {}).ok).toBe(false);
      expect(storeAddress('postgres://u@db.example/x', { PGSSLMODE: mode }).ok).toBe(false);
    },
  );
});

describe('an address that is kept', () => {
  test.each([
    ['postgres://u:hunter2@h/db?sslmode=disable', 'postgres://u@h/db?sslmode=disable', 'hunter2'],
    ['postgres://u:a%20%25%2F@h/db', 'postgres://u@h/db', 'a %/'],
    ['postgres://u:p@hunter2@h/db', 'postgres://u@h/db', 'p@hunter2'],
    ['postgres://u@h/db?password=hunter2&schema=x', 'postgres://u@h/db?schema=x', 'hunter2'],
    ['postgres://u:one@h/db?password=two', 'postgres://u@h/db', 'two'],
    [' postgres://u@h/db ', 'postgres://u@h/db', undefined],
  ])('has no password in it: %s', (text, address, password) => {
    expect(keptAddress(text)).toEqual({
      ok: true,
      value: { address, ...(password === undefined ? {} : { password }) },
    });
  });

  test.each(['postgres://u:p/hunter2@h/db', 'https://u:hunter2@h/db', 'postgres://u:hunter2%@h/db'])(
    'is refused without a word of what may be one: %s',
    (text) => {
      const kept = keptAddress(text);
      expect(kept.ok).toBe(false);
      expect(JSON.stringify(kept)).not.toContain('hunter2');
    },
  );
});
