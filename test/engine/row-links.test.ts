import { describe, expect, test } from 'vitest';
import type { PollReport, SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { KEY_MARK } from '../../src/shared/domain/base/key-finder.ts';
import type { Reference, ReferencePath } from '../../src/shared/domain/cells/reference.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { NightHarness, profileWith, row, SECRET } from '../support/night-harness.ts';
import { accepted, answerWith, record, rendered, RUNNING, unknownOutcome } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;

function to(target: string, path: ReferencePath = { kind: 'task-code' }): Reference {
  return { row: target, path, text: `${target}.${path.kind}` };
}

/** A row whose prompt is made of these parts. */
function linked(id: string, line: number, parts: readonly (string | Reference)[], different: Partial<Row> = {}): Row {
  const links = [{ column: 'prompt', value: { kind: 'text' as const, text: parts } }];
  return row(id, line, { body: { prompt: `{{as written in ${id}}}` }, links, ...different });
}

/** Rows `first`, `second` … of which each refers to the one before. */
function chain(...ids: readonly string[]): Row[] {
  return ids.map((id, i) => (i === 0 ? row(id, 2) : linked(id, i + 2, [to(ids[i - 1] ?? '')])));
}

function rejected(words: string): SubmitReport {
  return { outcome: { kind: 'rejected', failure: failure('INPUT_INVALID', words) } };
}

/** Rendered, with this record as it was kept. */
function keptAs(result: string): PollReport {
  return { ...rendered('https://media.example/a.mp3'), raw: answerWith(result) };
}

/** Looks finished and has no media. */
const EMPTY: PollReport = {
  answer: { kind: 'record', record: record({ status: '2', endTime: '2026-01-15 22:01:00' }) },
};

function prompts(night: NightHarness): readonly string[] {
  return night.gateway.submits.map(({ body }) => (JSON.parse(body) as { readonly prompt: string }).prompt);
}

async function taskOf(night: NightHarness, id: string, rowId: string, take = 1): Promise<Task> {
  const task = (await night.store.tasksOfRow(id, rowId))[take - 1];
  if (task === undefined) throw new Error(`${rowId} has no take ${take}.`);
  return task;
}

async function retry(night: NightHarness, id: string, ...rowIds: readonly string[]): Promise<void> {
  const tasks = (await Promise.all(rowIds.map(async (rowId) => night.store.tasksOfRow(id, rowId)))).flat();
  await night.scheduler.decide(tasks.map((task) => ({ taskId: task.id, event: { kind: 'user-retry' } })));
  await night.scheduler.start(id);
}

describe('a row that refers to another', () => {
  test('is sent when that one is done, with what it gave, and the attempt keeps exactly these bytes', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => accepted(nth === 1 ? '1234567890123456789' : `code-${nth}`);
    const id = await night.bringIn([linked('b', 2, ['after ', to('a'), '!']), row('a', 3)]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
    expect(prompts(night)).toEqual(['a song about a', 'after 1234567890123456789!']);
    const [attempt] = await night.store.attempts((await taskOf(night, id, 'b')).id);
    expect(new TextDecoder().decode(attempt?.body)).toBe('{"prompt":"after 1234567890123456789!"}');
    expect(night.bugs).toEqual([]);
  });

  test('gets what the record says, with every digit, and the addresses of the outputs', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () =>
      keptAs('{"status":2,"clips":[{"clip_id":9007199254740993001}],"message":"{\\"k\\":7}"}');
    const result = (...path: readonly string[]) => to('a', { kind: 'result', path });
    const id = await night.bringIn([
      row('a', 2),
      linked('b', 3, [
        result('clips', '0', 'clip_id'),
        ' ',
        result('message', 'k'),
        ' ',
        to('a', { kind: 'output-url', index: 1 }),
      ]),
    ]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(prompts(night)[1]).toBe('9007199254740993001 7 https://media.example/a.mp3');
  });

  test('has its files named after what was sent, not after what the cell says', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code) => ({
      ...rendered(`https://media.example/${code}.mp3`),
      raw: answerWith('{"status":2,"title":"North Sea"}'),
    });
    const title = to('a', { kind: 'result', path: ['title'] });
    const named = { filename: '{row}-{slug}', cells: { Text: 'About {{a.result.title}}' } };
    const id = await night.bringIn([row('a', 2), linked('b', 3, ['About ', title], named)]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect([...night.folder.placed.keys()]).toContainEqual(expect.stringContaining('b-about-north-sea'));
  });

  test('waits for every row that it refers to', async () => {
    const night = new NightHarness();
    let isSecondDone = false;
    night.gateway.onPoll = (code) =>
      code === 'code-2' && !isSecondDone ? RUNNING : rendered(`https://m.example/${code}`);
    const id = await night.bringIn([row('a', 2), row('b', 3), linked('c', 4, [to('a'), '+', to('b')])]);
    await night.scheduler.start(id);
    await night.clock.advance(20 * MINUTE);
    expect((await taskOf(night, id, 'a')).status).toBe('done');
    expect(await taskOf(night, id, 'c')).toMatchObject({ status: 'queued', blockedBy: 'b' });
    expect(night.gateway.submits).toHaveLength(2);
    isSecondDone = true;
    await night.untilRest(id);
    expect(prompts(night)[2]).toBe('code-1+code-2');
  });

  test('keeps to caps and pauses like any other', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(chain('a', 'b'), { maxSubmits: 1 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { failure: { code: 'CAP_REACHED' } } });
    expect(await night.statuses(id)).toEqual(['done', 'queued']);
  });
});

