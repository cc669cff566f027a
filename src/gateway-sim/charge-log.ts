import { closeSync, openSync, writeSync } from 'node:fs';
import type { JsonObject } from '../shared/domain/base/json.ts';
import type { OperationPath } from '../shared/domain/operations/operations.ts';

/** One accepted, paid submit: an entry in the append-only charge log. */
export interface Charge {
  /** Counted from 1. */
  readonly seq: number;
  readonly taskCode: string;
  readonly operation: OperationPath;
  /** sha256 of the body as received, in hexadecimal. */
  readonly bodySha256: string;
  readonly body: JsonObject;
  /** The key under which it came, if it had one. */
  readonly idempotencyKey?: string;
  /** Milliseconds since the epoch, by the gateway's clock. */
  readonly at: number;
  /** The key's last four characters; `****` if the key is too short to show them. */
  readonly keyLast4: string;
}

/**
 * The append-only record of what was paid for. With a file, each charge is one line of JSON that the operating system
 * has received before `append` returns, so that it survives a kill of this process.
 */
export class ChargeLog {
  readonly #entries: Charge[] = [];
  readonly #file: number | undefined;

  /** Throws the file system's error if the file cannot be opened for appending. */
  constructor(path: string | undefined) {
    this.#file = path === undefined ? undefined : openSync(path, 'a');
  }

  append(charge: Omit<Charge, 'seq'>): Charge {
    const entry: Charge = { seq: this.#entries.length + 1, ...charge };
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    this.#entries.push(entry);
    return entry;
  }

  get entries(): readonly Charge[] {
    return this.#entries;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
