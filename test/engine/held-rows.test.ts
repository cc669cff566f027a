import { describe, expect, test } from 'vitest';
import type { TaskEvent } from '../../src/shared/domain/task/task-event.ts';
import { NightHarness, profileWith, row, rows } from '../support/night-harness.ts';
import { accepted, rendered, unknownOutcome } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const MINUTE = 60_000;
const oneAtATime = { profile: profileWith({ activePerFamily: { musicgen: 1, 'videogen-a': 1, 'videogen-b': 1 } }) };
const HOLD: TaskEvent = { kind: 'put-on-hold' };
const RELEASE: TaskEvent = { kind: 'released' };

function renderingNight(): NightHarness {
  const night = new NightHarness();
  night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
  night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
  return night;
}

/** Says something about the takes of a row. */
async function say(night: NightHarness, batchId: string, rowId: string, event: TaskEvent): Promise<number> {
  const tasks = await night.store.tasksOfRow(batchId, rowId);
  return night.scheduler.decide(tasks.map(({ id }) => ({ taskId: id, event })));
}

/** The rows for which something was sent, in order. */
function sent({ gateway }: NightHarness): readonly string[] {
  return gateway.submits.map(({ body }) => /about (\w+)/.exec(body)?.[1] ?? '');
}

describe('a held row', () => {
  test('is left out until it is released, also by a process that is started anew', async () => {
    const night = renderingNight();
    const id = await night.bringIn(rows(3));
    expect(await say(night, id, 'r2', HOLD)).toBe(1);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sent(night)).toEqual(['r1', 'r3']);
    expect(await night.state(id)).toBe('finished');
    night.open();
    await night.scheduler.start(id);
    await night.clock.advance(60 * MINUTE);
    expect(night.gateway.submits).toHaveLength(2);
    await say(night, id, 'r2', RELEASE);
    await night.scheduler.start(id, undefined, true);
    await night.untilRest(id);
    expect(sent(night)).toEqual(['r1', 'r3', 'r2']);
    expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  });

  test('loses nothing that is at the gateway: only its other takes wait', async () => {
    const night = renderingNight();
    const id = await night.bringIn([row('r1', 2, { takes: 3 }), row('r2', 3)], oneAtATime);
    let said = false;
    night.onTaskChanged = (task) => {
      if (task.status !== 'submitting' || said) return;
      said = true;
      void say(night, id, 'r1', HOLD);
    };
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sent(night)).toEqual(['r1', 'r2']);
    expect(await night.statuses(id)).toEqual(['done', 'queued', 'queued', 'done']);
  });

  test('waits after a request that was not sent, and after a retry', async () => {
    const night = renderingNight();
    const refused = { outcome: { kind: 'rejected', failure: { code: 'INPUT_INVALID', message: 'no' } } } as const;
    night.gateway.onSubmit = () => refused;
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    await say(night, id, 'r1', HOLD);
    await say(night, id, 'r1', { kind: 'user-retry' });
    await night.scheduler.start(id);
    await night.clock.advance(60 * MINUTE);
    expect(night.gateway.submits).toHaveLength(1);
    expect(await night.statuses(id)).toEqual(['queued']);
  });

  test('leaves the first request of its kind to another row', async () => {
    const night = renderingNight();
    const id = await night.bringIn(rows(3), { canary: 'first' });
    await say(night, id, 'r1', HOLD);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(sent(night)).toEqual(['r2', 'r3']);
  });

  test('does not use up a limit, and a paused batch stays paused after its release', async () => {
    const night = renderingNight();
    const id = await night.bringIn(rows(3), { maxSubmits: 2 });
    await say(night, id, 'r1', HOLD);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(await night.state(id)).toBe('finished');
    await night.scheduler.start(id);
    await night.scheduler.pauseByUser(id);
    await say(night, id, 'r1', RELEASE);
    await night.scheduler.start(id, undefined, true);
    await night.clock.advance(MINUTE);
    expect(await night.state(id)).toBe('paused');
    expect(sent(night)).toEqual(['r2', 'r3']);
  });

  test('settles an unknown outcome, and is not sent again before its release', async () => {
    const night = renderingNight();
    night.gateway.onSubmit = (_, nth) => (nth === 1 ? unknownOutcome() : accepted(`code-${nth}`));
    const id = await night.bringIn(rows(1));
    await night.scheduler.start(id);
    await night.untilRest(id);
    await say(night, id, 'r1', HOLD);
    await say(night, id, 'r1', { kind: 'user-resubmit' });
    await night.scheduler.start(id);
    await night.clock.advance(MINUTE);
    expect(night.gateway.submits).toHaveLength(1);
    await say(night, id, 'r1', RELEASE);
    await night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.gateway.submits).toHaveLength(2);
  });
});

