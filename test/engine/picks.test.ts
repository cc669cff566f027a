import { describe, expect, test } from 'vitest';
import type { VerdictChange } from '../../src/shared/domain/review/verdict.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { rowDetailOf } from '../support/row-detail-of.ts';
import { NightHarness, profileWith, row } from '../support/night-harness.ts';
import { answerWith, rendered } from '../support/scripted-gateway.ts';

const MINUTE = 60_000;

/** A row whose prompt is the address of a file of `cover`, as its first output and as its record names it. */
function film(line: number): Row {
  const address = { row: 'cover', path: { kind: 'output-url', index: 1 }, text: 'cover.output.1.url' } as const;
  const named = { row: 'cover', path: { kind: 'result', path: ['url'] }, text: 'cover.result.url' } as const;
  const links = [{ column: 'prompt', value: { kind: 'text' as const, text: [address, ' ', named] } }];
  return row('film', line, { body: { prompt: '{{as written}}' }, links });
}

function prompts(night: NightHarness): readonly string[] {
  return night.gateway.submits.map(({ body }) => (JSON.parse(body) as { readonly prompt: string }).prompt);
}

async function takeOf(night: NightHarness, id: string, rowId: string, take = 1): Promise<Task> {
  const task = (await night.store.tasksOfRow(id, rowId))[take - 1];
  if (task === undefined) throw new Error(`${rowId} has no take ${take}.`);
  return task;
}

async function review(
  night: NightHarness,
  id: string,
  { take, index = 1 }: { readonly take: number; readonly index?: number },
  change: VerdictChange,
): Promise<number> {
  const { id: taskId } = await takeOf(night, id, 'cover', take);
  return night.scheduler.decide([{ taskId, event: { kind: 'reviewed', index, change } }]);
}

/** A row with two takes of two files each, and some that are made of its pick; the addresses change with each record. */
async function nightWithPick(
  films = [film(3)],
  requestsPerSecond = 50,
): Promise<{ readonly night: NightHarness; readonly id: string }> {
  const night = new NightHarness();
  let records = 0;
  night.gateway.onPoll = (code) => {
    records += 1;
    const url = (name: string): string => `https://media.example/${code}-${name}.mp3?signed=${records}`;
    return { ...rendered(url('a'), url('b')), raw: answerWith(JSON.stringify({ status: 2, url: url('a') })) };
  };
  const id = await night.bringIn([row('cover', 2, { takes: 2, pick: true }), ...films], {
    profile: profileWith({ requestsPerSecond }),
  });
  await night.scheduler.start(id);
  await night.untilRest(id);
  return { night, id };
}

