/**
 * What belongs to a store and is beside its database: the word lists in its folder, and the application's settings with
 * its profiles. A backup carries them in a table of its own; none of them contains keys or secrets.
 */
import { reason, say, thrownSays } from '../../../shared/domain/base/reason.ts';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { present } from '../../../shared/domain/base/result.ts';
import { visibleLine } from '../../../shared/domain/base/text.ts';
import { crashPoint } from '../../crash-point.ts';
import { syncFolderSync, writeNoteSync } from '../../whole-file.ts';
import type { Database } from './database.ts';
import { problemOfError, storeProblem, type StoreProblem } from './store-problem.ts';

interface CarriedFile {
  readonly name: string;
  readonly content: string;
}

const TABLE = 'carried_files';
const SETTINGS = 'settings.json';
const LISTS = 'lists';
const LIST = /^[^/\\]{1,100}\.txt$/u;
const LARGEST_BYTES = 4 * 1024 * 1024;

/** Puts what is beside a store into a copy of its database. */
export function putCarriedFiles(copy: Database, dataDir: string): void {
  copy.exec(
    `DROP TABLE IF EXISTS ${TABLE}; CREATE TABLE ${TABLE} (name TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT`,
  );
  const insert = copy.prepare(`INSERT INTO ${TABLE} VALUES (?, ?)`);
  copy.transaction(() => filesBeside(dataDir).forEach(({ name, content }) => void insert.run(name, content)));
}

