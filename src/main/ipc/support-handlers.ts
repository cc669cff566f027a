/**
 * Main's handlers for newer versions, and for users who need help: diagnostics, and the folder of the application's
 * data.
 */
import { sayError } from '../../shared/domain/base/reason.ts';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { logTail, systemFacts } from '../../engine/system-facts.ts';
import { writeWhole } from '../../engine/whole-file.ts';
import { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { ok } from '../../shared/domain/base/result.ts';
import { diagnosticsText } from '../../shared/domain/telling/diagnostics-text.ts';
import { takesOf } from '../../shared/domain/telling/night-news.ts';
import { refuse, routes, type Reply } from '../../shared/ipc/contract.ts';
import type { supportRoutes } from '../../shared/ipc/app.ts';
import { chooseDatedFile, type HandlerContext } from './app-handlers.ts';
import { noteRestore } from '../services/restore-note.ts';
import type { updateRoutes } from '../../shared/ipc/updates.ts';
import type { HandlersOf } from './bridge.ts';
import { words } from '../../shared/words/words.ts';

/** Makes the handlers of the routes for users who need help. */
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
      const { diagnostics, kind } = words.desktop.choose;
      const text = { name: kind.text, extension: 'txt' };
      const file = await chooseDatedFile(context, diagnostics, 'nocturne-diagnostics', text);
      if (file === undefined) return ok(undefined);
      try {
        await writeWhole(file, read, 0o600);
        return ok({ file });
      } catch (error) {
        return refuse('refused', words.desktop.cannotWrite(file, sayError(error)));
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

/** Takes that are or may be paid for and have not come yet: a user who paused their batches may not think of them. */
async function awaitedWords(engine: HandlerContext['engine']): Promise<string> {
  const found = await engine.request('batch.list', undefined);
  const awaited = (found.ok ? found.value : [])
    .map(({ counts }) => takesOf(counts))
    .reduce((sum, takes) => sum + takes.submitting + takes.rendering + takes.downloading, 0);
  return awaited === 0 ? '' : words.desktop.restore.awaited(awaited);
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
  const told = words.desktop.restore;
  if (store.isShared) return refuse('refused', told.onServer);
  // This includes paused batches: what was paid for in them may still come.
  if (isNightRunning()) return refuse('refused', told.atWork);
  const file = await desktop.chooseBackup();
  if (file === undefined) return ok(undefined);
  const found = await engine.request('store.inspect', { file });
  // An engine that does not work may be why the user wants the backup: it is checked again before anything is replaced.
  if (!found.ok && found.error.code !== 'unavailable') return found;
  const holds = found.ok ? [told.holds(found.value.batches), ...found.value.brings, ''].join('\n') : '';
  const profiles = found.ok ? '' : told.bringsProfiles;
  const follows = words.common.sentences([profiles, await awaitedWords(engine), told.what]);
  const isWanted = await desktop.confirm({
    message: told.question,
    detail: `${file}\n\n${holds}${follows}`,
    confirm: told.restart,
    decline: words.common.cancel,
  });
  if (!isWanted) return ok(undefined);
  if (isNightRunning()) return refuse('refused', told.atWork);
  try {
    noteRestore(dataFolder, file, Date.now());
  } catch (error) {
    return refuse('refused', told.restartNotNoted(sayError(error)));
  }
  restart();
  return ok(undefined);
}

/** Works without the engine, too: the question may be why it does not work. */
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
