/**
 * What belongs to a store and lies beside its database: the lists of words in its folder, and the application's settings
 * with its profiles. A backup carries them in a table of its own; keys and secrets are in none of them.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { writeNoteSync } from '../../whole-file.ts';
import type { Database } from './database.ts';

interface CarriedFile {
  readonly name: string;
  readonly content: string;
}

const TABLE = 'carried_files';
const SETTINGS = 'settings.json';
const LISTS = 'lists';
const LIST = /^[^/\\]{1,100}\.txt$/u;
const LARGEST_BYTES = 4 * 1024 * 1024;

/** Puts what lies beside a store into a copy of its database. */
export function putCarriedFiles(copy: Database, dataDir: string): void {
  copy.exec(
    `DROP TABLE IF EXISTS ${TABLE}; CREATE TABLE ${TABLE} (name TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT`,
  );
  const insert = copy.prepare(`INSERT INTO ${TABLE} VALUES (?, ?)`);
  copy.transaction(() => filesBeside(dataDir).forEach(({ name, content }) => void insert.run(name, content)));
}

/** Takes them out of a copy that is to become a store again; a plain copy of a database has none. */
export function takeCarriedFiles(copy: Database): readonly CarriedFile[] {
  if (copy.prepare(`SELECT 1 FROM sqlite_schema WHERE name = '${TABLE}'`).get() === undefined) return [];
  const files = copy.prepare<CarriedFile>(`SELECT name, content FROM ${TABLE}`).all();
  copy.exec(`DROP TABLE ${TABLE}`);
  return files;
}

/**
 * Puts files back in their places; what they replace stays beside them under the name that `asideOf` gives. Returns the
 * paths of what was set aside.
 */
export function putBack(
  files: readonly CarriedFile[],
  dataDir: string,
  asideOf: (file: string) => string,
): readonly string[] {
  const aside: string[] = [];
  const setAside = (file: string): void => {
    if (!existsSync(file)) return;
    aside.push(asideOf(file));
    renameSync(file, asideOf(file));
  };
  const lists = files.filter(({ name }) => path.posix.dirname(name) === LISTS && LIST.test(path.posix.basename(name)));
  const folder = path.join(dataDir, LISTS);
  if (lists.length > 0) {
    setAside(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { name, content } of lists) writeNoteSync(path.join(folder, path.posix.basename(name)), content);
  }
  const settings = files.find(({ name }) => name === SETTINGS);
  const place = settingsOf(dataDir);
  if (settings !== undefined && place !== undefined && isDocument(settings.content)) {
    setAside(place);
    writeNoteSync(place, settings.content);
  }
  return aside;
}

function filesBeside(dataDir: string): readonly CarriedFile[] {
  const lists = path.join(dataDir, LISTS);
  const names = existsSync(lists) ? readdirSync(lists).filter((name) => LIST.test(name)) : [];
  const settings = settingsOf(dataDir);
  const settingsText = settings === undefined ? undefined : textOf(settings);
  return [
    ...names.flatMap((name) => {
      const content = textOf(path.join(lists, name));
      return content === undefined ? [] : [{ name: `${LISTS}/${name}`, content }];
    }),
    ...(settingsText !== undefined && isDocument(settingsText) ? [{ name: SETTINGS, content: settingsText }] : []),
  ];
}

/** The application's settings lie beside the folder of its store; another folder has none. */
function settingsOf(dataDir: string): string | undefined {
  return path.basename(dataDir) === 'store' ? path.join(path.dirname(dataDir), SETTINGS) : undefined;
}

/** Undefined for what is no plain file of a reasonable size, or cannot be read: a link could lead anywhere. */
function textOf(file: string): string | undefined {
  try {
    const found = lstatSync(file);
    return found.isFile() && found.size <= LARGEST_BYTES ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function isDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