describe('a row with several takes', () => {
  test('gives its first take that is done, once every earlier one has ended', async () => {
    const night = new NightHarness();
    let isFirstLost = false;
    night.gateway.onPoll = (code) => {
      if (code !== 'code-1') return rendered(`https://media.example/${code}.mp3`);
      if (!isFirstLost) return RUNNING;
      return { answer: { kind: 'record', record: record({ status: '3', message: 'out of tune' }) } };
    };
    const id = await night.bringIn([row('a', 2, { takes: 2 }), linked('b', 3, [to('a')])]);
    await night.scheduler.start(id);
    await night.clock.advance(20 * MINUTE);
    expect((await taskOf(night, id, 'a', 2)).status).toBe('done');
    expect(night.gateway.submits).toHaveLength(2);
    isFirstLost = true;
    await night.untilRest(id);
    expect(prompts(night)[2]).toBe('code-2');
  });

  test('is waited for again when an earlier take is set going before the other row was sent', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth === 1 ? rejected('no') : accepted(`code-${nth}`));
    const id = await night.bringIn([row('a', 2, { takes: 2 }), linked('b', 3, [to('a')])]);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await taskOf(night, id, 'a', 2)).status === 'rendering');
    await night.scheduler.pauseByUser(id);
    await night.clock.advanceUntil(async () => (await taskOf(night, id, 'b')).blockedBy === undefined);
    await retry(night, id, 'a');
    expect((await taskOf(night, id, 'b')).blockedBy).toBeUndefined();
    await night.untilRest(id);
    expect(prompts(night).slice(2)).toEqual(['a song about a', 'code-3']);
  });
});

