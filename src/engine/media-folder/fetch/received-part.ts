/** Parts that were received. A short one is held in memory until it has a name, and only then written. */
import { present } from '../../../shared/domain/base/result.ts';
import { crashPoint } from '../../crash-point.ts';
import type { OutputJournal, Placement } from '../../ports/media-folder.ts';
import type { CheckedPart } from '../checks/remembered-checks.ts';
import type { FileIdentity } from '../plain-file.ts';
import { holdsInAnyWindow } from './file-holds-key.ts';
import type { Place, UnwrittenPart } from './place.ts';

/** A new generation of an output. */
export interface Generation {
  readonly number: number;
  readonly validator: string | undefined;
  /** Commits the generation, once: before its first byte is on the disk. */
  readonly begin: () => Promise<void>;
  readonly hasBegun: boolean;
}

/** A new generation, which `commit` commits. */
export function newGeneration(
  number: number,
  validator: string | undefined,
  commit: OutputJournal['generationStarted'],
): Generation {
  let begun: Promise<void> | undefined;
  return {
    number,
    validator,
    begin() {
      begun ??= commit(number, validator).then(() => crashPoint('download.generation-committed'));
      return begun;
    },
    get hasBegun() {
      return begun !== undefined;
    },
  };
}

/** A body that is held in memory, with the generation that begins when it is written. */
export interface HeldPart extends UnwrittenPart {
  readonly start: Generation;
}

/** A part that was received, with what is known about it. */
export interface ReceivedPart {
  /** Where it is, closed, or is going to be. */
  readonly path: string;
  /** What distinguishes it from another file of its name, once it is on the disk. */
  readonly identity?: FileIdentity;
  readonly generation: number;
  readonly bytes: number;
  readonly sha256: string;
  /** The whole part, if it was written in one go and is to be checked. */
  readonly content?: Buffer<ArrayBuffer>;
  /** The whole part, if it is short: none of it is on the disk. */
  readonly held?: HeldPart;
  /** Whether it contains a gateway's unencoded key. */
  readonly holdsKey: boolean;
  /** How many keys were looked for in all of it. */
  readonly keysKnown: number;
  /** Whether it is the first part that its output ever had, received in one go. */
  readonly isFirst: boolean;
  /** The length that the server declared. */
  readonly declared?: number;
  /** Whether it was compressed in transit, although we asked for no compression. */
  readonly isEncoded: boolean;
}

/**
 * What is checked for a part. A held part is checked in a copy, and its generation begins before a note of the check is
 * written, but not after `signal`, when its output may belong to another download.
 */
export function checkedPart(part: ReceivedPart, outputId: string, signal: AbortSignal): CheckedPart {
  const { path, bytes, sha256, isFirst, content, held } = part;
  const about = { path, outputId, bytes, sha256, isFirst };
  if (held === undefined) return { ...about, ...present({ content }) };
  const copy = Buffer.from(Uint8Array.from(held.content).buffer);
  return { ...about, content: copy, beforeNoted: () => (signal.aborted ? Promise.resolve() : held.start.begin()) };
}

/** Commits a name, and with it the generation of a held part. */
export async function commitPlacing(
  journal: OutputJournal,
  { held }: ReceivedPart,
  placement: Placement,
): Promise<boolean> {
  if (held === undefined) return journal.placing(placement);
  if (held.start.hasBegun) {
    await held.start.begin();
    return journal.placing(placement);
  }
  const { number: generation, validator } = held.start;
  const isCommitted = await journal.placing(placement, { generation, ...present({ validator }) });
  if (isCommitted) crashPoint('download.generation-committed');
  return isCommitted;
}

/** The part, written to the disk if it was held, so that it can be set aside. */
export async function written(part: ReceivedPart, place: Place): Promise<ReceivedPart> {
  const { held, ...rest } = part;
  if (held === undefined) return part;
  await held.start.begin();
  return { ...rest, path: (await place.write(held)).path };
}

/** True if a part contains a gateway's key. */
export async function holdsKeyAnywhere(
  { held, path }: ReceivedPart,
  holdsKey: (bytes: Buffer) => boolean,
): Promise<boolean> {
  return held === undefined ? holdsInAnyWindow(path, holdsKey) : holdsKey(held.content);
}
