import { useCallback, useState } from 'react';

/** Runs one thing at a time: while it goes on, `isBusy` is true and nothing else is started. */
export function useBusy(): readonly [isBusy: boolean, run: (work: () => Promise<void>) => void] {
  const [isBusy, setBusy] = useState(false);
  const run = useCallback(
    (work: () => Promise<void>) => {
      if (isBusy) return;
      setBusy(true);
      void work().finally(() => setBusy(false));
    },
    [isBusy],
  );
  return [isBusy, run];
}
