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
  /** Not delivered because nobody kept them. */
  readonly unkept: number;
  /** Files with content credentials, which are copied byte for byte. */
  readonly withCredentials: readonly string[];
  /** Files that got no tags, and why: it follows the path in a sentence. */
  readonly untagged: readonly { readonly path: string; readonly why: string }[];
  readonly timeline?: { readonly path: string; readonly clips: number; readonly left: readonly string[] };
}

/** As many files are named; the rest is counted, and in the package. */
const FILES_NAMED = 10;

/** What a delivery came to, in lines for the user. */
export function deliveryWords(report: DeliveryReport): readonly string[] {
  const { added, bytes, had, changed, unkept, withCredentials, untagged, timeline } = report;
  return [
    `${countOf(added.length, 'new file')} (${formatBytes(bytes)})${had === 0 ? '' : `; ${countText(had)} delivered before`}`,
    ...(unkept === 0
      ? []
      : [`${countOf(unkept, 'file')} not delivered: nobody has kept ${unkept === 1 ? 'it' : 'them'}.`]),
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

function named(paths: readonly string[], what: string): readonly string[] {
  return [...paths.slice(0, FILES_NAMED).map((path) => `${visibleLine(path, 200)}: ${what}.`), ...rest(paths)];
}

function rest(list: readonly unknown[]): readonly string[] {
  return list.length > FILES_NAMED ? [`… and ${countText(list.length - FILES_NAMED)} more.`] : [];
}
