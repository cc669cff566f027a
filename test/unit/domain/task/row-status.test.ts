import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import { parseOutputId, outputIdOf, TASK_STATUSES, type TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { rowLabel, viewOfRow } from '../../../../src/shared/domain/task/row-view.ts';
import { ROW_VIEW_STATUSES, STRONGEST_FIRST, strongestStatus } from '../../../../src/shared/domain/task/row-status.ts';
import { makeTask } from '../../../support/make-task.ts';

describe('the status of a row', () => {
  test.each<[readonly TaskStatus[], TaskStatus | undefined]>([
    [[], undefined],
    [['queued'], 'queued'],
    [['done', 'done'], 'done'],
    [['done', 'failed'], 'failed'],
    [['failed', 'rendering', 'queued'], 'rendering'],
    [['downloading', 'submit-unknown'], 'submit-unknown'],
    [['cancelled', 'done'], 'cancelled'],
    [['done', 'queued'], 'queued'],
  ])('of %j is %s', (statuses, expected) => {
    expect(strongestStatus(statuses)).toBe(expected);
  });

  test('is one of its takes, whatever their order; done only when all are', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TASK_STATUSES), { minLength: 1 }), (statuses) => {
        const status = strongestStatus(statuses);
        expect(statuses).toContain(status);
        expect(strongestStatus(statuses.toReversed())).toBe(status);
        expect(status === 'done').toBe(statuses.every((one) => one === 'done'));
      }),
    );
  });

  test('is listed for every status of a task', () => {
    expect(ROW_VIEW_STATUSES.toSorted()).toEqual([...TASK_STATUSES, 'draft', 'invalid', 'skipped'].toSorted());
    expect(STRONGEST_FIRST.toSorted()).toEqual(TASK_STATUSES.toSorted());
  });
});

describe('the view of a row', () => {
  const row = { key: 1, id: 'r2', line: 2, operation: undefined, label: '', takes: 2, idle: 'invalid' } as const;

  test('has an end only when all of its takes have one', () => {
    const done = makeTask({ status: 'done', submittedAt: 3, finishedAt: 9 });
    expect(viewOfRow(row, [done, makeTask({ status: 'done', submittedAt: 2, finishedAt: 12 })])).toMatchObject({
      submittedAt: 2,
      finishedAt: 12,
    });
    const view = viewOfRow(row, [done, makeTask({ status: 'queued', dueAt: 70 })]);
    expect(view).not.toHaveProperty('finishedAt');
    expect(view.dueAt).toBe(70);
  });

  test('took as long as its takes did, not the night between them', () => {
    const take = (submittedAt: number, finishedAt: number) => makeTask({ status: 'done', submittedAt, finishedAt });
    const hour = 3_600_000;
    const takes = [take(9 * hour, 9 * hour + 4), take(0, 10), take(2, 5), take(5, 12)];
    expect(viewOfRow(row, takes)).toMatchObject({ submittedAt: 0, finishedAt: 9 * hour + 4, tookMs: 16 });
    expect(viewOfRow(row, [...takes, makeTask({ status: 'queued' })])).not.toHaveProperty('tookMs');
  });

  test('says when a file is asked for again that did not come, and nothing of the sort while the disk is full', () => {
    const page = failure('OUTPUT_UNVERIFIABLE', 'a web page');
    const first = makeTask({ status: 'downloading', dueAt: 5 });
    const second = makeTask({ id: 2, take: 2, status: 'downloading', dueAt: 70, failure: page });
    expect(viewOfRow(row, [first, second])).toMatchObject({ status: 'downloading', failure: page, retryAt: 70 });
    expect(viewOfRow(row, [first])).not.toHaveProperty('retryAt');
    const full = { ...second, failure: failure('DISK_FULL', 'no room') };
    expect(viewOfRow(row, [full])).not.toHaveProperty('retryAt');
  });

  test('warns where two files of one request are the same, and not where they only are of two takes', () => {
    const output = { index: 1, state: 'verified', generation: 1, tries: 0, sha256: 'aa' } as const;
    const twice = makeTask({ status: 'done', outputs: [output, { ...output, index: 2 }] });
    expect(viewOfRow(row, [twice]).problem).toMatchObject({ code: 'same-content', severity: 'warning', row: 'r2' });
    const two = makeTask({ status: 'done', outputs: [output, { ...output, index: 2, sha256: 'bb' }] });
    expect(viewOfRow(row, [two, makeTask({ id: 2, take: 2, outputs: [output] })])).not.toHaveProperty('problem');
  });

  test('warns where the gateway gave as many files as are fetched, and perhaps more', () => {
    const outputs = Array.from({ length: 100 }, (_, at) => {
      return { index: at + 1, state: 'verified', generation: 1, tries: 0, sha256: `${at}` } as const;
    });
    const { problem } = viewOfRow(row, [makeTask({ status: 'done', outputs })]);
    expect(problem).toMatchObject({ code: 'most-outputs', severity: 'warning', row: 'r2' });
    const fewer = makeTask({ status: 'done', outputs: outputs.slice(1) });
    expect(viewOfRow(row, [fewer])).not.toHaveProperty('problem');
  });

  test('without tasks is what it is without them', () => {
    expect(viewOfRow({ ...row, idle: 'skipped' }, []).status).toBe('skipped');
    expect(viewOfRow(row, []).status).toBe('invalid');
  });

  test('is a draft once all of its takes have ended', () => {
    const draft = { ...row, idle: 'draft' } as const;
    const done = makeTask({ status: 'done' });
    expect(viewOfRow(draft, [done]).status).toBe('draft');
    expect(viewOfRow(draft, [done, makeTask({ status: 'queued' })]).status).toBe('queued');
  });
});

describe('the label of a row', () => {
  const operation = 'musicgen/music/generate';

  test.each([
    [{ title: 'Night', prompt: 'rain' }, 'Night'],
    [{ title: '  ', prompt: 'rain\n\n on\tglass ' }, 'rain on glass'],
    [{ tags: ['slow', 'piano'] }, 'slow, piano'],
    [{ clip_id: 'c-1' }, 'c-1'],
    [{ range: { start_s: 1 } }, 'my note'],
    [{ title: '{{words.result.title}}', prompt: 'to {{words.result.text}}' }, 'to {{words.result.text}}'],
    [{ clip_id: ' {{song.taskId}} ' }, 'my note'],
  ])('of %j is %j', (body, label) => {
    expect(rowLabel({ operation, body, note: 'my note' })).toBe(label);
  });

  test('is short, with every character whole', () => {
    const label = rowLabel({ operation, body: { prompt: '🎧'.repeat(50_000) }, note: undefined });
    expect(label).toBe('🎧'.repeat(200));
  });

  test('of a row without an operation is its note', () => {
    expect(rowLabel({ operation: undefined, body: {}, note: 'n' })).toBe('n');
    expect(rowLabel({ operation: undefined, body: {}, note: undefined })).toBe('');
  });
});

test('the id of an output names it again', () => {
  expect(parseOutputId(outputIdOf(12, 3))).toEqual({ taskId: 12, index: 3 });
});
