/**
 * Small pictures of files, and how songs sound, kept beside the page by the sha256 of their content. The folder may be
 * deleted at any time, in whole or in part, and may contain anything: what is missing or wrong is made again.
 */
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { present } from '../../../../shared/domain/base/result.ts';
import type { SongSound } from '../../../ports/file-looks.ts';
import { writeWhole } from '../../../whole-file.ts';
import { diskErrorCode } from '../../disk-failure.ts';
import { FOLDER_FILE_MODE, openIfThere } from '../../plain-file.ts';

/** Inside the media folder, beside the page. */
export const PREVIEWS_FOLDER = '.nocturne-previews';

const EXTENSIONS = ['jpg', 'webp', 'json', 'none'] as const;
type Extension = (typeof EXTENSIONS)[number];

const NAME = /^(?<sha256>[0-9a-f]{64})\.(?<extension>jpg|webp|json|none)$/u;
const SUBFOLDER = /^[0-9a-f]{2}$/u;
/** More bytes than any preview has. */
const MOST_BYTES = 1 << 20;
/** Enough bytes to identify a picture. */
const HEAD_BYTES = 12;
/** How long a failure is remembered: what failed on a busy day may succeed on another. */
const NONE_FOR_MS = 24 * 3_600_000;

/** No measurement is outside these limits. */
const decibels = z.number().min(-1_000).max(1_000);

const soundSchema = z.object({
  seconds: z.number().positive(),
  levels: z.array(z.number().min(0).max(1)).min(1).max(1_000),
  lufs: decibels.optional(),
  peakDb: decibels.optional(),
});

/** What is kept for a content. */
export type KeptPreview =
  | { readonly kind: 'picture'; readonly extension: 'jpg' | 'webp' }
  | { readonly kind: 'sound'; readonly sound: SongSound }
  /** No preview can be made: that was tried not long ago. */
  | { readonly kind: 'none' };

/** What is kept, as it is on the disk. */
export interface PreviewBytes {
  readonly extension: Extension;
  readonly bytes: Uint8Array;
}

/** The previews in one media folder. If the disk refuses, previews only have to be made again. */
export class KeptPreviews {
  readonly #folder: string;
  readonly #now: () => number;
  /** The names in each existing subfolder; read once. */
  readonly #names = new Map<string, Promise<Set<string>>>();
  readonly #found = new Map<string, Promise<KeptPreview | undefined>>();

  /** @param folder The media folder. */
  constructor(folder: string, now: () => number) {
    this.#folder = join(folder, PREVIEWS_FOLDER);
    this.#now = now;
  }

  /** What is kept for a content; undefined if there is nothing. */
  get(sha256: string): Promise<KeptPreview | undefined> {
    let found = this.#found.get(sha256);
    if (found === undefined) {
      found = this.#look(sha256);
      this.#found.set(sha256, found);
    }
    return found;
  }

  /** The same as it is on the disk, for another folder; for a picture, at most this many bytes. */
  async read(sha256: string, most = MOST_BYTES): Promise<PreviewBytes | undefined> {
    if (!isDigest(sha256)) return undefined;
    const names = await this.#namesBeside(sha256);
    const extension = EXTENSIONS.find((one) => names.has(`${sha256}.${one}`));
    if (extension === undefined) return undefined;
    const path = this.#pathOf(sha256, extension);
    if (extension === 'none') {
      const age = this.#now() - ((await lstatIfThere(path))?.mtimeMs ?? 0);
      return age < NONE_FOR_MS ? { extension, bytes: new Uint8Array() } : undefined;
    }
    const bytes = await readSmall(path, most);
    return bytes !== undefined && isWhat(extension, bytes) ? { extension, bytes } : undefined;
  }