test('a row that is to run next goes before the others, released if it was held', async () => {
  const night = renderingNight();
  const id = await night.bringIn(rows(4), oneAtATime);
  await say(night, id, 'r3', HOLD);
  await say(night, id, 'r3', { kind: 'put-first', priority: 1 });
  await say(night, id, 'r4', { kind: 'put-first', priority: 2 });
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(sent(night)).toEqual(['r4', 'r3', 'r1', 'r2']);
});

describe('what was said about the turn of a row', () => {
  const HEADERS = ['row', 'operation', 'prompt', 'takes', 'priority', 'skip'];
  const LINES = ['a', 'b', 'c'].map((id) => [id, 'music', `about ${id}`, '', '', '']);
  type Cells = readonly (readonly [header: string, text: string])[];

  async function held(event: TaskEvent) {
    const rig = new SheetRig(renderingNight());
    const { night, editor } = rig;
    const id = await rig.bringIn(HEADERS, LINES, { settings: oneAtATime });
    const [key = 0] = await rig.keys(id, 1);
    await say(night, id, 'b', event);
    const edit = async (...cells: Cells): Promise<void> => {
      const [headers, values] = [cells.map(([header]) => header), cells.map(([, text]) => text)];
      await rig.edit(id, { kind: 'set-cells', rows: [key], added: 0, headers, values: [values] });
    };
    const isHeld = async () => {
      const { rows: shown } = await night.opened.views.rowPage(id, { offset: 0, limit: 9 });
      return shown.find((one) => one.key === key)?.isHeld === true;
    };
    const run = async (): Promise<readonly string[]> => {
      await editor.release(id, undefined);
      await night.scheduler.start(id);
      await night.untilRest(id);
      return sent(night);
    };
    return { rig, night, editor, id, key, edit, isHeld, run };
  }

  test.each<[string, readonly Cells[]]>([
    [
      'new words and more takes',
      [
        [
          ['prompt', 'about new'],
          ['takes', '3'],
        ],
      ],
    ],
    ['being skipped, and then not', [[['skip', 'yes']], [['skip', '']]]],
    ['an unknown operation, and its correction', [[['operation', 'nosuch']], [['operation', 'music']]]],
    ['another id', [[['row', 'bb']], [['prompt', '']], [['prompt', 'about new']]]],
  ])('outlives %s', async (_, edits) => {
    const { night, id, run, edit, isHeld } = await held(HOLD);
    expect(await run()).toEqual(['a', 'c']);
    for (const cells of edits) await edit(...cells);
    expect(await isHeld()).toBe(true);
    expect(await run()).toEqual(['a', 'c']);
    expect(await isHeld()).toBe(true);
    await night.store.setTurn(id, { keys: undefined }, RELEASE);
    for (const rowId of ['b', 'bb']) await say(night, id, rowId, RELEASE);
    expect((await run()).length).toBeGreaterThan(2);
    expect(await isHeld()).toBe(false);
  });

  test('comes back with takes that an undo revives, as it is by then', async () => {
    const { night, editor, id, edit, run, isHeld } = await held(HOLD);
    night.gateway.onSubmit = () => ({
      outcome: { kind: 'rejected', failure: { code: 'INPUT_INVALID', message: 'no' } },
    });
    await say(night, id, 'b', RELEASE);
    await run();
    await edit(['prompt', 'about other']);
    await night.store.setTurn(id, { ids: ['b'] }, HOLD);
    await editor.undo(id);
    expect(await isHeld()).toBe(true);
    await say(night, id, 'b', { kind: 'user-retry' });
    expect((await run()).length).toBe(3);
    await edit(['prompt', 'about other']);
    await night.store.setTurn(id, { ids: ['b'] }, RELEASE);
    await editor.undo(id);
    expect(await isHeld()).toBe(false);
  });

  test('goes for a removed row that is undone, and can be taken back while the row has no takes', async () => {
    const { rig, night, editor, id, key, edit, run, isHeld } = await held(HOLD);
    await rig.edit(id, { kind: 'remove-rows', rows: [key] });
    await editor.undo(id);
    expect(await isHeld()).toBe(true);
    expect(await run()).toEqual(['a', 'c']);
    await edit(['prompt', '']);
    expect(await isHeld()).toBe(true);
    await night.store.setTurn(id, { keys: [key] }, RELEASE);
    expect(await isHeld()).toBe(false);
    await edit(['prompt', 'about new']);
    expect(await run()).toEqual(['a', 'c', 'new']);
  });

  test('that it runs next outlives a correction, until the row is given another priority', async () => {
    const { edit, run } = await held({ kind: 'put-first', priority: 9 });
    await edit(['operation', 'nosuch']);
    await edit(['operation', 'music']);
    expect(await run()).toEqual(['b', 'a', 'c']);
    const other = await held({ kind: 'put-first', priority: 9 });
    await other.edit(['operation', 'nosuch']);
    await other.edit(['operation', 'music'], ['priority', '-1']);
    expect(await other.run()).toEqual(['a', 'c', 'b']);
  });
});
