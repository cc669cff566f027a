import { ok, present } from '../../src/shared/domain/base/result.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import { promisedStore } from '../../src/engine/store/thread/promised.ts';
import type { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';

/**
 * Opens a store that answers at once, for an engine whose test is not about the store: its threads take longer to start
 * than most such tests last.
 */
export const storeAtOnce: typeof openStoreThread = async (dataDir, options) => {
  const opened = openStore(dataDir, { random: { next: Math.random }, ...present({ noted: options?.noted }) });
  return opened.ok ? ok(promisedStore(opened.value)) : opened;
};
