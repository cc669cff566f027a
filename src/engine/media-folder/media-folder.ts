import { createHash, randomUUID } from 'node:crypto';
import { access, constants, lstat, open, readdir, realpath, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Dispatcher } from 'undici';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { MEDIA_TYPES } from '../../shared/domain/files/media-type.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { err, ok, present, type Result } from '../../shared/domain/base/result.ts';
import type { Clock } from '../ports/base.ts';
import type { FetchOutcome, FetchRequest, FolderNeeds, MediaFolder, OutputJournal } from '../ports/media-folder.ts';
import { diskErrorCode, diskFailure, namesItsPath, NotFolderError, NotPlainFileError } from './disk-failure.ts';
import { fetchFile, type FetchTools } from './fetch/fetch-output.ts';
import { createAddressPolicy, type AddressPolicy } from './fetch/media-address.ts';
import { threadMediaChecker } from './checks/media-checker.ts';
import { createMediaDispatcher } from './fetch/media-dispatcher.ts';
import { markedId, parseMarkedId, parsePartName } from './fetch/part-file.ts';
import { openPlace, ReplacedFolderError, type Place } from './fetch/place.ts';
import { isFileThere, replacedFolder, judgeFolder, readIdentity, writeIdentity } from './folder-identity.ts';
import { createKnownFolders, numberOf, realSubfolder, type FolderNumber } from './known-folders.ts';
import { SET_ASIDE_FOLDER } from './place-file.ts';
import { InterruptedError, OWN_FOLDER, TargetError, type Target } from './target.ts';
import { removeParts } from './fetch/receive-part.ts';
import { makeFolder } from '../make-folder.ts';
import { startFileThreads } from './thread/file-threads.ts';
import { rememberChecks } from './checks/remembered-checks.ts';

/** How the media folder works. Everything but the clock has a default that suits a night. */
export interface MediaFolderOptions {
  readonly clock: Clock;
  /** True for text that contains a gateway's key: no such address is requested, and no such text is kept. */
  readonly holdsKey?: (text: string) => boolean;
  /** True for bytes that contain a gateway's unencoded key: no such file is kept. */
  readonly holdsKeyPlainly?: (bytes: Buffer) => boolean;
  /** How many keys these two know; a key that is added during a download is searched for in its whole file. */
  readonly keysKnown?: () => number;
  /**
   * Marks the names of parts as this store's: other stores may use the same folder, with outputs of the same ids, and
   * their parts are not touched. Without it, every part counts as this store's.
   */
  readonly owner?: string;
  /** Also marks them as this worker's, if a store with an owner has several workers. Letters and digits. */
  readonly worker?: string;
  /** A download that receives nothing for this long is given up and resumed later. Default: one minute. */
  readonly stallMs?: number;
  /** A download that takes longer than this is given up and resumed later. Default: two hours. */
  readonly totalMs?: number;
  /** A disk with less free space than this counts as full. Default: 256 MiB. */
  readonly minFreeBytes?: number;
  /** A check that takes longer than this is noted beside the file. Default: a tenth of a second. */
  readonly noteChecksAfterMs?: number;
}

const KIND_FOLDERS = ['music', 'video', 'image', 'data'] as const;

/** The commit before a step was lost: somebody else owns the output now, or the store is gone. */
class JournalLostError extends Error {}

/** A dispatcher that knows which addresses its profile exempts. */
interface ProfileDispatcher {
  readonly dispatcher: Dispatcher;
  readonly mayBeAt: AddressPolicy;
}

/** A media folder on a disk, or the parts on a disk of a media folder elsewhere. */
export interface DiskFolder extends MediaFolder {
  fetch(...args: [...Parameters<MediaFolder['fetch']>, target?: Target]): Promise<FetchOutcome>;
  writeDocument(...args: [...Parameters<MediaFolder['writeDocument']>, target?: Target]): Promise<FetchOutcome>;
}

