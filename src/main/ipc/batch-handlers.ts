/** Main's handlers for the routes of batches: main owns their folders, the engine does the rest. */
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { ok, present } from '../../shared/domain/base/result.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import type { forecastRoutes } from '../../shared/ipc/forecast.ts';
import { probeName } from '../../shared/domain/task/key-probe.ts';
import type { batchRoutes, BatchView } from '../../shared/ipc/batches.ts';
import { refuse, type Reply, type RouteInput } from '../../shared/ipc/contract.ts';
import type { EngineInput } from '../engine-process/engine-protocol.ts';
import { accountsOf } from '../../shared/domain/task/accounts/account.ts';
import type { BatchSettings } from '../../shared/domain/task/batch.ts';
import type { AccountsChoice } from '../../shared/ipc/accounts.ts';
import { chosenAccounts, noSuchGateway, profileNamed } from '../services/kept-profiles.ts';
import { isUnusedFolder, makeBatchFolder, removeUnusedFolder } from '../services/new-batch-folder.ts';
import { defaultFolder, type HandlerContext } from './app-handlers.ts';
import type { HandlersOf } from './bridge.ts';
import { placeIdOf, withFolder } from '../services/remembered-sheets.ts';
import { words } from '../../shared/words/words.ts';

/** Refuses a place for files if workers render the batch. */
export function noPlace() {
  return refuse('refused', words.desktop.batch.noPlaceOfWorkers(words.operations.files.noneThere), 'place');
}

