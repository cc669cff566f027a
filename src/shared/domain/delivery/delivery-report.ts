/** What a delivery came to, and how it is told. */
import { countOf, countText, formatBytes, visibleLine } from '../base/text.ts';

/** What a delivery came to. Paths are inside its folder, with `/`. */
export interface DeliveryReport {
  readonly added: readonly string[];
  readonly bytes: number;
  /** How many files the folder had from earlier deliveries. */
  readonly had: number;
  /** Delivered earlier, and changed since: they were left as they are. */
  readonly changed: readonly string[];
  /** Not delivered because nobody kept them, or nobody does any more. */
  readonly unkept: number;
  /** Not delivered because they were deleted or made again in the middle of it. */
  readonly gone: number;
  /** Not delivered because the user cancelled it. */
  readonly left: number;
  /** Files with content credentials, which are copied byte for byte. */
  readonly withCredentials: readonly string[];
  /** Files that got no tags, and why: it follows the path in a sentence. */
  readonly untagged: readonly { readonly path: string; readonly why: string }[];
  readonly timeline?: { readonly path: string; readonly clips: number; readonly left: readonly string[] };
  /** No timeline was written because the user cancelled it. */
  readonly isTimelineLeft?: true;
}

/** As many files are named; the rest is counted, and in the package. */
const FILES_NAMED = 10;

/** How far a delivery is. Bytes are those of the originals; a file that is not done yet counts nothing. */
export interface DeliveryProgress {
  /** `packing`: all files are copied, and are put into the ZIP. */
  readonly step: 'copying' | 'packing';
  readonly files: number;
  readonly ofFiles: number;
  readonly bytes: number;
  readonly ofBytes: number;
}

/** How far a delivery is, in words. */
export function progressText({ step, files, ofFiles, bytes, ofBytes }: DeliveryProgress): string {
  const packed = step === 'packing' ? 'Packing the ZIP: ' : '';
  return `${packed}${countText(files)} of ${countOf(ofFiles, 'file')}, ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`;
}

/** What a delivery came to, in a word: `nothing` was there to deliver, or what is there had all been delivered before. */
export type DeliveryOutcome = 'delivered' | 'nothing-new' | 'nothing' | 'cancelled';

export function deliveryOutcome({ added, had, left, isTimelineLeft }: DeliveryReport): DeliveryOutcome {
  if (left > 0 || isTimelineLeft === true) return 'cancelled';
  if (added.length > 0) return 'delivered';
  return had > 0 ? 'nothing-new' : 'nothing';
}

/** The report of a delivery that has written nothing; the rest of it is as given. */
export function emptyReport(rest: Partial<DeliveryReport> = {}): DeliveryReport {
  const none = { added: [], changed: [], withCredentials: [], untagged: [] };
  return { ...none, bytes: 0, had: 0, unkept: 0, gone: 0, left: 0, ...rest };
}

/** What a delivery came to, in lines for the user. */
export function deliveryWords(report: DeliveryReport): readonly string[] {
  const { changed, unkept, gone, left, withCredentials, untagged, timeline, isTimelineLeft } = report;
  if (deliveryOutcome(report) === 'nothing' && unkept > 0) return [nothingKeptWords(unkept), ...goneWords(gone)];
  return [
    addedWords(report),
    ...(left === 0
      ? []
      : [`${countOf(left, 'file')} not delivered: the delivery was cancelled. Deliver again to go on.`]),
    ...(isTimelineLeft === true
      ? ['No timeline was written: the delivery was cancelled. Deliver again to write it.']
      : []),
    ...(unkept === 0
      ? []
      : [`${countOf(unkept, 'file')} not delivered: nobody has kept ${unkept === 1 ? 'it' : 'them'}.`]),
    ...goneWords(gone),
    ...named(changed, 'changed since, and left as it is'),
    ...untagged.slice(0, FILES_NAMED).map(({ path, why }) => `${visibleLine(path, 200)} ${why}.`),
    ...rest(untagged),
    ...(untagged.length === 0
      ? named(withCredentials, 'carries content credentials, and is copied byte for byte')
      : []),
    ...(timeline === undefined ? [] : [`${timeline.path}: ${countOf(timeline.clips, 'clip')}`]),
    ...named(timeline?.left ?? [], 'not in the timeline: its length cannot be read'),
  ];
}

function addedWords(report: DeliveryReport): string {
  const { added, bytes, had, gone } = report;
  if (deliveryOutcome(report) === 'nothing' && gone === 0)
    return 'Nothing was delivered: this batch has no verified file yet.';
  const before = had === 0 ? '' : `; ${countText(had)} delivered before`;
  return `${countOf(added.length, 'new file')} (${formatBytes(bytes)})${before}`;
}

function nothingKeptWords(unkept: number): string {
  const none = unkept === 1 ? 'the one file' : `none of the ${countText(unkept)} files`;
  return `Nothing was delivered: ${none} of this batch is ${unkept === 1 ? 'not ' : ''}kept. Keep what you want in the review (F8) or with nocturne review, or deliver every file.`;
}

function goneWords(gone: number): readonly string[] {
  const what = gone === 1 ? 'it was' : 'they were';
  return gone === 0 ? [] : [`${countOf(gone, 'file')} not delivered: ${what} deleted or made again meanwhile.`];
}

function named(paths: readonly string[], what: string): readonly string[] {
  return [...paths.slice(0, FILES_NAMED).map((path) => `${visibleLine(path, 200)}: ${what}.`), ...rest(paths)];
}

function rest(list: readonly unknown[]): readonly string[] {
  return list.length > FILES_NAMED ? [`… and ${countText(list.length - FILES_NAMED)} more.`] : [];
}
