/**
 * Puts files from this computer in the user's own place before a row that names one is paid for: each content once, and
 * recorded before its address is given to anybody. Transfers under way and temporary failures are kept in memory.
 */
import { WorkSlots } from '../../shared/domain/base/work-slots.ts';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { quoteCell } from '../../shared/domain/cells/cell-value.ts';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { reason, type Reason, type Saying } from '../../shared/domain/base/reason.ts';
import { ok, present, type Result } from '../../shared/domain/base/result.ts';
import { backoffMs } from '../../shared/domain/gateway/retry.ts';
import { placeKey, placeReason, type FilesPlace } from '../../shared/domain/places/files-place.ts';
import { crashPoint } from '../crash-point.ts';
import type { FileAnswer, FileOrder, FilePlaces, PictureMaker } from '../ports/file-places.ts';
import type { Random } from '../ports/base.ts';
import { PutDeleter, type BatchesOfPlaces, type PutDeleterOptions } from './delete-put.ts';
import { GivenPlaces } from './given-places.ts';
import { copyFile, copyPicture, seeFile, sweepCopies, type FileProblem, type LocalCopy } from './local-copy.ts';
import { openFilesPlace, type PlaceSurroundings } from './open-place.ts';
import {
  addressProblem,
  inTime,
  placeConnections,
  placeFailed,
  type FileStore,
  type PlaceProblem,
  type PutFileOutcome,
} from './put-file.ts';
import { contentKey, isThere, PutRecord, type PutContentRecord } from './put-record.ts';

export interface FilePlacesOptions extends Pick<PlaceSurroundings, 'clock' | 'environment'> {
  /**
   * Absolute path of a folder of our own beside the store, for the record and for copies on their way. Created when
   * needed.
   */
  readonly folder: string;
  /**
   * Absolute path of the note of the places that were named here, outside that folder; without it, only this process
   * knows them.
   */
  readonly placesNote: string | undefined;
  readonly random: Random;
  readonly pictures: PictureMaker;
  /** The batches of the store beside the folder; without them, nothing that was put there is deleted. */
  readonly batches?: BatchesOfPlaces | undefined;
  /** An unexpected exception, to be logged. */
  readonly onBug: (error: unknown) => void;
}

/** How many files are on their way at once. */
const AT_ONCE = 4;
/** An address that has returned its file is checked again after this time: somebody may have cleared the place. */
const FRESH_MS = 15 * 60_000;
/** A file that has not arrived after this time is given up, as a download is. */
const GIVEN_UP_MS = 5 * 3_600_000;
/** After a refusal, a place is not tried for each of many files, but only after this time. */
const REFUSED_MS = 60_000;

/** Why a file is not there now. */
interface Trouble {
  readonly failure: Failure;
  readonly since: number;
  readonly tries: number;
  /** Until then nothing is tried, */
  readonly until: number;
  /** nor afterwards, as long as the file is unchanged. */
  readonly isFinal: boolean;
  readonly signature: string;
}

/** One file that is wanted, with everything known about it. */
interface Wanted {
  readonly order: FileOrder;
  /** Which file, for which place. */
  readonly key: string;
  /** Different after each change to the file. */
  readonly signature: string;
  /** Makes a copy of our own. */
  copy(): Promise<Result<LocalCopy, FileProblem>>;
}

