/**
 * What was put where, durable before anything refers to it: a file of lines that only grows. It belongs to the store beside it,
 * which one process has at a time. Without it nothing is lost but time: places are asked what they have.
 */
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { syncFolder } from '../whole-file.ts';

const line = z.object({
  /** Which place, as its key says. */
  place: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
  bytes: z.number().int().nonnegative(),
  /** Under which name it lies there. */
  name: z.string(),
  /** Where it is read, if that does not follow from its name. */
  address: z.string().optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
/** A content that was put. */
export type PutContentRecord = z.output<typeof line>;

/** The contents that were put, by place and digest. */
export class PutRecord {
  readonly #file: string;
  #known: Promise<Map<string, PutContentRecord>> | undefined;
  /** The last write: the next one waits for it. */
  #turn: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  async find(place: string, sha256: string): Promise<PutContentRecord | undefined> {
    return (await this.#read()).get(keyOf({ place, sha256 }));
  }

  /** Resolves once it is durable. */
  add(record: PutContentRecord): Promise<void> {
    const added = this.#turn.then(() => this.#append(record));
    this.#turn = added.catch(() => undefined);
    return added;
  }

  async #append(record: PutContentRecord): Promise<void> {
    const known = await this.#read();
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const file = await open(this.#file, 'a', 0o600);
    try {
      // Whatever a kill has left of the line before ends here.
      await file.appendFile(`\n${JSON.stringify(record)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(path.dirname(this.#file));
    known.set(keyOf(record), record);
  }

  #read(): Promise<Map<string, PutContentRecord>> {
    this.#known ??= readLines(this.#file);
    return this.#known;
  }
}

async function readLines(file: string): Promise<Map<string, PutContentRecord>> {
  const known = new Map<string, PutContentRecord>();
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  for (const one of text.split('\n')) {
    const parsed = line.safeParse(jsonOf(one));
    if (parsed.success) known.set(keyOf(parsed.data), parsed.data);
  }
  return known;
}

/** Undefined for a line that was not written to its end. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keyOf({ place, sha256 }: Pick<PutContentRecord, 'place' | 'sha256'>): string {
  return `${sha256} ${place}`;
}
