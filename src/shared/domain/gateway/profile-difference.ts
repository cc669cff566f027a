/** How one profile differs from another, setting by setting, for the user who must agree to it. */
import type { Profile } from './profile.ts';

/** One setting. It was added if `before` is absent, removed if `after` is; an entry of a list is one or the other. */
export interface ProfileChange {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  /**
   * It decides where prompts and the key go, what this machine may fetch from, or what counts as rejected, failed or
   * done, and so what is paid for again.
   */
  readonly isWeighty: boolean;
}

/** Names, numbers, suggestions: they redirect nothing and decide no outcome. All else is weighty, new settings too. */
const LIGHT: ReadonlySet<string> = new Set<keyof Profile | 'media.maxBytes'>([
  'name',
  'limits',
  'deadlines',
  'prices',
  'cost',
  'suggestions',
  'tags',
  'media.maxBytes',
]);

/** Every difference, the weighty ones first, otherwise in the order of the profile. */
export function profileChanges(before: Profile, after: Profile): readonly ProfileChange[] {
  const changes = changesOf('', before, after);
  return [...changes.filter(({ isWeighty }) => isWeighty), ...changes.filter(({ isWeighty }) => !isWeighty)];
}

function changesOf(path: string, before: unknown, after: unknown): readonly ProfileChange[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return Array.from(keys).flatMap((key) => changesOf(path === '' ? key : `${path}.${key}`, before[key], after[key]));
  }
  if (Array.isArray(before) && Array.isArray(after)) return changesOfList(path, before, after);
  // A new or removed record or list is reported by its entries.
  if (before === undefined && typeof after === 'object') return changesOf(path, Array.isArray(after) ? [] : {}, after);
  if (after === undefined && typeof before === 'object')
    return changesOf(path, before, Array.isArray(before) ? [] : {});
  const [was, is] = [textOf(before), textOf(after)];
  return was === is ? [] : [change(path, was, is)];
}

function changesOfList(path: string, before: readonly unknown[], after: readonly unknown[]): readonly ProfileChange[] {
  const [was, is] = [before.map(entryText), after.map(entryText)];
  const removed = was.filter((entry) => !is.includes(entry)).map((entry) => change(path, entry, undefined));
  const added = is.filter((entry) => !was.includes(entry)).map((entry) => change(path, undefined, entry));
  if (removed.length > 0 || added.length > 0) return [...removed, ...added];
  // The first matching pattern wins, so the order matters too.
  const [first, then] = [was.join(', '), is.join(', ')];
  return first === then ? [] : [change(path, first, then)];
}

function change(path: string, before: string | undefined, after: string | undefined): ProfileChange {
  const [key = ''] = path.split('.');
  const isWeighty = !LIGHT.has(key) && !LIGHT.has(path);
  return {
    path,
    isWeighty,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);
}

function entryText(entry: unknown): string {
  return textOf(entry) ?? '';
}
