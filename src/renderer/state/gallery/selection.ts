/** Which files of a gallery are selected together: to say something about them, to play them, or to drag them out. */

export interface Selection {
  /** Empty while only the file with the cursor counts. */
  readonly ids: ReadonlySet<string>;
  /** Where a range of files that is selected at once begins. */
  readonly anchor: string | undefined;
}

export const NO_FILES_SELECTED: Selection = { ids: new Set(), anchor: undefined };

/** With one file more, or without it. The file that had the cursor is selected, too, if nothing was selected before. */
export function toggled({ ids }: Selection, fileId: string, current: string | undefined): Selection {
  const after = new Set(ids.size === 0 && current !== undefined ? [current] : ids);
  if (ids.size > 0 && ids.has(fileId)) after.delete(fileId);
  else after.add(fileId);
  return { ids: after, anchor: fileId };
}

/** All files from the anchor to this one, in order; without an anchor, from the file with the cursor. */
export function reaching(
  { anchor }: Selection,
  order: readonly string[],
  fileId: string,
  current: string | undefined,
): Selection {
  const from = anchor ?? current ?? fileId;
  const [a, b] = [order.indexOf(from), order.indexOf(fileId)];
  if (a === -1 || b === -1) return { ids: new Set([fileId]), anchor: fileId };
  return { ids: new Set(order.slice(Math.min(a, b), Math.max(a, b) + 1)), anchor: from };
}

/** Without the files that are not shown any more. */
export function stillShown({ ids, anchor }: Selection, order: readonly string[]): Selection {
  if (ids.size === 0) return NO_FILES_SELECTED;
  const shown = new Set(order);
  const kept = new Set([...ids].filter((id) => shown.has(id)));
  return kept.size === 0
    ? NO_FILES_SELECTED
    : { ids: kept, anchor: anchor !== undefined && shown.has(anchor) ? anchor : undefined };
}

/** The files that an action applies to, in order: the selected ones, if this one is among them, or this one alone. */
export function meantWith({ ids }: Selection, order: readonly string[], fileId: string): readonly string[] {
  return ids.has(fileId) ? order.filter((id) => ids.has(id)) : [fileId];
}