/** The places where files from this computer are put. */
export function createFilePlaces(options: FilePlacesOptions): FilePlaces {
  const { folder, placesNote, clock, random, pictures, environment, batches, onBug } = options;
  const spool = path.join(folder, 'on-the-way');
  const given = new GivenPlaces(placesNote);
  const record = new PutRecord(path.join(folder, 'put.jsonl'));
  const dispatcher = placeConnections();
  const ending = new AbortController();
  const bounds = { clock, ending: ending.signal };
  /** The digests of files, by file and signature. */
  const known = new Map<string, string>();
  const troubles = new Map<string, Trouble>();
  const jobs = new Map<string, Promise<void>>();
  /** Puts under way, one for each content, however many files have it. */
  const puts = new Map<string, Promise<PutContentRecord | PlaceProblem>>();
  /** When an address was last seen to return its content, by record. */
  const seenAt = new Map<PutContentRecord, number>();
  /** Places that refused everything, and until when nothing is tried there. */
  const refused = new Map<string, { readonly problem: PlaceProblem; readonly until: number }>();
  /** The contents behind the addresses that were given to rows: as in their record, or without their signature. */
  const handed = new Map<string, Pick<PutContentRecord, 'place' | 'sha256'>>();
  const openStore: PutDeleterOptions['open'] = (place) => openFilesPlace(place, { clock, environment, dispatcher });
  const deleter =
    batches &&
    new PutDeleter({
      record,
      given,
      batches,
      clock,
      random,
      ending: ending.signal,
      open: openStore,
      isBeingPut: (content) => puts.has(content),
      onBug,
    });
  const turns = new WorkSlots(AT_ONCE);
  let swept: Promise<void> | undefined;

  async function addressOf(order: FileOrder): Promise<FileAnswer> {
    if (!(await given.has(order.place))) return { kind: 'refused', failure: notGiven(order) };
    const wanted = await wantedOf(order);
    if (!wanted.ok) return { kind: 'refused', failure: wordsFor(order, wanted.error.said) };
    const { key, signature } = wanted.value;
    const address = await knownAddress(order, known.get(`${key} ${signature}`));
    if (address !== undefined) return { kind: 'there', address };
    const under = jobs.get(key);
    if (under !== undefined) return { kind: 'coming', arrived: under };
    const trouble = troubles.get(key);
    const now = clock.now();
    if (trouble !== undefined && now < trouble.until && !(trouble.isFinal && trouble.signature !== signature)) {
      if (trouble.isFinal) return { kind: 'refused', failure: trouble.failure };
      return { kind: 'later', failure: trouble.failure, waitMs: trouble.until - now };
    }
    // Pictures are made one after the other, which may take minutes: files do not wait for them.
    const bringIt = (): Promise<void> => bring(wanted.value);
    const arrived = (order.picture === undefined ? turns.take(bringIt) : bringIt())
      .catch((error: unknown) => {
        if (ending.signal.aborted) return;
        onBug(error);
        note(wanted.value, wordsFor(order, reason('unexpected')), true);
      })
      .finally(() => jobs.delete(key));
    jobs.set(key, arrived);
    return { kind: 'coming', arrived };
  }

  async function wantedOf(order: FileOrder): Promise<Result<Wanted, FileProblem>> {
    const { file, place, picture } = order;
    const terms = { media: file.media, ...place };
    const keyOf = (what: string): string => JSON.stringify([placeKey(place), file.media, what]);
    if (picture !== undefined) {
      const { part, sha256, folder: from, path: name } = picture;
      // The content alone is not enough: another file may have it as well, or it may have been moved since.
      const key = keyOf(JSON.stringify([part, sha256, from, name]));
      const make = (to: string): Promise<Result<void, Reason>> => pictures.make(picture, to, ending.signal);
      return ok({ order, key, signature: '', copy: () => copyPicture(make, terms, spool, ending.signal) });
    }
    const seen = await seeFile(file.written, { folder: order.folder }, terms);
    if (!seen.ok) return seen;
    const { path: at, signature } = seen.value;
    return ok({ order, key: keyOf(at), signature, copy: () => copyFile(seen.value, terms, spool, ending.signal) });
  }

  /** The address of a content, if it was seen there lately. */
  async function knownAddress({ place }: FileOrder, sha256: string | undefined): Promise<string | undefined> {
    if (sha256 === undefined) return undefined;
    const found = await record.find(placeKey(place), sha256);
    if (found === undefined || clock.now() - (seenAt.get(found) ?? -FRESH_MS) >= FRESH_MS) return undefined;
    const store = await openStore(place);
    if (!store.ok) return undefined;
    try {
      const address = found.address ?? (await store.value.addressOf(found.name));
      if (address !== undefined) handed.set(found.address ?? bare(address), found);
      return address;
    } finally {
      await store.value.close();
    }
  }

  /** Brings a file where it is wanted, or notes why that failed. */
  async function bring(wanted: Wanted): Promise<void> {
    const { order, key, signature } = wanted;
    ending.signal.throwIfAborted();
    swept ??= sweepCopies(spool);
    await swept;
    const copy = await wanted.copy();
    if (!copy.ok) {
      note(wanted, wordsFor(order, copy.error.said), copy.error.passes !== true);
      return;
    }
    try {
      const { sha256 } = copy.value;
      const content = contentKey({ sha256, place: placeKey(order.place) });
      for (let going; (going = deleter?.going(content)) !== undefined;) await going;
      const put = puts.get(content) ?? putOnce(order.place, copy.value).finally(() => puts.delete(content));
      puts.set(content, put);
      const outcome = await put;
      if ('kind' in outcome) note(wanted, wordsFor(order, outcome.said), !outcome.passes);
      else {
        known.set(`${key} ${signature}`, sha256);
        troubles.delete(key);
      }
    } finally {
      await rm(copy.value.path, { force: true });
    }
  }

  /** The record of a content that is there and readable by everybody; the content is put there if it is missing. */
  async function putOnce(place: FilesPlace, copy: LocalCopy): Promise<PutContentRecord | PlaceProblem> {
    const at = placeKey(place);
    const no = refused.get(at);
    if (no !== undefined && clock.now() < no.until) return no.problem;
    const opened = await openStore(place);
    if (!opened.ok) return placeFailed(opened.error, false);
    const store = opened.value;
    try {
      const { sha256, bytes } = copy;
      const before = await record.last(at, sha256);
      if (before !== undefined && isThere(before) && (await whyUnreadable(store, before)) === undefined) return before;
      const mark = await given.mark();
      const noteOf = (name: string): PutContentRecord => ({ place: at, sha256, bytes, name, at: clock.now() });
      let begun: PutContentRecord | undefined;
      const putIt = (signal: AbortSignal): Promise<PutFileOutcome> =>
        store.put(copy, signal, async (name) => {
          begun = { ...noteOf(name), by: mark, state: 'putting' };
          await record.add(begun);
        });
      // A command has its own time limit.
      const put = await (place.command === undefined
        ? inTime((minutes) => reason('place.slowPut', minutes), bytes, bounds, putIt)
        : putIt(ending.signal));
      crashPoint('file.put');
      if (put.kind === 'failed') {
        // If it gets there from now on, somebody else has put it there.
        if (begun !== undefined && !put.passes) await record.add({ ...begun, by: undefined });
        return noted(at, put);
      }
      const { name, address } = put;
      // What was found there is ours if we had begun to put it, but were killed or never heard how that ended.
      const isOurs =
        put.isFound !== true || (before?.name === name && before.by === mark && before.state !== 'deleted');
      const made: PutContentRecord = { ...noteOf(name), ...present({ address, by: isOurs ? mark : undefined }) };
      const problem = await whyUnreadable(store, made);
      if (problem !== undefined) return noted(at, problem);
      await record.add(made);
      crashPoint('file.recorded');
      return made;
    } finally {
      await store.close();
    }
  }

  /** Why an address does not return its content; undefined if it does, which is then remembered for a while. */
  async function whyUnreadable(store: FileStore, one: PutContentRecord): Promise<PlaceProblem | undefined> {
    const address = one.address ?? (await store.addressOf(one.name)) ?? '';
    const name = bare(address);
    const problem = await inTime(
      (minutes) => reason('place.slowRead', minutes, name),
      one.bytes,
      bounds,
      (signal) => addressProblem(address, one, { dispatcher, signal, name }),
    );
    if (problem === undefined) seenAt.set(one, clock.now());
    return problem;
  }

  function noted(at: string, problem: PlaceProblem): PlaceProblem {
    if (problem.ofPlace === true) refused.set(at, { problem, until: clock.now() + REFUSED_MS });
    return problem;
  }

  function note({ key, signature }: Wanted, why: Failure, isFinal: boolean): void {
    const now = clock.now();
    const before = troubles.get(key);
    // When the user tries again later, counting starts over.
    const { since, tries } = before === undefined || before.isFinal ? { since: now, tries: 0 } : before;
    const isGivenUp = isFinal || now - since >= GIVEN_UP_MS;
    const waitMs = isGivenUp ? REFUSED_MS : backoffMs(tries + 1, random.next());
    const until = now + waitMs;
    troubles.set(key, { failure: why, since, tries: tries + 1, until, isFinal: isGivenUp, signature });
  }

  async function noteUse(batchId: string, body: Uint8Array): Promise<boolean> {
    const named = new Set<string>();
    for (const text of textsIn(JSON.parse(new TextDecoder().decode(body)))) {
      const address = handed.has(text) ? text : bare(text);
      const known = handed.get(address);
      if (known === undefined) continue;
      const last = await record.last(known.place, known.sha256);
      const isGone = last !== undefined && !isThere(last) && deleter?.going(contentKey(known)) === undefined;
      // Nothing that was prepared is this old: somebody has written the address into a cell. Clocks may be set back.
      if (isGone && Math.abs(clock.now() - last.at) >= FRESH_MS) handed.delete(address);
      else named.add(contentKey(known));
    }
    return record.use(batchId, [...named], (content) => {
      return content !== undefined && isThere(content) && deleter?.going(contentKey(content)) === undefined;
    });
  }

  return {
    addressOf,
    noteUse,
    putFor: (batchId, place) => record.ofBatch(batchId, place),
    deleteUnneeded: () => deleter?.look(),
    deleted: async () => deleter?.idle(),
    allow(place) {
      deleter?.forgive();
      return given.add(place);
    },
    async close() {
      ending.abort();
      await Promise.allSettled([...jobs.values(), deleter?.close()]);
      await dispatcher.destroy();
    },
  };
}

function wordsFor({ file, place, picture }: FileOrder, why: Saying): Failure {
  const { column, written } = file;
  const said = reason('localFile', column, quoteCell(written), picture !== undefined, placeReason(place), why);
  return failure('LOCAL_FILE', said, { column, file: written });
}

function notGiven(order: FileOrder): Failure {
  return wordsFor(order, reason('placeNotNamed'));
}

function bare(address: string): string {
  return address.replace(/[?#].*$/u, '');
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
