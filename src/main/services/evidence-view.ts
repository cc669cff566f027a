/** Evidence as the window may see it: exact, but cut if it is long. The export has all of it. */
import { visibleText } from '../../shared/domain/base/text.ts';
import type { Evidence, EvidenceAnswer, EvidenceAttempt, EvidenceBytes, RawAnswer } from '../../engine/index.ts';
import type { RowEvidence, ShownBytes } from '../../shared/ipc/rows.ts';

const SHOWN_BYTES = 65_536;

type AttemptView = RowEvidence['takes'][number]['attempts'][number];

/** The evidence of a row's takes, ready for display. */
export function toRowEvidence(evidence: readonly Evidence[]): RowEvidence {
  return {
    takes: evidence.map(({ take, status, attempts }) => ({ take, status, attempts: attempts.map(attemptView) })),
  };
}

/** Without the fingerprint of the key: the export distinguishes keys. */
function attemptView(evidence: EvidenceAttempt): AttemptView {
  const { keyFingerprint: _, body, answer, idempotency, ...attempt } = evidence;
  return {
    ...attempt,
    body: bytesView(body),
    answer: answer && answerView(answer),
    idempotency: idempotency && { header: idempotency.header, key: idempotency.key },
  };
}

function answerView({ httpStatus, headers, body, truncated }: EvidenceAnswer): NonNullable<AttemptView['answer']> {
  const named = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return { httpStatus, headers: named, body: bytesView(body), truncated };
}

function bytesView({ base64, text }: EvidenceBytes): ShownBytes {
  const bytes = Buffer.from(base64, 'base64');
  const isCut = bytes.length > SHOWN_BYTES;
  return {
    size: bytes.length,
    base64: isCut ? bytes.subarray(0, SHOWN_BYTES).toString('base64') : base64,
    text: isCut ? text?.slice(0, SHOWN_BYTES) : text,
    isCut,
  };
}

const SHOWN_CHARACTERS = 8_000;

/** A raw answer for display: the HTTP status and the beginning of its body, with everything invisible spelled out. */
export function answerText(raw: RawAnswer): string {
  const body = new TextDecoder().decode(raw.body.subarray(0, SHOWN_CHARACTERS * 4));
  const text = visibleText(body.slice(0, SHOWN_CHARACTERS));
  const isCut = raw.truncated || body.length > SHOWN_CHARACTERS || raw.body.length > SHOWN_CHARACTERS * 4;
  return `HTTP ${raw.httpStatus}\n${text}${isCut ? '…' : ''}`;
}
