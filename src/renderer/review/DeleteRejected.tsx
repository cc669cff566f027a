import { Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatBytes } from '../../shared/domain/base/text.ts';
import type { RouteOutput } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { ConfirmDialog } from '../design/Dialog.tsx';
import { useAppModel } from '../state/app-context.ts';

interface DeleteRejectedProps {
  readonly batchId: string;
  readonly isRehearsal: boolean;
  /** The rows have rejected files. If they have none, there may still be earlier ones, which are in no count. */
  readonly isCounted: boolean;
  /**
   * Called before the question, so that the keyboard then goes back to where it is now, and Enter does not ask again.
   */
  readonly onAsk: () => void;
}

/** Deletes the rejected files of a batch for good, after saying how many they are and what that frees. */
export function DeleteRejected({ batchId, isRehearsal, isCounted, onAsk }: DeleteRejectedProps) {
  const model = useAppModel();
  const [asked, setAsked] = useState<RouteOutput<'files.rejected'>>();
  const [isFound, setFound] = useState(false);
  const [isBusy, run] = useBusy();
  useEffect(() => {
    if (isCounted) return undefined;
    let latest = 0;
    const look = async (): Promise<void> => {
      latest += 1;
      const turn = latest;
      await model.verdicts.settled();
      const reply = await model.client.request('files.rejected', { batchId });
      if (turn === latest && reply.ok) setFound(reply.value.fileIds.length > 0);
    };
    void look();
    const stop = model.review.store.subscribe(({ unstored }, before) => {
      if (unstored === 0 && before.unstored > 0) void look();
    });
    return () => {
      latest += 1;
      stop();
    };
  }, [model, batchId, isCounted]);
  const ask = async (): Promise<void> => {
    // What was just rejected counts, too.
    await model.verdicts.settled();
    const reply = await model.ask('files.rejected', { batchId });
    if (!reply.ok) return;
    // They may have been deleted elsewhere.
    if (reply.value.fileIds.length > 0) setAsked(reply.value);
    else setFound(false);
  };
  const remove = async (fileIds: readonly string[]): Promise<void> => {
    const reply = await model.ask('files.delete', { batchId, fileIds: [...fileIds] });
    if (!reply.ok) return;
    const { files, bytes, left, problem } = reply.value;
    setFound(left > 0);
    const title = words.review.deleting.done(files, formatBytes(bytes));
    const message = words.common.sentences([left === 0 ? '' : words.review.deleting.left(left), problem ?? '']);
    model.notices.show(
      problem === undefined && left === 0
        ? { level: 'info', title, message: '' }
        : { level: 'warning', title, message },
    );
  };
  return (
    <>
      {(isCounted || isFound) && (
        <Button
          size="small"
          look="quiet"
          icon={Trash2}
          disabled={isBusy}
          onClick={() => {
            onAsk();
            run(ask);
          }}
        >
          {words.review.deleting.button}
        </Button>
      )}
      {asked !== undefined && (
        <ConfirmDialog
          title={words.review.deleting.ask(asked.fileIds.length)}
          confirm={words.review.deleting.confirm(asked.fileIds.length)}
          decline={words.review.deleting.decline(asked.fileIds.length)}
          onConfirm={() => run(() => remove(asked.fileIds))}
          onClose={() => setAsked(undefined)}
        >
          {words.common.sentences([
            asked.earlier === 0 ? '' : words.review.deleting.earlier(asked.earlier),
            words.review.deleting.means(formatBytes(asked.bytes), asked.fileIds.length, !isRehearsal),
          ])}
        </ConfirmDialog>
      )}
    </>
  );
}
