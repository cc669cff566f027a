/** Main's handlers for newer versions of Nocturne. */
import { ok } from '../../shared/domain/base/result.ts';
import type { updateRoutes } from '../../shared/ipc/updates.ts';
import type { SettingsFile } from '../services/app-settings.ts';
import type { Updates } from '../updates/updates.ts';
import type { HandlersOf } from './bridge.ts';

/** What these handlers work with. */
export interface UpdateContext {
  readonly updates: Updates;
  readonly settings: SettingsFile;
}

/** Makes the handlers of the routes for updates. */
export function updateHandlers({ updates, settings }: UpdateContext): HandlersOf<typeof updateRoutes> {
  return {
    'updates.get': () => ok(updates.view),
    'updates.set': ({ isAutomatic }) => {
      settings.update({ updates: { isAutomatic } });
      return ok(updates.view);
    },
    'updates.look': async () => {
      await updates.look(true);
      return ok(updates.view);
    },
    'updates.fetch': ({ version }) => updates.fetch(version),
    'updates.cancel': () => {
      updates.cancel();
      return ok(updates.view);
    },
    'updates.install': ({ version }) => updates.install(version),
  };
}
