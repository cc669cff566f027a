/** The bridge: only two functions, and the one thing that only this side may learn: the path of a dropped file. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type * as Contract from '../shared/ipc/contract.ts';

// Spelled out, and checked against the contract by their types: an import would bring in all of its schemas.
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

/** The part of the page's drag events that is used here; the bridge needs nothing else from the DOM. */
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

// Only a drop by the user's own hand: a script's drop is not trusted, and its file has no path.
page.addEventListener('drop', (event) => {
  const files = Array.from(event.dataTransfer?.files ?? []);
  if (!event.isTrusted || files.length === 0) return;
  event.preventDefault();
  const paths = files.map((file) => webUtils.getPathForFile(file)).filter((path) => path !== '');
  if (paths.length > 0) ipcRenderer.send(DROP_CHANNEL, paths);
});
