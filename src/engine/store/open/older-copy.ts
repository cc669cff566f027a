import { failure } from '../../../shared/domain/task/failure.ts';
import { isOlderCopy } from './incarnation.ts';
import { readIncarnationNote, writeIncarnationNote } from './incarnation-note.ts';
import type { OpenStore } from './open-store.ts';

/**
 * Pauses what runs in a store that was put back from a backup: it does not know what was submitted since, and must not go
 * on by itself. Notes this opening in `file`.
 * @param now Milliseconds since the epoch.
 */
export function pauseOlderCopy(opened: OpenStore, file: string, dataDir: string, now: number): void {
  const kept = readIncarnationNote(file);
  const found = opened.incarnation();
  if (kept !== undefined && isOlderCopy(kept, found)) {
    const why = failure('STORE_RESTORED', `${dataDir} is an older copy of the store that was used here last.`);
    for (const batch of opened.store.batches()) {
      if (batch.state === 'running')
        opened.store.setBatchState(batch.id, 'paused', { by: 'failure', failure: why }, now);
    }
  }
  writeIncarnationNote(file, found);
}