describe('a row whose files are picked by the user', () => {
  test('keeps the rows that refer to it waiting, and nothing is paid for them', async () => {
    const { night, id } = await nightWithPick();
    expect(night.gateway.submits).toHaveLength(2);
    expect(await takeOf(night, id, 'film')).toMatchObject({ status: 'queued', blockedBy: 'cover', awaitsPick: true });
    await review(night, id, { take: 1 }, { kept: true, rating: 5 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(2);
  });

  test('gives the picked file, wherever its record names the first', async () => {
    const { night, id } = await nightWithPick();
    await review(night, id, { take: 2, index: 2 }, { pickedAt: 5 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await takeOf(night, id, 'film')).not.toHaveProperty('awaitsPick');
    const [url = '', named] = (prompts(night)[2] ?? '').split(' ');
    expect(url).toMatch(/code-2-b\.mp3/u);
    expect(named).toBe(url);
    expect(night.bugs).toEqual([]);
  });

  test('gives a fresh address of it if that of the night has expired', async () => {
    const { night, id } = await nightWithPick();
    const known = (await takeOf(night, id, 'cover', 1)).outputs[1]?.url;
    await night.clock.advance(60 * MINUTE);
    await review(night, id, { take: 1, index: 2 }, { pickedAt: 5 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    const [url = ''] = (prompts(night)[2] ?? '').split(' ');
    expect(url).toMatch(/code-1-b\.mp3/u);
    expect(url).not.toBe(known);
  });

  test.each([0.5, 1, 2, 3])('is asked for it also where a gateway allows only %d requests a second', async (pace) => {
    const { night, id } = await nightWithPick(
      [film(3), film(4)].map((one, i) => ({ ...one, id: `film-${i}` })),
      pace,
    );
    await night.clock.advance(60 * MINUTE);
    await review(night, id, { take: 1, index: 2 }, { pickedAt: 5 });
    await night.scheduler.start(id);
    await night.clock.advance(10 * MINUTE);
    expect(prompts(night).slice(2)).toEqual([
      expect.stringContaining('code-1-b.mp3'),
      expect.stringContaining('code-1-b.mp3'),
    ]);
  });

  test('ten films of ten covers with four takes: none is paid before its pick, each is of the picked file, at an address that is good', async () => {
    const night = new NightHarness();
    const goodFor = 30 * MINUTE;
    night.gateway.onPoll = (code) => {
      const until = night.clock.now() + goodFor;
      const urls = ['a', 'b'].map((name) => `https://media.example/${code}-${name}.mp3?until=${until}`);
      return { ...rendered(...urls), raw: answerWith(JSON.stringify({ status: 2 })) };
    };
    const names = Array.from({ length: 10 }, (_, i) => `cover-${i}`);
    const rows = names.flatMap((name, i): readonly Row[] => {
      const address = { row: name, path: { kind: 'output-url', index: 1 }, text: `${name}.output.1.url` } as const;
      const links = [{ column: 'prompt', value: { kind: 'text' as const, text: [address] } }];
      const made = row(`film-${i}`, 2 * i + 3, { body: { prompt: '{{as written}}' }, links });
      return [row(name, 2 * i + 2, { takes: 4, pick: true }), made];
    });
    const id = await night.bringIn(rows);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(40);
    for (const [i, name] of names.entries()) {
      // The last addresses have expired for hours by then.
      await night.clock.advance(20 * MINUTE);
      expect(prompts(night)).toHaveLength(40 + i);
      const { id: taskId, taskCode = '' } = await takeOf(night, id, name, (i % 4) + 1);
      const index = (i % 2) + 1;
      await night.scheduler.decide([{ taskId, event: { kind: 'reviewed', index, change: { pickedAt: i + 1 } } }]);
      await night.scheduler.start(id);
      await night.untilRest(id);
      const [, code, file, until] = /\/(code-\d+)-([ab])\.mp3\?until=(\d+)$/u.exec(prompts(night)[40 + i] ?? '') ?? [];
      expect([code, file]).toEqual([taskCode, index === 1 ? 'a' : 'b']);
      const submittedAt = (await takeOf(night, id, `film-${i}`)).submittedAt ?? Infinity;
      expect(Number(until)).toBeGreaterThan(submittedAt);
    }
    expect(await night.state(id)).toBe('finished');
    expect(night.bugs).toEqual([]);
  });

  test('leaves what is named by another number what it is', async () => {
    const second = { row: 'cover', path: { kind: 'output-url', index: 2 }, text: 'cover.output.2.url' } as const;
    const links = [{ column: 'prompt', value: { kind: 'text' as const, text: [second] } }];
    const { night, id } = await nightWithPick([row('film', 3, { body: { prompt: '{{as written}}' }, links })]);
    await review(night, id, { take: 2, index: 2 }, { pickedAt: 5 });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(prompts(night)[2]).toContain('code-2-b.mp3');
  });

  test('gives what was picked last; a pick that is taken back leaves the one before', async () => {
    const { night, id } = await nightWithPick();
    await night.scheduler.pauseByUser(id);
    await review(night, id, { take: 1 }, { pickedAt: 5 });
    await review(night, id, { take: 2 }, { pickedAt: 7 });
    await review(night, id, { take: 2 }, { pickedAt: null });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(prompts(night)[2]).toMatch(/code-1-a\.mp3/u);
  });

  test('is every row that others refer to, where the batch says so; and no longer once it does not', async () => {
    const night = new NightHarness();
    night.gateway.onPoll = (code) => ({
      ...rendered(`https://media.example/${code}.mp3`),
      raw: answerWith(JSON.stringify({ status: 2, url: code })),
    });
    const id = await night.bringIn([row('cover', 2), film(3)], { picks: true });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(1);
    expect(await takeOf(night, id, 'film')).toMatchObject({ status: 'queued', awaitsPick: true });
    const wanted = (rowId: string) => rowDetailOf(night.opened.views, id, rowId);
    expect([(await wanted('cover'))?.isPickWanted, (await wanted('film'))?.isPickWanted]).toEqual([true, undefined]);
    await night.scheduler.configure(id, ({ settings }) => {
      const { picks: _, ...others } = settings;
      return others;
    });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(2);
  });

  test('keeps them waiting again once its only pick is taken back before they were sent', async () => {
    const { night, id } = await nightWithPick();
    await review(night, id, { take: 1 }, { pickedAt: 5 });
    await review(night, id, { take: 1 }, { kept: false, pickedAt: null });
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(2);
    expect(await takeOf(night, id, 'film')).toMatchObject({ status: 'queued', awaitsPick: true });
  });
});

test('what the user says of a file changes neither its task nor another file, and outlives a restart of the night', async () => {
  const { night, id } = await nightWithPick();
  const before = await takeOf(night, id, 'cover', 1);
  expect(await review(night, id, { take: 1, index: 2 }, { kept: false, note: 'out of tune' })).toBe(1);
  expect(await review(night, id, { take: 1, index: 2 }, { rating: 2 })).toBe(1);
  const after = await takeOf(night, id, 'cover', 1);
  expect(after).toMatchObject({ status: 'done', finishedAt: before.finishedAt, revision: before.revision + 2 });
  expect(after.outputs.map(({ verdict }) => verdict)).toEqual([
    undefined,
    { kept: false, rating: 2, note: 'out of tune' },
  ]);
  expect(await review(night, id, { take: 1, index: 3 }, { kept: true })).toBe(0);
  await review(night, id, { take: 1, index: 2 }, { kept: null, rating: null, note: null });
  expect((await takeOf(night, id, 'cover', 1)).outputs).toEqual(before.outputs);
});
