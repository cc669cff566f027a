/**
 * Judges a night by what the gateway knows about it (its charge log and its own copies of the files) and by what is in
 * the media folder. The engine's store is never asked.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ObservedGateway } from '../support/observed-gateway.ts';
import { FOLDER_IDENTITY_FILE } from '../../src/shared/domain/files/naming.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { earlyCharges, ownersOf } from './charge-owners.ts';
import type { EndedRow } from './child-protocol.ts';

export type OracleName =
  | 'duplicate charge'
  | 'foreign charge'
  | 'early charge'
  | 'wrong file'
  | 'orphaned part'
  | 'lost row'
  | 'leaked key'
  | 'unknown without a cause'
  | 'slow recovery'
  | 'broken life';

/** A promise that was broken: which judge says so, and what it saw. */
export interface Violation {
  readonly oracle: OracleName;
  readonly detail: string;
}

/** A file in the media folder, or a document, as the gateway knows it. */
interface Copy {
  readonly row: string;
  readonly matches: (content: Buffer, sha256: string) => boolean;
}

export class Oracle {
  readonly #gateway: ObservedGateway;
  readonly #folder: string;
  readonly #rows: readonly Row[];
  /** The identity that the folder had first. */
  #identity: string | undefined;

  constructor(gateway: ObservedGateway, folder: string, rows: readonly Row[]) {
    this.#gateway = gateway;
    this.#folder = folder;
    this.#rows = rows;
  }

  /** The task codes that were charged for a row, oldest first. */
  codesOf(rowId: string): readonly string[] {
    const owners = ownersOf(this.#gateway, this.#rows);
    return [...owners].filter(([, owner]) => owner === rowId).map(([taskCode]) => taskCode);
  }

  /** What must hold at every moment, even right after a kill. */
  judgeNow(): readonly Violation[] {
    const copies = this.#copies();
    return [
      ...this.#judgeCharges(),
      ...this.#filesInFolder()
        .filter((path) => !copies.some((copy) => this.#isCopy(path, copy)))
        .map((path): Violation => ({ oracle: 'wrong file', detail: `${path} is none of the gateway’s files` })),
      ...this.#judgeIdentity(),
    ];
  }

  /** The file that identifies the folder may be missing; if it is there, it must be whole, and always the same. */
  #judgeIdentity(): readonly Violation[] {
    const path = join(this.#folder, FOLDER_IDENTITY_FILE);
    const identity = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const isRight = this.#identity === undefined ? /^(\{.*\}\n)?$/u.test(identity) : identity === this.#identity;
    if (identity !== '') this.#identity ??= identity;
    return isRight ? [] : [{ oracle: 'wrong file', detail: `the folder is known by ${identity}` }];
  }

  /** What must hold when nothing is left to do: every row is done, with exactly the files that were paid for. */
  judgeEnd(ended: readonly EndedRow[]): readonly Violation[] {
    const lost = (detail: string): Violation => ({ oracle: 'lost row', detail });
    const files = this.#filesInFolder();
    return [
      ...this.judgeNow(),
      ...ended.filter((row) => row.status !== 'done').map((r) => lost(`${r.row} is ${r.status}: ${r.failure ?? ''}`)),
      ...this.#rows
        .filter((row) => this.codesOf(row.id).length === 0)
        .map((row) => lost(`${row.id} was never paid for`)),
      ...this.#copies().flatMap((copy): readonly Violation[] => {
        const found = files.filter((path) => this.#isCopy(path, copy)).length;
        if (found === 0) return [lost(`a file of ${copy.row} is missing`)];
        return found === 1 ? [] : [{ oracle: 'wrong file', detail: `a file of ${copy.row} is there ${found} times` }];
      }),
    ];
  }

  /** Parts of downloads that nobody will finish. */
  leftoverParts(): readonly string[] {
    return this.#walk().filter((path) => path.endsWith('.part'));
  }

  #judgeCharges(): readonly Violation[] {
    const { keyLeaks, rejections } = this.#gateway.stats();
    const owners = ownersOf(this.#gateway, this.#rows);
    const foreign = this.#gateway.chargeLog().filter((charge) => !owners.has(charge.taskCode));
    return [
      ...this.#rows.flatMap((row): readonly Violation[] => {
        const charges = this.codesOf(row.id).length;
        return charges > 1 ? [{ oracle: 'duplicate charge', detail: `${row.id} was charged ${charges} times` }] : [];
      }),
      ...foreign.map((charge): Violation => ({ oracle: 'foreign charge', detail: JSON.stringify(charge.body) })),
      ...earlyCharges(this.#gateway, this.#rows, owners).map((detail): Violation => ({
        oracle: 'early charge',
        detail,
      })),
      ...rejections.map((info): Violation => ({ oracle: 'foreign charge', detail: `a body was refused: ${info}` })),
      ...(keyLeaks > 0
        ? [{ oracle: 'leaked key', detail: `${keyLeaks} requests took the key elsewhere` } as const]
        : []),
    ];
  }

  /** Every file and document that was paid for. */
  #copies(): readonly Copy[] {
    const owners = ownersOf(this.#gateway, this.#rows);
    return this.#gateway.chargeLog().flatMap((charge): readonly Copy[] => {
      const row = owners.get(charge.taskCode) ?? '';
      const data = this.#gateway.dataResult(charge.taskCode);
      if (data !== undefined) return [{ row, matches: (content) => holds(parsed(content.toString()), data) }];
      return this.#gateway.outputs(charge.taskCode).map((output) => ({
        row,
        matches: (_, sha256) => sha256 === output.sha256,
      }));
    });
  }

  /** Right content under the right row's name. */
  #isCopy(path: string, copy: Copy): boolean {
    const name = path.split('/').at(-1) ?? '';
    if (!new RegExp(`^${copy.row}[-.]`, 'u').test(name)) return false;
    const content = readFileSync(join(this.#folder, path));
    return copy.matches(content, sha256Of(content));
  }

  /**
   * What a user would take for a finished file: everything but parts, the traces of a write test, and the file that
   * identifies the folder.
   */
  #filesInFolder(): readonly string[] {
    const isOurs = (path: string): boolean => path === FOLDER_IDENTITY_FILE || /^\.nocturne-.*\.tmp$/u.test(path);
    return this.#walk().filter((path) => !path.endsWith('.part') && !isOurs(path));
  }

  #walk(): readonly string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.#folder.length + 1));
  }
}

export function sha256Of(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Whether `data` is in `value`, at any depth, as it is or as JSON in a text. */
export function holds(value: unknown, data: unknown): boolean {
  if (isDeepStrictEqual(value, data)) return true;
  if (typeof value === 'string') return value.startsWith('{') && holds(parsed(value), data);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => holds(part, data));
}

/** Undefined for a text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
