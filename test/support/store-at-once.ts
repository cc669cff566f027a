import { ok } from '../../src/shared/domain/base/result.ts';
import { pauseOlderCopy } from '../../src/engine/store/open/incarnation.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import { promisedStore } from '../../src/engine/store/thread/promised.ts';
import type { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';

/**
 * Opens a store that answers at once, for an engine whose test is not about the store: its threads take longer to start
 * than most such tests last.
 */
export const storeAtOnce: typeof openStoreThread = async (dataDir, options) => {
  const opened = openStore(dataDir, { random: { next: Math.random } });
  if (!opened.ok) return opened;
  const noted = options?.noted;
  if (noted !== undefined) pauseOlderCopy(opened.value, noted.file, dataDir, noted.now);
  return ok(promisedStore(opened.value));
};
