/** The files of a row in all versions: those that it has, and those from before it was changed or rendered again. */
import { useMemo } from 'react';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { useAnswer, useRows, useAppModel } from '../app-context.ts';
import { versionsOf, type FileVersion } from './row-detail-view.ts';

/** An earlier file, and the one that took its place. */
export type VersionPair = readonly [before: FileVersion, after: FileVersion];

export interface RowVersions {
  /** The row as the grid has it; undefined while that is not known. */
  readonly row: RowView | undefined;
  /** The present files, then the earlier ones, the latest first. */
  readonly files: readonly FileVersion[];
  /** All are known; until then, only the first ones that the grid shows. */
  readonly isWhole: boolean;
}

/** All files of a row of the batch on screen, as they are now. */
export function useRowVersions(key: number): RowVersions {
  const { pages } = useAppModel().rows;
  const batchId = useRows((state) => state.batchId) ?? '';
  const place = pages.placeOf(key);
  const row = place === undefined ? undefined : pages.rowAt(place);
  const ids = [...(row?.files ?? []), ...(row?.earlier?.files ?? [])].map(({ id }) => id).join(' ');
  const answer = useAnswer('row.detail', { batchId, key }, `${row?.status ?? ''} ${row?.fileCount ?? 0} ${ids}`);
  // Until the answer about another row is there, the previous one stays.
  const detail = answer?.row.key === key ? answer : undefined;
  const files = useMemo(() => versionsOf(row, detail), [row, detail]);
  return { row, files, isWhole: detail !== undefined };
}

/**
 * The pair that a file is compared in: with the file that took its place, or else with the latest one that it replaced.
 * Without a file, the first pair. Undefined if there is nothing to compare.
 */
export function pairOf(files: readonly FileVersion[], fileId?: string): VersionPair | undefined {
  const pairs = files.flatMap((before): readonly VersionPair[] => {
    const after = files.find(({ id }) => id === before.successorId);
    return after === undefined ? [] : [[before, after]];
  });
  if (fileId === undefined) return pairs[0];
  return pairs.find(([before]) => before.id === fileId) ?? pairs.find(([, after]) => after.id === fileId);
}
