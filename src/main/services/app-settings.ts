/** The settings that outlive the application, in a file of their own: never a key. */
import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Store from 'electron-store';
import { z } from 'zod';
import { DEFAULT_PROFILE, profileSchema } from '../../shared/domain/gateway/profile.ts';
import { describeProfileIssue } from '../../shared/domain/gateway/profile-problem.ts';
import { shorten } from '../../shared/domain/base/name-text.ts';
import { SaidError, sayError } from '../../shared/domain/base/reason.ts';
import { AFTER_NIGHT } from '../../shared/domain/telling/night-news.ts';
import { tellingWays } from '../../shared/domain/telling/ways.ts';
import { theme } from '../../shared/ipc/app.ts';
import { words } from '../../shared/words/words.ts';
import { LANGUAGE_CHOICES, type LanguageChoice } from '../../shared/words/domain-words.ts';
import { chosenFolders, keptMappings, recentSheets } from './remembered-sheets.ts';

const FILE_NAME = 'settings';
/** Of what is invalid in the file, this many things are named, each in at most so many characters. */
const MOST_NAMED = 8;
const MOST_CHARACTERS = 300;

const windowBounds = z.strictObject({
  x: z.int(),
  y: z.int(),
  width: z.int().min(1),
  height: z.int().min(1),
  isMaximized: z.boolean(),
});
export type WindowBounds = z.infer<typeof windowBounds>;

const settingsSchema = z.strictObject({
  theme: theme.default('system'),
  language: z.enum(LANGUAGE_CHOICES).default('system'),
  /** The profile that new batches start with. */
  profile: profileSchema.prefault({}),
  /** The other profiles that are kept, with the one used last at the end; each has a name of its own. */
  otherProfiles: z.array(profileSchema).default([]),
  /** Empty: the system's documents folder. */
  defaultFolder: z.string().default(''),
  window: windowBounds.optional(),
  recentSheets: recentSheets.default([]),
  chosenFolders: chosenFolders.default([]),
  mappings: keptMappings.default({}),
  night: z
    .strictObject({
      keepAwake: z.boolean().default(true),
      /** The system's own notifications. */
      system: z.boolean().default(true),
      /** Chosen for the night that is under way. */
      afterNight: z.enum(AFTER_NIGHT).default('nothing'),
    })
    .prefault({}),
  telling: tellingWays.prefault({}),
  updates: z.strictObject({ isAutomatic: z.boolean().default(true) }).prefault({}),
});
export type AppSettings = z.output<typeof settingsSchema>;

/** Keeps the settings in a file. */
export class SettingsFile {
  readonly #store: Store;
  readonly #file: string;
  #settings: AppSettings;
  /** Told to the user once when part of the file is no longer valid. */
  readonly notice: string | undefined;

  /** Reads the settings. Replaces invalid ones by their defaults, and keeps the file as it was beside the new one. */
  constructor(folder: string, now: Date) {
    const file = join(folder, `${FILE_NAME}.json`);
    const aside = `${FILE_NAME}.broken-${now.toISOString().replaceAll(/[:.]/g, '-')}.json`;
    const { settings, leftOut } = existsSync(file) ? readKept(file) : NOTHING_KEPT;
    if (leftOut === 'all') renameSync(file, join(folder, aside));
    else if (leftOut.length > 0) copyFileSync(file, join(folder, aside));
    const { profile } = settings;
    // Its name is the user's from here on: another language does not change it.
    this.#settings =
      settings === NOTHING_KEPT.settings
        ? { ...settings, profile: { ...profile, name: words.settings.gateways.firstName } }
        : settings;
    this.#file = file;
    this.#store = newStore(folder);
    if (leftOut.length === 0) return;
    this.#store.store = { ...settings };
    this.notice =
      leftOut === 'all'
        ? words.desktop.settings.allInvalid(aside)
        : words.desktop.settings.partInvalid(firstOf(leftOut), aside);
  }

  get current(): AppSettings {
    return this.#settings;
  }