/** Reads the carried files; a plain copy of a database has none. */
export function readCarriedFiles(copy: Database): readonly CarriedFile[] {
  const has = copy.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '${TABLE}'`);
  if (has.get() === undefined) return [];
  return copy
    .prepare<CarriedFile>(`SELECT name, content FROM ${TABLE} WHERE typeof(name) = 'text' AND typeof(content) = 'text'`)
    .all();
}

/** Takes the carried files out of a copy that is to become a store again. */
export function takeCarriedFiles(copy: Database): readonly CarriedFile[] {
  const files = readCarriedFiles(copy);
  copy.exec(`DROP TABLE IF EXISTS ${TABLE}`);
  return files;
}

/** What is put in place with a store, as sentences for the user: a profile says where prompts go. */
export function carriedWords(files: readonly CarriedFile[]): readonly string[] {
  const lists = listsIn(files).length;
  const settings = settingsIn(files);
  const { profile, otherProfiles } = settings ?? {};
  return [
    ...(lists === 0 ? [] : [say(reason('store.withLists', lists))]),
    ...(settings === undefined ? [] : [say(reason('store.withSettings'))]),
    ...[profile, ...(Array.isArray(otherProfiles) ? (otherProfiles as unknown[]) : [])].flatMap(profileWords),
    ...(settings !== undefined && (settings['telling'] !== undefined || 'afterNight' in documentOf(settings['night']))
      ? [say(reason('store.withoutWays'))]
      : []),
  ];
}

function profileWords(profile: unknown): readonly string[] {
  const { name, baseUrl } = documentOf(profile);
  if (typeof baseUrl !== 'string' || baseUrl === '') return [];
  const named = typeof name === 'string' ? visibleLine(name, 60) : '';
  return [say(reason('store.withProfile', named, visibleLine(baseUrl, 200)))];
}

/** Which files and folders are replaced in {@link putBack}. */
export function placesOf(files: readonly CarriedFile[], dataDir: string): readonly string[] {
  const settings = settingsBeside(dataDir);
  return [
    ...(listsIn(files).length === 0 ? [] : [path.join(dataDir, LISTS)]),
    ...(settings === undefined || settingsIn(files) === undefined ? [] : [settings]),
  ];
}

/** The outcome for files that belong to a store. */
export interface PutBack {
  /** What was put in place with the store, in sentences. */
  readonly brought: readonly string[];
  /** What prevented some of it from being put in place; the store itself is in place. */
  readonly problem?: StoreProblem;
}

/** Puts files back in their places, after their store: whatever goes wrong is reported, but the store is in place. */
export function putBack(files: readonly CarriedFile[], dataDir: string): PutBack {
  try {
    syncFolderSync(dataDir);
    putLists(listsIn(files), path.join(dataDir, LISTS));
    crashPoint('restore.lists-put');
    const place = settingsBeside(dataDir);
    const settings = settingsIn(files);
    if (settings !== undefined && place !== undefined) {
      writeNoteSync(place, JSON.stringify(withOwnWays(settings, place)));
      crashPoint('restore.settings-put');
    }
    return { brought: carriedWords(place === undefined ? listsIn(files) : files) };
  } catch (error) {
    const problem = problemOfError(error, dataDir) ?? storeProblem('denied', thrownSays(error));
    const { kind, said, help } = problem;
    return { brought: [], problem: storeProblem(kind, reason('store.notAllRestored', said), help) };
  }
}

/** The store's lists become exactly those of its backup: a name in a cell draws from any list that is there. */
function putLists(lists: readonly CarriedFile[], folder: string): void {
  if (lists.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = new Set(lists.map(({ name }) => path.posix.basename(name)));
  for (const { name, content } of lists) {
    writeNoteSync(path.join(folder, path.posix.basename(name)), content);
    crashPoint('restore.list-put');
  }
  for (const name of readdirSync(folder)) {
    if (LIST.test(name) && !names.has(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

/**
 * The settings of a backup, without what starts a program, sends messages or ends the session: that stays as it is
 * here, because nobody has allowed it here.
 */
function withOwnWays(settings: JsonDocument, place: string): JsonDocument {
  const own = documentIn(textOf(place));
  const { telling: _, night, ...rest } = settings;
  const { afterNight: _after, ...calm } = documentOf(night);
  const nights = { ...calm, ...present({ afterNight: documentOf(own?.['night'])['afterNight'] }) };
  return {
    ...rest,
    ...present({ telling: own?.['telling'] }),
    ...(Object.keys(nights).length === 0 ? {} : { night: nights }),
  };
}

function listsIn(files: readonly CarriedFile[]): readonly CarriedFile[] {
  return files.filter(({ name }) => path.posix.dirname(name) === LISTS && LIST.test(path.posix.basename(name)));
}

function settingsIn(files: readonly CarriedFile[]): JsonDocument | undefined {
  return documentIn(files.find(({ name }) => name === SETTINGS)?.content);
}

function filesBeside(dataDir: string): readonly CarriedFile[] {
  const lists = path.join(dataDir, LISTS);
  const names = existsSync(lists) ? readdirSync(lists).filter((name) => LIST.test(name)) : [];
  const settings = settingsBeside(dataDir);
  const settingsText = settings === undefined ? undefined : textOf(settings);
  return [
    ...names.flatMap((name) => {
      const content = textOf(path.join(lists, name));
      return content === undefined ? [] : [{ name: `${LISTS}/${name}`, content }];
    }),
    ...(settingsText !== undefined && documentIn(settingsText) !== undefined
      ? [{ name: SETTINGS, content: settingsText }]
      : []),
  ];
}

/** The application's settings are beside the folder of its own store; another folder has none. */
export function settingsBeside(dataDir: string): string | undefined {
  return path.basename(dataDir) === 'store' ? path.join(path.dirname(dataDir), SETTINGS) : undefined;
}

/** Undefined if it is not a plain file of reasonable size, or cannot be read: a link could lead anywhere. */
function textOf(file: string): string | undefined {
  try {
    const found = lstatSync(file);
    return found.isFile() && found.size <= LARGEST_BYTES ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

type JsonDocument = Readonly<Record<string, unknown>>;

function documentOf(value: unknown): JsonDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonDocument) : {};
}

function documentIn(text: string | undefined): JsonDocument | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonDocument) : undefined;
  } catch {
    return undefined;
  }
}
