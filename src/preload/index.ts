/** The bridge: two functions, nothing more. And the one thing that only this side may learn: where a dropped file lies. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type * as Contract from '../shared/ipc/contract.ts';

// Written out, and held to the contract by their types: an import would bring the whole contract's schemas in here.
const REQUEST_CHANNEL: typeof Contract.REQUEST_CHANNEL = 'nocturne:request';
const EVENT_CHANNEL: typeof Contract.EVENT_CHANNEL = 'nocturne:event';
const DROP_CHANNEL: typeof Contract.DROP_CHANNEL = 'nocturne:drop';

const bridge: Contract.Bridge = {
  request: (route, input) => ipcRenderer.invoke(REQUEST_CHANNEL, route, input) as Promise<Contract.Reply<unknown>>,
  subscribe: (listener) => {
    const forward = (_event: unknown, name: Contract.EventName, payload: unknown): void => listener(name, payload);
    ipcRenderer.on(EVENT_CHANNEL, forward);
    return () => {
      ipcRenderer.off(EVENT_CHANNEL, forward);
    };
  },
};
contextBridge.exposeInMainWorld('nocturne', bridge);

/** What of the page's drag events is used here; the rest of the DOM is none of the bridge's business. */
interface FileDragEvent {
  readonly isTrusted: boolean;
  readonly dataTransfer: { readonly files: ArrayLike<File>; readonly types: readonly string[] } | null;
  preventDefault(): void;
}
const page = globalThis as unknown as {
  addEventListener(type: 'dragover' | 'drop', listener: (event: FileDragEvent) => void): void;
};

page.addEventListener('dragover', (event) => {
  if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault();
});

// Only a drop by the user's own hand: a script's is not trusted, and the file that it makes lies nowhere.
page.addEventListener('drop', (event) => {
  const file = event.dataTransfer?.files[0];
  if (!event.isTrusted || file === undefined) return;
  event.preventDefault();
  const path = webUtils.getPathForFile(file);
  if (path !== '') ipcRenderer.send(DROP_CHANNEL, path);
});
