import { createStore, type StoreApi } from 'zustand/vanilla';

/** What the window shows. `welcome` has four pages: the choice, one for each of the two ways, and the templates. `part` is scrolled to, `from` is gone back to. */
export type Screen =
  | { readonly kind: 'welcome'; readonly page: 'choice' | 'rehearse' | 'connect' | 'new'; readonly from?: Screen }
  | { readonly kind: 'sheet' }
  | { readonly kind: 'batch'; readonly batchId: string }
  | { readonly kind: 'settings'; readonly part?: 'lists' }
  /** To enter the key for an origin, which a batch waits for. */
  | { readonly kind: 'settings'; readonly part: 'keys'; readonly keyFor: string }
  | { readonly kind: 'help'; readonly part?: 'language' };

export interface NavigationState {
  /** Undefined until it is known where to begin. */
  readonly screen: Screen | undefined;
}

export type NavigationStore = StoreApi<NavigationState>;

export function createNavigationStore(): NavigationStore {
  return createStore(() => ({ screen: undefined }));
}