/** The media folder on a disk. Downloads never carry the key: this code only knows whether a text contains it. */
export function createMediaFolder(options: MediaFolderOptions): DiskFolder {
  const {
    clock,
    holdsKey = () => false,
    holdsKeyPlainly = () => false,
    keysKnown = () => 0,
    owner,
    worker,
    stallMs = 60_000,
    totalMs = 2 * 3_600_000,
    minFreeBytes = 256 << 20,
    noteChecksAfterMs,
  } = options;
  const checks = rememberChecks(threadMediaChecker(), noteChecksAfterMs);
  const tools: FetchTools = {
    clock,
    checks,
    holdsKeyPlainly,
    keysKnown,
    fruitlessResumes: new Map(),
  };
  const dispatchers = new Map<string, ProfileDispatcher>();
  const files = startFileThreads();
  const folders = createKnownFolders();
  /** The last preparation of each folder. */
  const preparing = new Map<string, Promise<unknown>>();
  /** Folders as they were when last prepared. */
  const prepared = new Map<string, { readonly number: FolderNumber; readonly identity: string }>();
  const own = <Request extends Pick<FetchRequest, 'outputId'>>(request: Request): Request => ({
    ...request,
    outputId: owner === undefined ? request.outputId : markedId(request.outputId, owner, worker),
  });

  function dispatcherFor(profile: Profile): ProfileDispatcher {
    // Only profiles that exempt the same hosts share connections.
    const key = JSON.stringify([profile.baseUrl, profile.media.allowHosts]);
    const known = dispatchers.get(key);
    if (known !== undefined) return known;
    const made = { dispatcher: createMediaDispatcher(profile), mayBeAt: createAddressPolicy(profile) };
    dispatchers.set(key, made);
    return made;
  }

  /**
   * Prepares one folder after the other: a share that hangs occupies only one thread of the system's pool, however many
   * batches ask.
   */
  function prepare(folder: string, needs: FolderNeeds): Promise<Result<string, Failure>> {
    const prepares = (preparing.get(folder) ?? Promise.resolve()).then(() => prepareNow(folder, needs));
    preparing.set(
      folder,
      prepares.catch(() => undefined),
    );
    return prepares;
  }

  async function prepareNow(folder: string, needs: FolderNeeds): Promise<Result<string, Failure>> {
    try {
      const before = prepared.get(folder);
      const known = needs.identity ?? before?.identity;
      // Created only once: a folder that existed and is gone is on a disk that was unplugged.
      if (known === undefined && needs.mayMake) await makeFolder(folder);
      const number = await numberOf(folder);
      const carried = await readIdentity(folder);
      if (!carried.ok) return carried;
      const isSamePlace = before?.number === number;
      const verdict = await judgeFolder({
        ...needs,
        ...present({ identity: known }),
        found: carried.value,
        isSamePlace,
        isThere: (file) => isFileThere(folder, file),
      });
      if (verdict.kind === 'another') return err(replacedFolder(folder, verdict.why));
      const problem = await subfolderProblem(folder, needs.kinds ?? []);
      if (problem !== undefined) return err(problem);
      await tryWriting(folder);
      const full = await roomProblem(folder, minFreeBytes);
      if (full !== undefined) return err(full);
      const identity = verdict.kind === 'known' ? ok(verdict.identity) : await writeIdentity(folder, verdict.identity);
      if (identity.ok) prepared.set(folder, { number, identity: identity.value });
      return identity;
    } catch (error) {
      return err(diskFailure(error, folder));
    }
  }

  /** Works in a subfolder; places nothing in a folder that has taken the place of the prepared one. */
  async function guarded(
    { folder, kind }: Pick<FetchRequest, 'folder' | 'kind'>,
    work: (place: Place) => Promise<FetchOutcome>,
  ): Promise<FetchOutcome> {
    try {
      return await work(await openPlace({ folders, files }, folder, kind, prepared.get(folder)?.number));
    } catch (error) {
      if (error instanceof ReplacedFolderError)
        return { kind: 'disk-failed', failure: replacedFolder(folder, reason('another.changed')) };
      if (error instanceof JournalLostError || error instanceof InterruptedError) return { kind: 'interrupted' };
      if (error instanceof TargetError) return { kind: 'disk-failed', failure: error.failure };
      return { kind: 'disk-failed', failure: diskFailure(error, folder) };
    }
  }

  async function fetch(
    request: FetchRequest,
    profile: Profile,
    journal: OutputJournal,
    signal: AbortSignal,
    target: Target = OWN_FOLDER,
  ): Promise<FetchOutcome> {
    const context = {
      ...dispatcherFor(profile),
      holdsKey,
      clock,
      signal,
      stallMs,
      totalMs,
      maxBytes: profile.media.maxBytes,
    };
    return guarded(request, (place) =>
      fetchFile(own(request), place, profile, marked(journal), context, { ...tools, target }),
    );
  }

  async function close(): Promise<void> {
    await Promise.all([...dispatchers.values()].map(({ dispatcher }) => dispatcher.destroy()));
    dispatchers.clear();
    await checks.close();
    await files.close();
  }

  return {
    prepare,
    fetch,
    writeDocument: (request, journal, target = OWN_FOLDER) =>
      guarded(request, (place) => placeDocument(own(request), place, marked(journal), target)),
    sweep: (folder, isWanted) =>
      sweep(folder, (marked) => {
        if (owner === undefined) return isWanted(marked);
        const part = parseMarkedId(marked);
        if (part?.store !== owner) return true;
        return isWanted(part.outputId, part.worker === worker ? undefined : (part.worker ?? ''));
      }),
    close,
  };
}

