/** Edits whose store answers late: whatever happens between two answers, the result is one that could be had in turn. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SheetEdit } from '../../src/shared/ipc/editing.ts';
import { answeringLater } from '../support/answering-later.ts';
import { NightHarness, profileWith } from '../support/night-harness.ts';
import { accepted, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const HEADERS = ['row', 'operation', 'prompt', 'takes', 'note'];
const LINES = [
  ['a', 'lyrics', 'owl', '', ''],
  ['b', 'music', '{{a.taskId}}', '', ''],
  ['c', 'music', 'owl', '2', ''],
  ['', 'music', 'owl', '', 'last'],
];
/** A night that is still long when the last edit comes. */
const LONG = [...LINES, ...Array.from({ length: 16 }, (_, i) => ['', 'music', `song ${i}`, '', ''])];

/** How many turns pass before each answer. */
const turns = fc.array(fc.nat(40), { minLength: 1, maxLength: 60 });

/** One after the other, again and again. */
function endless(numbers: readonly number[]): () => number {
  let at = 0;
  return () => numbers[(at += 1) % numbers.length] ?? 0;
}

function lateRig(numbers: readonly number[], before?: (method: string) => Promise<unknown>): SheetRig {
  const late = endless(numbers);
  return new SheetRig(new NightHarness(), (part) => answeringLater(part, late, before));
}

type Act = { readonly edit: (keys: readonly number[]) => SheetEdit } | 'undo' | 'redo';

const place = fc.nat(LINES.length - 1);
const cells = fc.oneof(
  fc.tuple(fc.constant('prompt'), fc.constantFrom('owl', 'fox', '{{a.taskId}}', '{{c.taskId}}', '')),
  fc.tuple(fc.constant('takes'), fc.constantFrom('', '2', '3')),
  fc.tuple(fc.constant('row'), fc.constantFrom('a', 'c', 'new', '')),
  fc.tuple(fc.constant('note'), fc.constantFrom('', 'x')),
);
const edits = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({ at: place, cell: cells })
      .map(({ at, cell: [header, text] }) => (keys: readonly number[]): SheetEdit => {
        return { kind: 'set-cells', rows: [keys[at] ?? 0], added: 0, headers: [header], values: [[text]] };
      }),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ at: place, kind: fc.constantFrom('remove-rows' as const, 'duplicate-rows' as const) })
      .map(({ at, kind }) => (keys: readonly number[]): SheetEdit => ({ kind, rows: [keys[at] ?? 0] })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ at: place, to: place }).map(({ at, to }) => (keys: readonly number[]): SheetEdit => {
      return { kind: 'move-rows', rows: [keys[at] ?? 0], to: keys[to] ?? 0, where: 'above' };
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constant((): SheetEdit => {
      return { kind: 'set-cells', rows: [], added: 2, headers: HEADERS, values: [['', 'music', 'owl', '', 'new']] };
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<SheetEdit>(
        { kind: 'set-variables', variables: { mood: 'calm' } },
        { kind: 'add-column', header: 'title' },
        { kind: 'remove-column', header: 'takes' },
      )
      .map((edit) => () => edit),
  },
);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: edits.map((edit) => ({ edit })) },
  { weight: 1, arbitrary: fc.constantFrom<Act>('undo', 'redo') },
);

/** Writes into a row and the two below it. */
function prompts({ at, text }: { readonly at: number; readonly text: string }): Act {
  const edit = (keys: readonly number[]): SheetEdit => {
    const rows = keys.slice(at, at + 3);
    return { kind: 'set-cells', rows, added: 0, headers: ['prompt'], values: [[text]] };
  };
  return { edit };
}

function carryOut(rig: SheetRig, batchId: string, keys: readonly number[], one: Act): Promise<unknown> {
  if (one === 'undo') return rig.editor.undo(batchId);
  if (one === 'redo') return rig.editor.redo(batchId);
  return rig.editor.edit(batchId, one.edit(keys));
}

