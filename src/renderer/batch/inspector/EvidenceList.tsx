import { useEffect, useState } from 'react';
import { visibleText } from '../../../shared/domain/base/text.ts';
import type { EvidenceBytes, RowEvidence } from '../../../shared/ipc/rows.ts';
import { Button } from '../../design/Button.tsx';
import { formatBytes } from '../../format/numbers.ts';
import { hexLines, shownLine } from '../../format/shown-text.ts';
import { formatClockSeconds, formatDayAndClock } from '../../format/times.ts';
import { useAppModel } from '../../state/app-context.ts';
import { CodeBox } from './InspectorSection.tsx';
import styles from './EvidenceList.module.css';
import inspector from './Inspector.module.css';

type Attempt = RowEvidence['takes'][number]['attempts'][number];

/** What is known of the submits of a row, byte for byte: when, what was sent where, what came back. */
export function EvidenceList({ batchId, rowKey: key }: { readonly batchId: string; readonly rowKey: number }) {
  const model = useAppModel();
  const [evidence, setEvidence] = useState<RowEvidence>();
  useEffect(() => {
    let isCurrent = true;
    void model.client.request('row.evidence', { batchId, key }).then((reply) => {
      if (isCurrent && reply.ok) setEvidence(reply.value);
    });
    return () => {
      isCurrent = false;
    };
  }, [model, batchId, key]);
  const takes = evidence?.takes.filter((take) => take.status === 'submit-unknown') ?? [];
  if (takes.length === 0) return null;
  return (
    <section className={inspector.section} data-testid="evidence">
      <h3 className={inspector.sectionTitle}>The evidence</h3>
      {takes.flatMap(({ take, attempts }) =>
        attempts.map((attempt) => <AttemptCard key={`${take} ${attempt.startedAt}`} take={take} attempt={attempt} />),
      )}
    </section>
  );
}

function AttemptCard({ take, attempt }: { readonly take: number; readonly attempt: Attempt }) {
  const { startedAt, origin, body, bodySha256, answeredAt, answer } = attempt;
  return (
    <div className={styles.attempt}>
      <p>
        Take {take} was sent to <code className="selectable">{shownLine(origin)}</code>{' '}
        <time dateTime={startedAt}>
          on {formatDayAndClock(Date.parse(startedAt))} (<span className="selectable">{startedAt}</span>)
        </time>
        .
      </p>
      <ByteBlock title="Sent" bytes={body} />
      <p className={styles.digest}>
        SHA-256 <code className="selectable">{bodySha256}</code>
      </p>
      {answer === undefined ? (
        <p className={styles.nothing}>
          {answeredAt === undefined
            ? 'Nothing came back before Nocturne ended.'
            : `Nothing came back until ${formatClockSeconds(Date.parse(answeredAt))}.`}
        </p>
      ) : (
        <>
          <h4 className={inspector.sectionTitle}>Came back: HTTP {answer.httpStatus}</h4>
          <CodeBox>
            {answer.headers.map(({ name, value }) => `${shownLine(name)}: ${shownLine(value)}`).join('\n')}
          </CodeBox>
          <ByteBlock title={answer.truncated ? 'Its body, as far as it was kept' : 'Its body'} bytes={answer.body} />
        </>
      )}
    </div>
  );
}

/** Bytes as they were: as text with everything invisible written out, or as hexadecimal digits. */
function ByteBlock({ title, bytes }: { readonly title: string; readonly bytes: EvidenceBytes }) {
  const { text } = bytes;
  const [isHex, setHex] = useState(text === undefined);
  return (
    <div className={styles.block}>
      <div className={styles.blockHead}>
        <h4 className={inspector.sectionTitle}>{title}</h4>
        <span className={styles.size}>{formatBytes(bytes.size)}</span>
        {bytes.size > 0 && text !== undefined && (
          <Button size="small" look="quiet" aria-pressed={isHex} onClick={() => setHex(!isHex)}>
            Bytes
          </Button>
        )}
      </div>
      {bytes.size > 0 && (
        <CodeBox>
          {isHex || text === undefined ? hexLines(bytes.base64) : visibleText(text)}
          {bytes.isCut && '\n… The export of the evidence has the rest.'}
        </CodeBox>
      )}
    </div>
  );
}
