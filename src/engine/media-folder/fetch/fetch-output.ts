import { failure, type FailureCode } from '../../../shared/domain/base/failure.ts';
import { inEnglish, reason, type Saying } from '../../../shared/domain/base/reason.ts';
import { urlExpiresAt } from '../../../shared/domain/gateway/media-url.ts';
import type { Profile } from '../../../shared/domain/gateway/profile.ts';
import { assertNever, present } from '../../../shared/domain/base/result.ts';
import { mayKeep } from '../../../shared/domain/task/task.ts';
import type { Clock } from '../../ports/base.ts';
import type { FetchOutcome, FetchRequest, OutputJournal } from '../../ports/media-folder.ts';
import { retryAfterMs } from '../../../shared/domain/gateway/gateway-time.ts';
import { headerText } from './answer-head.ts';
import { compressedHoldsKey } from './file-holds-key.ts';
import { checkedPart, commitPlacing, holdsKeyAnywhere, written, type ReceivedPart } from './received-part.ts';
import { checkMediaUrl } from './media-address.ts';
import type { AnswerHead, RequestContext, RequestEnd } from './media-request.ts';
import type { Place } from './place.ts';
import type { Target } from '../target.ts';
import { findResumePoint, receivePart, removeParts, type Received } from './receive-part.ts';
import type { RememberedChecks } from '../checks/remembered-checks.ts';
import type { MediaCheck } from '../checks/verify-media.ts';

/** What stays in memory between downloads. */
export interface FetchTools {
  readonly clock: Clock;
  readonly checks: RememberedChecks;
  /** True for bytes that contain a gateway's unencoded key: cheap enough to run on every film. */
  readonly holdsKeyPlainly: (bytes: Buffer) => boolean;
  /** How many keys were ever known: after each new one, what was searched before has to be searched again. */
  readonly keysKnown: () => number;
  /** Counts the fruitless resumes by host. */
  readonly fruitlessResumes: Map<string, number>;
}

/** The same for one download, with where its file goes once it is verified. */
export type TargetTools = FetchTools & { readonly target: Target };

/** Two fruitless resumes are enough: such a host does not honour ranges. */
const MAX_FRUITLESS_RESUMES = 2;

const REPLACED = reason('fileReplaced');

/** Statuses that a fresh address may cure (download protocol, step 8). */
const EXPIRED: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** Fetches, verifies and places one file. Errors of the disk and of the journal are thrown. */
export async function fetchFile(
  request: FetchRequest,
  place: Place,
  profile: Profile,
  journal: OutputJournal,
  context: RequestContext,
  tools: TargetTools,
): Promise<FetchOutcome> {
  // What was left there before is about to be read.
  if (request.generation > 0 || request.placement !== undefined) await place.look();
  const recovered = await tools.target.recover(request, place, journal);
  if (recovered !== undefined) {
    await removeParts(place.path, request.outputId, request.generation);
    return { kind: 'verified', placement: recovered };
  }
  if (context.holdsKey(request.url)) return refused(reason('transport.addressHoldsKey'));
  const checked = checkMediaUrl(request.url);
  if (!checked.ok) return refused(checked.error);
  const received = await receive(checked.value, place, request, profile, journal, context, tools);
  switch (received.kind) {
    case 'part':
      return judgePart(received.part, received.end, place, request, journal, context, tools);
    case 'answer':
      return judgeAnswer(received.head, request, context.clock);
    case 'no-answer':
      return judgeEnd(received.end);
    case 'misfit':
      return failed('DOWNLOAD_CORRUPT', reason('otherPart'));
    default:
      return assertNever(received);
  }
}

/** Resumes a part if that is sound, otherwise starts over; makes at most two requests. */
async function receive(
  url: URL,
  place: Place,
  request: FetchRequest,
  profile: Profile,
  journal: OutputJournal,
  context: RequestContext,
  tools: FetchTools,
): Promise<Received> {
  const order = {
    url,
    place,
    outputId: request.outputId,
    userAgent: profile.userAgent,
    generation: request.generation,
    holdsKeyPlainly: tools.holdsKeyPlainly,
    keysKnown: tools.keysKnown(),
    generationStarted: (generation: number, validator: string | undefined) =>
      journal.generationStarted(generation, validator),
  };
  const isHopeless = (tools.fruitlessResumes.get(url.host) ?? 0) >= MAX_FRUITLESS_RESUMES;
  const resume = isHopeless ? undefined : await findResumePoint(place.path, request);
  if (resume === undefined) return receivePart(order, context);
  const rest = await receivePart({ ...order, resume }, context);
  const startedOver = rest.kind === 'part' && rest.part.generation !== request.generation;
  if (rest.kind === 'misfit' || startedOver) {
    tools.fruitlessResumes.set(url.host, (tools.fruitlessResumes.get(url.host) ?? 0) + 1);
  } else if (rest.kind === 'part') {
    tools.fruitlessResumes.delete(url.host);
  }
  return rest.kind === 'misfit' ? receivePart(order, context) : rest;
}

