import { useEffect, useState } from 'react';
import type { RowDetail } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { Button } from '../../design/Button.tsx';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { useAnswer, useAppModel } from '../../state/app-context.ts';
import { CodeBox, Fields, InspectorSection } from './InspectorSection.tsx';

interface RequestPreviewProps {
  readonly batchId: string;
  readonly rowKey: number;
  /** Its takes have ended: nothing of this is sent automatically. */
  readonly isOver: boolean;
  /** The request that was sent and is shown elsewhere; undefined if there was none. */
  readonly sent: string | undefined;
}

/** What the row will send with its current cells: as written, and with everything filled in. */
export function RequestPreview({ batchId, rowKey, isOver, sent }: RequestPreviewProps) {
  const { editing } = useAppModel();
  const [edits, setEdits] = useState(0);
  useEffect(() => editing.onEdited(() => setEdits((before) => before + 1)), [editing]);
  const preview = useAnswer('sheet.preview', { batchId, key: rowKey }, edits);
  const [isBefore, setBefore] = useState(false);
  if (preview?.operation === undefined) return null;
  const { before, after, filledIn, waitsFor, operation } = preview;
  const isSame = before === after;
  if (isOver && isSame && after === sent) return null;
  return (
    <InspectorSection
      title={isOver ? words.inspector.preview.newTake : words.inspector.preview.willBeSent}
      testId="body-preview"
      tools={
        !isSame && (
          <Button size="small" look="quiet" aria-pressed={isBefore} onClick={() => setBefore(!isBefore)}>
            {words.inspector.preview.asWritten}
          </Button>
        )
      }
    >
      {waitsFor.length > 0 && <p className="soft">{words.inspector.preview.waits(waitsFor.map(shownLine))}</p>}
      <CodeBox>{`POST /${operation}\n\n${shownText(isBefore ? before : after)}`}</CodeBox>
      {filledIn.length > 0 && (
        <Fields
          label={words.inspector.preview.filledIn}
          fields={filledIn.map(({ column, written, value }) => ({
            name: shownText(column),
            value: (
              <>
                <code>{shownText(written)}</code> → {shownText(value)}
              </>
            ),
          }))}
        />
      )}
    </InspectorSection>
  );
}

/** The row as in the sheet, and the request as sent, byte for byte except for invisible characters. */
export function FieldList({ detail }: { readonly detail: RowDetail }) {
  const cells = detail.cells.filter((cell) => cell.value !== '');
  // The preview shows what has not been sent yet.
  const wasSent = detail.tasks.some((task) => task.attempts > 0);
  return (
    <>
      {cells.length > 0 && (
        <InspectorSection title={words.inspector.preview.row}>
          <div translate="no">
            <Fields fields={cells.map(({ header, value }) => ({ name: shownText(header), value: shownText(value) }))} />
          </div>
        </InspectorSection>
      )}
      {wasSent && detail.row.operation !== undefined && (
        <InspectorSection title={words.inspector.request}>
          <CodeBox>{`POST /${detail.row.operation}\n\n${shownText(detail.body)}`}</CodeBox>
        </InspectorSection>
      )}
    </>
  );
}
