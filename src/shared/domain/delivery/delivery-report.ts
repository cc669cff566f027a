/** What a delivery came to, and how it is reported. */
import { domainWords } from '../../words/domain-words.ts';
import { formatBytes, visibleLine } from '../base/text.ts';

/** What a delivery came to. Paths are inside its folder, with `/`. */
export interface DeliveryReport {
  readonly added: readonly string[];
  readonly bytes: number;
  /** How many files the folder had from earlier deliveries. */
  readonly had: number;
  /** Delivered earlier, and changed since: they were left as they are. */
  readonly changed: readonly string[];
  /** How many XMP files were written beside files of earlier deliveries. */
  readonly sidecars: number;
  /** Files of earlier deliveries that got no XMP file because another file has its name. */
  readonly noSidecars: readonly string[];
  /** How many files of earlier deliveries are there without the tags that are wanted now. */
  readonly tagless: number;
  /** Not delivered because they were never kept, or are no longer kept. */
  readonly unkept: number;
  /** Not delivered because they were deleted or made again during the delivery. */
  readonly gone: number;
  /** Not delivered, or without the XMP file that they were to get, because the user cancelled it. */
  readonly left: number;
  /** Files with content credentials, which are copied byte for byte. */
  readonly withCredentials: readonly string[];
  /** Files that got no tags, and why: `why` follows the path in a sentence. */
  readonly untagged: readonly { readonly path: string; readonly why: string }[];
  readonly timeline?: { readonly path: string; readonly clips: number; readonly left: readonly string[] };
  /** No timeline was written because the user cancelled it. */
  readonly isTimelineLeft?: true;
}

/** This many files are named; the rest are only counted, and are listed in the package. */
const FILES_NAMED = 10;

/** How far a delivery is. Bytes are those of the originals; a file that is not done yet does not count. */
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
  return domainWords.nights.delivery.progress(step, files, ofFiles, formatBytes(bytes), formatBytes(ofBytes));
}

/**
 * What a delivery came to, in a word. `nothing`: there was nothing to deliver; `nothing-new`: everything had been
 * delivered before.
 */
export type DeliveryOutcome = 'delivered' | 'nothing-new' | 'nothing' | 'cancelled';

export function deliveryOutcome({ added, had, left, sidecars, isTimelineLeft }: DeliveryReport): DeliveryOutcome {
  if (left > 0 || isTimelineLeft === true) return 'cancelled';
  if (added.length > 0 || sidecars > 0) return 'delivered';
  return had > 0 ? 'nothing-new' : 'nothing';
}

/** The report of a delivery that has written nothing; the rest of it is as given. */
export function emptyReport(rest: Partial<DeliveryReport> = {}): DeliveryReport {
  const none = { added: [], changed: [], noSidecars: [], withCredentials: [], untagged: [] };
  return { ...none, bytes: 0, had: 0, sidecars: 0, tagless: 0, unkept: 0, gone: 0, left: 0, ...rest };
}

/** What a delivery came to, in lines for the user: of the command line, or of the window. */
export function deliveryWords(report: DeliveryReport, where: 'terminal' | 'window'): readonly string[] {
  const { changed, unkept, gone, left, sidecars, noSidecars, tagless, withCredentials } = report;
  const { untagged, timeline, isTimelineLeft } = report;
  const told = domainWords.nights.delivery;
  const goneWords = gone === 0 ? [] : [told.gone(gone)];
  if (deliveryOutcome(report) === 'nothing' && unkept > 0) return [told.nothingKept(unkept, where), ...goneWords];
  return [
    addedWords(report),
    ...(left === 0 ? [] : [told.cancelled(left)]),
    ...(isTimelineLeft === true ? [told.noTimeline] : []),
    ...(unkept === 0 ? [] : [told.unkept(unkept)]),
    ...goneWords,
    ...(sidecars === 0 ? [] : [told.sidecars(sidecars)]),
    ...(tagless === 0 ? [] : [told.tagless(tagless)]),
    ...named(noSidecars, told.noSidecar),
    ...named(changed, told.changed),
    ...untagged.slice(0, FILES_NAMED).map(({ path, why }) => told.untagged(visibleLine(path, 200), why)),
    ...rest(untagged),
    ...(untagged.length === 0 ? named(withCredentials, told.hasCredentials) : []),
    ...(timeline === undefined ? [] : [told.timeline(timeline.path, timeline.clips)]),
    ...named(timeline?.left ?? [], told.notInTimeline),
  ];
}

function addedWords(report: DeliveryReport): string {
  const { added, bytes, had, gone } = report;
  if (deliveryOutcome(report) === 'nothing' && gone === 0) return domainWords.nights.delivery.nothing;
  return domainWords.nights.delivery.added(added.length, formatBytes(bytes), had);
}

function named(paths: readonly string[], tell: (path: string) => string): readonly string[] {
  return [...paths.slice(0, FILES_NAMED).map((path) => tell(visibleLine(path, 200))), ...rest(paths)];
}

function rest(list: readonly unknown[]): readonly string[] {
  return list.length > FILES_NAMED ? [domainWords.nights.delivery.andMore(list.length - FILES_NAMED)] : [];
}