  /** Keeps a preview, and replaces what was kept for its content. Returns whether the disk accepted it. */
  async keep(sha256: string, { extension, bytes }: PreviewBytes): Promise<boolean> {
    if (!isDigest(sha256)) return false;
    try {
      const names = await this.#namesBeside(sha256);
      const path = this.#pathOf(sha256, extension);
      if (!(await madeFolder(this.#folder)) || !(await madeFolder(dirname(path)))) return false;
      await writeWhole(path, bytes, FOLDER_FILE_MODE);
      for (const other of EXTENSIONS.filter((one) => one !== extension && names.delete(`${sha256}.${one}`)))
        await rm(this.#pathOf(sha256, other), { force: true });
      names.add(`${sha256}.${extension}`);
      this.#found.delete(sha256);
      return true;
    } catch (error) {
      if (diskErrorCode(error) === undefined) throw error;
      return false;
    }
  }

  /** Removes what is kept for contents that are not among these, but nothing that could be somebody else's. */
  async keepOnly(wanted: ReadonlySet<string>): Promise<void> {
    try {
      for (const name of await readdir(this.#folder)) {
        if (!SUBFOLDER.test(name) || !(await this.#isOurs(name))) continue;
        const subfolder = join(this.#folder, name);
        for (const file of await readdir(subfolder)) {
          const { sha256 } = NAME.exec(file)?.groups ?? {};
          if (sha256?.startsWith(name) !== true || wanted.has(sha256)) continue;
          await rm(join(subfolder, file), { force: true });
        }
        // A folder with something left in it stays.
        await rmdir(subfolder).catch(() => undefined);
      }
    } catch (error) {
      if (diskErrorCode(error) === undefined) throw error;
    }
  }

  async #look(sha256: string): Promise<KeptPreview | undefined> {
    // A song's measurements are read whole.
    const isPicture = !(await this.#namesBeside(sha256)).has(`${sha256}.json`);
    const there = await this.read(sha256, isPicture ? HEAD_BYTES : MOST_BYTES);
    switch (there?.extension) {
      case 'jpg':
      case 'webp':
        return { kind: 'picture', extension: there.extension };
      case 'json': {
        const sound = soundIn(there.bytes);
        return sound && { kind: 'sound', sound };
      }
      case 'none':
        return { kind: 'none' };
      case undefined:
        return undefined;
    }
  }

  #namesBeside(sha256: string): Promise<Set<string>> {
    const name = sha256.slice(0, 2);
    let names = this.#names.get(name);
    if (names === undefined) {
      names = this.#namesIn(name);
      this.#names.set(name, names);
    }
    return names;
  }

  async #namesIn(name: string): Promise<Set<string>> {
    if (!(await this.#isOurs(name))) return new Set();
    return new Set((await readdir(join(this.#folder, name)).catch(() => [])).filter((one) => NAME.test(one)));
  }

  /** True for a folder, but not for a link to one, which could be anybody's. */
  async #isOurs(name: string): Promise<boolean> {
    return (await isFolder(this.#folder)) && (await isFolder(join(this.#folder, name)));
  }

  /** In 256 folders: a single folder with everything is slow on some disks. */
  #pathOf(sha256: string, extension: Extension): string {
    return join(this.#folder, sha256.slice(0, 2), `${sha256}.${extension}`);
  }
}

/** The first bytes of a small plain file; undefined if there is none, or the disk cannot read it. */
export async function readSmall(path: string, most = MOST_BYTES): Promise<Uint8Array | undefined> {
  let file;
  try {
    file = await openIfThere(path);
    const size = (await file?.stat())?.size ?? 0;
    if (file === undefined || size > MOST_BYTES) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, most)), 0, undefined, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
    return undefined;
  } finally {
    await file?.close();
  }
}

/** Whether bytes are what their name says, judged by their beginning. */
export function isWhat(extension: Extension, bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  switch (extension) {
    case 'jpg':
      return head.startsWith('\u00ff\u00d8\u00ff');
    case 'webp':
      return head.startsWith('RIFF') && head.endsWith('WEBP');
    case 'json':
      return soundIn(bytes) !== undefined;
    case 'none':
      return bytes.length === 0;
  }
}

function soundIn(bytes: Uint8Array): SongSound | undefined {
  let given: unknown;
  try {
    given = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
  const { data } = soundSchema.safeParse(given);
  return data && { seconds: data.seconds, levels: data.levels, ...present({ lufs: data.lufs, peakDb: data.peakDb }) };
}

/** Kept previews are named by their digest, so it is checked: a store that others write to may contain any text. */
function isDigest(sha256: string): boolean {
  return /^[0-9a-f]{64}$/u.test(sha256);
}

/** Creates a folder if there is none; false if there is a link, or something that is not a folder. */
async function madeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
  } catch (error) {
    if (diskErrorCode(error) !== 'EEXIST') throw error;
  }
  return isFolder(path);
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstatIfThere(path))?.isDirectory() === true;
}

async function lstatIfThere(path: string) {
  return lstat(path).catch(() => undefined);
}
