import { expect, test } from 'vitest';
import { batchTeller, retryTeller } from '../../../src/cli/row-teller.ts';
import { failure } from '../../../src/shared/domain/base/failure.ts';
import type { BatchRecord } from '../../../src/shared/domain/task/batch.ts';
import type { Task } from '../../../src/shared/domain/task/task.ts';
import { makeTask } from '../../support/make-task.ts';

const BATCH = { id: 'b', state: 'running' } as BatchRecord;
const AT = new Date(2026, 10, 22, 3, 12).getTime();

function waiting(id: number, tries: number, dueAt: number): Task {
  const why = failure('OUTPUT_UNVERIFIABLE', 'The file is a web page.');
  const output = { index: 1, url: 'https://x/a', state: 'pending', generation: 1, tries, dueAt, failure: why } as const;
  return makeTask({ id, rowId: `r${id}`, status: 'downloading', dueAt, failure: why, outputs: [output] });
}

test('a row whose file is asked for again later is told of once, by its time and its reason', () => {
  const lines: string[] = [];
  const events: unknown[] = [];
  const tell = retryTeller({ line: (text) => lines.push(`${text}`), event: (_, data) => events.push(data) });
  tell(waiting(1, 1, AT));
  tell(makeTask({ status: 'done' }));
  expect(lines).toEqual([]);
  tell(waiting(1, 4, AT));
  tell(waiting(1, 4, AT));
  tell(waiting(1, 5, AT + 60_000));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('row r1: trying again at 03:12: The file is a web page.');
  expect(lines[0]).toContain('keeps trying to download');
  expect(events).toHaveLength(2);
  for (let id = 2; id < 100; id += 1) tell(waiting(id, 4, AT));
  expect(lines).toHaveLength(20);
});

test('a gateway that answers for one row with errors and for the others well is told of now and then, not each time', () => {
  const problems: string[] = [];
  let now = AT;
  const tell = batchTeller(
    { line: () => undefined, event: () => undefined, problem: (text) => problems.push(text) },
    () => now,
  );
  const error = (text: string) => failure('GATEWAY_UNAVAILABLE', text, { httpStatus: 500 });
  const comesAndGoes = (minutes: number): void => {
    for (let minute = 0; minute < minutes; minute += 1) {
      tell(BATCH, error(`HTTP 500, request ${minute}`));
      tell(BATCH, undefined);
      now += 60_000;
    }
  };
  comesAndGoes(29);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain('The gateway answers with an error: HTTP 500, request 0');
  // Another kind of trouble is news.
  tell(BATCH, failure('GATEWAY_UNAVAILABLE', 'connection refused'));
  expect(problems).toHaveLength(2);
  tell(BATCH, undefined);
  comesAndGoes(31);
  expect(problems).toHaveLength(3);
});
