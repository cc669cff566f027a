/** Main's handlers for the choice of the store. */
import { sayError } from '../../shared/domain/base/reason.ts';
import { ok } from '../../shared/domain/base/result.ts';
import { refuse, type Reply, type RouteInput } from '../../shared/ipc/contract.ts';
import type { StorePlaceView, storeRoutes } from '../../shared/ipc/store.ts';
import { askAboutServer, type ServerShown, type StoreWanted } from '../shell/store-choice.ts';
import type { Question } from '../shell/desktop.ts';
import type { HandlerContext } from './app-handlers.ts';
import type { HandlersOf } from './bridge.ts';
import { words } from '../../shared/words/words.ts';

/** Makes the handlers of the routes of the store. */
export function storeHandlers(context: HandlerContext): HandlersOf<typeof storeRoutes> {
  const { store, desktop, spawnEngine } = context;
  /** Servers that the user has agreed to: a page alone can reach none. */
  const agreed = new Set<string>();
  const agreesTo = async ({ address, shown }: ServerShown): Promise<boolean> => {
    if (agreed.has(address) || store.server?.address === address) return true;
    const isAgreed = await desktop.confirm({
      message: words.desktop.store.connectQuestion,
      detail: `${shown}\n\n${words.desktop.store.connectDetail}`,
      confirm: words.desktop.store.connect,
      decline: words.common.cancel,
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
      if (view.kind === 'folder') return refuse('refused', words.desktop.store.noWorker);
      // The apostrophe is the only character that ends such a quotation.
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
  // Nothing is under way in a store that does not open, and the user has asked for the one on this computer.
  const isPlain = isSame || (wanted.kind === 'folder' && engine.state.state === 'failed');
  const told = words.desktop.store;
  const questionNow = (): Question => {
    const night = isNightRunning() ? `${told.nightAtWork}\n\n` : '';
    const question =
      access === undefined
        ? { message: told.useOwnQuestion, detail: `${night}${told.leavesServer}` }
        : { message: told.useServerQuestion, detail: `${access.value.shown}\n\n${night}${told.toServer}` };
    return { ...question, confirm: told.useIt, decline: words.common.cancel };
  };
  let asked = '';
  // A night may begin, or end, while the question is on screen.
  for (let question = questionNow(); question.detail !== asked; question = questionNow()) {
    if (!isPlain && !(await desktop.confirm(question))) return ok(undefined);
    asked = question.detail;
  }
  let problem: string | undefined;
  const leftUndone = await engine.moveTo(() => {
    try {
      store.choose(wanted);
    } catch (error) {
      problem = told.choiceNotNoted(sayError(error));
    }
    onStoreChanged();
  });
  if (leftUndone === undefined) return refuse('refused', told.choiceUnderWay);
  if (leftUndone.length > 0) {
    feed.emit('notice', { level: 'warning', title: words.desktop.window.notAllDone, message: leftUndone.join('\n') });
  }
  return problem === undefined ? ok(store.view) : refuse('refused', problem);
}