/** Makes the handlers of the routes of batches. */
export function batchHandlers(context: HandlerContext): HandlersOf<typeof batchRoutes & typeof forecastRoutes> {
  const { engine, settings, gateway, desktop, store } = context;
  /** Whether rows can be sent to a gateway. On a server workers send them, with keys of their own. */
  const isReady = (profile = settings.current.profile): boolean =>
    gateway.isConnected(profile) || (store.isShared && profile.baseUrl !== '');
  /** Why rows cannot be sent. */
  const unready = (mayRehearse = false): Reply<never> => {
    const { noGatewayOfWorkers, connectFirst, connectOrRehearse } = words.desktop.batch;
    const why = store.isShared ? noGatewayOfWorkers : mayRehearse ? connectOrRehearse : connectFirst;
    return refuse('refused', why, 'gateway');
  };
  let folders: readonly string[] = settings.current.chosenFolders;

  /** The path of a chosen folder; undefined if none was chosen. */
  const chosenFolder = (folderId: string | undefined): Reply<string | undefined> => {
    const chosen = folders.find((folder) => placeIdOf(folder) === folderId && isAbsolute(folder));
    return folderId !== undefined && chosen === undefined
      ? refuse('not-found', words.desktop.batch.chooseFolderAgain, 'folder')
      : ok(chosen);
  };
  /** Where the rows go: to the settings' gateway, or to several accounts, each with its key. */
  const gatewaysOf = (
    accounts: AccountsChoice | undefined,
    rehearsal: boolean,
  ): Reply<Pick<BatchSettings, 'profile' | 'accounts'>> => {
    if (accounts === undefined || rehearsal) {
      if (rehearsal || isReady()) return ok({ profile: settings.current.profile });
      return unready(true);
    }
    const chosen = chosenAccounts(accounts, settings.current);
    if (!chosen.ok) return refuse('refused', chosen.error, 'accounts');
    const problem = store.isShared ? undefined : gateway.problemOfKeys(accountsOf(chosen.value));
    return problem === undefined ? chosen : refuse('refused', problem, 'accounts');
  };
  /** The same for an existing batch: it keeps what nothing is said about. */
  const gatewaysFor = (
    batch: BatchView,
    { rehearsal, accounts }: Pick<RouteInput<'batch.configure'>, 'rehearsal' | 'accounts'>,
  ): Reply<Pick<EngineInput<'batch.configure'>, 'profile' | 'accounts'>> => {
    const { profile } = settings.current;
    if (accounts !== undefined) {
      const gateways = gatewaysOf(accounts ?? undefined, rehearsal ?? batch.rehearsal);
      return gateways.ok ? ok({ accounts: null, ...gateways.value }) : gateways;
    }
    if (rehearsal !== false) return ok({ profile });
    const own = batch.accounts?.map(({ gateway: baseUrl, ...one }) => ({ ...one, profile: { baseUrl } }));
    if (own === undefined) return isReady() ? ok({ profile }) : unready();
    const problem = store.isShared ? undefined : gateway.problemOfKeys(own);
    return problem === undefined ? ok({ profile }) : refuse('refused', problem, 'accounts');
  };
  /** The folder for new batches. One of the settings may be on a disk that is away. */
  const ownPlace = () => ({
    defaultFolder: defaultFolder(context),
    mayMake: !isAbsolute(settings.current.defaultFolder),
  });
  /** Makes a batch in a new folder, and removes the folder if that fails. */
  const inOwnFolder = async (
    place: Parameters<typeof makeBatchFolder>[0],
    request: (folder: string) => Promise<Reply<BatchView>>,
  ): Promise<Reply<BatchView>> => {
    const folder = makeBatchFolder(place);
    if (!folder.ok) return refuse('refused', folder.error, 'folder');
    const made = await request(folder.value);
    // A folder of the user's own stays, even if it is empty and has the batch's name.
    if (!made.ok && folder.value !== place.chosen) removeUnusedFolder(folder.value, place.batchName);
    return made;
  };
  const makeNew = (
    from: EngineInput<'batch.new'>['from'],
    name: string,
    rehearsal = !isReady(),
  ): Promise<Reply<BatchView>> => {
    if (rehearsal && store.isShared) return Promise.resolve(unready());
    const { profile } = settings.current;
    const place = { chosen: undefined, ...ownPlace(), batchName: name };
    return inOwnFolder(place, (folder) => engine.request('batch.new', { from, folder, rehearsal, profile }));
  };

  return {
    'folder.choose': async () => {
      const path = await desktop.chooseFolder(defaultFolder(context));
      if (path === undefined) return ok(undefined);
      folders = withFolder(folders, path);
      try {
        settings.update({ chosenFolders: [...folders] });
      } catch {
        // If this cannot be kept, it only has to be chosen again after the next start.
      }
      return ok({ folderId: placeIdOf(path), path });
    },
    'batch.choosePlace': async (input) => {
      if (store.isShared) return noPlace();
      const path = await desktop.choosePlace();
      return path === undefined ? ok(undefined) : engine.request('batch.place', { ...input, path });
    },
    'batch.create': async ({ folderId, accounts, ...input }) => {
      const gateways = gatewaysOf(accounts, input.rehearsal);
      if (!gateways.ok) return gateways;
      const chosen = chosenFolder(folderId);
      if (!chosen.ok) return chosen;
      const place = { chosen: chosen.value, ...ownPlace(), batchName: input.name };
      return inOwnFolder(place, (folder) => engine.request('batch.create', { ...input, ...gateways.value, folder }));
    },
    'batch.probe': async ({ profile: name, ...input }) => {
      const profile = profileNamed(settings.current, name);
      if (profile === undefined) return noSuchGateway(name ?? '');
      if (!isReady(profile)) return unready();
      const place = { chosen: undefined, ...ownPlace(), batchName: probeName(profile) };
      return inOwnFolder(place, (folder) => engine.request('batch.probe', { ...input, folder, profile }));
    },
    'sheet.new': ({ template, name }) => makeNew({ kind: 'template', template, name }, name),
    'batch.duplicate': async ({ batchId }) => {
      const batch = await engine.request('batch.get', { batchId });
      if (!batch.ok) return batch;
      const { name, rehearsal } = batch.value;
      return makeNew({ kind: 'batch', batchId }, words.desktop.copyOf(name), rehearsal || !isReady());
    },
    'batch.configure': async ({ folderId, accounts, ...input }) => {
      const chosen = chosenFolder(folderId);
      if (!chosen.ok) return chosen;
      const batch = await engine.request('batch.get', { batchId: input.batchId });
      if (!batch.ok) return batch;
      const gateways = gatewaysFor(batch.value, { ...input, accounts });
      if (!gateways.ok) return gateways;
      const wanted = { ...input, ...gateways.value };
      const { name, folder: former, state } = batch.value;
      const isRenamed = input.name !== undefined && input.name !== name && state === 'ready';
      // A folder that was made for the batch has its name: while it is empty, one with the new name replaces it.
      const keepsFolder = chosen.value === undefined && !(isRenamed && isUnusedFolder(former, name));
      if (keepsFolder) return engine.request('batch.configure', wanted);
      const place = { chosen: chosen.value, defaultFolder: dirname(former), batchName: input.name ?? name };
      let latter = former;
      const configured = await inOwnFolder(place, (folder) => {
        latter = folder;
        return engine.request('batch.configure', { ...wanted, folder });
      });
      if (configured.ok && latter !== former) removeUnusedFolder(former, name);
      return configured;
    },
    'start.forecast': ({ folderId, accounts, ...input }) => {
      const chosen = chosenFolder(folderId);
      if (!chosen.ok) return chosen;
      const folder = chosen.value ?? (input.of.kind === 'sheet' ? defaultFolder(context) : undefined);
      const several = accounts && chosenAccounts(accounts, settings.current);
      if (several?.ok === false) return refuse('refused', several.error, 'accounts');
      const alone = { profile: settings.current.profile, ...(accounts === null ? { accounts } : {}) };
      const gateways = several?.value ?? alone;
      return engine.request('start.forecast', { ...input, ...present({ folder }), ...gateways });
    },
    'batch.answerStatus': (input) => answerStatus(context, input),
    'batch.deliver': async ({ folderId, ...input }) => {
      const chosen = chosenFolder(folderId);
      if (!chosen.ok) return chosen;
      // The engine would make it again, perhaps in the place of a disk that is not connected.
      if (chosen.value !== undefined && (await isMissing(chosen.value)))
        return refuse('refused', words.desktop.batch.folderGone(chosen.value), 'folder');
      return engine.request('batch.deliver', { ...input, folder: chosen.value ?? '' });
    },
    'folder.open': ({ folderId }) => {
      const chosen = chosenFolder(folderId);
      return chosen.ok ? desktop.open(chosen.value ?? '') : chosen;
    },
    'batch.openFolder': async (input) => {
      const batch = await engine.request('batch.get', input);
      if (!batch.ok) return batch;
      const elsewhere = inBucket(batch.value.folder);
      if (elsewhere !== undefined) return elsewhere;
      // A path from a server must not simply be opened: the engine checks it first.
      const own = store.isShared ? await engine.request('batch.folder', input) : batch;
      return own.ok ? desktop.open(own.value.folder) : own;
    },
    'batch.openGallery': async (input) => {
      const batch = await engine.request('batch.get', input);
      const elsewhere = batch.ok ? inBucket(batch.value.folder) : undefined;
      if (elsewhere !== undefined) return elsewhere;
      const exported = await engine.request('batch.export', input);
      return exported.ok ? desktop.open(join(exported.value.folder, 'index.html')) : exported;
    },
  };
}

async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT',
  );
}

/** Why a folder that is not on this computer cannot be opened; undefined for one that is. */
function inBucket(folder: string): Reply<undefined> | undefined {
  if (!isBucketAddress(folder)) return undefined;
  return refuse('refused', words.desktop.batch.filesElsewhere(folder));
}

/** Only open questions can be answered: a page cannot turn any status into a failure. */
async function answerStatus(
  { engine, gateway }: HandlerContext,
  input: RouteInput<'batch.answerStatus'>,
): Promise<Reply<{ tasks: number } | undefined>> {
  const { batchId, question, answer } = input;
  const batch = await engine.request('batch.get', { batchId });
  if (!batch.ok) return batch;
  const isOpen = batch.value.statusQuestions?.some(
    ({ family, status, account }) =>
      family === question.family && status === question.status && account === question.account,
  );
  if (isOpen !== true) return refuse('refused', words.desktop.batch.answered);
  const asked = batch.value.accounts?.find(({ name }) => name === question.account);
  const noted = await gateway.answerStatus(asked?.gateway ?? batch.value.gateway, question, answer);
  if (!noted.ok) return noted;
  return noted.value.applied ? engine.request('batch.answerStatus', input) : ok(undefined);
}
