import { useEffect } from 'react';
import { useAppModel } from '../state/app-context.ts';
import type { Screen } from '../state/navigation-store.ts';

/** Opens the table that is pasted where nothing else takes it: outside of fields, and not on a batch, whose grid takes it. */
export function usePasteTable(screen: Screen | undefined): void {
  const model = useAppModel();
  const isFree = screen !== undefined && screen.kind !== 'batch';
  useEffect(() => {
    if (!isFree) return undefined;
    const paste = (event: ClipboardEvent): void => {
      const { target } = event;
      const isTaken =
        target instanceof Element && target.closest('input, textarea, [contenteditable], [role="dialog"]');
      if (!isTaken) void model.bringIn.paste();
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [model, isFree]);
}
