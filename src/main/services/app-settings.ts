/** The settings that outlive the application, in a file of their own: never a key. */
import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Store from 'electron-store';
import { z } from 'zod';
import { DEFAULT_PROFILE, profileSchema } from '../../shared/domain/gateway/profile.ts';
import { describeProfileIssue } from '../../shared/domain/gateway/profile-problem.ts';
import { AFTER_NIGHT } from '../../shared/domain/telling/night-news.ts';
import { tellingWays } from '../../shared/domain/telling/ways.ts';
import { theme } from '../../shared/ipc/app.ts';
import { words } from '../../shared/words/words.ts';
import { LANGUAGE_CHOICES, type LanguageChoice } from '../../shared/words/domain-words.ts';
import { chosenFolders, keptMappings, recentSheets } from './remembered-sheets.ts';

const FILE_NAME = 'settings';

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
    this.#settings = settings;
    this.#file = file;
    this.#store = newStore(folder);
    if (leftOut.length === 0) return;
    this.#store.store = { ...settings };
    this.notice =
      leftOut === 'all' ? words.desktop.settings.allInvalid(aside) : words.desktop.settings.partInvalid(leftOut, aside);
  }

  get current(): AppSettings {
    return this.#settings;
  }

  /** Changes some of the settings and writes them. Throws if the file cannot be written. */
  update(change: Partial<AppSettings>): void {
    const next = settingsSchema.parse({ ...this.#settings, ...change });
    // If the store is damaged, a backup may have been restored beside this window: its settings apply at the next
    // start.
    const inFile = existsSync(this.#file) ? readKept(this.#file) : NOTHING_KEPT;
    const kept = inFile === NOTHING_KEPT || inFile.leftOut.length > 0 ? this.#settings : inFile.settings;
    // Profiles contain keys with dots and slashes: the whole document is set, never a path in it.
    this.#store.store = { ...settingsSchema.parse({ ...kept, ...change }) };
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
  for (;;) {
    const parsed = settingsSchema.safeParse(document);
    if (parsed.success) return { settings: parsed.data, leftOut };
    for (const issue of parsed.error.issues) {
      // What a newer version has added is all that this version does not know: what is beside it stays.
      if (issue.code === 'unrecognized_keys') for (const key of issue.keys) removeAt(document, [...issue.path, key]);
      else takeOut(document, issue.path);
      leftOut.push(
        ...describeProfileIssue(issue, { profile: DEFAULT_PROFILE }).map(({ path, message }) => `${path}: ${message}`),
      );
    }
  }
}

/** Removes what is invalid, or as much around it as needed for its default to apply. */
function takeOut(document: Record<string, unknown>, [setting = '', key, inner]: readonly PropertyKey[]): void {
  const value = document[String(setting)];
  if (setting === 'otherProfiles' && Array.isArray(value) && typeof key === 'number') {
    // Only the faulty one goes: the others are whole.
    if (inner === undefined || !isDocument(value[key])) value.splice(key, 1);
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
