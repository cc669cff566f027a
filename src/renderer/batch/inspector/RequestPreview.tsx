import { useEffect, useState } from 'react';
import type { BodyPreview } from '../../../shared/ipc/editing.ts';
import type { RowDetail } from '../../../shared/ipc/rows.ts';
import { Button } from '../../design/Button.tsx';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { CodeBox } from './InspectorSection.tsx';
import inspector from './Inspector.module.css';
import styles from './RequestPreview.module.css';

interface RequestPreviewProps {
  readonly batchId: string;
  readonly rowKey: number;
  /** Its takes have ended: nothing of this is sent by itself. */
  readonly isOver: boolean;
  /** What was sent already and is shown elsewhere; undefined where nothing was. */
  readonly sent: string | undefined;
}

/** What the row will send as its cells stand now: as they are written, and with everything put in. */
export function RequestPreview({ batchId, rowKey, isOver, sent }: RequestPreviewProps) {
  const preview = usePreview(batchId, rowKey);
  const [isBefore, setBefore] = useState(false);
  if (preview?.operation === undefined) return null;
  const { before, after, filledIn, waitsFor, operation } = preview;
  const isSame = before === after;
  if (isOver && isSame && after === sent) return null;
  return (
    <section className={inspector.section} data-testid="body-preview">
      <div className={styles.head}>
        <h3 className={inspector.sectionTitle}>{isOver ? 'What a new take would send' : 'What will be sent'}</h3>
        {!isSame && (
          <Button size="small" look="quiet" aria-pressed={isBefore} onClick={() => setBefore(!isBefore)}>
            As written
          </Button>
        )}
      </div>
      {waitsFor.length > 0 && <p className={styles.waits}>{waitWords(waitsFor)}</p>}
      <CodeBox>{`POST /${operation}\n\n${shownText(isBefore ? before : after)}`}</CodeBox>
      {filledIn.length > 0 && (
        <dl className={styles.fields} aria-label="What was put in">
          {filledIn.map(({ column, written, value }, index) => (
            // The same text may be put into one column twice.
            // oxlint-disable-next-line react/no-array-index-key -- the list comes anew as a whole
            <div key={index} className={styles.field}>
              <dt>{shownText(column)}</dt>
              <dd className="selectable">
                <code>{shownText(written)}</code> → {shownText(value)}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function waitWords(rows: readonly string[]): string {
  const names = rows.map(shownLine).join(', ');
  return rows.length === 1
    ? `It is sent once ${names} is done, with what that row gives.`
    : `It is sent once ${names} are done, with what these rows give.`;
}

/** The preview, asked for again when the sheet has changed; nothing where there is none. */
function usePreview(batchId: string, rowKey: number): BodyPreview | undefined {
  const model = useAppModel();
  const [preview, setPreview] = useState<BodyPreview>();
  useEffect(() => {
    let isCurrent = true;
    const read = (): void =>
      void model.client.request('sheet.preview', { batchId, key: rowKey }).then((reply) => {
        if (isCurrent) setPreview(reply.ok ? reply.value : undefined);
      });
    read();
    const stop = model.editing.store.subscribe((now, before) => {
      if (now.revision !== before.revision) read();
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [model, batchId, rowKey]);
  return preview;
}

/** The row as the sheet has it, and the request as it was sent, byte for byte but for what cannot be seen. */
export function FieldList({ detail }: { readonly detail: RowDetail }) {
  const cells = detail.cells.filter((cell) => cell.value !== '');
  // What was not sent yet is shown as it will be.
  const wasSent = detail.tasks.some((task) => task.attempts > 0);
  return (
    <>
      {cells.length > 0 && (
        <section className={inspector.section}>
          <h3 className={inspector.sectionTitle}>The row in the sheet</h3>
          <dl className={styles.fields}>
            {cells.map(({ header, value }) => (
              <div key={header} className={styles.field}>
                <dt>{shownText(header)}</dt>
                <dd className="selectable">{shownText(value)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {wasSent && detail.row.operation !== undefined && (
        <section className={inspector.section}>
          <h3 className={inspector.sectionTitle}>The request</h3>
          <CodeBox>{`POST /${detail.row.operation}\n\n${shownText(detail.body)}`}</CodeBox>
        </section>
      )}
    </>
  );
}
