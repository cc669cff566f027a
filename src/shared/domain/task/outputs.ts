/** The outputs of a task while they are fetched; the task's own life is in task-machine.ts. */
import type { Failure } from '../base/failure.ts';
import { fileNameInUrl, withoutQuery } from '../gateway/media-url.ts';
import { MAX_DOWNLOAD_TRIES, QUICK_DOWNLOAD_TRIES } from '../gateway/retry.ts';
import type { KeptFile, Output, Task } from './task.ts';

/** An output as the gateway named it, not fetched yet: media by its address, data as the text of a JSON document. */
export type FoundOutput = { readonly url: string } | { readonly document: string };

/** How many tries have to fail alike before that counts as the truth. */
const TIMES_BELIEVED = 3;
/**
 * The same if the rendering was only inferred to be finished: it may still run, although nothing changes for minutes.
 */
const TIMES_BELIEVED_OF_INFERRED = 6;
/** How often another file is requested if two outputs came with the same file. */
const TIMES_ASKED_OF_SAME = 2;

/** True while an output is still to be fetched. */
export function isOpen({ state }: Pick<Output, 'state'>): boolean {
  return state === 'pending' || state === 'placing';
}

/** True for an output whose file was verified, even if the user has deleted it since. */
export function isHad({ state }: Pick<Output, 'state'>): boolean {
  return state === 'verified' || state === 'deleted';
}

/** The open output that is due first, in the order of the gateway's list. */
export function firstDue(outputs: readonly Output[]): Output | undefined {
  const open = outputs.filter(isOpen);
  const dueAt = Math.min(...open.map(dueOf));
  return open.find((output) => dueOf(output) === dueAt);
}

function dueOf({ dueAt = 0 }: Output): number {
  return dueAt;
}

/** When the first of the open outputs is due, in milliseconds since the epoch; not before `now`. */
export function outputsDueAt(outputs: readonly Output[], now: number): number {
  return Math.max(now, firstDue(outputs)?.dueAt ?? now);
}

/** Why the open outputs wait. */
export function whyWaiting(outputs: readonly Output[]): Failure | undefined {
  return outputs.find((output) => isOpen(output) && output.failure !== undefined)?.failure;
}

/** Everything left to fetch of a task is tried again in minutes or hours: it does not hold up others. */
export function isStuck({ outputs }: Pick<Task, 'outputs'>): boolean {
  const open = outputs.filter(isOpen);
  return open.length > 0 && open.every(({ tries }) => tries > QUICK_DOWNLOAD_TRIES);
}

/**
 * Fresh addresses for known outputs. Verified outputs stay verified, given-up ones stay given up, and waiting ones
 * still wait for their next try. An output without a fresh address keeps its old one.
 */
export function withFreshAddresses(
  known: readonly Output[],
  found: readonly FoundOutput[],
  now: number,
): readonly Output[] {
  const { sourceOf, others } = matched(known, found);
  const fresh = known.map((output): Output => {
    const source = sourceOf.get(output);
    return isOpen(output) ? { ...released(output, now), ...source } : output;
  });
  const last = Math.max(0, ...known.map(({ index }) => index));
  const more = others.map((source, i): Output => ({
    index: last + i + 1,
    state: 'pending',
    generation: 0,
    tries: 0,
    ...source,
  }));
  return [...fresh, ...more];
}

/**
 * Which known output each found one is: by its address if that is distinctive, because lists come in any order;
 * otherwise by its place in the list, and then one after the other. `others` are those that were not known.
 */
function matched(known: readonly Output[], found: readonly FoundOutput[]) {
  const sourceOf = new Map<Output, FoundOutput>();
  const left = { known: new Set(known), found: new Set(found) };
  const match = (output: Output | undefined, source: FoundOutput | undefined): void => {
    if (output === undefined || source === undefined) return;
    if (!left.known.has(output) || !left.found.has(source)) return;
    sourceOf.set(output, source);
    left.known.delete(output);
    left.found.delete(source);
  };
  for (const source of found) {
    const url = addressOf(source);
    match(url === undefined ? undefined : known.find((output) => output.url === url), source);
  }
  // The part of an address that stays the same when the address is signed again, or is in another folder each time.
  for (const identity of [withoutQuery, fileNameInUrl]) {
    const outputs = singleNames(left.known, identity);
    for (const [name, source] of singleNames(left.found, identity)) match(outputs.get(name), source);
  }
  found.forEach((source, i) => match(known[i], source));
  for (const source of left.found) match([...left.known][0], source);
  return { sourceOf, others: [...left.found] };
}

