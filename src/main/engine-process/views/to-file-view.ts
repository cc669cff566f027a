/** Files, failures and takes, as the window sees them. */
import { present } from '../../../shared/domain/base/result.ts';
import { spokenFlag } from '../../../shared/domain/gates/ask-gates.ts';
import { accountNamedIn, limitNamedIn, nextCostIn } from '../../../shared/domain/task/spending.ts';
import { isReplaced } from '../../../shared/domain/task/batch.ts';
import type { RowFile } from '../../../shared/domain/task/views/row-summary.ts';
import type { ViewedFile } from '../../../shared/domain/task/batch-view.ts';
import { spokenMessage, type Failure } from '../../../shared/domain/base/failure.ts';
import type { ShownTake } from '../../../shared/domain/task/task.ts';
import type { ShownTakes } from '../../../shared/ipc/batches.ts';
import type { ViewedFileView } from '../../../shared/ipc/files.ts';
import type { FileView, RowView } from '../../../shared/ipc/rows.ts';

/**
 * A file as the window names it: by its id. Only its name comes from the path.
 * @param isPicked It is the picked file of its row, which only shows from all files of the row.
 */
export function toFileView(
  { outputId, path, mediaType, bytes, seconds, verdict }: RowFile,
  isPicked = false,
): FileView {
  const { kept, rating, note } = verdict ?? {};
  const said = present({ kept, rating, note, isPicked: isPicked ? (true as const) : undefined });
  return {
    id: outputId,
    name: path.slice(path.lastIndexOf('/') + 1),
    mediaType,
    bytes,
    ...present({ seconds }),
    ...(Object.keys(said).length > 0 && { verdict: said }),
  };
}

/** A file of the gallery, with what it belongs to and what is said of it. */
export function toViewedFileView(file: ViewedFile): ViewedFileView {
  const { key, row, label, operation, take, flags, isPicked, isEarlier } = file;
  const said = { flags: flags.map(spokenFlag), ...present({ isEarlier }) };
  return { ...toFileView(file, isPicked), key, row, label, operation, take, ...said };
}

/** A failure without its evidence: there is a separate request for that. */
export function toFailureView(failed: Failure): NonNullable<RowView['failure']> {
  const { code, suspected, data } = failed;
  const status = suspected === true ? data?.['status'] : undefined;
  const { keyName, origin } = data ?? {};
  const cap = limitNamedIn(failed);
  return {
    code,
    message: spokenMessage(failed),
    isForeign: failed.reason === undefined ? true : undefined,
    suspected,
    status: typeof status === 'string' ? status : undefined,
    isReplaced: isReplaced(failed) ? true : undefined,
    keyName: typeof keyName === 'string' ? keyName : undefined,
    gateway: code === 'KEY_MISSING' && typeof origin === 'string' ? origin : undefined,
    cap: cap && { ...cap, ...present({ account: accountNamedIn(failed), next: nextCostIn(failed) }) },
  };
}

/** A take to act on as it is now. */
export function toShownTake({ id, attempts, isHeld }: ShownTake & { readonly isHeld?: true }): ShownTakes[number] {
  return { id, attempts, isHeld };
}
