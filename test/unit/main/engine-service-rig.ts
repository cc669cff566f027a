/** What all the tests of the service of the engine’s process share. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, vi } from 'vitest';
import { createEngine, systemClock, type Engine } from '../../../src/engine/index.ts';
import { EngineService } from '../../../src/main/engine-process/engine-service.ts';
import { Works } from '../../../src/main/engine-process/works.ts';
import { engineRequests } from '../../../src/main/engine-process/engine-protocol.ts';
import { FolderDocuments } from '../../../src/engine/commands/folder-documents.ts';
import { failure } from '../../../src/shared/domain/base/failure.ts';
import { RehearsalGateway } from '../../../src/main/engine-process/rehearsal-gateway.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import type { BatchView } from '../../../src/shared/ipc/batches.ts';
import type { SheetView } from '../../../src/shared/ipc/opening.ts';
import type { Reply } from '../../../src/shared/ipc/contract.ts';
import type { TellWindow } from '../../../src/main/engine-process/engine-protocol.ts';
import type { Clock } from '../../../src/engine/ports/base.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';

/** A rehearsal waits a quarter of a second, not 2.5, before it first asks for a task. */
export const NIGHT_BEGAN = Date.now();

export const SHEET = [
  'row,operation,prompt,lyrics_model,takes,skip',
  'one,lyrics,A lullaby about a lighthouse,v1,2,',
  'two,lyrics,A lullaby about a harbour,v1,,',
  'three,lyrics,,v1,,',
  'four,nonsense,x,,,',
  'five,lyrics,A lullaby about nobody,v1,,yes',
].join('\n');

export interface Running {
  readonly engine: Engine;
  readonly service: EngineService;
  readonly works: Works;
  readonly stop: () => Promise<Reply<{ readonly unsaved: readonly string[] }>>;
  /** Leaves the store as a kill does, and does nothing else. */
  readonly kill: () => Promise<void>;
}

interface OpenOptions {
  readonly onStopping?: (leftUndone: readonly string[]) => void;
  /** The documents of batches cannot be written. */
  readonly isFolderFull?: boolean;
  /** When it is opened, in milliseconds since the epoch. */
  readonly at?: number;
  /** By default ten times as fast as time is. */
  readonly clock?: Clock;
  readonly tell?: TellWindow;
}

/** What opens services for the tests of a file; each is stopped after its test. */
export function serviceOpener() {
  // Its sheets are read in processes of their own.
  vi.setConfig({ testTimeout: 60_000 });

  const running: Running[] = [];

  afterEach(async () => {
    await Promise.all([...running].map(({ stop }) => stop()));
  });

  async function open(
    folder: string,
    {
      onStopping = () => undefined,
      isFolderFull = false,
      at = NIGHT_BEGAN,
      clock = fastClock(10, at),
      tell = () => undefined,
    }: OpenOptions = {},
  ): Promise<Running> {
    const created = await createEngine({
      dataDir: join(folder, 'store'),
      clock,
      openStore: storeAtOnce,
    });
    if (!created.ok) throw new Error(created.error.message);
    const engine = created.value;
    const works = new Works({ clock: systemClock });
    const service = new EngineService({
      engine,
      works,
      documents: new FolderDocuments({
        marks: engine.documentMarks,
        write: (batchId) =>
          isFolderFull ? Promise.resolve(failure('DISK_FULL', 'full')) : engine.exportBatch(batchId),
        onProblem: (_batchId, problem) => {
          if (!isFolderFull) throw new Error(problem.message);
        },
      }),
      rehearsal: new RehearsalGateway(join(folder, 'rehearsal')),
      storeFolder: join(folder, 'store'),
      tell,
      onStopping,
    });
    const stop: Running['stop'] = async () => {
      running.splice(running.indexOf(opened), 1);
      return service.handlers['engine.stop'](undefined);
    };
    const kill: Running['kill'] = async () => {
      running.splice(running.indexOf(opened), 1);
      await engine.stop();
    };
    const opened: Running = { engine, service, works, stop, kill };
    running.push(opened);
    return opened;
  }

  return open;
}

/** A sheet that nobody closed while it was read. */
export async function sheetOf(
  reply: Promise<Reply<SheetView | undefined>> | Reply<SheetView | undefined>,
): Promise<SheetView> {
  const sheet = await value(reply);
  if (sheet === undefined) throw new Error('The sheet is gone.');
  return sheet;
}

export async function value<T>(reply: Promise<Reply<T>> | Reply<T>): Promise<T> {
  const answered = await reply;
  if (!answered.ok) throw new Error(answered.error.message);
  return answered.value;
}

export async function openSheet({ service }: Running, folder: string, sheetId = 's'): Promise<void> {
  const path = join(folder, 'sheet.csv');
  writeFileSync(path, SHEET);
  const sheet = await value(service.handlers['sheet.open']({ sheetId, path, name: 'Sheet' }));
  expect(engineRequests['sheet.open'].output.parse(sheet)).toEqual(sheet);
}

export async function createBatch({ service }: Running, folder: string): Promise<BatchView> {
  const input = {
    sheetId: 's',
    name: 'Batch',
    folder: join(folder, 'media'),
    rehearsal: true,
    profile: DEFAULT_PROFILE,
  };
  return value(service.handlers['batch.create']({ ...input, start: false }));
}

/** The key of the row at a place of the sheet. */
export async function keyAt({ engine }: Pick<Running, 'engine'>, batchId: string, offset: number): Promise<number> {
  const [key = -1] = await engine.rows.keysInView(batchId, {}, offset, 1);
  return key;
}