function addressOf(source: Output | FoundOutput): string | undefined {
  return 'url' in source ? source.url : undefined;
}

/** Items by the name that `identity` makes of their addresses, without items that share a name. */
function singleNames<T extends Output | FoundOutput>(
  items: Iterable<T>,
  identity: (url: string) => string,
): ReadonlyMap<string, T> {
  const named = new Map<string, T>();
  const shared = new Set(['']);
  for (const item of items) {
    const name = identity(addressOf(item) ?? '');
    if (named.has(name)) shared.add(name);
    named.set(name, item);
  }
  for (const name of shared) named.delete(name);
  return named;
}

/** The gateway gave no fresh address: due outputs are fetched from the old one. */
export function withKnownAddresses(outputs: readonly Output[], now: number): readonly Output[] {
  return outputs.map((output) => (isOpen(output) ? released(output, now) : output));
}

function released(output: Output, now: number): Output {
  if (dueOf(output) > now) return output;
  const { failure: _, dueAt: _due, isStale: _stale, ...rest } = output;
  return rest;
}

/** What a failed try says about an output. */
export interface VainTry {
  readonly failure: Failure;
  /** When to try again; absent if the output is given up. */
  readonly dueAt?: number;
  readonly askFirst?: boolean;
  /** What the answer shares with another useless one: its bytes, or the reason why its address is refused. */
  readonly likeness?: string;
  readonly kept?: KeptFile;
}

/** An output after a try that brought no sound file. */
export function triedInVain(output: Output, { failure, dueAt, askFirst, likeness, kept }: VainTry): Output {
  const { dueAt: _due, isStale: _stale, ...rest } = output;
  return {
    ...rest,
    state: 'pending',
    tries: output.tries + 1,
    failure,
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(askFirst === true ? { isStale: true } : {}),
    ...(likeness === undefined ? {} : { alike: { likeness, times: timesAlike(output, likeness) } }),
    ...(kept === undefined ? {} : { kept: [...(output.kept ?? []), kept] }),
  };
}

/** How many tries in a row, including the latest, had this likeness; tries without any do not count. */
function timesAlike({ alike }: Output, likeness: string): number {
  return alike?.likeness === likeness ? alike.times + 1 : 1;
}

/**
 * What `output` must not contain: the contents of the task's other files, by SHA-256. If it does, it is requested twice
 * more and then accepted with a warning, because two outputs may be the same.
 */
export function contentsOfOthers({ outputs }: Pick<Task, 'outputs'>, output: Output): readonly string[] {
  const others = outputs.flatMap(({ index, state, sha256 }) =>
    index !== output.index && state === 'verified' && sha256 !== undefined ? [sha256] : [],
  );
  const { likeness, times } = output.alike ?? { likeness: '', times: 0 };
  const isBelievedSame = others.includes(likeness) && times >= TIMES_ASKED_OF_SAME;
  return isBelievedSame || output.tries + 1 >= MAX_DOWNLOAD_TRIES ? [] : others;
}

/** Whether two of these outputs turned out to be the same file: one of them may be lost. */
export function haveSameContent(outputs: readonly Pick<Output, 'state' | 'sha256'>[]): boolean {
  const contents = outputs.flatMap(({ state, sha256 }) => (state === 'verified' ? (sha256 ?? []) : []));
  return new Set(contents).size < contents.length;
}

/**
 * Whether there is enough evidence that nothing better will come: broken media stay the same, or an address is refused.
 */
export function isBelieved({ provisional }: Pick<Task, 'provisional'>, output: Output, likeness: string): boolean {
  return timesAlike(output, likeness) >= (provisional ? TIMES_BELIEVED_OF_INFERRED : TIMES_BELIEVED);
}

/** An output that the user wants to try again: from the first try on, at a fresh address. Evidence stays. */
export function triedAnew(output: Output): Output {
  if (isHad(output)) return output;
  const { failure: _, dueAt: _due, alike: _alike, isStale: _stale, ...rest } = output;
  return { ...rest, state: 'pending', tries: 0, ...(output.url === undefined ? {} : { isStale: true }) };
}
