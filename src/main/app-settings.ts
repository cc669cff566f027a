/** The settings that outlive the application, in a file of their own: never the key. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Store from 'electron-store';
import { z } from 'zod';
import { profileSchema, type Profile } from '../shared/domain/profile.ts';
import { theme } from '../shared/ipc/contract.ts';
import { keptMappings } from './kept-mappings.ts';
import { recentSheets } from './recent-sheets.ts';

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
  profile: profileSchema.prefault({}),
  /** Empty: the system's folder for documents. */
  defaultFolder: z.string().default(''),
  window: windowBounds.optional(),
  recentSheets: recentSheets.default([]),
  mappings: keptMappings.default({}),
});
export type AppSettings = z.output<typeof settingsSchema>;

/** Keeps the settings in a file. */
export class SettingsFile {
  readonly #store: Store;
  #settings: AppSettings;
  /** Said once to the user when a broken file was set aside. */
  readonly notice: string | undefined;

  /** Reads the settings; a file that cannot be understood is renamed and the defaults apply. */
  constructor(folder: string, now: Date) {
    const kept = openSettings(folder);
    if (kept === undefined) {
      const name = `${FILE_NAME}.broken-${now.toISOString().replaceAll(/[:.]/g, '-')}.json`;
      renameSync(join(folder, `${FILE_NAME}.json`), join(folder, name));
      this.notice = `The settings could not be understood, so the defaults apply. The file is kept as ${name}.`;
    }
    const { store, settings } = kept ?? openDefaults(folder);
    this.#store = store;
    this.#settings = settings;
  }

  get current(): AppSettings {
    return this.#settings;
  }

  /** Changes some of the settings and writes them. Throws where the file cannot be written. */
  update(change: Partial<AppSettings>): void {
    const next = settingsSchema.parse({ ...this.#settings, ...change });
    // Profiles hold keys with dots and slashes: the whole document is set, never a path into it.
    this.#store.store = { ...next };
    this.#settings = next;
  }

  setProfile(profile: Profile): void {
    this.update({ profile });
  }
}

function openSettings(folder: string): { store: Store; settings: AppSettings } | undefined {
  if (!existsSync(join(folder, `${FILE_NAME}.json`))) return openDefaults(folder);
  try {
    const store = newStore(folder);
    const parsed = settingsSchema.safeParse(store.store);
    return parsed.success ? { store, settings: parsed.data } : undefined;
  } catch {
    return undefined;
  }
}

function openDefaults(folder: string): { store: Store; settings: AppSettings } {
  return { store: newStore(folder), settings: settingsSchema.parse({}) };
}

function newStore(folder: string): Store {
  return new Store({ name: FILE_NAME, cwd: folder, accessPropertiesByDotNotation: false, clearInvalidConfig: false });
}
