import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { gatherEvidence, type Evidence, type TaskReader } from '../../engine/index.ts';
import type { Console } from '../console.ts';
import { count, statusWord } from '../describe.ts';
import { EXIT, type ExitCode, wrongUsage } from '../ending.ts';
import { namedBatch, withStore } from '../with-store.ts';
import type { CommonOptions } from '../options/common-options.ts';

export interface EvidenceOptions extends CommonOptions {
  readonly row?: readonly string[];
  readonly out?: string;
}

/**
 * Shows what is known about submits with an unknown outcome, or about any rows: when, what was sent, what came back.
 * With `--out` (or `--json`), gives everything byte for byte, to send to the gateway's support. Only reads the store.
 */
export async function evidenceCommand(console: Console, named: string, options: EvidenceOptions): Promise<ExitCode> {
  return withStore(options, async ({ store }) => {
    const batch = await namedBatch(store, named);
    const tasks = options.row && (await tasksOfRows(store, batch.id, options.row));
    const evidence = await gatherEvidence(store, batch.id, tasks);
    const document = { batch: batch.id, name: batch.name, gatheredAt: new Date().toISOString(), evidence };
    if (options.out !== undefined) writeEvidence(path.resolve(options.out), document);
    console.document(document);
    for (const take of evidence) for (const line of evidenceLines(take)) console.line(line);
    console.line(
      evidence.length === 0
        ? 'No paid request of this batch has an unknown outcome.'
        : `${count(evidence.length, 'take')} of ${batch.id}`,
    );
    return EXIT.done;
  });
}

async function tasksOfRows(store: TaskReader, batchId: string, rows: readonly string[]): Promise<readonly number[]> {
  const tasks = await Promise.all(rows.map((row) => store.tasksEverOfRow(batchId, row)));
  return tasks.flat().map(({ id }) => id);
}

/** The evidence of one take in a few lines, with bodies cut to fit. */
function evidenceLines({ row, take, operation, status, taskCode, failure, attempts }: Evidence): readonly string[] {
  const head = `row ${visibleLine(row, 60)}, take ${take}: ${statusWord(status)} (${operation})`;
  const code = taskCode === undefined ? [] : [`    task code seen: ${visibleLine(taskCode, 200)}`];
  const why = failure === undefined ? [] : [`    ${visibleLine(failure.message, 400)}`];
  const submits = attempts.flatMap((attempt) => [
    `    sent ${attempt.startedAt} to ${attempt.origin}: ${visibleLine(attempt.body.text ?? attempt.body.base64, 200)}`,
    attempt.answer === undefined
      ? `    no answer${attempt.outcome === undefined ? ' yet' : ` (${attempt.outcome})`}`
      : `    HTTP ${attempt.answer.httpStatus}: ${visibleLine(attempt.answer.body.text ?? attempt.answer.body.base64, 300)}`,
  ]);
  return [head, ...why, ...code, ...submits];
}

function writeEvidence(file: string, document: object): void {
  try {
    writeFileSync(file, `${JSON.stringify(document, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw wrongUsage(
      `The evidence cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      'Name a new file in a writable folder; existing files are not replaced.',
    );
  }
}
