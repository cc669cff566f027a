/** Main's handlers for newer versions, and for whoever needs help: diagnostics, and the folder of the application's data. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { logTail, systemFacts } from '../../engine/diagnostics.ts';
import { writeWhole } from '../../engine/whole-file.ts';
import { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { ok } from '../../shared/domain/base/result.ts';
import { diagnosticsText } from '../../shared/domain/telling/diagnostics.ts';
import { countOf } from '../../shared/domain/base/text.ts';
import { takesOf } from '../../shared/domain/telling/night-news.ts';
import { refuse, routes, type Reply } from '../../shared/ipc/contract.ts';
import type { supportRoutes } from '../../shared/ipc/app.ts';
import { chooseDatedFile, type HandlerContext } from './app-handlers.ts';
import { noteRestore } from '../services/restore-note.ts';
import type { updateRoutes } from '../../shared/ipc/updates.ts';
import type { HandlersOf } from './bridge.ts';

/** Makes the handlers of the routes for whoever needs help. */
export function supportHandlers(context: HandlerContext): HandlersOf<typeof supportRoutes> {
  const { desktop, dataFolder } = context;
  /** What the user has read: nothing else is saved or copied. */
  let read = '';
  return {
    'diagnostics.read': async () => {
      read = await gather(context);
      return ok({ text: read });
    },
    'diagnostics.save': async () => {
      const kind = { name: 'Text', extension: 'txt' };
      const file = await chooseDatedFile(context, 'Save the diagnostics', 'nocturne-diagnostics', kind);
      if (file === undefined) return ok(undefined);
      try {
        await writeWhole(file, read, 0o600);
        return ok({ file });
      } catch (error) {
        return refuse(
          'refused',
          `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    },
    'diagnostics.copy': async () => {
      await desktop.writeClipboard({
        html: `<pre>${read.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`,
        text: read,
      });
      return ok(undefined);
    },
    'data.openFolder': () => desktop.open(dataFolder),
    'store.restore': () => restore(context),
  };
}

/** Also of a batch that is paused: what was paid for in it may still come. */
const AT_WORK =
  'Nocturne is at work: a batch runs, or what is paid for in one still comes. Pause what runs, and wait for the rest; then ' +
  'restore the backup.';

const ON_SERVER =
  'This window works on a store on a server, whose backups are put back there. To restore one into the store on this computer, choose that first: Settings, Store.';

/** Takes that are paid for, or may be, and have not come: who paused their batches may not think of them. */
async function awaitedWords(engine: HandlerContext['engine']): Promise<string> {
  const found = await engine.request('batch.list', undefined);
  const awaited = (found.ok ? found.value : [])
    .map(({ counts }) => takesOf(counts))
    .reduce((sum, takes) => sum + takes.submitting + takes.rendering + takes.downloading, 0);
  return awaited === 0
    ? ''
    : `${countOf(awaited, 'take')} that may be paid for ${awaited === 1 ? 'has' : 'have'} not come yet. What the backup does ` +
        'not know of them stays at the gateway, and in the store that is kept. ';
}

/** The next start puts the backup in place: nothing has the store and the settings open then. */
async function restore({
  desktop,
  engine,
  dataFolder,
  isNightRunning,
  restart,
  store,
}: HandlerContext): Promise<Reply<undefined>> {
  if (store.isShared) return refuse('refused', ON_SERVER);
  if (isNightRunning()) return refuse('refused', AT_WORK);
  const file = await desktop.chooseBackup();
  if (file === undefined) return ok(undefined);
  const found = await engine.request('store.inspect', { file });
  // An engine that does not work may be why the user wants the backup: it is checked again before anything is replaced.
  if (!found.ok && found.error.code !== 'unavailable') return found;
  const holds = found.ok
    ? [`It holds ${countOf(found.value.batches, 'batch', 'batches')}.`, ...found.value.brings, ''].join('\n')
    : 'Its profiles, which say where prompts go, come with it. ';
  const awaited = await awaitedWords(engine);
  const isWanted = await desktop.confirm({
    message: 'Put this backup in the place of the store?',
    detail:
      `${file}\n\n${holds}${awaited}Nocturne starts anew. The store and the settings as they are now are kept beside them. Every batch ` +
      'that could go on is paused: rows may wait in the backup that were paid for since.',
    confirm: 'Restore and restart',
    decline: 'Cancel',
  });
  if (!isWanted) return ok(undefined);
  if (isNightRunning()) return refuse('refused', AT_WORK);
  try {
    noteRestore(dataFolder, file, Date.now());
  } catch (error) {
    return refuse('refused', `The restart cannot be noted: ${error instanceof Error ? error.message : String(error)}`);
  }
  restart();
  return ok(undefined);
}

/** Without the engine, too: that it does not work may be the question. */
async function gather(context: HandlerContext): Promise<string> {
  const { app, engine, settings, gateway, logFolder, secrets } = context;
  const store = await engine.request('store.facts', undefined);
  const { storage, kept } = gateway.keyStatus;
  return diagnosticsText(
    {
      madeAt: Date.now(),
      program: {
        version: app.version,
        from: 'the window',
        packaged: app.isPackaged,
        engine: engine.state.state,
        'keys are kept in': storage,
        'keys kept': kept.length,
        sandbox: !process.argv.includes('--no-sandbox'),
      },
      system: systemFacts(),
      store: store.ok ? store.value : undefined,
      settings: settings.current,
      log: logTail(join(logFolder, 'nocturne.log')),
      ownNames: new Set([...Object.keys(routes), ...readdirSync(import.meta.dirname)]),
    },
    { keys: new KeyFinder(secrets()), home: homedir() },
  );
}

/** Makes the handlers of the routes for updates. */
export function updateHandlers({ updates, settings }: HandlerContext): HandlersOf<typeof updateRoutes> {
  return {
    'updates.get': () => ok(updates.view),
    'updates.set': ({ isAutomatic }) => {
      settings.update({ updates: { isAutomatic } });
      return ok(updates.view);
    },
    'updates.look': async () => {
      await updates.look(true);
      return ok(updates.view);
    },
    'updates.fetch': ({ version }) => updates.fetch(version),
    'updates.cancel': () => {
      updates.cancel();
      return ok(updates.view);
    },
    'updates.install': ({ version }) => updates.install(version),
  };
}
