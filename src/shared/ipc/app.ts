/** The application itself: its settings, the gateways and their keys, the store, the log and the help. */
import { z } from 'zod';
import { LANGUAGE_CHOICES } from '../words/domain-words.ts';
import { FAMILIES } from '../domain/operations/operations.ts';
import { CONNECTION_RESULTS, UNREACHABLE_REASONS } from '../domain/gateway/learned/connection.ts';
import { engine, main, none, profileName, seenBalance, type Seen } from './route.ts';

export const theme = z.enum(['system', 'light', 'dark']);

/** One of the gateways that are kept, by the name of its profile. */
const gatewayView = z.strictObject({
  profile: z.string(),
  /** Empty until somebody has entered it. */
  baseUrl: z.string(),
  /** It may be reached over plain http in a private network. */
  allowPlainHttp: z.boolean(),
  /** The currencies that its prices are in. */
  currencies: z.array(z.string()),
  /** How many operations have a price. */
  priced: z.int(),
  requestsPerSecond: z.number(),
  /** How many takes of each family it may have at once. */
  atOnce: z.record(z.enum(FAMILIES), z.int()),
  /** The families whose statuses are known; for the others, the meaning is inferred. */
  knownStatuses: z.array(z.enum(FAMILIES)),
});
export type GatewayView = Seen<typeof gatewayView>;

export const settingsView = z.strictObject({
  theme,
  language: z.enum(LANGUAGE_CHOICES),
  /** Base URL of the gateway that new batches use; empty until the user answers the question of the first run. */
  baseUrl: z.string(),
  profileName: z.string(),
  /** The names of all profiles that are kept, in order. */
  profiles: z.array(z.string()),
  /** The currencies that the prices of the profile are in. */
  currencies: z.array(z.string()),
  /** What each of these profiles says; first the one that new batches use. */
  gateways: z.array(gatewayView),
  /** The currencies that the prices of all profiles are in. */
  currenciesOfAll: z.array(z.string()),
  /** The folder for new batches, for display. */
  defaultFolder: z.string(),
});
export type SettingsView = Seen<typeof settingsView>;

/** The settings after a gateway was made or saved, and the name that it has now. */
export const savedGateway = z.strictObject({ settings: settingsView, profile: z.string() });
export type SavedGateway = Seen<typeof savedGateway>;

/** One of the gateways that are kept, by the name of its profile; by default the one that new batches use. */
const ofGateway = z.strictObject({ profile: profileName.optional() });

/** Distinguishes a key from the others for its origin. */
export const keyName = z.string().min(1).max(100);

/**
 * The key of the settings' gateway, and where keys are kept. `memory`: no keyring, so the key goes with the
 * application.
 */
export const keyStatus = z.strictObject({
  present: z.boolean(),
  last4: z.string(),
  storage: z.enum(['keyring', 'memory']),
  /** The origin that it was entered for; it is sent to no other. */
  origin: z.string(),
  /** Every stored key, by its origin and, if it has one, its name. */
  kept: z.array(z.strictObject({ origin: z.string(), name: keyName.exactOptional(), last4: z.string() })),
});
export type KeyStatus = Seen<typeof keyStatus>;

/** Where a key belongs: the only origin that it is ever sent to, and its name if it has one. */
export interface KeyPlace {
  readonly origin: string;
  readonly name?: string;
}

/** See `ConnectionReport`. */
export const connectionReport = z.strictObject({
  result: z.enum(CONNECTION_RESULTS),
  reason: z.enum(UNREACHABLE_REASONS).optional(),
  asked: z.string(),
  came: z.string(),
  body: z.string().optional(),
});

const gatewayOrigin = z.string().max(2048).optional();
export const profileText = z.string().max(500_000);

/**
 * The oldest release line of Electron for which no warning is shown: the one that the application is built and shipped
 * with.
 */
export const CURRENT_ELECTRON_LINE = 45;

/** Whether a version such as `45.4.1` belongs to that line or a later one. */
export function isCurrentElectron(version: string): boolean {
  return Number.parseInt(version, 10) >= CURRENT_ELECTRON_LINE;
}

/** A package by others that is shipped; the build notes them in `out/licences.json`. */
export const licensedPackages = z.array(
  z.strictObject({
    name: z.string(),
    version: z.string(),
    /** Its SPDX identifier. */
    licence: z.string(),
    text: z.string(),
  }),
);
export type LicensedPackage = Seen<typeof licensedPackages>[number];