  /** Changes some of the settings and writes them. Throws if the file cannot be written, and says why. */
  update(change: Partial<AppSettings>): void {
    const next = settingsSchema.parse({ ...this.#settings, ...change });
    // If the store is damaged, a backup may have been restored beside this window: its settings apply at the next
    // start.
    const inFile = existsSync(this.#file) ? readKept(this.#file) : NOTHING_KEPT;
    const kept = inFile === NOTHING_KEPT || inFile.leftOut.length > 0 ? this.#settings : inFile.settings;
    // Profiles contain keys with dots and slashes: the whole document is set, never a path in it.
    const written = { ...settingsSchema.parse({ ...kept, ...change }) };
    try {
      this.#store.store = written;
    } catch (error) {
      throw new SaidError(words.desktop.settings.notWritten(sayError(error)), error);
    }
    this.#settings = next;
  }
}

/** The language that the settings in a folder name: for what is said before they are opened, which may repair them. */
export function keptLanguage(folder: string): LanguageChoice {
  const file = join(folder, `${FILE_NAME}.json`);
  return (existsSync(file) ? readKept(file) : NOTHING_KEPT).settings.language;
}

interface Kept {
  readonly settings: AppSettings;
  /** What is invalid, one sentence each. */
  readonly leftOut: readonly string[] | 'all';
}

const NOTHING_KEPT: Kept = { settings: settingsSchema.parse({}), leftOut: [] };

function readKept(file: string): Kept {
  try {
    return partsThatHold(z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch {
    return { ...NOTHING_KEPT, leftOut: 'all' };
  }
}

/** Removes invalid settings, or invalid keys of the profile, from the document until the rest is valid. */
function partsThatHold(document: Record<string, unknown>): Kept {
  const leftOut: string[] = [];
  /** Where in the file each of the other profiles is that are still there. */
  let places = [...(othersIn(document) ?? []).keys()];
  for (;;) {
    const parsed = settingsSchema.safeParse(document);
    if (parsed.success) return { settings: parsed.data, leftOut };
    const gone = new Set<number>();
    for (const issue of parsed.error.issues) {
      // What a newer version has added is all that this version does not know: what is beside it stays.
      if (issue.code === 'unrecognized_keys') for (const key of issue.keys) removeAt(document, [...issue.path, key]);
      else takeOut(document, issue.path, gone);
      const [setting = '', key, ...inner] = issue.path;
      const inFile = setting === 'otherProfiles' && typeof key === 'number' ? places[key] : undefined;
      const path = inFile === undefined ? issue.path : [setting, inFile, ...inner];
      leftOut.push(
        ...describeProfileIssue({ ...issue, path }, { profile: DEFAULT_PROFILE }).map(({ path: where, message }) =>
          shorten(`${where}: ${message}`, MOST_CHARACTERS, Number.POSITIVE_INFINITY),
        ),
      );
    }
    // Only now: the issues know each by its index.
    const stays = (_: unknown, at: number): boolean => !gone.has(at);
    if (gone.size > 0) document['otherProfiles'] = othersIn(document)?.filter(stays);
    places = places.filter(stays);
  }
}

function othersIn({ otherProfiles: others }: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  return Array.isArray(others) ? others : undefined;
}

/** The first of many sentences, and how many more there are. */
function firstOf(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - MOST_NAMED;
  return more > 0 ? [...sentences.slice(0, MOST_NAMED), words.desktop.andMore(more)] : sentences;
}

/**
 * Removes what is invalid, or as much around it as needed for its default to apply; other profiles that cannot stay are
 * added to `gone`.
 */
function takeOut(
  document: Record<string, unknown>,
  [setting = '', key, inner]: readonly PropertyKey[],
  gone: Set<number>,
): void {
  const value = document[String(setting)];
  if (setting === 'otherProfiles' && Array.isArray(value) && typeof key === 'number') {
    // Only the faulty one goes: the others are whole.
    if (inner === undefined || !isDocument(value[key])) gone.add(key);
    else Reflect.deleteProperty(value[key], inner);
  } else if (setting === 'profile' && key !== undefined && isDocument(value)) Reflect.deleteProperty(value, key);
  else Reflect.deleteProperty(document, setting);
}

function removeAt(document: unknown, [key = '', ...path]: readonly PropertyKey[]): void {
  if (!isDocument(document)) return;
  if (path.length === 0) Reflect.deleteProperty(document, key);
  else removeAt(Reflect.get(document, key), path);
}

function isDocument(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function newStore(folder: string): Store {
  return new Store({ name: FILE_NAME, cwd: folder, accessPropertiesByDotNotation: false, clearInvalidConfig: false });
}
