/** Keeps the key: encrypted by the system's keyring in a file of its own, or, where there is none, in memory alone. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { KeyStatus } from '../shared/ipc/contract.ts';

/** The system's secret storage, as a port. */
export interface SecretCipher {
  /** True only for a real keyring: a fixed password, as Chromium's last resort has it, protects nothing. */
  isSecure(): boolean;
  encrypt(text: string): Buffer;
  /** Throws where the keyring does not give it back. */
  decrypt(bytes: Buffer): string;
}

/** A key and the only origin that it is ever sent to. */
export interface HeldKey {
  readonly origin: string;
  readonly key: string;
}

const keyFile = z.strictObject({ version: z.literal(1), origin: z.string(), encryptedKey: z.base64() });

/** A short key would be told by its last four characters. */
const LAST4_FROM_CHARACTERS = 12;

/** The key of the gateway. Nothing that it gives out but `held` carries the key. */
export class KeyVault {
  readonly #path: string;
  readonly #cipher: SecretCipher;
  #held: HeldKey | undefined;
  /** Why a key that was kept could not be read back, for the user. */
  readonly problem: string | undefined;

  /** Reads the key back. A file that cannot be read is left as it is until a new key is entered. */
  constructor(path: string, cipher: SecretCipher) {
    this.#path = path;
    this.#cipher = cipher;
    const kept = readKept(path, cipher);
    if (typeof kept === 'string') this.problem = kept;
    else this.#held = kept;
  }

  /** The key itself, for the engine alone. */
  get held(): HeldKey | undefined {
    return this.#held;
  }

  status(): KeyStatus {
    const { origin = '', key = '' } = this.#held ?? {};
    return {
      present: key !== '',
      last4: key.length >= LAST4_FROM_CHARACTERS ? key.slice(-4) : '',
      storage: this.#cipher.isSecure() ? 'keyring' : 'memory',
      origin,
    };
  }

  /** Keeps a key for an origin, in place of the one before. Throws where the file cannot be written. */
  set(origin: string, key: string): void {
    this.#held = { origin, key };
    if (!this.#cipher.isSecure()) return;
    const encryptedKey = this.#cipher.encrypt(key).toString('base64');
    const temporary = `${this.#path}.new`;
    writeFileSync(temporary, JSON.stringify({ version: 1, origin, encryptedKey }), { mode: 0o600 });
    renameSync(temporary, this.#path);
  }

  /** Forgets the key, in memory and on the disk. */
  clear(): void {
    this.#held = undefined;
    rmSync(this.#path, { force: true });
  }
}

function readKept(path: string, cipher: SecretCipher): HeldKey | string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  if (!cipher.isSecure()) return 'The keyring that keeps the key cannot be reached. Enter the key again, or unlock it.';
  try {
    const { origin, encryptedKey } = keyFile.parse(JSON.parse(text));
    return { origin, key: cipher.decrypt(Buffer.from(encryptedKey, 'base64')) };
  } catch {
    return 'The key could not be read back from the keyring. Enter it again.';
  }
}

/** What is wrong with a key that someone typed, or undefined. It becomes a header, so only printable ASCII can be sent. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'The key is empty.';
  return /^[\x21-\x7e]+$/.test(key) ? undefined : 'The key holds blanks or characters that a header cannot carry.';
}