test('edits that are asked for all at once end as those that are asked for one after the other, and are seen whole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 10 }), turns, async (acts, numbers) => {
      const [inTurn, late] = [new SheetRig(), lateRig(numbers)];
      const batchId = await inTurn.bringIn(HEADERS, LINES);
      const keys = await inTurn.keys(batchId, 0, LINES.length);
      const look = (rig: SheetRig, id: string) => rig.editor.copy(id, keys, ['row', 'prompt', 'note']);
      const states = [await look(inTurn, batchId)];
      const expected: unknown[] = [];
      for (const one of acts) {
        expected.push(await carryOut(inTurn, batchId, keys, one));
        states.push(await look(inTurn, batchId));
      }

      const lateId = await late.bringIn(HEADERS, LINES);
      const asked = acts.map((one) => carryOut(late, lateId, keys, one));
      for (let looks = 0; looks < acts.length; looks += 1) expect(states).toContainEqual(await look(late, lateId));
      expect(await Promise.all(asked)).toEqual(expected);
      const without = async (rig: SheetRig, id: string) =>
        (await rig.rows(id)).map(({ tasks, ...row }) => ({
          ...row,
          tasks: tasks.map((task) => ({ ...task, batchId })),
        }));
      expect(await without(late, lateId)).toEqual(await without(inTurn, batchId));
      expect(await late.sheets.problems(lateId, 100)).toEqual(await inTurn.sheets.problems(batchId, 100));
      expect(await late.night.opened.whole.checkIntegrity()).toEqual([]);
    }),
    { numRuns: Number(process.env['RUNS'] ?? 15) },
  );
}, 120_000);

test('what a night commits between two answers is never written over, and nothing is sent that nobody asked for', async () => {
  const asks = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ at: fc.nat(LONG.length - 1), text: fc.constantFrom('owl', 'fox', 'elk') }).map(prompts),
    },
    { weight: 3, arbitrary: act },
  );
  const acts = fc.array(asks, { minLength: 3, maxLength: 14 });
  const passing = fc.array(fc.constantFrom(0, 0, 300, 1_000, 5_000), { minLength: 5, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(acts, turns, passing, async (all, numbers, times) => {
      const time = endless(times);
      const rig: SheetRig = lateRig(numbers, () => rig.night.clock.advance(time()));
      const { night } = rig;
      night.gateway.onSubmit = (_, nth) => accepted(`code-${nth}`);
      const batchId = await rig.bringIn(HEADERS, LONG, {
        settings: { profile: profileWith({ activePerFamily: { musicgen: 1 } }) },
      });
      const keys = await rig.keys(batchId, 0, LONG.length);
      await night.scheduler.start(batchId);
      const agreed = (await night.tasks(batchId)).length;
      await Promise.all(all.map((one) => carryOut(rig, batchId, keys, one)));
      await night.untilRest(batchId);
      expect(night.gateway.submits.length).toBeLessThanOrEqual(agreed);
      await rig.editor.release(batchId);
      await night.scheduler.start(batchId);
      await night.untilRest(batchId);

      expect(await night.store.submitsUsed(batchId)).toBe(night.gateway.submits.length);
      for (const { row, tasks } of await rig.rows(batchId)) {
        expect(new Set(tasks.map(({ take }) => take)).size).toBe(tasks.length);
        for (const { status, taskCode } of tasks) {
          // What a row shows as done was rendered of what it says.
          if (status !== 'done' || taskCode === undefined || row.links !== undefined) continue;
          const sent = night.gateway.submits[Number(taskCode.slice('code-'.length)) - 1];
          expect(JSON.parse(sent?.body ?? '')).toEqual(row.body);
        }
      }
      expect(await night.opened.whole.checkIntegrity()).toEqual([]);
      expect(night.bugs).toEqual([]);
    }),
    { numRuns: Number(process.env['RUNS'] ?? 8) },
  );
}, 120_000);

test('a row that is added while its batch starts waits for the user’s word', async () => {
  let start = async (): Promise<unknown> => undefined;
  const rig = lateRig([1], async (method) => {
    if (method === 'change') await start();
  });
  const batchId = await rig.bringIn(HEADERS, LINES.slice(0, 1));
  start = async () => rig.night.scheduler.start(batchId);
  const values = [['', 'music', 'a fox', '', '']];
  await rig.edit(batchId, { kind: 'set-cells', rows: [], added: 1, headers: HEADERS, values });
  const [, added] = await rig.rows(batchId);
  expect(added).toMatchObject({ isDraft: true, tasks: [] });
  await rig.night.untilRest(batchId);
  expect(rig.night.gateway.submits).toHaveLength(1);
});

