import { useEffect, useState } from 'react';
import { foldSearchText } from '../../shared/domain/task/row-view.ts';
import { LONGEST_SEARCH, type FoundRowView } from '../../shared/ipc/rows.ts';
import { useAppModel } from '../state/app-context.ts';

/** Shorter than the pause between two letters when somebody types slowly. */
const PAUSE_MS = 120;

/** Rows of all batches that contain a text. */
export interface FoundRowsNow {
  readonly rows: readonly FoundRowView[];
  /** There are more than these. */
  readonly hasMore: boolean;
  readonly isSearching: boolean;
}

/** The rows of all batches that contain what was typed, shortly after it was typed. */
export function useFoundRows(search: string): FoundRowsNow {
  const { client } = useAppModel();
  const text = search.trim().slice(0, LONGEST_SEARCH);
  const [answer, setAnswer] = useState<Omit<FoundRowsNow, 'isSearching'> & { readonly text: string }>();
  useEffect(() => {
    if (text === '') return undefined;
    let isCurrent = true;
    const pause = setTimeout(() => {
      void client.request('rows.search', { text }).then((reply) => {
        if (isCurrent) setAnswer({ text, ...(reply.ok ? reply.value : { rows: [], hasMore: false }) });
      });
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(pause);
    };
  }, [client, text]);
  // Once the palette is closed, nobody reads what the last question would still find.
  useEffect(() => () => void client.request('rows.search', { text: '' }), [client]);
  if (text === '') return { rows: [], hasMore: false, isSearching: false };
  if (answer?.text === text) return { ...answer, isSearching: false };
  // Until the answer comes, the last rows that also contain the new text stay: otherwise they would flicker with every
  // letter.
  const wanted = foldSearchText(text);
  const rows = (answer?.rows ?? []).filter((row) =>
    [row.row, row.text].some((shown) => foldSearchText(shown).includes(wanted)),
  );
  return { rows, hasMore: false, isSearching: true };
}
