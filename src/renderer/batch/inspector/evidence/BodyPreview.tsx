import { useEffect, useState } from 'react';
import type { BodyPreview as Preview } from '../../../../shared/ipc/sheet-views.ts';
import { Button } from '../../../design/Button.tsx';
import { visibleLine, visibleText } from '../../../format/visible-text.ts';
import { useAppModel } from '../../../state/app-context.ts';
import { CodeBox } from './CodeBox.tsx';
import inspector from '../Inspector.module.css';
import fields from '../FieldList.module.css';
import styles from './BodyPreview.module.css';

interface BodyPreviewProps {
  readonly batchId: string;
  readonly rowKey: number;
  /** Its takes have ended: nothing of this is sent by itself. */
  readonly isOver: boolean;
  /** What was sent already and is shown elsewhere; undefined where nothing was. */
  readonly sent: string | undefined;
}

/** What the row will send as its cells stand now: as they are written, and with everything put in. */
export function BodyPreview({ batchId, rowKey, isOver, sent }: BodyPreviewProps) {
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
      <CodeBox>{`POST /${operation}\n\n${visibleText(isBefore ? before : after)}`}</CodeBox>
      {filledIn.length > 0 && (
        <dl className={fields.fields} aria-label="What was put in">
          {filledIn.map(({ column, written, value }, index) => (
            // The same text may be put into one column twice.
            // oxlint-disable-next-line react/no-array-index-key -- the list comes anew as a whole
            <div key={index} className={fields.field}>
              <dt>{visibleText(column)}</dt>
              <dd className="selectable">
                <code>{visibleText(written)}</code> → {visibleText(value)}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function waitWords(rows: readonly string[]): string {
  const names = rows.map(visibleLine).join(', ');
  return rows.length === 1
    ? `It is sent once ${names} is done, with what that row gives.`
    : `It is sent once ${names} are done, with what these rows give.`;
}

/** The preview, asked for again when the sheet has changed; nothing where there is none. */
function usePreview(batchId: string, rowKey: number): Preview | undefined {
  const model = useAppModel();
  const [preview, setPreview] = useState<Preview>();
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
