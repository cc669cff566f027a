/** The application itself: its settings, the gateway and its keys, the profile, the store, the log, the help. */
import { z } from 'zod';
import { main, none, type Seen } from './route.ts';

export const theme = z.enum(['system', 'light', 'dark']);

export const settingsView = z.strictObject({
  theme,
  /** Base URL of the gateway, empty before the first run's question is answered. */
  baseUrl: z.string(),
  profileName: z.string(),
  /** Plain http to a private network is allowed by the profile. */
  allowPlainHttp: z.boolean(),
  /** The folder that new batches are offered, for display. */
  defaultFolder: z.string(),
});
export type SettingsView = Seen<typeof settingsView>;

/** The key for the gateway of the settings, and where keys are kept. `memory`: this machine has no keyring, the key is gone when the application closes. */
export const keyStatus = z.strictObject({
  present: z.boolean(),
  last4: z.string(),
  storage: z.enum(['keyring', 'memory']),
  /** The origin that it was entered for; it is sent to no other. */
  origin: z.string(),
  /** Every key that is kept, by its origin. */
  kept: z.array(z.strictObject({ origin: z.string(), last4: z.string() })),
});
export type KeyStatus = Seen<typeof keyStatus>;

const gatewayOrigin = z.string().max(2048).optional();

/** The oldest line of Electron that the application is shown with unasked: the one that it is built and shipped with. */
export const CURRENT_ELECTRON_LINE = 45;

/** Whether a version such as `45.4.1` is of that line, or of a later one. */
export function isCurrentElectron(version: string): boolean {
  return Number.parseInt(version, 10) >= CURRENT_ELECTRON_LINE;
}

export const appRoutes = {
  'app.info': main.query(
    none,
    z.strictObject({
      version: z.string(),
      platform: z.string(),
      safeMode: z.string().optional(),
      /** The version of an Electron that gets no security fixes any more. */
      outdatedElectron: z.string().optional(),
    }),
  ),
  'settings.get': main.query(none, settingsView),
  'settings.update': main.command(z.strictObject({ theme: theme.optional() }), settingsView),

  /**
   * Sets the base URL. Keys stay with the origins that they were entered for. Here and with a profile, the user confirms a
   * change that leads elsewhere or settles outcomes in a box of the system; undefined where the answer was no.
   */
  'gateway.setBaseUrl': main.command(z.strictObject({ baseUrl: z.string().max(2048) }), settingsView.optional()),
  /** Keeps a key for an origin: that of the base URL where none is named. */
  'key.set': main.command(z.strictObject({ key: z.string().min(1).max(4096), origin: gatewayOrigin }), keyStatus),
  'key.clear': main.command(z.strictObject({ origin: gatewayOrigin }), keyStatus),
  'key.status': main.query(none, keyStatus),
  /** The whole profile as indented JSON, for the settings' editor. */
  'profile.get': main.query(none, z.strictObject({ text: z.string() })),
  'profile.set': main.command(z.strictObject({ text: z.string().max(500_000) }), settingsView.optional()),
  /** Opens a dialog, and shows what the file changes; undefined when either was cancelled. */
  'profile.import': main.command(none, settingsView.optional()),

  /** Starts an engine again that was not started any more. */
  'engine.retry': main.command(none, none),
  /** Opens a dialog and writes a sound copy of the store; undefined when it was cancelled. */
  'store.backup': main.command(none, z.strictObject({ file: z.string() }).optional()),
  'log.openFolder': main.command(none, none),
  'help.open': main.command(z.strictObject({ topic: z.enum(['readme', 'operations']) }), none),
};