describe('when the row that is referred to ends without a result', () => {
  test('what needs it fails and names it, down the chain, and nothing of it is sent', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => rejected('the prompt is empty');
    const id = await night.bringIn(chain('a', 'b', 'c'));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.state(id)).toBe('finished');
    expect(night.gateway.submits).toHaveLength(1);
    expect((await taskOf(night, id, 'b')).failure).toMatchObject({
      code: 'DEPENDENCY_FAILED',
      message: 'It refers to row “a”, which failed: the prompt is empty',
    });
    expect((await taskOf(night, id, 'c')).failure).toMatchObject({
      code: 'DEPENDENCY_FAILED',
      message: 'It refers to row “b”, which needs row “a”, which failed: the prompt is empty',
    });
  });

  test('a batch is at its end only when the last row of a long chain has followed', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => rejected('no');
    const id = await night.bringIn(chain(...Array.from({ length: 50 }, (_, i) => `r${i}`)));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(Array(50).fill('failed'));
    expect((await taskOf(night, id, 'r49')).failure?.message).toBe(
      'It refers to row “r48”, which needs row “r0”, which failed: no',
    );
  });

  test('a retry of it sets all of them going again, each sent once and resolved', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth === 1 ? rejected('no') : accepted(`code-${nth}`));
    const id = await night.bringIn(chain('a', 'b', 'c'));
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['failed', 'failed', 'failed']);
    await night.scheduler.decide([{ taskId: (await taskOf(night, id, 'a')).id, event: { kind: 'user-retry' } }]);
    expect(await night.statuses(id)).toEqual(['queued', 'queued', 'queued']);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
    expect(prompts(night)).toEqual(['a song about a', 'a song about a', 'code-2', 'code-3']);
  });

  test('a retry of all that failed, in whatever order, does the same', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth === 1 ? rejected('no') : accepted(`code-${nth}`));
    const id = await night.bringIn([linked('c', 2, [to('b')]), linked('b', 3, [to('a')]), row('a', 4)]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    await retry(night, id, 'c', 'b', 'a');
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
    expect(night.gateway.submits).toHaveLength(4);
  });

  test('a retry of what needs it alone sends nothing and says the reason again', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => rejected('no');
    const id = await night.bringIn(chain('a', 'b'));
    await night.scheduler.start(id);
    await night.untilRest(id);
    await retry(night, id, 'b');
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(1);
    expect(await taskOf(night, id, 'b')).toMatchObject({ status: 'failed', failure: { code: 'DEPENDENCY_FAILED' } });
  });

  test('a cancelled row cancels nothing else, but what needs it fails', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => RUNNING;
    const id = await night.bringIn(chain('a', 'b'));
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    await night.scheduler.decide([{ taskId: (await taskOf(night, id, 'a')).id, event: { kind: 'cancel-requested' } }]);
    await night.untilRest(id);
    expect(await taskOf(night, id, 'b')).toMatchObject({
      status: 'failed',
      failure: { message: 'It refers to row “a”, which was cancelled.' },
    });
  });

  test('so does a row that is left out, has an error, or is not there at all', async () => {
    const night = new NightHarness();
    const id = await night.bringIn([
      row('skipped', 2, { skip: true }),
      row('broken', 3, { operation: undefined }),
      linked('b', 4, [to('skipped')]),
      linked('c', 5, [to('broken')]),
      linked('d', 6, [to('nowhere')]),
      row('other', 7),
    ]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['failed', 'failed', 'failed', 'done']);
    expect(
      await Promise.all(['b', 'c', 'd'].map(async (rowId) => (await taskOf(night, id, rowId)).failure?.message)),
    ).toEqual([
      'It refers to row “skipped”, which is marked to be skipped.',
      'It refers to row “broken”, which has not run: it has an error or was never started.',
      'It refers to row “nowhere”, which is not in the sheet.',
    ]);
  });

  test('a late success of a failure that was only suspected sets what needs it going without a word', async () => {
    const night = new NightHarness();
    let isThere = false;
    night.gateway.onPoll = (code) => {
      if (code === 'code-2') return RUNNING;
      return code === 'code-1' && !isThere ? EMPTY : rendered(`https://media.example/${code}.mp3`);
    };
    const id = await night.bringIn([row('a', 2), row('long', 3), linked('b', 4, [to('a')]), linked('c', 5, [to('b')])]);
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await taskOf(night, id, 'c')).status === 'failed');
    expect((await taskOf(night, id, 'a')).failure).toMatchObject({ suspected: true });
    isThere = true;
    await night.clock.advanceUntil(async () => (await taskOf(night, id, 'c')).status === 'done');
    expect(prompts(night).slice(2)).toEqual(['code-1', 'code-3']);
  });
});

