import { createHash } from 'node:crypto';
import { present } from '../../../shared/domain/base/result.ts';
import { lstat, open, unlink, type FileHandle } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { FetchRequest } from '../../ports/media-folder.ts';
import { FOLDER_FILE_MODE, hashFile, openPlainFile } from '../plain-file.ts';
import { contentRange, declaredLength, isEncoded, strongETag } from './answer-head.ts';
import { diskErrorCode, NotPlainFileError } from '../disk-failure.ts';
import { requestMedia, type AnswerHead, type RequestContext, type RequestEnd } from './media-request.ts';
import { createBodyDigest, type BodyDigest } from './file-holds-key.ts';
import { newGeneration, type Generation, type ReceivedPart } from './received-part.ts';
import { partName, partsUpTo, createPartWriter, isShortBody, type PartWriter } from './part-file.ts';
import type { Place } from './place.ts';

/** A part that the next request may continue. */
export interface ResumePoint {
  readonly bytes: number;
  readonly validator: string;
}

export type Received =
  | { readonly kind: 'part'; readonly part: ReceivedPart; readonly end: RequestEnd }
  /** An answer without a body to keep, such as 403. */
  | { readonly kind: 'answer'; readonly head: AnswerHead }
  /** The rest cannot be used: start over. */
  | { readonly kind: 'misfit' }
  | { readonly kind: 'no-answer'; readonly end: RequestEnd };

/** What is needed to receive one body. */
export interface ReceiveOrder {
  readonly url: URL;
  readonly place: Place;
  readonly outputId: string;
  readonly userAgent: string;
  /** The generation of the existing part, or 0. */
  readonly generation: number;
  readonly resume?: ResumePoint;
  /** True for bytes that contain a gateway's unencoded key. */
  readonly holdsKeyPlainly: (bytes: Buffer) => boolean;
  /** How many keys it knows before the first byte. */
  readonly keysKnown: number;
  /** Commits a new generation before its first byte is on the disk; a short file's may be committed with its name. */
  readonly generationStarted: (generation: number, validator: string | undefined) => Promise<void>;
}

interface OpenPart {
  readonly generation: Generation;
  readonly isFirst: boolean;
  readonly writer: PartWriter;
  readonly digest: BodyDigest;
  readonly declared: number | undefined;
  readonly isEncoded: boolean;
}

