import { useState } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import { visibleText } from '../../../shared/domain/base/text.ts';
import { moneyText } from '../../../shared/domain/base/money.ts';
import type { RowEvidence, ShownBytes } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { Button } from '../../design/Button.tsx';
import { Phrase } from '../../design/Page.tsx';
import { formatBytes } from '../../format/phrases.ts';
import { hexLines, shownLine } from '../../format/shown-text.ts';
import { formatClockSeconds, formatDayAndClock } from '../../format/times.ts';
import { useAnswer } from '../../state/app-context.ts';
import { CodeBox, InspectorSection } from './InspectorSection.tsx';
import styles from './EvidenceList.module.css';

type Attempt = RowEvidence['takes'][number]['attempts'][number];

/** A row's requests byte for byte: when and where each was sent, what was sent, and what came back. */
export function EvidenceList({ batchId, rowKey: key }: { readonly batchId: string; readonly rowKey: number }) {
  const evidence = useAnswer('row.evidence', { batchId, key });
  const takes = evidence?.takes.filter((take) => take.status === 'submit-unknown') ?? [];
  if (takes.length === 0) return null;
  return (
    <InspectorSection title={words.inspector.evidence.title} testId="evidence">
      {takes.flatMap(({ take, attempts }) =>
        attempts.map((attempt) => <AttemptCard key={`${take} ${attempt.startedAt}`} take={take} attempt={attempt} />),
      )}
    </InspectorSection>
  );
}

export function AttemptCard({ take, attempt }: { readonly take: number; readonly attempt: Attempt }) {
  const { startedAt, origin, body, bodySha256, answeredAt, answer, idempotency, cost } = attempt;
  return (
    <div className={joinClasses('card stack', styles.attempt)}>
      <p>
        <Phrase
          of={words.inspector.evidence.sent(
            take,
            <code className="selectable">{shownLine(origin)}</code>,
            <time dateTime={startedAt}>{formatDayAndClock(Date.parse(startedAt))}</time>,
            <span className="selectable">{startedAt}</span>,
          )}
        />
      </p>
      <ByteBlock title={words.inspector.evidence.body} bytes={body} />
      <p className="faint selectable">
        SHA-256 <code>{bodySha256}</code>
      </p>
      {idempotency !== undefined && (
        <p className="faint selectable">
          <Phrase
            of={words.inspector.evidence.key(
              <code>{`${shownLine(idempotency.header)}: ${shownLine(idempotency.key)}`}</code>,
            )}
          />
        </p>
      )}
      {cost !== undefined && <p className="faint">{words.inspector.gatewayCost(moneyText(cost))}</p>}
      {answer === undefined ? (
        <p className="soft">
          {answeredAt === undefined
            ? words.inspector.evidence.noResponse
            : words.inspector.evidence.noResponseUntil(formatClockSeconds(Date.parse(answeredAt)))}
        </p>
      ) : (
        <>
          <h4 className="faint">{words.inspector.evidence.response(answer.httpStatus)}</h4>
          <CodeBox>
            {answer.headers.map(({ name, value }) => `${shownLine(name)}: ${shownLine(value)}`).join('\n')}
          </CodeBox>
          <ByteBlock
            title={answer.truncated ? words.inspector.evidence.responseBodyCut : words.inspector.evidence.responseBody}
            bytes={answer.body}
          />
        </>
      )}
    </div>
  );
}

/** Bytes as they were: as text with everything invisible written out, or as hexadecimal digits. */
function ByteBlock({ title, bytes }: { readonly title: string; readonly bytes: ShownBytes }) {
  const { text } = bytes;
  const [isHex, setHex] = useState(text === undefined);
  return (
    <div className="stack">
      <div className="row">
        <h4 className="faint">{title}</h4>
        <span className="grow faint">{formatBytes(bytes.size)}</span>
        {bytes.size > 0 && text !== undefined && (
          <Button size="small" look="quiet" aria-pressed={isHex} onClick={() => setHex(!isHex)}>
            {words.inspector.evidence.bytes}
          </Button>
        )}
      </div>
      {bytes.size > 0 && (
        <CodeBox>
          {isHex || text === undefined ? hexLines(bytes.base64) : visibleText(text)}
          {bytes.isCut && `\n${words.inspector.evidence.cut}`}
        </CodeBox>
      )}
    </div>
  );
}
