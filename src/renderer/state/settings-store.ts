import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EventPayload, KeyStatus, RouteOutput, SettingsView } from '../../shared/ipc/contract.ts';

export interface AppState {
  readonly settings: SettingsView | undefined;
  readonly key: KeyStatus | undefined;
  readonly info: RouteOutput<'app.info'> | undefined;
  /** What the engine said of itself last; undefined while nothing is out of the ordinary. */
  readonly engine: Pick<EventPayload<'engine.stateChanged'>, 'state' | 'message'> | undefined;
}

/** The application around the batches: settings, key, engine. */
export type AppStore = StoreApi<AppState>;

export function createAppStore(): AppStore {
  return createStore(() => ({ settings: undefined, key: undefined, info: undefined, engine: undefined }));
}

/** The origin of a base URL, as keys are kept by it; undefined for what is none. */
export function originOf(baseUrl: string): string | undefined {
  return /^https?:/i.test(baseUrl) && URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
}

/** Why the real gateway cannot be used yet, and what to do; undefined when it can. */
export function gatewayObstacle(settings: SettingsView | undefined, key: KeyStatus | undefined): string | undefined {
  if (settings === undefined || key === undefined) return 'The settings have not been read yet.';
  if (settings.baseUrl === '') return 'No gateway is connected yet. Connect it to render for real.';
  if (!key.present) return 'The gateway’s key is missing. Enter it in the settings to render for real.';
  return undefined;
}
