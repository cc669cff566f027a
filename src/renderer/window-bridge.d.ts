import type { Bridge } from '../shared/ipc/contract.ts';

declare global {
  interface Window {
    /** Put there by the preload: the only way out of the window. */
    readonly nocturne: Bridge;
  }
}
