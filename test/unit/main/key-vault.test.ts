import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apartForDebugger, KeyVault, type SecretCipher } from '../../../src/main/services/key-vault.ts';
import { sealOf } from '../../../src/engine/gateway/key-seal.ts';
import { keyProblem } from '../../../src/shared/domain/base/key-finder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const KEY = 'sk-0123456789abcdef';
const ORIGIN = 'https://gateway.example';
const OTHER = 'https://other.example';

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
    expect(again.keys).toEqual([{ origin: ORIGIN, key: KEY }]);
    expect(again.of(ORIGIN)).toBe(KEY);
    expect(again.of(OTHER)).toBeUndefined();
    const kept = [{ origin: ORIGIN, last4: 'cdef' }];
    expect(again.status(ORIGIN)).toEqual({ present: true, last4: 'cdef', storage: 'keyring', origin: ORIGIN, kept });
    expect(again.status(OTHER)).toEqual({ present: false, last4: '', storage: 'keyring', origin: '', kept });
  });

  test('is not given to a program whose page another one drives, nor the other way round', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    const driven = new KeyVault(path, apartForDebugger(cipher()));
    expect(driven.keys).toEqual([]);
    expect(driven.problem).toContain('could not be read back');
    driven.set(OTHER, 'sk-of-a-test-0123');
    expect(new KeyVault(path, apartForDebugger(cipher())).of(OTHER)).toBe('sk-of-a-test-0123');
    expect(new KeyVault(path, cipher()).keys).toEqual([]);
  });

  test('is kept beside those of other gateways, and forgotten without them', () => {
    const path = keyPath();
    const vault = new KeyVault(path, cipher());
    vault.set(ORIGIN, KEY);
    vault.set(OTHER, 'sk-another-0123456');
    vault.set(ORIGIN, 'sk-replaced-012345');
    const both = new KeyVault(path, cipher());
    expect([both.of(ORIGIN), both.of(OTHER)]).toEqual(['sk-replaced-012345', 'sk-another-0123456']);
    both.clear(ORIGIN);
    expect(new KeyVault(path, cipher()).keys).toEqual([{ origin: OTHER, key: 'sk-another-0123456' }]);
  });

  test('with a name is one of several of its gateway, and none takes the place of another', () => {
    const path = keyPath();
    const vault = new KeyVault(path, cipher());
    vault.set(ORIGIN, KEY);
    vault.set(ORIGIN, 'sk-of-the-spare-0001', 'spare');
    vault.set(ORIGIN, 'sk-of-the-spare-0002', 'spare');
    const again = new KeyVault(path, cipher());
    expect(again.keys).toEqual([
      { origin: ORIGIN, key: KEY },
      { origin: ORIGIN, name: 'spare', key: 'sk-of-the-spare-0002' },
    ]);
    expect([again.of(ORIGIN), again.of(ORIGIN, 'spare')]).toEqual([KEY, 'sk-of-the-spare-0002']);
    expect([again.of(ORIGIN, 'other'), again.of(OTHER, 'spare')]).toEqual([undefined, undefined]);
    expect(again.status(OTHER).kept).toEqual([
      { origin: ORIGIN, last4: 'cdef' },
      { origin: ORIGIN, name: 'spare', last4: '0002' },
    ]);
    again.clear(ORIGIN);
    expect(new KeyVault(path, cipher()).keys).toEqual([{ origin: ORIGIN, name: 'spare', key: 'sk-of-the-spare-0002' }]);
  });

  test.each([
    ['loses its name', { origin: ORIGIN, key: KEY, seal: sealOf(KEY, `${ORIGIN} spare`) }],
    ['gets another name', { origin: ORIGIN, name: 'main', key: KEY, seal: sealOf(KEY, `${ORIGIN} spare`) }],
    ['gets a name', { origin: ORIGIN, name: 'spare', key: KEY, seal: sealOf(KEY, ORIGIN) }],
  ])('that %s in the file is not used: its seal holds both', (_, kept) => {
    const path = keyPath();
    const encryptedKeys = cipher()
      .encrypt(JSON.stringify([kept]))
      .toString('base64');
    writeFileSync(path, JSON.stringify({ version: 2, encryptedKeys }));
    const vault = new KeyVault(path, cipher());
    expect([vault.keys, vault.problem]).toEqual([[], expect.stringContaining('was changed')]);
  });

  test('of a file from before keys had names is read as it is', () => {
    const path = keyPath();
    const kept = [{ origin: ORIGIN, key: KEY, seal: sealOf(KEY, ORIGIN) }];
    const encryptedKeys = cipher().encrypt(JSON.stringify(kept)).toString('base64');
    writeFileSync(path, JSON.stringify({ version: 2, encryptedKeys }));
    const vault = new KeyVault(path, cipher());
    expect([vault.keys, vault.problem]).toEqual([[{ origin: ORIGIN, key: KEY }], undefined]);
  });

  test('is in no file in clear, not even in part, and neither is where it belongs; the file is its owner’s', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(KEY.slice(-4));
    expect(text).not.toContain('gateway.example');
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(readdirSync(join(path, '..'))).toEqual(['key.json']);
  });

  test('stays in memory where there is no keyring, and is said to', () => {
    const path = keyPath();
    const vault = new KeyVault(path, cipher({ isSecure: false }));
    vault.set(ORIGIN, KEY);
    expect(vault.of(ORIGIN)).toBe(KEY);
    expect(vault.status(ORIGIN).storage).toBe('memory');
    expect(readdirSync(join(path, '..'))).toEqual([]);
    expect(new KeyVault(path, cipher({ isSecure: false })).keys).toEqual([]);
  });

  test('that could not be kept is not there: what was there before is', () => {
    const path = keyPath();
    const vault = new KeyVault(path, cipher());
    vault.set(ORIGIN, KEY);
    rmSync(path);
    // Nothing takes its place.
    mkdirSync(join(path, 'in the way'), { recursive: true });
    expect(() => vault.set(ORIGIN, 'sk-a-new-0123456')).toThrow('EISDIR');
    expect(() => vault.set(OTHER, 'sk-another-0123456')).toThrow('EISDIR');
    expect(vault.keys).toEqual([{ origin: ORIGIN, key: KEY }]);
  });

  test('is forgotten for good', () => {
    const path = keyPath();
    const vault = new KeyVault(path, cipher());
    vault.set(ORIGIN, KEY);
    vault.clear(ORIGIN);
    expect(vault.status(ORIGIN)).toEqual({ present: false, last4: '', storage: 'keyring', origin: '', kept: [] });
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('that cannot be read back is asked for again, with the reason', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    for (const other of [cipher({ password: 17 }), cipher({ isSecure: false })]) {
      const vault = new KeyVault(path, other);
      expect(vault.keys).toEqual([]);
      expect(vault.problem).toContain('nter the key again');
    }
    writeFileSync(path, '{"version":3}');
    expect(new KeyVault(path, cipher()).problem).toContain('Enter the key again');
  });

  test('of another gateway that could not be read back once is not lost with the next one that is entered', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    const flaky = { fails: true };
    const vault = new KeyVault(path, {
      ...cipher(),
      decrypt: (bytes) => {
        if (flaky.fails) throw new Error('the keyring does not answer');
        return cipher().decrypt(bytes);
      },
    });
    expect(vault.keys).toEqual([]);
    flaky.fails = false;
    vault.set(OTHER, 'sk-another-0123456');
    expect([vault.of(ORIGIN), vault.of(OTHER)]).toEqual([KEY, 'sk-another-0123456']);
    expect(new KeyVault(path, cipher()).keys).toHaveLength(2);
  });

  test('that cannot be read to the end is set aside whole when another one is kept', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    const before = readFileSync(path, 'utf8');
    for (const unread of ['key.unread-1.json', 'key.unread-2.json']) {
      writeFileSync(path, before);
      new KeyVault(path, cipher({ password: 17 })).set(OTHER, 'sk-another-0123456');
      expect(readFileSync(join(path, '..', unread), 'utf8')).toBe(before);
    }
    expect(new KeyVault(path, cipher({ password: 17 })).of(OTHER)).toBe('sk-another-0123456');
  });

  test('that was only in memory is forgotten without those that the keyring does not give back', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    const vault = new KeyVault(path, cipher({ isSecure: false }));
    vault.set(OTHER, 'sk-another-0123456');
    expect(vault.clear(OTHER)).toBe(false);
    expect(vault.of(OTHER)).toBeUndefined();
    expect(new KeyVault(path, cipher()).keys).toEqual([{ origin: ORIGIN, key: KEY }]);
  });

  test('in a file that the system does not give is not taken for none', () => {
    const path = keyPath();
    mkdirSync(path);
    expect(new KeyVault(path, cipher()).problem).toContain('cannot be read');
  });

  test('cannot be given to another origin by who can write its file, whatever the keyring lets through', () => {
    const path = keyPath();
    new KeyVault(path, cipher()).set(ORIGIN, KEY);
    // A keyring that does not tell when what it encrypted was changed: the origin is turned into another, bit by bit.
    const file = JSON.parse(readFileSync(path, 'utf8')) as { encryptedKeys: string };
    const bytes = Buffer.from(file.encryptedKeys, 'base64');
    const clear = cipher().decrypt(bytes);
    const at = `ok:${clear}`.indexOf('gateway.example');
    for (const [i, char] of Array.from('harmful.example').entries()) {
      bytes[at + i] = (bytes[at + i] ?? 0) ^ 'gateway.example'.charCodeAt(i) ^ char.charCodeAt(0);
    }
    writeFileSync(path, JSON.stringify({ ...file, encryptedKeys: bytes.toString('base64') }));
    expect(cipher().decrypt(bytes)).toContain('https://harmful.example');
    const vault = new KeyVault(path, cipher());
    expect(vault.keys).toEqual([]);
    expect(vault.problem).toContain('was changed');
  });

  test('beside which its origin stood in clear is entered again', () => {
    const path = keyPath();
    const encryptedKey = cipher().encrypt(KEY).toString('base64');
    writeFileSync(path, JSON.stringify({ version: 1, origin: 'https://harmful.example', encryptedKey }));
    const vault = new KeyVault(path, cipher());
    expect(vault.keys).toEqual([]);
    expect(vault.problem).toContain('Enter the key again');
  });

  test('that is short does not show its end', () => {
    const vault = new KeyVault(keyPath(), cipher());
    vault.set(ORIGIN, 'abcdefgh');
    expect(vault.status(ORIGIN).last4).toBe('');
  });

  test.each(['', 'two words', 'line\nbreak', 'ключключ', 'tab\there.', 'shorter'])(
    'that a header cannot carry, or that could not be kept out of files, is refused: %o',
    (key) => {
      expect(keyProblem(key)).toBeDefined();
    },
  );

  test('that a header can carry is taken', () => {
    expect(keyProblem(KEY)).toBeUndefined();
  });
});
