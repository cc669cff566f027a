import { createHash } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { hasMoreValuesThan } from '../../../shared/domain/base/json.ts';
import { manifestSchema, type Manifest, type ManifestFile } from '../../../shared/domain/files/manifest.ts';
import { foldPath, FOLDER_IDENTITY_FILE } from '../../../shared/domain/files/naming.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { diskErrorCode, diskFailure, NotPlainFileError } from '../disk-failure.ts';
import { DOCUMENT_NAMES } from './export-documents.ts';
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

/** Checks every file of a media folder against its manifest. Needs only the folder, and changes nothing. */
export async function verifyFolder(folder: string): Promise<VerifyReport> {
  const read = await readManifest(folder);
  if (!read.ok) return report(folder, undefined, 0, 0, [read.error], []);
  const manifest = read.value;
  const base = await realpath(folder);
  const problems: VerifyProblem[] = [...listProblems(manifest)];
  let verified = 0;
  let bytes = 0;
  for (const file of manifest.files) {
    const problem = await checkFile(base, file);
    if (problem === undefined) {
      verified += 1;
      bytes += file.bytes;
    } else {
      problems.push({ ...problem, path: file.path, row: file.row });
    }
  }
  return report(folder, manifest, verified, bytes, problems, await findExtras(base, manifest));
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

async function readManifest(folder: string): Promise<Result<Manifest, VerifyProblem>> {
  const path = join(folder, DOCUMENT_NAMES.manifest);
  const text = await readText(path);
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

async function readText(path: string): Promise<Result<string, VerifyProblem>> {
  let file;
  try {
    file = await openPlainFile(path);
    const { size } = await file.stat();
    if (size > MAX_MANIFEST_BYTES)
      return err({ kind: 'manifest-too-large', message: `${path} is larger than 256 MiB.` });
    return ok(await file.readFile('utf8'));
  } catch (error) {
    if (error instanceof NotPlainFileError) return err({ kind: 'manifest-invalid', message: `${error.message}.` });
    const kind = diskErrorCode(error) === 'ENOENT' ? 'manifest-missing' : 'unreadable';
    return err({ kind, message: diskFailure(error, path).message });
  } finally {
    await file?.close();
  }
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
    if (status === 'done' && counts.every((task) => task.files.length === 0)) {
      yield { kind: 'done-without-file', row, message: `Row ${row} is done and has no file.` };
    }
  }
}

/** Checks one file: inside the folder, present, of the right length, identical. */
async function checkFile(base: string, listed: ManifestFile): Promise<VerifyProblem | undefined> {
  const { path } = listed;
  const parts = path.split('/');
  if (
    path.includes('\\') ||
    parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))
  ) {
    return { kind: 'path-outside', message: `${path} leads out of the folder.` };
  }
  let file;
  try {
    const real = await realpath(join(base, ...parts));
    if (!real.startsWith(base.endsWith(sep) ? base : base + sep)) {
      return { kind: 'path-outside', message: `${path} is a link that leads out of the folder.` };
    }
    file = await openPlainFile(real);
    const stat = await file.stat();
    if (stat.size !== listed.bytes) {
      return { kind: 'size-differs', message: `${path} has ${stat.size} bytes, and should have ${listed.bytes}.` };
    }
    const hash = createHash('sha256');
    await hashFile(file, hash, stat.size);
    if (hash.digest('hex') === listed.sha256) return undefined;
    return { kind: 'hash-differs', message: `${path} is not the file that was downloaded: its sha256 differs.` };
  } catch (error) {
    if (error instanceof NotPlainFileError) return { kind: 'file-missing', message: `${path} is not a file.` };
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '');
    if (isMissing) return { kind: 'file-missing', message: `${path} is missing.` };
    return { kind: 'unreadable', message: diskFailure(error, path).message };
  } finally {
    await file?.close();
  }
}

/** Files that are neither listed nor ours, at the top and one folder down, which is as deep as a media folder goes. */
async function findExtras(base: string, manifest: Manifest): Promise<readonly string[]> {
  const known = new Set(
    [...Object.values(DOCUMENT_NAMES), FOLDER_IDENTITY_FILE, ...manifest.files.map((file) => file.path)].map(foldPath),
  );
  const extras: string[] = [];
  for (const entry of await readdir(base, { withFileTypes: true })) {
    if (!entry.isDirectory()) {
      if (!known.has(foldPath(entry.name))) extras.push(entry.name);
    } else if (entry.name !== SET_ASIDE_FOLDER) {
      for (const name of await readdir(join(base, entry.name))) {
        const path = `${entry.name}/${name}`;
        if (!known.has(foldPath(path))) extras.push(path);
      }
    }
  }
  return extras.sort();
}
