import type { KeyPlace, KeyStatus, SettingsView } from '../../shared/ipc/app.ts';
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

/** Why the real gateway cannot be used yet, and what to do; undefined if it can. */
export function gatewayObstacle(state: Pick<AppState, 'settings' | 'key' | 'store'>): string | undefined {
  const { settings, key } = state;
  if (settings === undefined || key === undefined) return words.notices.obstacle.unread;
  if (settings.baseUrl === '') return words.notices.obstacle.noGateway;
  if (!key.present && !isShared(state)) return words.notices.obstacle.noKey;
  return undefined;
}

/** The parts of the settings that are always there, by the ids that lead to them, in their order. */
export const SETTINGS_PARTS = words.common.settingsParts;
export type SettingsPart = keyof typeof SETTINGS_PARTS;

/** The parts of the help, in the same way. */
export const HELP_PARTS = words.common.helpParts;

/** What is seldom changed of a batch, each in a dialog of its own. */
export type BatchDialog = 'when' | 'limits' | 'gates' | 'filesPlace' | 'cancel';

/**
 * What the window shows. `welcome` has four pages: the choice, one for each of the two ways, and the templates. The
 * screen scrolls to `part`; its way back leads to `from`.
 */
export type Screen =
  | { readonly kind: 'welcome'; readonly page: 'choice' | 'rehearse' | 'connect' | 'new'; readonly from?: Screen }
  | { readonly kind: 'sheet' }
  | { readonly kind: 'batch'; readonly batchId: string }
  /** All files of a batch. */
  | { readonly kind: 'gallery'; readonly batchId: string }
  /** Of a batch, of a night, or of the last night. */
  | { readonly kind: 'ledger'; readonly batchId?: string; readonly night?: number }
  | { readonly kind: 'settings'; readonly part?: SettingsPart }
  /** To enter the key for an origin that a batch waits for. */
  | {
      readonly kind: 'settings';
      readonly part: 'keys';
      readonly keyFor: KeyPlace;
    }
  | { readonly kind: 'help'; readonly part?: keyof typeof HELP_PARTS };
