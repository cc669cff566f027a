/** The text that somebody who needs help reads and then sends: facts about the program, the system and the store. */
import type { KeyFinder } from '../base/key-finder.ts';
import { isDocument, logLineForOthers, ownWord, profileLines } from './diagnostic-words.ts';

/** How often something is in the store. */
export interface Counted {
  readonly word: unknown;
  readonly n: number;
}

/** A batch, without its name, its folder and its gateway. */
export interface BatchOutline {
  readonly state: unknown;
  readonly pause: unknown;
  readonly rows: number;
  readonly tasks: number;
  readonly rehearsal: boolean;
  readonly maxSubmits?: number | undefined;
  readonly fuse?: number | undefined;
}

/** What is known about the store; numbers are undefined where it could not be read. */
export interface StoreFacts {
  /** The kind of problem that keeps it from being used. */
  readonly problem?: string | undefined;
  readonly schema?: number | undefined;
  readonly knownSchema: number;
  readonly sqlite?: string | undefined;
  readonly bytes?: number | undefined;
  readonly logBytes?: number | undefined;
  readonly freeBytes?: number | undefined;
  /** Copies from before updates, and stores that were replaced. */
  readonly copies: number;
  readonly hasOwner: boolean;
  /** Counts, by the name of what is counted. */
  readonly counts: Readonly<Record<string, readonly Counted[]>>;
  /** The newest ones, the newest first. */
  readonly batches: readonly BatchOutline[];
}

export interface DiagnosticFacts {
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** About the program and the system, in the program's own words: versions, numbers, choices. */
  readonly program: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly system: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly store: StoreFacts | undefined;
  /** About the server that holds the store in place of the data folder; absent if none does. */
  readonly server?: DiagnosticFacts['program'];
  /** As they were read; undefined if there are none. */
  readonly settings: unknown;
  /** The last lines of the log, as they are in its file. */
  readonly log: readonly string[];
  /** The names of the program's own files and requests: only they are named in what is shown of the log. */
  readonly ownNames: ReadonlySet<string>;
}

/** What no text for others may hold. */
export interface Hidden {
  readonly keys: KeyFinder;
  /** The user's own folder. */
  readonly home: string;
}

/** The whole text. It contains nothing that others have written except the program's own words. */
export function diagnosticsText(facts: DiagnosticFacts, { keys, home }: Hidden): string {
  const text = [
    'Nocturne diagnostics',
    '',
    'Read this before you send it. It holds versions, numbers and words of the program: no prompt, no key, no name of a',
    'batch, a file or a gateway.',
    '',
    `Made: ${new Date(facts.madeAt).toISOString()}`,
    ...section('Program', entries(facts.program)),
    ...section('System', entries(facts.system)),
    ...(facts.server === undefined ? [] : section('Server of the store', entries(facts.server))),
    ...section(
      facts.server === undefined ? 'Store' : 'Store in the data folder, which is not the one in use',
      facts.store === undefined ? ['could not be asked'] : storeLines(facts.store),
    ),
    ...section('Settings', settingsLines(facts.settings)),
    ...section(
      'Log, its last lines',
      facts.log.length === 0 ? ['none'] : facts.log.map((line) => logLineForOthers(line, facts.ownNames)),
    ),
    '',
  ].join('\n');
  return withoutHome(keys.hide(text), home);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return ['', title, ...lines.map((line) => `  ${line}`)];
}

function entries(facts: DiagnosticFacts['program']): readonly string[] {
  return Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
}

function storeLines(store: StoreFacts): readonly string[] {
  const { problem, schema, knownSchema, sqlite, bytes, logBytes, freeBytes, copies, hasOwner, counts, batches } = store;
  return [
    ...entries({
      problem,
      schema: `${schema ?? 'not read'} (this version knows ${knownSchema})`,
      SQLite: sqlite,
      bytes,
      'bytes of its log': logBytes,
      'bytes free on its disk': freeBytes,
      'copies beside it': copies,
      'in use': hasOwner,
    }),
    ...Object.entries(counts).map(([what, counted]) => `${what}: ${countsLine(counted)}`),
    ...batches.map(
      ({ state, pause, rows, tasks, rehearsal, maxSubmits, fuse }) =>
        `batch: ${[
          ownWord(state),
          ...(pause === undefined || pause === null ? [] : [`by ${ownWord(pause)}`]),
          `${rows} rows`,
          `${tasks} takes`,
          ...(rehearsal ? ['rehearsal'] : []),
          `limit ${maxSubmits ?? 'none'}`,
          `fuse ${fuse ?? 'standard'}`,
        ].join(', ')}`,
    ),
  ];
}

function countsLine(counted: readonly Counted[]): string {
  const sums = new Map<string, number>();
  for (const { word, n } of counted) {
    const known = typeof word === 'number' ? String(word) : ownWord(word);
    sums.set(known, (sums.get(known) ?? 0) + n);
  }
  return sums.size === 0 ? 'none' : [...sums].map(([word, n]) => `${n} ${word}`).join(', ');
}

function settingsLines(settings: unknown): readonly string[] {
  if (!isDocument(settings)) return ['none'];
  const { theme, profile, otherProfiles, defaultFolder, night, telling, recentSheets, mappings } = settings;
  const ways = isDocument(telling) ? ['ntfy', 'webhook', 'command'].filter((way) => telling[way] !== undefined) : [];
  return [
    `theme: ${ownWord(theme)}`,
    `folder for new batches: ${defaultFolder === '' || defaultFolder === undefined ? 'standard' : 'chosen'}`,
    `kept awake: ${isDocument(night) ? night['keepAwake'] === true : 'not set'}`,
    `told by: ${ways.length === 0 ? 'none' : ways.join(', ')}`,
    `sheets remembered: ${Array.isArray(recentSheets) ? recentSheets.length : 0}`,
    `mappings remembered: ${isDocument(mappings) ? Object.keys(mappings).length : 0}`,
    `other profiles: ${Array.isArray(otherProfiles) ? otherProfiles.length : 0}`,
    ...profileLines(profile).map((line) => `profile, ${line}`),
  ];
}

function withoutHome(text: string, home: string): string {
  return home.length < 2 ? text : text.replaceAll(home, '~');
}
