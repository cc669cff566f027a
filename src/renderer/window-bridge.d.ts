import type { Bridge } from '../shared/ipc/contract.ts';

declare global {
  interface Window {
    /** Exposed by the preload script: the only way out of the window. */
    readonly nocturne: Bridge;
  }
}