test.each([
  ['prompt', 'a fox', 'owl'],
  ['row', 'other', 'a'],
  ['filename', 'song', ''],
])('a row that is sent while its %s is on the way stays as it was sent, and is named', async (header, text, was) => {
  let send: (() => Promise<unknown>) | undefined;
  const rig = lateRig([1], async (method) => {
    if (method === 'change') await send?.();
  });
  const batchId = await rig.bringIn(['row', 'operation', 'prompt', 'filename'], [['a', 'music', 'owl', '']]);
  const [{ tasks } = { tasks: [] }] = await rig.rows(batchId);
  send = async () => {
    send = undefined;
    const taskId = tasks[0]?.id ?? 0;
    await rig.night.scheduler.attach(batchId);
    await rig.night.scheduler.decide([{ taskId, event: { kind: 'submit-started' } }]);
  };
  const edited = await rig.set(batchId, 0, header, text);
  expect(edited).toMatchObject({ changedRows: 0, refusedRows: 1, refused: [{ row: 'a' }] });
  expect(await rig.texts(batchId, header)).toEqual([[was]]);
});

test('a large edit of one piece comes through in the middle of a fast night, which goes on afterwards', async () => {
  const ROWS = 450;
  let isFast = false;
  // Between any two answers of the store, some rows are sent.
  const rig: SheetRig = lateRig([1], async () => (isFast ? rig.night.clock.advance(40) : undefined));
  const { night } = rig;
  night.gateway.onPoll = () => RUNNING;
  const lines = Array.from({ length: ROWS }, (_, i) => [`s${i}`, 'music', `song ${i}`, '', '']);
  const batchId = await rig.bringIn(HEADERS, lines, {
    settings: { profile: profileWith({ activePerFamily: { musicgen: ROWS } }) },
  });
  await night.scheduler.start(batchId);
  await night.clock.advance(200);
  const values = Array.from({ length: ROWS }, (_, i) => [`t${i}`]);
  const renamed = await rig.block(batchId, 0, ['row'], values);
  isFast = true;
  const { changedRows, refusedRows } = await rig.edit(batchId, renamed);
  isFast = false;
  expect(refusedRows).toBeGreaterThan(0);
  expect(refusedRows).toBeLessThan(ROWS / 5);
  expect(changedRows).toBe(ROWS - refusedRows);
  expect(await night.state(batchId)).toBe('running');
  await night.clock.advanceUntil(() => night.gateway.submits.length >= refusedRows + 20);
  expect(night.bugs).toEqual([]);
});

test('an edit that never comes in time is given up after a while, and the night goes on', async () => {
  const night = new NightHarness();
  let tries = 0;
  const rig = new SheetRig(night, (part) => ({
    ...part,
    change: async () => {
      tries += 1;
      await night.clock.advance(10_000);
      return { kind: 'stale' };
    },
  }));
  const profile = profileWith({ activePerFamily: { musicgen: 1 } });
  const batchId = await rig.bringIn(HEADERS, LONG.slice(2), { settings: { profile } });
  await night.scheduler.start(batchId);
  const edit = await rig.block(batchId, 17, ['prompt'], [['an elk']]);
  const given = await rig.editor.edit(batchId, edit);
  expect(given).toEqual({ ok: false, error: 'The batch is changing too quickly. Pause it, then try again.' });
  expect(tries).toBe(7);
  // What the first, free try let go, and nothing more.
  expect(night.gateway.submits.length).toBeLessThan(5);
  await night.untilRest(batchId);
  expect(await night.state(batchId)).toBe('finished');
});

test('a typed cell asks the store five times', async () => {
  const asked: string[] = [];
  const rig = lateRig([1], (method) => Promise.resolve(asked.push(method)));
  const batchId = await rig.bringIn(HEADERS, LINES);
  await rig.set(batchId, 3, 'prompt', 'an elk');
  asked.length = 0;
  await rig.set(batchId, 3, 'prompt', 'a fox');
  expect(asked).toEqual(['batch', 'rowsByKeys', 'knownRequests', 'earlierTasks', 'change']);
});
