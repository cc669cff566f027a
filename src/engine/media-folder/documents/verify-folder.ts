import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { hasMoreValuesThan } from '../../../shared/domain/base/json.ts';
import { manifestSchema, type Manifest, type ManifestFile } from '../../../shared/domain/files/manifest.ts';
import { foldPath, FOLDER_IDENTITY_FILE } from '../../../shared/domain/files/naming.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { diskErrorCode, diskFailure, NotPlainFileError } from '../disk-failure.ts';
import { DOCUMENT_NAMES } from './export-documents.ts';
import { PREVIEWS_FOLDER } from './gallery/kept-previews.ts';
import { hashFile, openPlainFile } from '../plain-file.ts';
import { SET_ASIDE_FOLDER } from '../place-file.ts';

/** What is wrong with a media folder. */
export interface VerifyProblem {
  readonly kind:
    | 'manifest-missing'
    | 'manifest-invalid'
    | 'manifest-too-large'
    | 'file-missing'
    | 'path-outside'
    | 'path-twice'
    | 'size-differs'
    | 'hash-differs'
    | 'unreadable'
    | 'not-listed'
    | 'done-without-file';
  /** Inside the folder, with `/`. */
  readonly path?: string;
  /** The affected row. */
  readonly row?: string;
  readonly message: string;
}

/** The result of `verify` for a folder. */
export interface VerifyReport {
  /** No problem was found. */
  readonly ok: boolean;
  /** Absolute path. */
  readonly folder: string;
  /** Name of the batch; absent when the manifest could not be read. */
  readonly batch?: string;
  readonly createdAt?: string;
  /** Files listed, and how many of them are exactly what the manifest says. */
  readonly files: number;
  readonly verified: number;
  /** Bytes of the verified files. */
  readonly bytes: number;
  /** Rows by status. */
  readonly rows: Readonly<Record<string, number>>;
  readonly problems: readonly VerifyProblem[];
  /** Files that the manifest does not list; not a problem. */
  readonly extras: readonly string[];
}

/** The manifest of 100,000 rows has about 100 MB. */
const MAX_MANIFEST_BYTES = 256 << 20;

/** A hundred for each of 100,000 rows. Counted before parsing, because values take far more memory than their text. */
const MAX_MANIFEST_VALUES = 10_000_000;

/** Folders whose contents are ours, and do not come from a row. */
const OUR_FOLDERS = [SET_ASIDE_FOLDER, PREVIEWS_FOLDER];

/** What is looked at in a media folder, wherever it is. */
export interface VerifySource {
  readManifest(maxBytes: number): Promise<Result<string, VerifyProblem>>;
  /** Checks one file, whose path stays inside the folder: present, of the right length, identical. */
  check(file: ManifestFile): Promise<VerifyProblem | undefined>;
  /** Paths at the top and one folder down, which is as deep as a media folder goes. */
  paths(): AsyncIterable<string>;
}

/** Checks every file of a media folder against its manifest. Needs only the folder, and changes nothing. */
export function verifyFolder(folder: string): Promise<VerifyReport> {
  let base: Promise<string> | undefined;
  return verifyFilesOf(folder, {
    readManifest: (maxBytes) => readText(join(folder, DOCUMENT_NAMES.manifest), maxBytes),
    check: async (file) => checkFile(await (base ??= realpath(folder)), file),
    paths: () => pathsIn(folder),
  });
}

/** The same for a media folder elsewhere. */
export async function verifyFilesOf(folder: string, source: VerifySource): Promise<VerifyReport> {
  const read = await readManifest(`${folder}/${DOCUMENT_NAMES.manifest}`, source);
  if (!read.ok) return report(folder, undefined, 0, 0, [read.error], []);
  const manifest = read.value;
  const problems: VerifyProblem[] = [...listProblems(manifest)];
  let verified = 0;
  let bytes = 0;
  for (const file of manifest.files) {
    const problem = leadsOut(file.path) ?? (await source.check(file));
    if (problem === undefined) {
      verified += 1;
      bytes += file.bytes;
    } else {
      problems.push({ ...problem, path: file.path, row: file.row });
    }
  }
  return report(folder, manifest, verified, bytes, problems, await findExtras(source, manifest));
}

function report(
  folder: string,
  manifest: Manifest | undefined,
  verified: number,
  bytes: number,
  problems: readonly VerifyProblem[],
  extras: readonly string[],
): VerifyReport {
  const rows = new Map<string, number>();
  for (const { status } of manifest?.rows ?? []) rows.set(status, (rows.get(status) ?? 0) + 1);
  return {
    ok: problems.length === 0,
    folder,
    ...(manifest === undefined ? {} : { batch: manifest.batch, createdAt: manifest.createdAt }),
    files: manifest?.files.length ?? 0,
    verified,
    bytes,
    rows: Object.fromEntries(rows),
    problems,
    extras,
  };
}

