import type { KeyPlace, KeyStatus, SettingsView } from '../../shared/ipc/app.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { PresenceView } from '../../shared/ipc/presence.ts';
import type { StorePlaceView } from '../../shared/ipc/store.ts';
import type { UpdatesView } from '../../shared/ipc/updates.ts';
import type { EventPayload, RouteOutput } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';

/** The state around the batches: settings, key, engine. */
export interface AppState {
  readonly settings: SettingsView | undefined;
  readonly key: KeyStatus | undefined;
  /** Undefined until it was first asked for. */
  readonly presence: PresenceView | undefined;
  /** Undefined until it was first asked for. */
  readonly updates: UpdatesView | undefined;
  readonly info: RouteOutput<'app.info'> | undefined;
  /** Where the store is; undefined until it was first asked for. */
  readonly store: StorePlaceView | undefined;
  /** What the engine last said about itself; undefined while it runs normally. */
  readonly engine: Pick<EventPayload<'engine.stateChanged'>, 'state' | 'message'> | undefined;
}

/** The origin of a base URL, as keys are stored by it; undefined if it is not a URL. */
export function originOf(baseUrl: string): string | undefined {
  return /^https?:/i.test(baseUrl) && URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
}

/** Workers have keys of their own, and this window has no part in what runs. */
export function isShared({ store }: Pick<AppState, 'store'>): boolean {
  return store?.kind === 'server';
}

/**
 * Why a real gateway cannot be used yet, and what to do; undefined if it can.
 * @param name Of its profile; by default the one that new batches use.
 */
export function gatewayObstacle(
  state: Pick<AppState, 'settings' | 'key' | 'store'>,
  name?: string,
): string | undefined {
  const { settings, key } = state;
  if (settings === undefined || key === undefined) return words.notices.obstacle.unread;
  const named = name === undefined ? settings : settings.gateways.find(({ profile }) => profile === name);
  if (named === undefined || named.baseUrl === '') return words.notices.obstacle.noGateway;
  const origin = originOf(named.baseUrl);
  const hasKey =
    name === undefined ? key.present : key.kept.some((one) => one.origin === origin && one.name === undefined);
  return hasKey || isShared(state) ? undefined : words.notices.obstacle.noKey;
}

/** The parts of the settings that are always there, by the ids that lead to them, in order. */
export const SETTINGS_PARTS = words.common.settingsParts;
export type SettingsPart = keyof typeof SETTINGS_PARTS;

/** The parts of the page of one gateway, in the same way. */
export const GATEWAY_PARTS = words.settings.gateways.parts;
export type GatewayPart = keyof typeof GATEWAY_PARTS;

/** The parts of the help, in the same way. */
export const HELP_PARTS = words.common.helpParts;

/** What is seldom done with a batch, each thing in a dialog of its own. */
export type BatchDialog = 'when' | 'limits' | 'gates' | 'filesPlace' | 'cancel' | 'resultsFile';

/**
 * What the window shows. `welcome` has four pages: the choice, one for each of the two ways, and the templates. The
 * screen scrolls to `part`; its back button leads to `from`.
 */
export type Screen =
  | { readonly kind: 'welcome'; readonly page: 'choice' | 'rehearse' | 'connect' | 'new'; readonly from?: Screen }
  | { readonly kind: 'sheet' }
  | { readonly kind: 'batch'; readonly batchId: string }
  /** All files of a batch. */
  | { readonly kind: 'gallery'; readonly batchId: string }
  /** The ledger of a batch, of a night, or of the last night. */
  | { readonly kind: 'ledger'; readonly batchId?: string; readonly night?: number }
  | { readonly kind: 'settings'; readonly part?: SettingsPart }
  /** To enter the key that a batch waits for, for a gateway that is not in the list of the settings. */
  | { readonly kind: 'settings'; readonly part: 'keys'; readonly keyFor: KeyPlace }
  /** One gateway of the settings, by the name of its profile; to enter one of its further keys. */
  | { readonly kind: 'gateway'; readonly gateway: string; readonly part?: GatewayPart; readonly keyFor?: KeyPlace }
  | { readonly kind: 'help'; readonly part?: keyof typeof HELP_PARTS };

/** The batch that a screen is about, if it is about one alone. */
export function batchOnScreen(screen: Screen | undefined): string | undefined {
  return screen?.kind === 'batch' || screen?.kind === 'gallery' ? screen.batchId : undefined;
}

/** Where a key is entered: at its gateway, if the settings have that. */
export function screenOfKey(settings: SettingsView | undefined, place: KeyPlace): Screen {
  const gateway = settings?.gateways.find(({ baseUrl }) => originOf(baseUrl) === place.origin);
  if (gateway === undefined) return { kind: 'settings', part: 'keys', keyFor: place };
  const { profile } = gateway;
  return { kind: 'gateway', gateway: profile, part: 'connection', ...(place.name !== undefined && { keyFor: place }) };
}

/**
 * Where the profile with which a batch goes on is corrected: at the gateway with its own name and address, or at one
 * with its address.
 * @param origin Of the gateway that is in the way, in a batch with several.
 */
export function screenOfGateway(
  settings: SettingsView | undefined,
  { gateway, profile, accounts }: Pick<BatchView, 'gateway' | 'profile' | 'accounts'>,
  part: GatewayPart,
  origin = gateway,
): Screen {
  const names = accounts?.map((account) => account.profile) ?? [profile];
  const there = (settings?.gateways ?? []).filter(({ baseUrl }) => originOf(baseUrl) === origin);
  const own = there.find((one) => names.includes(one.profile)) ?? there[0];
  return own === undefined ? { kind: 'settings', part: 'gateways' } : { kind: 'gateway', gateway: own.profile, part };
}

/** Whether a screen shows nothing that is read from the store. */
export function isWithoutBatches({ kind }: Screen): boolean {
  return kind === 'settings' || kind === 'gateway' || kind === 'help';
}

/** Whether two screens show the same, whatever part of it. */
export function isSameScreen(a: Screen, b: Screen | undefined): boolean {
  if (a.kind === 'batch' || a.kind === 'gallery') return a.kind === b?.kind && a.batchId === b.batchId;
  if (a.kind === 'ledger') return b?.kind === 'ledger' && a.batchId === b.batchId && a.night === b.night;
  return a.kind === b?.kind;
}