/** Marks a lost commit, so that it is distinct from every other error. */
function marked(journal: OutputJournal): OutputJournal {
  const mark = (cause: unknown): never => {
    throw new JournalLostError('The commit was lost', { cause });
  };
  return {
    generationStarted: (generation, validator) => journal.generationStarted(generation, validator).catch(mark),
    placing: (placement, started) => journal.placing(placement, started).catch(mark),
  };
}

type DocumentRequest = Parameters<MediaFolder['writeDocument']>[0];

/** Writes a document, makes it durable, and places it like a download. */
async function placeDocument(
  request: DocumentRequest,
  place: Place,
  journal: OutputJournal,
  target: Target,
): Promise<FetchOutcome> {
  const { outputId, kind, stem, placement: committed } = request;
  if (request.placement !== undefined) await place.look();
  const recovered = await target.recover(request, place, journal);
  if (recovered !== undefined) {
    await removeParts(place.path, outputId, request.generation);
    return { kind: 'verified', placement: recovered };
  }
  const generation = request.generation + 1;
  // In its own memory, which can be given away.
  const content = Buffer.from(Uint8Array.from(Buffer.from(request.document, 'utf8')).buffer);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const bytes = content.length;
  const { extension, mediaType } = MEDIA_TYPES.json;
  const file = { kind, stem, extension, sha256, bytes, mediaType };
  const order = { part: { outputId, generation, content }, ...file, ...present({ committed }) };
  const placement = await target.place(order, place, (choice) => journal.placing(choice, { generation }));
  // Its part was written a moment ago and is gone; the row is processed again from the stored answer.
  if (placement === undefined) throw new NotPlainFileError(join(place.path, stem));
  return { kind: 'verified', placement };
}

/** Finds what would keep a finished file out of its subfolder, before the file is paid for. */
async function subfolderProblem(folder: string, kinds: readonly string[]): Promise<Failure | undefined> {
  const base = await realpath(folder);
  for (const name of [...KIND_FOLDERS, SET_ASIDE_FOLDER]) {
    const path = join(base, name);
    try {
      const real = await realSubfolder(base, name);
      if (!kinds.includes(name)) continue;
      if (!(await stat(real)).isDirectory()) throw new NotFolderError(path);
      await access(real, constants.W_OK | constants.X_OK);
    } catch (error) {
      if (diskErrorCode(error) !== 'ENOENT') return diskFailure(error, namesItsPath(error) ? folder : path);
      if (kinds.includes(name) && (await isLink(path))) return diskFailure(new NotFolderError(path), folder);
    }
  }
  return undefined;
}

/**
 * Whether a path that led nowhere is a link. Otherwise something has been created since, such as a folder by a
 * download.
 */
async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Only an attempt to write shows whether writing is possible. */
async function tryWriting(folder: string): Promise<void> {
  const path = join(folder, `.nocturne-${randomUUID()}.tmp`);
  const file = await open(path, 'wx');
  await file.close();
  await rm(path, { force: true });
}

/**
 * How many bytes are free on the disk of a folder, or of the nearest existing folder above it; undefined if unknown.
 */
export async function freeBytes(folder: string): Promise<number | undefined> {
  if (isBucketAddress(folder)) return undefined;
  try {
    const { bavail, bsize, blocks } = await statfs(folder);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    const above = dirname(folder);
    return above === folder ? undefined : freeBytes(above);
  }
}

async function roomProblem(folder: string, minFreeBytes: number): Promise<Failure | undefined> {
  const { bavail, bsize, blocks } = await statfs(folder);
  // Some network disks do not report their size.
  if (blocks === 0 || bavail * bsize >= minFreeBytes) return undefined;
  const mebibytes = Math.floor((bavail * bsize) / 2 ** 20);
  return failure('DISK_FULL', reason('roomLeft', mebibytes, folder));
}

/** Removes the parts that are not wanted, by their marked ids. Ignores what is missing or unreadable. */
async function sweep(folder: string, isWanted: (marked: string) => boolean | Promise<boolean>): Promise<void> {
  for (const kind of KIND_FOLDERS) {
    for (const name of await namesIn(join(folder, kind))) {
      const { outputId } = parsePartName(name) ?? {};
      if (outputId === undefined || (await isWanted(outputId))) continue;
      await removeQuietly(join(folder, kind, name));
    }
  }
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
    return [];
  }
}

async function removeQuietly(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
  }
}