/** A command of the window that the menu bar offers, by the id that the window knows it by. */
const menuLine = z.strictObject({
  id: z.string().max(100),
  label: z.string().max(200),
  /** The shortcut as the window writes it: `Mod+Enter`. The window handles it itself. */
  keys: z.string().max(40).optional(),
  /** False while the command would do nothing. */
  isThere: z.boolean(),
});
export type MenuLine = Seen<typeof menuLine>;

/** What the window adds to the menu bar: the lines of a menu in groups. */
export const windowMenus = z.strictObject({
  file: z.array(menuLine).max(10),
  batch: z.array(z.array(menuLine).max(20)).max(10),
  go: z.array(z.array(menuLine).max(20)).max(10),
});
export type WindowMenus = Seen<typeof windowMenus>;

export const appRoutes = {
  'app.info': main.query(
    none,
    z.strictObject({
      version: z.string(),
      platform: z.string(),
      safeMode: z.string().optional(),
      /** The version of an Electron that no longer gets security fixes. */
      outdatedElectron: z.string().optional(),
    }),
  ),
  /** Sent whenever the menus have changed. It is not a command, because the user does nothing by it. */
  'menu.offer': main.query(windowMenus, none),
  'settings.get': main.query(none, settingsView),
  'settings.update': main.command(
    z.strictObject({ theme: theme.optional(), language: z.enum(LANGUAGE_CHOICES).optional() }),
    settingsView,
  ),

  /**
   * Sets the base URL. Keys stay with the origins that they were entered for. Here and with a profile, the user
   * confirms a change that leads elsewhere or settles outcomes in a box of the system; undefined if the answer was no.
   */
  'gateway.setBaseUrl': main.command(ofGateway.extend({ baseUrl: z.string().max(2048) }), settingsView.optional()),
  /** Asks the gateway of the settings what the account has left; undefined if its profile does not say where. */
  'gateway.balance': engine.query(none, seenBalance.optional(), 'profile'),
  /**
   * Keeps a key for an origin, by default that of the base URL; with a name, beside that gateway's key without a name.
   */
  'key.set': main.command(
    z.strictObject({ key: z.string().min(1).max(4096), origin: gatewayOrigin, name: keyName.optional() }),
    keyStatus,
  ),
  'key.clear': main.command(z.strictObject({ origin: gatewayOrigin, name: keyName.optional() }), keyStatus),
  'key.status': main.query(none, keyStatus),
  /** The whole profile as indented JSON, for the settings' editor. */
  'profile.get': main.query(ofGateway.optional(), z.strictObject({ text: z.string() })),
  'profile.set': main.command(ofGateway.extend({ text: profileText }), savedGateway.optional()),
  /**
   * Opens a dialog, and shows what the file says; undefined if the user cancelled either. A gateway with a new name is
   * kept beside the others; one with the same name is changed.
   */
  'profile.import': main.command(none, savedGateway.optional()),

  /** Restarts an engine that was given up. */
  'engine.retry': main.command(none, none),
  /** Opens a dialog and writes a consistent copy of the store; undefined if the user cancelled. */
  'store.backup': main.command(none, z.strictObject({ file: z.string() }).optional()),
  'log.openFolder': main.command(none, none),
  /** The packages by others that are shipped, with their licences. */
  'app.licences': main.query(none, licensedPackages),
  'help.open': main.command(z.strictObject({ topic: z.enum(['readme', 'operations', 'your-data']) }), none),
};

/** For users who need help: what a helper needs to know, and where the application keeps its data. */
export const supportRoutes = {
  /** Gathers the text that a helper needs, for the user to read. */
  'diagnostics.read': main.query(none, z.strictObject({ text: z.string() })),
  /** Opens a dialog and writes the text that was read last; undefined if the user cancelled. */
  'diagnostics.save': main.command(none, z.strictObject({ file: z.string() }).optional()),
  /** Puts the text that was read last into the clipboard. */
  'diagnostics.copy': main.command(none, none),
  /** Opens the folder with the store, the settings and the logs. */
  'data.openFolder': main.command(none, none),
  /**
   * Lets the user choose a backup, says what is in it, and restarts the application to put it in place, unless the user
   * cancels. Refused while a batch is at work.
   */
  'store.restore': main.command(none, none),
};
