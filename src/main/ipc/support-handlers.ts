/** Main's handlers for whoever needs help: diagnostics, and the folder of the application's data. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { logTail, systemFacts } from '../../engine/diagnostics.ts';
import { writeWhole } from '../../engine/whole-file.ts';
import { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { ok } from '../../shared/domain/base/result.ts';
import { diagnosticsText } from '../../shared/domain/telling/diagnostics.ts';
import { refuse, routes } from '../../shared/ipc/contract.ts';
import type { supportRoutes } from '../../shared/ipc/app.ts';
import { chooseDatedFile, type HandlerContext } from './app-handlers.ts';
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
  };
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