function judgeAnswer(head: AnswerHead, request: FetchRequest, clock: Clock): FetchOutcome {
  const { status } = head;
  const expiresAt = urlExpiresAt(request.url);
  const isPast = expiresAt !== undefined && expiresAt <= clock.now();
  // Some stores answer 400 for an expired address; the clock alone is not trusted to decide.
  if (EXPIRED.has(status) || (status === 400 && isPast)) {
    const why = failure('RESULT_EXPIRED', reason('addressExpired', status), { httpStatus: status });
    return { kind: 'url-expired', failure: why };
  }
  const delayMs = retryAfterMs(headerText(head.headers, 'retry-after'), clock.now());
  return {
    kind: 'download-failed',
    failure: failure('GATEWAY_UNAVAILABLE', reason('notDownloadedHttp', status), { httpStatus: status }),
    ...present({ retryAfterMs: delayMs }),
  };
}

function judgeEnd(end: RequestEnd): FetchOutcome {
  switch (end.kind) {
    case 'interrupted':
      return { kind: 'interrupted' };
    case 'refused':
      return refused(end.reason);
    case 'cut':
      return failed('GATEWAY_UNAVAILABLE', reason('notDownloaded', end.reason));
    case 'complete':
    case 'not-taken':
    case 'too-large':
      return failed('DOWNLOAD_CORRUPT', reason('noFile'));
    default:
      return assertNever(end);
  }
}

async function judgePart(
  part: ReceivedPart,
  end: RequestEnd,
  place: Place,
  request: FetchRequest,
  journal: OutputJournal,
  { holdsKey, signal }: RequestContext,
  { checks, holdsKeyPlainly, keysKnown, target }: TargetTools,
): Promise<FetchOutcome> {
  if (end.kind === 'interrupted') return { kind: 'interrupted' };
  const folder = place.path;
  if (end.kind === 'too-large') {
    await removeParts(folder, request.outputId, part.generation);
    const words = reason('fileTooLarge');
    return { ...unverifiable(words), isFinal: true };
  }
  const missing = missingBytes(part, end);
  if (missing !== undefined) return failed('DOWNLOAD_CORRUPT', missing);
  if (part.isEncoded) {
    const words = reason('fileCompressed');
    const isSecret = await compressedHoldsKey(part.path, holdsKey);
    return isSecret
      ? dropSecret(part, folder, request, words)
      : keepAside(part, { folder, target }, request, 'bin', words);
  }
  const check = await unlessAborted(checks.check(checkedPart(part, request.outputId, signal)), signal);
  if (check === undefined) return { kind: 'interrupted' };
  if (check.kind === 'media' && (check.endProven || part.declared !== undefined)) {
    const { extension, mediaType } = check.type;
    const { sha256, bytes, identity } = part;
    if (request.others?.includes(sha256) === true) {
      await removeParts(folder, request.outputId, part.generation);
      return { ...unverifiable(reason('sameFile')), likeness: sha256 };
    }
    const isLookedThrough = part.keysKnown === keysKnown();
    if (part.holdsKey || (!isLookedThrough && (await holdsKeyAnywhere(part, holdsKeyPlainly)))) {
      const dropped = await dropSecret(part, folder, request, reason('fileComplete'));
      return { ...dropped, likeness: sha256 };
    }
    const { kind, stem, placement: committed } = request;
    const media = { kind, stem, extension, sha256, bytes, mediaType, ...present({ seconds: check.seconds }) };
    const order = { part: part.held ?? part.path, ...media, ...present({ identity, committed }) };
    const placement = await target.place(order, place, (choice) => commitPlacing(journal, part, choice));
    if (placement === undefined) return failed('DOWNLOAD_CORRUPT', REPLACED);
    return { kind: 'verified', placement };
  }
  if (await holdsKeyAnywhere(part, (bytes) => holdsKey(bytes.toString('latin1')))) {
    return dropSecret(part, folder, request, reason('fileIncomplete'));
  }
  return judgeUnsound(await written(part, place), check, { folder, target }, request);
}

