/** Main's handlers for the choice of the store. */
import { ok } from '../../shared/domain/base/result.ts';
import { refuse, type Reply, type RouteInput } from '../../shared/ipc/contract.ts';
import type { StorePlaceView, storeRoutes } from '../../shared/ipc/store.ts';
import { askAboutServer, type ServerShown, type StoreWanted } from '../shell/store-choice.ts';
import type { HandlerContext } from './app-handlers.ts';
import type { HandlersOf } from './bridge.ts';

/** Makes the handlers of the routes of the store. */
export function storeHandlers(context: HandlerContext): HandlersOf<typeof storeRoutes> {
  const { store, desktop, spawnEngine } = context;
  /** Servers that the user has agreed to: a page by itself reaches none. */
  const agreed = new Set<string>();
  const agreesTo = async ({ address, shown }: ServerShown): Promise<boolean> => {
    if (agreed.has(address) || store.server?.address === address) return true;
    const isAgreed = await desktop.confirm({
      message: 'Connect to this server?',
      detail: `${shown}\n\nNocturne looks whether a store is there. Nothing on the server is changed.`,
      confirm: 'Connect',
      decline: 'Cancel',
    });
    if (isAgreed) agreed.add(address);
    return isAgreed;
  };
  return {
    'store.get': () => ok(store.view),
    'store.test': async ({ address, password }) => {
      const access = store.accessTo(address, password);
      if (!access.ok) return refuse('invalid-input', access.error);
      if (!(await agreesTo(access.value))) return ok(undefined);
      const found = await askAboutServer(access.value, spawnEngine());
      return found.ok ? found : refuse('unavailable', found.error);
    },
    'store.use': (input) => chooseOther(context, input),
    'store.copyWorker': async () => {
      const { view } = store;
      if (view.kind === 'folder') return refuse('refused', 'The store on this computer needs no worker.');
      // The only character that ends such a quotation.
      const text = `nocturne worker --store '${view.address.replaceAll("'", '%27')}' --key-file FILE`;
      await desktop.writeClipboard({ html: '', text });
      return ok(undefined);
    },
  };
}

async function chooseOther(
  context: HandlerContext,
  input: RouteInput<'store.use'>,
): Promise<Reply<StorePlaceView | undefined>> {
  const { store, desktop, engine, isNightRunning, feed, onStoreChanged } = context;
  const access = input.kind === 'folder' ? undefined : store.accessTo(input.address, input.password);
  if (access?.ok === false) return refuse('invalid-input', access.error);
  if (access === undefined && !store.isShared) return ok(store.view);
  const wanted: StoreWanted = access === undefined ? { kind: 'folder' } : { kind: 'server', ...access.value };
  const isSame = wanted.kind === 'server' && store.server?.address === wanted.address;
  // A store that does not open holds nothing up, and the user has asked for the one on this computer.
  const isPlain = isSame || (wanted.kind === 'folder' && engine.state.state === 'failed');
  const night = isNightRunning() ? `${NIGHT}\n\n` : '';
  const question =
    access === undefined
      ? { message: 'Work on this computer’s own store?', detail: `${night}${LEAVES_SERVER}` }
      : { message: 'Use the store on this server?', detail: `${access.value.shown}\n\n${night}${TO_SERVER}` };
  const isWanted = isPlain || (await desktop.confirm({ ...question, confirm: 'Use it', decline: 'Cancel' }));
  if (!isWanted) return ok(undefined);
  let problem: string | undefined;
  const leftUndone = await engine.moveTo(() => {
    try {
      store.choose(wanted);
    } catch (error) {
      problem = `The choice cannot be noted: ${error instanceof Error ? error.message : String(error)}`;
    }
    onStoreChanged();
  });
  if (leftUndone === undefined) return refuse('refused', UNDER_WAY);
  if (leftUndone.length > 0) {
    feed.emit('notice', { level: 'warning', title: 'Not everything was done', message: leftUndone.join('\n') });
  }
  return problem === undefined ? ok(store.view) : refuse('refused', problem);
}

const UNDER_WAY = 'Another choice of a store is under way, or Nocturne is closing. Nothing was chosen.';
const NIGHT =
  'A night is at work on this computer. It ends here in good order: what was sent stays in this computer’s store, and goes on when you come back to it.';
const TO_SERVER =
  'Sheets, prompts and results of batches that you make there are kept on the server, for everybody who may read it. Workers render them. The store on this computer stays as it is.';
const LEAVES_SERVER = 'The store on the server stays as it is, and its workers go on.';
