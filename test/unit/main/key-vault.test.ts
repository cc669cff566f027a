import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keyProblem, KeyVault, type SecretCipher } from '../../../src/main/key-vault.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const KEY = 'sk-0123456789abcdef';
const ORIGIN = 'https://gateway.example';

/** Stands in for a keyring: what it wrote, only the same password reads. */
function cipher(options: { isSecure?: boolean; password?: number } = {}): SecretCipher {
  const { isSecure = true, password = 90 } = options;
  const turn = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ password));
  return {
    isSecure: () => isSecure,
    encrypt: (text) => turn(Buffer.from(`ok:${text}`)),
    decrypt: (bytes) => {
      const text = turn(bytes).toString();
      if (!text.startsWith('ok:')) throw new Error('wrong password');
      return text.slice(3);
    },
  };
}

function keyPath(): string {
  return join(temporaryFolder(), 'key.json');
}

describe('a key', () => {
  test('comes back at the next start, for its origin alone', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    const again = new KeyVault(path, cipher());
    expect(again.held).toEqual({ origin: ORIGIN, key: KEY });
    expect(again.status()).toEqual({ present: true, last4: 'cdef', storage: 'keyring', origin: ORIGIN });
  });

  test('is in no file in clear, not even in part, and the file is its owner’s', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(KEY.slice(-4));
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(readdirSync(join(path, '..'))).toEqual(['key.json']);
  });

  test('stays in memory where there is no keyring, and is said to', () => {
    const path = keyPath();
    const vault = new KeyVault(path, cipher({ isSecure: false }));
    vault.set(ORIGIN, KEY);
    expect(vault.held?.key).toBe(KEY);
    expect(vault.status().storage).toBe('memory');
    expect(readdirSync(join(path, '..'))).toEqual([]);
    expect(new KeyVault(path, cipher({ isSecure: false })).held).toBeUndefined();
  });

  test('is forgotten for good', () => {
    const path = keyPath();
    const vault = new KeyVault(path, cipher());
    vault.set(ORIGIN, KEY);
    vault.clear();
    expect(vault.status()).toEqual({ present: false, last4: '', storage: 'keyring', origin: '' });
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('that cannot be read back is asked for again, with the reason', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    for (const other of [cipher({ password: 17 }), cipher({ isSecure: false })]) {
      const vault = new KeyVault(path, other);
      expect(vault.held).toBeUndefined();
      expect(vault.problem).toMatch(/Enter (it|the key) again/);
    }
    writeFileSync(path, '{"version":2}');
    expect(new KeyVault(path, cipher()).problem).toContain('Enter it again');
  });

  test('that is short does not show its end', () => {
    const vault = new KeyVault(keyPath(), cipher());
    vault.set(ORIGIN, 'abcd');
    expect(vault.status().last4).toBe('');
  });

  test.each(['', 'two words', 'line\nbreak', 'ключ', 'tab\there'])(
    'that a header cannot carry is refused: %o',
    (key) => {
      expect(keyProblem(key)).toBeDefined();
    },
  );

  test('that a header can carry is taken', () => {
    expect(keyProblem(KEY)).toBeUndefined();
  });
});