/** A file that repeats the key is not kept in a folder that people share. */
async function dropSecret(
  part: ReceivedPart,
  folder: string,
  request: FetchRequest,
  words: Saying,
): Promise<Unverifiable> {
  await removeParts(folder, request.outputId, part.generation);
  return unverifiable(reason('both', words, reason('fileHoldsKey')));
}

/** Why the received bytes cannot be the whole file, judged by length; undefined if they may be. */
function missingBytes(part: ReceivedPart, end: RequestEnd): Saying | undefined {
  const { bytes, declared } = part;
  if (end.kind === 'cut') return reason('brokeOffAfter', bytes, end.reason);
  if (bytes === 0) return reason('emptyFile');
  if (declared !== undefined && bytes !== declared) return reason('fewerThanSaid', declared, bytes);
  return undefined;
}

/**
 * A file that is not sound media. If no length was declared, a damaged end means that the download was cut off. If the
 * same broken film comes twice, the server has nothing else; a web page may give way to the file at any time.
 */
async function judgeUnsound(
  part: ReceivedPart,
  check: MediaCheck,
  from: Aside,
  request: FetchRequest,
): Promise<FetchOutcome> {
  const likeness = part.sha256;
  switch (check.kind) {
    case 'broken': {
      const words = reason('fileBroken', check.type.extension.toUpperCase(), check.reason);
      if (part.declared === undefined) return { ...failed('DOWNLOAD_CORRUPT', words), likeness };
      return { ...(await keepAside(part, from, request, check.type.extension, words)), likeness };
    }
    case 'media': {
      const words = reason('fileNoEnd');
      return { ...(await keepAside(part, from, request, check.type.extension, words)), likeness };
    }
    case 'unknown':
      return keepAside(part, from, request, check.isText ? 'txt' : 'bin', reason('fileUnknown', check.reason));
    case 'unchecked':
      return { ...(await keepAside(part, from, request, 'bin', reason('fileUnknown', check.reason))), likeness };
    default:
      return assertNever(check);
  }
}

/** Undefined as soon as the night ends: nobody then waits for the check of a large file. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}

/** Where a part is, and where it is kept. */
interface Aside {
  readonly folder: string;
  readonly target: Target;
}

/** Keeps a file as evidence: once if the same came before, and only a limited number in total. */
async function keepAside(
  part: ReceivedPart,
  { folder, target }: Aside,
  request: FetchRequest,
  extension: string,
  said: Saying,
): Promise<Unverifiable> {
  const { sha256, bytes } = part;
  const { kept = [] } = request;
  const before = kept.find((file) => file.sha256 === sha256);
  if (before !== undefined && (await target.holds(request, before.path))) {
    await removeParts(folder, request.outputId, part.generation);
    return { ...unverifiable(reason('both', said, reason('keptAs', before.path))), path: before.path };
  }
  if (!mayKeep(kept, bytes)) {
    await removeParts(folder, request.outputId, part.generation);
    return unverifiable(reason('both', said, reason('notKeptAgain')));
  }
  const path = await target.setAside(part, request, extension);
  if (path === undefined) return unverifiable(reason('both', said, reason('notKept', REPLACED)));
  return { ...unverifiable(reason('both', said, reason('keptAs', path))), path, kept: { path, sha256, bytes } };
}

type Unverifiable = Extract<FetchOutcome, { kind: 'unverifiable' }>;

function unverifiable(said: Saying): Unverifiable {
  return { kind: 'unverifiable', failure: failure('OUTPUT_UNVERIFIABLE', said) };
}

/** An address that is refused again and again is assumed to stay refused. */
function refused(why: Saying): FetchOutcome {
  return { ...unverifiable(reason('notFetched', why)), likeness: inEnglish(why) };
}

function failed(code: FailureCode, said: Saying): Extract<FetchOutcome, { kind: 'download-failed' }> {
  return { kind: 'download-failed', failure: failure(code, said) };
}
