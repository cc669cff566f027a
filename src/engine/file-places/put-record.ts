/**
 * A record of what was put where, for which batches, and what has become of it, durable before anything relies on it: a
 * file of lines that only grows. It belongs to the store beside it, which one process has at a time. Without it, only
 * time is lost: places are asked what they have, and nothing there is deleted.
 */
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { spoken, type Reason } from '../../shared/domain/base/reason.ts';
import { NO_PUT_FILES, placeKey, type FilesPlace, type PutFiles } from '../../shared/domain/places/files-place.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { syncFolder } from '../whole-file.ts';

const reasonRecord: z.ZodType<Reason> = z.object({
  text: z.string(),
  facts: z.array(z.union([z.string(), z.number(), z.boolean(), z.lazy(() => reasonRecord)])).exactOptional(),
});
const contentLine = z.object({
  /** The key of its place. */
  place: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
  bytes: z.number().int().nonnegative(),
  /** Its name there. */
  name: z.string(),
  /** Where it is read, if that does not follow from its name. */
  address: z.string().optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Which installation has put it; absent if it was found there, or was put before this was recorded. */
  by: z.string().optional(),
  /**
   * Absent: it is there. `putting`, `deleting`: begun, with nothing to say how it ended. `left`: it could not be
   * deleted. `changed`: something else has its name there.
   */
  state: z.enum(['putting', 'deleting', 'deleted', 'left', 'changed']).optional(),
  /** Why it is left, as a sentence. */
  why: z.string().optional(),
  /** Which text `why` is, to say it in another language. */
  said: reasonRecord.optional(),
});
const useLine = z.object({ place: z.string(), sha256: z.string(), batch: z.string() });
/** A content, as it was last noted. */
export type PutContentRecord = z.output<typeof contentLine>;

/** Identifies a content at a place. */
export function contentKey({ place, sha256 }: Pick<PutContentRecord, 'place' | 'sha256'>): string {
  return `${sha256} ${place}`;
}

/** The part of a batch that says where its files are put. */
type PutFor = Pick<BatchRecord, 'id' | 'settings'>;

interface Known {
  readonly contents: Map<string, PutContentRecord>;
  /** The batches that have sent the address of a content, by its key. */
  readonly users: Map<string, Set<string>>;
}

/** The contents that were put, by place and digest. */
export class PutRecord {
  readonly #file: string;
  #known: Promise<Known> | undefined;
  /** The last write: the next one waits for it. */
  #turn: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** A content that is there according to the record. */
  async find(place: string, sha256: string): Promise<PutContentRecord | undefined> {
    const found = await this.last(place, sha256);
    return found !== undefined && isThere(found) ? found : undefined;
  }

  /** The last record of a content, whatever it says. */
  async last(place: string, sha256: string): Promise<PutContentRecord | undefined> {
    return (await this.#read()).contents.get(contentKey({ place, sha256 }));
  }

  async contents(): Promise<readonly PutContentRecord[]> {
    return [...(await this.#read()).contents.values()];
  }

  /** Resolves once the record is durable. */
  async add(record: PutContentRecord): Promise<void> {
    const { contents } = await this.#read();
    await this.#append(record);
    contents.set(contentKey(record), record);
  }

  /**
   * Notes that a batch sends the addresses of contents, of all or of none; resolves once that is durable. It counts at
   * once: as soon as `mayUse` has said yes, {@link usersOf} includes this batch.
   */
  async use(batch: string, keys: readonly string[], mayUse: (content: PutContentRecord | undefined) => boolean) {
    const { contents, users } = await this.#read();
    if (!keys.every((key) => mayUse(contents.get(key)))) return false;
    const added = keys.filter((key) => users.get(key)?.has(batch) !== true);
    for (const key of added) users.set(key, (users.get(key) ?? new Set()).add(batch));
    try {
      for (const key of added) {
        const { place, sha256 } = contents.get(key) ?? {};
        await this.#append({ place, sha256, batch });
      }
    } catch (error) {
      for (const key of added) users.get(key)?.delete(batch);
      throw error;
    }
    return true;
  }

  /** The batches that have sent the address of a content. */
  async usersOf(content: PutContentRecord): Promise<ReadonlySet<string>> {
    return (await this.#read()).users.get(contentKey(content)) ?? new Set();
  }

  /** What has become of the files at a place whose addresses a batch has sent. */
  async ofBatch(batch: string, filesPlace: FilesPlace): Promise<PutFiles> {
    const { contents, users } = await this.#read();
    const at = placeKey(filesPlace);
    const own = [...contents].flatMap(([key, content]) =>
      content.place === at && users.get(key)?.has(batch) === true ? [content] : [],
    );
    const deleted = own.filter(({ state }) => state === 'deleted').length;
    const notOurs = own.filter(({ by, state }) => by === undefined || state === 'changed').length;
    const problems = new Set(own.flatMap((one) => (one.state === 'left' ? whyLeft(one) : [])));
    return { left: own.length - deleted - notOurs, deleted, notOurs, problems: [...problems] };
  }

  #append(value: object): Promise<void> {
    const added = this.#turn.then(() => this.#write(value));
    this.#turn = added.catch(() => undefined);
    return added;
  }

  async #write(value: object): Promise<void> {
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const file = await open(this.#file, 'a', 0o600);
    try {
      // Ends whatever a kill has left of the line before.
      await file.appendFile(`\n${JSON.stringify(value)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(path.dirname(this.#file));
  }

  #read(): Promise<Known> {
    this.#known ??= readLines(this.#file);
    return this.#known;
  }
}

/** What has become of the files that were put for a batch, read beside the process that has the store. */
export async function readPutFiles(dataDir: string, { id, settings }: PutFor): Promise<PutFiles> {
  const { filesPlace } = settings;
  if (filesPlace === undefined) return NO_PUT_FILES;
  return new PutRecord(path.join(dataDir, 'files-place', 'put.jsonl')).ofBatch(id, filesPlace);
}

/** Whether a content is there according to its record; whoever relies on that must check. */
export function isThere({ state }: PutContentRecord): boolean {
  return state === undefined || state === 'left' || state === 'changed';
}

async function readLines(file: string): Promise<Known> {
  const known: Known = { contents: new Map(), users: new Map() };
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  for (const one of text.split('\n')) {
    const value = jsonOf(one);
    const content = contentLine.safeParse(value);
    if (content.success) known.contents.set(contentKey(content.data), content.data);
    const use = useLine.safeParse(value);
    if (!use.success) continue;
    const key = contentKey(use.data);
    known.users.set(key, (known.users.get(key) ?? new Set()).add(use.data.batch));
  }
  return known;
}

function whyLeft({ why, said }: PutContentRecord): readonly string[] {
  const text = (said && spoken(said)) ?? why;
  return text === undefined ? [] : [text];
}

/** Undefined for a line that was not written completely. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
