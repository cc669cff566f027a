/**
 * Keeps the keys, one for each gateway and those of further accounts there: encrypted by the system's keyring in a file
 * of their own, or only in memory if there is no keyring.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { writeNoteSync } from '../../engine/whole-file.ts';
import { isSealed, sealOf } from '../../engine/gateway/key-seal.ts';
import { present } from '../../shared/domain/base/result.ts';
import type { KeyPlace, KeyStatus } from '../../shared/ipc/app.ts';
import { words } from '../../shared/words/words.ts';

/** The system's secret storage, as a port. */
export interface SecretCipher {
  /** True only for a real keyring: Chromium's last resort, a fixed password, protects nothing. */
  isSecure(): boolean;
  encrypt(text: string): Buffer;
  /** Throws if the keyring does not give it back. */
  decrypt(bytes: Buffer): string;
}

const OF_DEBUGGER = 'debugger:';

/**
 * The secret storage of a program whose page another program drives: it gives back what was entered there, and nothing
 * that the user has entered without that program, whichever file was copied.
 */
export function apartForDebugger(cipher: SecretCipher): SecretCipher {
  return {
    isSecure: () => cipher.isSecure(),
    encrypt: (text) => cipher.encrypt(OF_DEBUGGER + text),
    decrypt: (bytes) => {
      const text = cipher.decrypt(bytes);
      if (!text.startsWith(OF_DEBUGGER)) throw new Error('The secret was kept without a debugger.');
      return text.slice(OF_DEBUGGER.length);
    },
  };
}

export interface HeldKey extends KeyPlace {
  readonly key: string;
}

/** Origins and keys are encrypted together: whoever can write the file cannot give a key to another origin. */
const keyFile = z.strictObject({ version: z.literal(2), encryptedKeys: z.base64() });
const unsealedKeyFile = z.looseObject({ version: z.literal(1) });
/** Not every keyring detects that its encrypted data was changed, but the seal does. */
const keptKeys = z.array(
  z.strictObject({
    origin: z.string(),
    name: z.string().exactOptional(),
    key: z.string(),
    seal: z.string(),
  }),
);

/** The last four characters would give a short key away. */
const LAST4_FROM_CHARACTERS = 12;

/** The keys of gateways. Only `keys` and `of` return a key. */
export class KeyVault {
  readonly #path: string;
  readonly #cipher: SecretCipher;
  /** By their places. */
  readonly #keys = new Map<string, HeldKey>();
  /** Whether there is a file with keys that could not be read. */
  #isUnread = false;
  /** Why stored keys could not be read back, for the user. */
  readonly problem: string | undefined;

  /** Reads the keys back. Never overwrites an unreadable file: a keyring that fails today may work tomorrow. */
  constructor(path: string, cipher: SecretCipher) {
    this.#path = path;
    this.#cipher = cipher;
    this.problem = this.#read();
  }

  /** All keys, for the engine alone. */
  get keys(): HeldKey[] {
    return [...this.#keys.values()];
  }

  /** The key for an origin, or the key with a name there, for the engine alone. No other key takes its place. */
  of(origin: string | undefined, name?: string): string | undefined {
    return origin === undefined ? undefined : this.#keys.get(placeOf({ origin, ...present({ name }) }))?.key;
  }

  /** What the window may know about the keys: about the key for an origin, and which others there are. */
  status(origin: string | undefined): KeyStatus {
    const key = this.of(origin);
    return {
      present: key !== undefined,
      last4: lastCharacters(key ?? ''),
      storage: this.#cipher.isSecure() ? 'keyring' : 'memory',
      origin: key === undefined ? '' : (origin ?? ''),
      kept: this.keys.map(({ key: one, ...place }) => ({ ...place, last4: lastCharacters(one) })),
    };
  }

  /**
   * Keeps a key for an origin, replacing the previous one there, or the one with the same name. Throws if the file
   * cannot be written; the previous key is then still the one. Keys that could not be read back before may be known
   * after that.
   */
  set(origin: string, key: string, name?: string): void {
    if (this.#isUnread) this.#read();
    const held = { origin, ...present({ name }), key };
    const before = this.#keys.get(placeOf(held));
    this.#keep(held);
    try {
      this.#write();
    } catch (error) {
      // The user is told that it was not kept: it must not be used, nor written with the next key.
      if (before === undefined) this.#keys.delete(placeOf(held));
      else this.#keep(before);
      throw error;
    }
  }

  /**
   * Forgets the key for an origin, or the key with a name there, in memory and on disk. False if there are unreadable
   * keys on disk, which may include this one. Throws if the file cannot be written.
   */
  clear(origin: string, name?: string): boolean {
    if (this.#isUnread) this.#read();
    this.#keys.delete(placeOf({ origin, ...present({ name }) }));
    if (this.#isUnread) return false;
    if (this.#keys.size === 0) rmSync(this.#path, { force: true });
    else this.#write();
    return true;
  }

  /** Reads the stored keys, beside those entered since; returns why they cannot be read. */
  #read(): string | undefined {
    const kept = readKept(this.#path, this.#cipher);
    this.#isUnread = typeof kept === 'string';
    if (typeof kept === 'string') return kept;
    for (const one of kept) if (!this.#keys.has(placeOf(one))) this.#keep(one);
    return undefined;
  }

  #keep(held: HeldKey): void {
    this.#keys.set(placeOf(held), held);
  }

  #write(): void {
    if (!this.#cipher.isSecure()) return;
    if (this.#isUnread) {
      renameSync(this.#path, freePath(this.#path));
      this.#isUnread = false;
    }
    const kept = this.keys.map((held) => ({ ...held, seal: sealOf(held.key, placeOf(held)) }));
    const encryptedKeys = this.#cipher.encrypt(JSON.stringify(kept)).toString('base64');
    writeNoteSync(this.#path, JSON.stringify({ version: 2, encryptedKeys }));
  }
}

/** An origin contains no space, so no name can turn two places into one. */
function placeOf({ origin, name }: KeyPlace): string {
  return name === undefined ? origin : `${origin} ${name}`;
}

/** Beside the file: `key.unread-1.json`, or the first free number. */
function freePath(path: string): string {
  for (let number = 1; ; number += 1) {
    const free = path.replace(/(\.json)?$/, `.unread-${number}$1`);
    if (!existsSync(free)) return free;
  }
}

function lastCharacters(key: string): string {
  return key.length >= LAST4_FROM_CHARACTERS ? key.slice(-4) : '';
}

function readKept(path: string, cipher: SecretCipher): readonly HeldKey[] | string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    return words.desktop.key.unreadable;
  }
  if (!cipher.isSecure()) return words.desktop.key.noKeyring;
  try {
    const json: unknown = JSON.parse(text);
    if (unsealedKeyFile.safeParse(json).success) {
      return words.desktop.key.movable;
    }
    const { encryptedKeys } = keyFile.parse(json);
    const kept = keptKeys.parse(JSON.parse(cipher.decrypt(Buffer.from(encryptedKeys, 'base64'))));
    if (kept.every((held) => isSealed(held.key, placeOf(held), held.seal))) {
      return kept.map(({ origin, name, key }) => ({ origin, ...present({ name }), key }));
    }
    return words.desktop.key.fileChanged;
  } catch {
    return words.desktop.key.notReadBack;
  }
}