describe('while the row that is referred to waits for the user', () => {
  async function withUnknown(): Promise<{ night: NightHarness; id: string }> {
    const night = new NightHarness();
    night.gateway.onSubmit = (_, nth) => (nth === 1 ? unknownOutcome() : accepted(`code-${nth}`));
    const id = await night.bringIn(chain('a', 'b', 'c'));
    await night.scheduler.start(id);
    await night.untilRest(id);
    return { night, id };
  }

  test('the batch is at rest, and what needs it is neither sent nor failed', async () => {
    const { night, id } = await withUnknown();
    expect(await night.state(id)).toBe('finished');
    expect(await night.statuses(id)).toEqual(['submit-unknown', 'queued', 'queued']);
    const settled = night.scheduler.settled(id);
    await night.clock.advance(1);
    expect(await settled).toMatchObject({ state: 'finished' });
  });

  test('adopted, it lets them go on', async () => {
    const { night, id } = await withUnknown();
    await night.scheduler.decide([
      { taskId: (await taskOf(night, id, 'a')).id, event: { kind: 'adopted', taskCode: 'mine' } },
    ]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
    expect(prompts(night).slice(1)).toEqual(['mine', 'code-2']);
  });

  test('written off, it fails them at once; tried again, it takes them along', async () => {
    const { night, id } = await withUnknown();
    await night.scheduler.decide([{ taskId: (await taskOf(night, id, 'a')).id, event: { kind: 'written-off' } }]);
    expect(await night.statuses(id)).toEqual(['failed', 'failed', 'failed']);
    await retry(night, id, 'a');
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  });
});

describe('what cannot be put in', () => {
  test('a place that the result does not have fails the row, says what there is, and sends nothing', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => keptAs('{"status":2,"musicUrl":"https://media.example/a.mp3"}');
    const id = await night.bringIn([row('a', 2), linked('b', 3, [to('a', { kind: 'result', path: ['videoUrl'] })])]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(1);
    const { status, failure: why } = await taskOf(night, id, 'b');
    expect([status, why?.code]).toEqual(['failed', 'DEPENDENCY_FAILED']);
    expect(why?.message).toMatch(/“a”.*videoUrl.*musicUrl/);
  });

  test.each([
    ['the key', SECRET],
    ['what stands in the place of the key', KEY_MARK],
    ['NUL', 'a\0b'],
    ['half of a character', 'a\ud83d'],
  ])('an answer that holds %s is not sent on', async (_, echo) => {
    const night = new NightHarness();
    night.gateway.onPoll = () => keptAs(JSON.stringify({ status: 2, message: `here: ${echo}` }));
    const id = await night.bringIn([row('a', 2), linked('b', 3, [to('a', { kind: 'result', path: ['message'] })])]);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(1);
    const { status, failure: why } = await taskOf(night, id, 'b');
    expect([status, why?.code]).toEqual(['failed', 'DEPENDENCY_FAILED']);
    expect(why?.message).not.toContain(echo);
  });

  test('it leaves its slot to other rows at once', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = () => keptAs('{"status":2}');
    const id = await night.bringIn(
      [row('a', 2), linked('b', 3, [to('a', { kind: 'result', path: ['nothing'] })]), linked('c', 4, [to('a')])],
      { profile: profileWith({ activePerFamily: { musicgen: 1 } }) },
    );
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await taskOf(night, id, 'b')).status === 'failed');
    await night.clock.advance(100);
    expect(night.gateway.submits).toHaveLength(2);
    expect((await taskOf(night, id, 'c')).status).toBe('rendering');
  });
});

describe('while what another row gave is being read', () => {
  /** Something happens once, between the read of what row `a` gave and the commit of the intent made from it. */
  async function meanwhile(happens: (night: NightHarness, a: Task) => Promise<void>) {
    const night = new NightHarness();
    let isFirst = true;
    night.open((store) => ({
      ...store,
      pollAnswer: async (taskId) => {
        const answer = await store.pollAnswer(taskId);
        const task = await store.task(taskId);
        if (isFirst && task !== undefined) await happens(night, task);
        isFirst = false;
        return answer;
      },
    }));
    const id = await night.bringIn(chain('a', 'b'));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => !isFirst);
    await night.clock.advance(1000);
    expect(night.bugs).toEqual([]);
    return night;
  }

  test('a change of that row outdates it: what is sent is what it gives now', async () => {
    const night = await meanwhile(async ({ store, clock }, task) => {
      const next = { ...task, taskCode: 'code-of-its-retry', revision: task.revision + 1 };
      const event = { kind: 'accepted', taskCode: 'code-of-its-retry', dueAt: 0 } as const;
      await store.commit([{ expectedRevision: task.revision, next, event, at: clock.now() }]);
    });
    expect(prompts(night)).toEqual(['a song about a', 'code-of-its-retry']);
  });
});