async function readManifest(path: string, source: VerifySource): Promise<Result<Manifest, VerifyProblem>> {
  const text = await source.readManifest(MAX_MANIFEST_BYTES);
  if (!text.ok) return text;
  if (hasMoreValuesThan(text.value, MAX_MANIFEST_VALUES)) {
    const message = `${path} holds more than 10 million values, which no manifest has.`;
    return err({ kind: 'manifest-too-large', message });
  }
  let json: unknown;
  try {
    json = JSON.parse(text.value);
  } catch {
    return err({ kind: 'manifest-invalid', message: `${path} is not valid JSON: it is cut off or was changed.` });
  }
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  return err({
    kind: 'manifest-invalid',
    message: `${path} is not a manifest${place}: ${issue?.message ?? 'unknown'}.`,
  });
}

async function readText(path: string, maxBytes: number): Promise<Result<string, VerifyProblem>> {
  let file;
  try {
    file = await openPlainFile(path);
    const { size } = await file.stat();
    if (size > maxBytes) return err(tooLarge(path));
    return ok(await file.readFile('utf8'));
  } catch (error) {
    if (error instanceof NotPlainFileError) return err({ kind: 'manifest-invalid', message: `${error.message}.` });
    // In a file, such as a ZIP, there is none either.
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '');
    const kind = isMissing ? 'manifest-missing' : 'unreadable';
    return err({ kind, message: diskFailure(error, path).message });
  } finally {
    await file?.close();
  }
}

/** The problem of a manifest that is too large to be read. */
export function tooLarge(path: string): VerifyProblem {
  return { kind: 'manifest-too-large', message: `${path} is larger than 256 MiB.` };
}

/** What is wrong in the manifest itself: rows and files that do not match. */
function* listProblems(manifest: Manifest): Iterable<VerifyProblem> {
  const listed = new Set<string>();
  for (const { path, row } of manifest.files) {
    const key = foldPath(path);
    if (listed.has(key)) yield { kind: 'path-twice', path, row, message: `${path} is listed twice.` };
    listed.add(key);
  }
  for (const { row, status, tasks, removed } of manifest.rows) {
    const paths = tasks.flatMap((task) => task.files);
    for (const path of paths.filter((candidate) => !listed.has(foldPath(candidate)))) {
      yield { kind: 'not-listed', path, row, message: `Row ${row} has ${path}, which is not among the files.` };
    }
    // A file made for an earlier content of the row does not count for its current one.
    const counts = tasks.filter((task) => removed === true || task.superseded !== true);
    if (status === 'done' && counts.every(({ files, deleted }) => files.length === 0 && deleted === undefined)) {
      yield { kind: 'done-without-file', row, message: `Row ${row} is done and has no file.` };
    }
  }
}

function leadsOut(path: string): VerifyProblem | undefined {
  const parts = path.split('/');
  const isInside =
    !path.includes('\\') && parts.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'));
  return isInside ? undefined : { kind: 'path-outside', message: `${path} leads out of the folder.` };
}

/** What is wrong with the size of a file; undefined if it is right. */
export function sizeProblem({ path, bytes }: ManifestFile, found: number): VerifyProblem | undefined {
  if (found === bytes) return undefined;
  return { kind: 'size-differs', message: `${path} has ${found} bytes, and should have ${bytes}.` };
}

/** What is wrong with the content of a file; undefined if it is right. */
export function hashProblem({ path, sha256 }: ManifestFile, found: string): VerifyProblem | undefined {
  if (found === sha256) return undefined;
  return { kind: 'hash-differs', message: `${path} is not the file that was downloaded: its sha256 differs.` };
}

/** Checks one file of a folder, whose real path is `base`. */
async function checkFile(base: string, listed: ManifestFile): Promise<VerifyProblem | undefined> {
  const { path } = listed;
  let file;
  try {
    const real = await realpath(join(base, ...path.split('/')));
    if (!real.startsWith(base.endsWith(sep) ? base : base + sep)) {
      return { kind: 'path-outside', message: `${path} is a link that leads out of the folder.` };
    }
    file = await openPlainFile(real);
    const stat = await file.stat();
    const size = sizeProblem(listed, stat.size);
    if (size !== undefined) return size;
    const hash = createHash('sha256');
    await hashFile(file, hash, stat.size);
    return hashProblem(listed, hash.digest('hex'));
  } catch (error) {
    if (error instanceof NotPlainFileError) return { kind: 'file-missing', message: `${path} is not a file.` };
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '');
    if (isMissing) return { kind: 'file-missing', message: `${path} is missing.` };
    return { kind: 'unreadable', message: diskFailure(error, path).message };
  } finally {
    await file?.close();
  }
}

/** Files that are neither listed nor ours. */
async function findExtras(source: VerifySource, manifest: Manifest): Promise<readonly string[]> {
  const known = new Set(
    [...Object.values(DOCUMENT_NAMES), FOLDER_IDENTITY_FILE, ...manifest.files.map((file) => file.path)].map(foldPath),
  );
  const extras: string[] = [];
  for await (const path of source.paths()) {
    if (!OUR_FOLDERS.some((name) => path.startsWith(`${name}/`)) && !known.has(foldPath(path))) extras.push(path);
  }
  return extras.sort();
}

/** A disk may have folders that nobody but the system looks into, such as `lost+found`: nothing listed is there. */
async function* pathsIn(folder: string): AsyncIterable<string> {
  for (const entry of await entriesIn(folder)) {
    if (!entry.isDirectory()) yield entry.name;
    else for (const { name } of await entriesIn(join(folder, entry.name))) yield `${entry.name}/${name}`;
  }
}

async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
    return [];
  }
}
