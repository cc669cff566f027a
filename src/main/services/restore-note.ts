/**
 * A backup that the user wants to have back: noted, and put in its place by the next start, before anything has the store
 * or the settings open.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeNoteSync } from '../../engine/whole-file.ts';
import type { News } from '../../shared/ipc/contract.ts';
import type { EngineProcess } from '../engine-process/engine-host.ts';
import { fromEngine } from '../engine-process/engine-protocol.ts';

const noted = z.strictObject({ version: z.literal(1), file: z.string(), at: z.number() });

/** Only the start that follows at once was asked for: by a later one, more may have been paid for in the store. */
const FRESH_MS = 10 * 60_000;

function noteIn(dataFolder: string): string {
  return join(dataFolder, 'restore.json');
}

/** Notes the backup for the next start. Throws if that cannot be written. */
export function noteRestore(dataFolder: string, file: string, at: number): void {
  writeNoteSync(noteIn(dataFolder), JSON.stringify({ version: 1, file, at }));
}

/** The backup that was noted, once: whatever ends this start, the next one is as any other. */
export function takeRestoreNote(dataFolder: string, now: number): string | undefined {
  try {
    const text = readFileSync(noteIn(dataFolder), 'utf8');
    rmSync(noteIn(dataFolder), { force: true });
    const { file, at } = noted.parse(JSON.parse(text));
    return Math.abs(now - at) < FRESH_MS ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Has a process of the engine put the backup in place, and says what came of it. */
export function restoreNoted(file: string, dataFolder: string, engine: EngineProcess): Promise<News<'notice'>> {
  return new Promise((resolve) => {
    engine.onMessage((message) => {
      const told = fromEngine.safeParse(message);
      if (!told.success || told.data.kind !== 'restored') return;
      resolve(told.data.notice);
      engine.kill();
    });
    engine.onExit((code) => {
      const message = `The engine’s process ended with code ${code}. Look whether the batches are as you expect them.`;
      resolve({ level: 'error', title: 'The backup may not be restored', message });
    });
    engine.post({ kind: 'restore', storeFolder: join(dataFolder, 'store'), file });
  });
}