test('a sheet that was edited is looked at anew: what was made to wait for a row that is done starts', async () => {
  const night = new NightHarness();
  const id = await night.bringIn([row('a', 2), row('long', 3), linked('b', 4, [to('a'), to('long')])]);
  night.gateway.onPoll = (code) => (code === 'code-2' ? RUNNING : rendered(`https://media.example/${code}.mp3`));
  await night.scheduler.start(id);
  await night.clock.advanceUntil(async () => (await taskOf(night, id, 'b')).blockedBy === 'long');
  // As an edit leaves it: the task waits for the first row that it refers to.
  const task = await taskOf(night, id, 'b');
  const next = { ...task, blockedBy: 'a', revision: task.revision + 1 };
  const at = night.clock.now();
  await night.store.commit([{ expectedRevision: task.revision, next, event: { kind: 'blocked', by: 'a' }, at }]);
  await night.scheduler.sheetChanged(id);
  await night.clock.advance(100);
  expect((await taskOf(night, id, 'b')).blockedBy).toBe('long');
});

describe('what another row gave long ago', () => {
  /** The first row is done, its address is good for an hour from when it is asked for, and two hours pass. */
  async function pausedBetween(path: ReferencePath): Promise<{ night: NightHarness; id: string }> {
    const night = new NightHarness();
    const id = await night.bringIn([row('a', 2), linked('b', 3, [to('a', path)]), linked('c', 4, [to('a', path)])]);
    night.gateway.onPoll = (code) => ({
      ...rendered(`https://media.example/${code}?at=${night.clock.now()}`),
      raw: answerWith(JSON.stringify({ asked: night.clock.now() })),
    });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await taskOf(night, id, 'a')).status === 'rendering');
    await night.scheduler.pauseByUser(id);
    await night.clock.advanceUntil(async () => (await taskOf(night, id, 'a')).status === 'done');
    await night.clock.advance(120 * MINUTE);
    night.gateway.polls.length = 0;
    return { night, id };
  }

  test('is asked for once more, so that no address is paid for that has expired', async () => {
    const { night, id } = await pausedBetween({ kind: 'output-url', index: 1 });
    const before = night.clock.now();
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 3);
    expect(night.gateway.polls).toEqual(['code-1']);
    const ages = prompts(night)
      .slice(1)
      .map((url) => Number(url.split('=')[1]) - before);
    expect(ages[0]).toBeGreaterThanOrEqual(0);
    expect(ages[1]).toBe(ages[0]);
  });

  test('so are places in its result', async () => {
    const { night, id } = await pausedBetween({ kind: 'result', path: ['asked'] });
    const before = night.clock.now();
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 3);
    expect(Number(prompts(night)[1])).toBeGreaterThanOrEqual(before);
  });

  test('is sent as it was where the gateway does not say it again', async () => {
    const { night, id } = await pausedBetween({ kind: 'output-url', index: 1 });
    const [known] = (await taskOf(night, id, 'a')).outputs;
    night.gateway.onPoll = () => ({ answer: { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', '502') } });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 3);
    expect(prompts(night)[1]).toBe(known?.url);
  });

  test('is not asked for where it is a task code, which never expires', async () => {
    const { night, id } = await pausedBetween({ kind: 'task-code' });
    await night.scheduler.start(id);
    await night.clock.advanceUntil(() => night.gateway.submits.length === 3);
    expect(night.gateway.polls).toEqual([]);
  });
});

describe('after the process ended', () => {
  test('between the end of a row and the start of what needs it, the next one takes that up', async () => {
    const night = new NightHarness();
    const id = await night.bringIn(chain('a', 'b'));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await taskOf(night, id, 'a')).status === 'done');
    expect((await taskOf(night, id, 'b')).blockedBy).toBe('a');
    night.open();
    await night.scheduler.attach(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['done', 'done']);
    expect(night.gateway.submits).toHaveLength(2);
  });

  test('between the failure of a row and that of what needs it, too', async () => {
    const night = new NightHarness();
    night.gateway.onSubmit = () => rejected('no');
    const id = await night.bringIn(chain('a', 'b', 'c'));
    await night.scheduler.start(id);
    await night.clock.advanceUntil(async () => (await taskOf(night, id, 'a')).status === 'failed');
    expect((await taskOf(night, id, 'b')).status).toBe('queued');
    night.open();
    await night.scheduler.attach(id);
    await night.untilRest(id);
    expect(await night.statuses(id)).toEqual(['failed', 'failed', 'failed']);
  });
});
