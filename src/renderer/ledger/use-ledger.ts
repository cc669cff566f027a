import { useEffect, useState } from 'react';
import type { LedgerView } from '../../shared/ipc/ledger.ts';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import { useAnswer, useAppModel } from '../state/app-context.ts';

/** Not more often, however much happens. */
const READ_AGAIN_MS = 1_000;

/** A number that grows when something has happened in a batch, at most once a second. */
export function useHappenings(): number {
  const model = useAppModel();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = model.batches.store.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setVersion((before) => before + 1);
      }, READ_AGAIN_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [model]);
  return version;
}

/** A ledger, read again while things happen. Undefined until it is there, or if there is none. */
export function useLedger(question: RouteInput<'ledger.read'>): LedgerView | undefined {
  return useAnswer('ledger.read', question, useHappenings());
}
