/** What a door keeps beside the store: its token, and which batch was made for which key of a program. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeWhole } from '../../engine/index.ts';
import { wrongUsage } from '../ending.ts';
import { readSecretFile } from '../given.ts';

const SHORTEST = 16;

/** The token in a file that the user names, or in the one beside the store, which is made if it is missing. */
export async function doorToken(
  named: string | undefined,
  dataDir: string,
): Promise<{ readonly token: string; readonly file: string }> {
  const file = named === undefined ? path.join(dataDir, 'doors', 'token') : path.resolve(named);
  if (named === undefined && !existsSync(file)) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeWhole(file, `${randomBytes(32).toString('base64url')}\n`, 0o600);
  }
  const token = readSecretFile('token', file).trim();
  if (token.length >= SHORTEST && /^[\x21-\x7e]+$/u.test(token)) return { token, file };
  throw wrongUsage(
    `The token in ${file} is not usable.`,
    `Write at least ${SHORTEST} printable characters into it, on one line; or remove the file and name none.`,
  );
}

const receipt = z.strictObject({
  key: z.string(),
  batchId: z.string(),
  /** A hash of each field that was given, by its name. */
  given: z.record(z.string(), z.string()),
});
export type Receipt = Omit<z.output<typeof receipt>, 'key'>;

/** The hash of each field of an input. */
export function digestsOf(input: object): Receipt['given'] {
  return Object.fromEntries(
    Object.entries(input).map(([field, value]) => [
      field,
      createHash('sha256').update(JSON.stringify(value, inOrder)).digest('hex'),
    ]),
  );
}

/** The fields of an object by their names: in which order a program writes them means nothing (RFC 8259, section 4). */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The fields in which two inputs differ. */
export function fieldsThatDiffer(a: Receipt['given'], b: Receipt['given']): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((field) => a[field] !== b[field]);
}

/** Repeated requests come soon, so this many receipts are enough. */
const KEPT = 1_000;

/** The receipts beside a store, which this process owns. */
export class Receipts {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'doors', 'receipts.json');
  }

  find(key: string): Receipt | undefined {
    return this.#read().findLast((one) => one.key === key);
  }

  /** Resolves when it is on the disk. */
  async keep(key: string, { given, batchId }: Receipt): Promise<void> {
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const kept = [...this.#read(), { key, batchId, given }].slice(-KEPT);
    await writeWhole(this.#file, JSON.stringify(kept), 0o600);
  }

  /** A file that cannot be read counts as empty: a batch that is made twice costs nothing before it is started. */
  #read(): readonly z.output<typeof receipt>[] {
    try {
      return z.array(receipt).parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch {
      return [];
    }
  }
}