/** What a request can resume; a part from before the machine's last start may have lost bytes in its middle. */
export async function findResumePoint(folder: string, request: FetchRequest): Promise<ResumePoint | undefined> {
  if (request.generation === 0 || request.validator === undefined) return undefined;
  try {
    const part = await lstat(join(folder, partName(request.outputId, request.generation)));
    // The file's time is the system's, so it is compared with the system clock, not with the port.
    const startedMs = Date.now() - uptime() * 1000;
    return part.isFile() && part.nlink === 1 && part.size > 0 && part.mtimeMs > startedMs
      ? { bytes: part.size, validator: request.validator }
      : undefined;
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Requests a body, or the rest of one, and keeps what arrives. Throws disk errors. */
export async function receivePart(order: ReceiveOrder, context: RequestContext): Promise<Received> {
  let part: OpenPart | undefined;
  let head: AnswerHead | undefined;
  let isMisfit = false;

  let taking: Promise<PartWriter | undefined> = Promise.resolve(undefined);

  async function decide(answer: AnswerHead): Promise<PartWriter | undefined> {
    head = answer;
    if (answer.status === 200) {
      part = await beginPart(order, answer, context.holdsKey);
    } else if (answer.status === 206 && order.resume !== undefined && restFits(answer, order.resume)) {
      part = await reopenPart(order, order.resume, answer, context.signal);
      isMisfit = part === undefined;
    } else if (
      answer.status === 416 &&
      order.resume !== undefined &&
      contentRange(answer.headers)?.total === order.resume.bytes
    ) {
      part = await reopenPart(order, order.resume, answer, context.signal);
      isMisfit = part === undefined;
      return undefined;
    } else {
      isMisfit = order.resume !== undefined && (answer.status === 206 || answer.status === 416);
    }
    return part?.writer;
  }

  try {
    const end = await requestMedia(order.url, requestHeaders(order), context, (answer) => (taking = decide(answer)));
    // The request may have been interrupted while the part was being opened.
    await taking;
    if (part !== undefined) {
      // A part that was already whole needs no body.
      const isWhole = end.kind === 'not-taken';
      const partEnd: RequestEnd = isWhole ? { kind: 'complete' } : end;
      return { kind: 'part', part: await closePart(part, order, partEnd), end: partEnd };
    }
    if (isMisfit) return { kind: 'misfit' };
    return end.kind === 'not-taken' && head !== undefined ? { kind: 'answer', head } : { kind: 'no-answer', end };
  } finally {
    await Promise.allSettled([taking]);
    await part?.writer.close();
  }
}

function requestHeaders(order: ReceiveOrder): Readonly<Record<string, string>> {
  const always = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': order.userAgent };
  if (order.resume === undefined) return always;
  return { ...always, range: `bytes=${order.resume.bytes}-`, 'if-range': order.resume.validator };
}

function restFits(answer: AnswerHead, resume: ResumePoint): boolean {
  const range = contentRange(answer.headers);
  const length = declaredLength(answer.headers);
  return (
    range?.start === resume.bytes &&
    range.total !== undefined &&
    range.end === range.total - 1 &&
    (length === undefined || length === range.total - resume.bytes) &&
    strongETag(answer.headers) === resume.validator &&
    !isEncoded(answer.headers)
  );
}

/**
 * Every 200 is a new generation with a file of its own, committed with its validator before the first byte is on the
 * disk. For a short body, that is when all of it has arrived.
 */
async function beginPart(
  order: ReceiveOrder,
  answer: AnswerHead,
  holdsKey: RequestContext['holdsKey'],
): Promise<OpenPart> {
  const encoded = isEncoded(answer.headers);
  const etag = strongETag(answer.headers);
  // A validator goes into the store and into the next request.
  const isUsable = !encoded && etag !== undefined && !holdsKey(etag);
  const generation = newGeneration(order.generation + 1, isUsable ? etag : undefined, order.generationStarted);
  const declared = declaredLength(answer.headers);
  const digest = createBodyDigest(order.holdsKeyPlainly);
  const open = async (): Promise<FileHandle> => {
    await generation.begin();
    await order.place.look();
    return openNewPart(order.place.path, order.outputId, generation.number);
  };
  if (!isShortBody(declared)) await generation.begin();
  const writer = createPartWriter({ open, digest, position: 0, expected: declared });
  return { generation, isFirst: generation.number === 1, writer, digest, declared, isEncoded: encoded };
}

/** Opens the file of a new generation. Removes whatever has its name, and what is left of earlier generations. */
async function openNewPart(folder: string, outputId: string, generation: number): Promise<FileHandle> {
  const path = join(folder, partName(outputId, generation));
  if (generation > 1) await removeParts(folder, outputId, generation);
  try {
    return await open(path, 'wx', FOLDER_FILE_MODE);
  } catch (error) {
    if (diskErrorCode(error) !== 'EEXIST') throw error;
  }
  await removeParts(folder, outputId, generation);
  return open(path, 'wx', FOLDER_FILE_MODE);
}

/** Undefined if it is no longer the same part: never writes through a link into a file elsewhere. */
async function reopenPart(
  order: ReceiveOrder,
  resume: ResumePoint,
  answer: AnswerHead,
  signal: AbortSignal,
): Promise<OpenPart | undefined> {
  const path = join(order.place.path, partName(order.outputId, order.generation));
  const file = await openSameFile(path, resume.bytes);
  if (file === undefined) return undefined;
  const digest = createBodyDigest(order.holdsKeyPlainly);
  await hashFile(file, digest, resume.bytes, signal);
  const writer = createPartWriter({
    open: () => Promise.resolve(file),
    digest,
    position: resume.bytes,
    expected: undefined,
  });
  const declared = contentRange(answer.headers)?.total;
  const begun = newGeneration(order.generation, resume.validator, () => Promise.resolve());
  // Not the first: a check of it may have ended the engine before.
  return { generation: begun, isFirst: false, writer, digest, declared, isEncoded: false };
}

/** A plain file without a second name and with its former length; undefined if anything else is there, or nothing. */
async function openSameFile(path: string, bytes: number): Promise<FileHandle | undefined> {
  let file;
  try {
    file = await openPlainFile(path, { isWritten: true });
    const { nlink, size } = await file.stat();
    if (nlink === 1 && size === bytes) return file;
  } catch (error) {
    if (!(error instanceof NotPlainFileError) && diskErrorCode(error) !== 'ENOENT') throw error;
  }
  await file?.close();
  return undefined;
}

async function closePart(part: OpenPart, order: ReceiveOrder, end: RequestEnd): Promise<ReceivedPart> {
  const { generation, isFirst, declared, writer, digest } = part;
  const { place, keysKnown } = order;
  const { number } = generation;
  const about = { generation: number, bytes: writer.bytes, keysKnown, isFirst, isEncoded: part.isEncoded };
  // By the time it is written, the folder may be a different one.
  const pathNow = (): string => join(place.path, partName(order.outputId, number));
  // Nothing else is checked, so its memory stays with the writer.
  const isChecked = end.kind === 'complete' && !part.isEncoded;
  const whole = isChecked ? writer.takeWhole() : undefined;
  if (whole === undefined) {
    const identity = await writer.finish();
    const content = isChecked ? writer.takeContent() : undefined;
    const { holdsKey } = digest;
    return {
      ...about,
      path: pathNow(),
      identity,
      sha256: digest.sha256(),
      holdsKey,
      ...present({ content, declared }),
    };
  }
  const sha256 = createHash('sha256').update(whole).digest('hex');
  const holdsKey = order.holdsKeyPlainly(whole);
  const held = { outputId: order.outputId, generation: number, content: whole, start: generation };
  return { ...about, path: pathNow(), sha256, holdsKey, held, ...present({ declared }) };
}

/**
 * Removes the parts of an output up to a generation. The sweep removes those older than the last few. An older one that
 * cannot be removed, such as a folder of that name, is skipped: it is in nobody's way.
 */
export async function removeParts(folder: string, outputId: string, generation: number): Promise<void> {
  const [newest, ...older] = partsUpTo(folder, outputId, generation);
  if (newest !== undefined) await unlinkIfThere(newest);
  for (const path of older) {
    await unlinkIfThere(path).catch((error: unknown) => {
      if (diskErrorCode(error) === undefined) throw error;
    });
  }
}

/** Not `rm`: its extra check of the file blocked the event loop for 0.8 ms a task (profiled on a busy machine). */
async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (diskErrorCode(error) !== 'ENOENT') throw error;
  }
}
