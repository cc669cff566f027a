import { createStore, type StoreApi } from 'zustand/vanilla';

/** What the window shows. `welcome` has three pages: the choice, and one for each of the two ways. */
export type Screen =
  | { readonly kind: 'welcome'; readonly page: 'choice' | 'rehearse' | 'connect' }
  | { readonly kind: 'sheet' }
  | { readonly kind: 'batch'; readonly batchId: string }
  | { readonly kind: 'settings' }
  | { readonly kind: 'help' };

export interface NavigationState {
  /** Undefined until it is known where to begin. */
  readonly screen: Screen | undefined;
}

export type NavigationStore = StoreApi<NavigationState>;

export function createNavigationStore(): NavigationStore {
  return createStore(() => ({ screen: undefined }));
}
