/** Updates of this application: which build it is, and what must not be under way when it is put in place. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { app } from 'electron';
import { systemClock } from '../../engine/system-clock.ts';
import { sayError } from '../../shared/domain/base/reason.ts';
import { ok } from '../../shared/domain/base/result.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { EngineHost } from '../engine-process/engine-host.ts';
import type { SettingsFile } from '../services/app-settings.ts';
import { askForFeed, electronInstaller, ownFormat } from './electron-installer.ts';
import { readUpdateBuild } from './update-files.ts';
import { Updates, type UpdatesOptions } from './updates.ts';

interface OwnUpdatesInput extends Pick<
  UpdatesOptions,
  'confirm' | 'quit' | 'restart' | 'onChanged' | 'onNotice' | 'log'
> {
  readonly dataFolder: string;
  readonly storeFolder: string;
  readonly settings: SettingsFile;
  readonly engine: EngineHost;
  /** Whether batches are at work in this process. */
  readonly isNightRunning: () => boolean;
  readonly isStoreShared: () => boolean;
}

export function ownUpdates(input: OwnUpdatesInput): Updates {
  const { dataFolder, storeFolder, settings, engine, isNightRunning, isStoreShared, ...others } = input;
  const format = ownFormat();
  return new Updates({
    ...others,
    build: app.isPackaged ? readUpdateBuild(app.getAppPath()) : undefined,
    version: app.getVersion(),
    platform: process.platform,
    arch: process.arch,
    installer: format === undefined ? undefined : electronInstaller(format, others.restart, others.log),
    ask: askForFeed,
    noteFile: join(dataFolder, 'updates.json'),
    backupFolder: join(dataFolder, 'backups'),
    isAutomatic: () => settings.current.updates.isAutomatic,
    // With a store on a server: what runs there goes on.
    isNightRunning: async () => isNightRunning() || (await runsElsewhere(engine)),
    // Backups of a server are made on the server.
    backUp: async (file) => (isStoreShared() ? ok(undefined) : backUpStore(engine, storeFolder, file)),
    now: () => Date.now(),
    setTimer: (delayMs, callback) => systemClock.setTimer(delayMs, callback),
  });
}

/** Whether batches are at work in a store that another process has: the window only reads it then. */
async function runsElsewhere(engine: EngineHost): Promise<boolean> {
  if (engine.state.state !== 'read-only') return false;
  const batches = await engine.request('batch.list', undefined);
  return batches.ok && batches.value.some(({ state }) => state === 'running');
}

/**
 * Makes a backup; for a store that no engine can open, of its files as they are: the next version may be able to open
 * it.
 */
async function backUpStore(engine: EngineHost, storeFolder: string, file: string): Promise<Reply<undefined>> {
  if (engine.state.state !== 'failed') return engine.request('store.backup', { file });
  try {
    await cp(storeFolder, `${file}.files`, { recursive: true });
    return ok(undefined);
  } catch (error) {
    return refuse('refused', sayError(error));
  }
}
