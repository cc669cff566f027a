import { listOf } from '../../src/shared/domain/base/result.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PollReport, SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { Reference } from '../../src/shared/domain/cells/reference.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { NightHarness, row } from '../support/night-harness.ts';
import { accepted, record, rendered, unknownOutcome } from '../support/scripted-gateway.ts';

/** What becomes of one submit. */
type Fate = 'done' | 'rejected' | 'unknown' | 'fails';

/** What the user, or the world, does while the night is at rest. */
type Deed =
  | { readonly kind: 'retry' | 'cancel' | 'write-off' | 'adopt' | 'resubmit'; readonly row: number }
  | { readonly kind: 'retry-all' }
  /** The process ends so long after what was done before. */
  | { readonly kind: 'kill'; readonly afterMs: number };

interface Plan {
  /** For each row the rows above it that it refers to. */
  readonly links: readonly (readonly number[])[];
  readonly isUpsideDown: boolean;
  readonly fates: readonly Fate[];
  readonly deeds: readonly (readonly Deed[])[];
}

const MOST_ROWS = 6;
const rowNumber = fc.nat(MOST_ROWS - 1);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constantFrom('retry', 'cancel', 'write-off', 'adopt', 'resubmit'), row: rowNumber }),
  fc.record({ kind: fc.constant('retry-all' as const) }),
  fc.record({ kind: fc.constant('kill' as const), afterMs: fc.nat(30_000) }),
);
const plan: fc.Arbitrary<Plan> = fc.record({
  links: fc
    .array(fc.array(rowNumber, { maxLength: 3 }), { minLength: 2, maxLength: MOST_ROWS })
    .map((links) => links.map((targets, i) => [...new Set(targets)].filter((target) => target < i))),
  isUpsideDown: fc.boolean(),
  fates: fc.array(fc.constantFrom<Fate>('done', 'done', 'done', 'rejected', 'unknown', 'fails'), { maxLength: 12 }),
  deeds: fc.array(fc.array(deed, { maxLength: 3 }), { maxLength: 5 }),
});

const FAILED: PollReport = { answer: { kind: 'record', record: record({ status: '3', message: 'out of tune' }) } };

/** A row whose prompt is its own id and the codes of what it refers to. */
function rowOf(i: number, targets: readonly number[], line: number): Row {
  if (targets.length === 0) return row(`r${i}`, line, { body: { prompt: `r${i}:` } });
  const parts = targets.flatMap((target, n): (string | Reference)[] => [
    n === 0 ? `r${i}:` : ',',
    { row: `r${target}`, path: { kind: 'task-code' }, text: `r${target}.taskId` },
  ]);
  const links = [{ column: 'prompt', value: { kind: 'text' as const, text: parts } }];
  return row(`r${i}`, line, { body: { prompt: '{{as written}}' }, links });
}

async function taskOf(night: NightHarness, id: string, rowId: string): Promise<Task> {
  const [task] = await night.store.tasksOfRow(id, rowId);
  if (task === undefined) throw new Error(`There is no ${rowId}.`);
  return task;
}

async function carryOut(night: NightHarness, id: string, what: Deed): Promise<void> {
  const decide = async (tasks: readonly Task[], event: Parameters<typeof night.scheduler.decide>[0][number]['event']) =>
    night.scheduler.decide(tasks.map((task) => ({ taskId: task.id, event })));
  const named = 'row' in what ? await night.store.tasksOfRow(id, `r${what.row}`) : [];
  switch (what.kind) {
    case 'kill':
      await night.clock.advance(what.afterMs);
      night.open();
      break;
    case 'retry-all':
      await decide(await listOf(night.store.tasksByStatus(['failed'], id)), { kind: 'user-retry' });
      break;
    case 'retry':
      await decide(named, { kind: 'user-retry' });
      break;
    case 'cancel':
      await decide(named, { kind: 'cancel-requested' });
      break;
    case 'write-off':
      await decide(named, { kind: 'written-off' });
      break;
    case 'adopt':
      for (const task of named)
        await decide([task], { kind: 'adopted', taskCode: `adopted-${task.id}-${task.revision}` });
      break;
    case 'resubmit':
      await decide(named, { kind: 'user-resubmit' });
      break;
  }
  await night.scheduler.start(id);
}

test('whatever fails, is tried again or killed: nothing is sent before its sources are done, and nothing stays behind', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ links, isUpsideDown, fates, deeds }) => {
      const night = new NightHarness();
      const inOrder = links.map((targets, i) => rowOf(i, targets, i + 2));
      const id = await night.bringIn(
        isUpsideDown ? inOrder.toReversed().map((one, i) => ({ ...one, line: i + 2 })) : inOrder,
      );
      const failing = new Set<string>();
      const wrong: string[] = [];
      night.gateway.onSubmit = async ({ body }, nth): Promise<SubmitReport> => {
        const { prompt } = JSON.parse(body) as { readonly prompt: string };
        const [name = '', given = ''] = prompt.split(':');
        const targets = links[Number(name.slice(1))] ?? [];
        const codes = await Promise.all(
          targets.map(async (target) => {
            const source = await taskOf(night, id, `r${target}`);
            return source.status === 'done' ? source.taskCode : `r${target} is ${source.status}`;
          }),
        );
        if (given !== codes.join(',')) wrong.push(`${prompt}, where ${codes.join(',')} is right`);
        const fate = fates[nth - 1] ?? 'done';
        if (fate === 'rejected') return { outcome: { kind: 'rejected', failure: failure('INPUT_INVALID', 'no') } };
        if (fate === 'unknown') return unknownOutcome();
        if (fate === 'fails') failing.add(`code-${nth}`);
        return accepted(`code-${nth}`);
      };
      night.gateway.onPoll = (code) => (failing.has(code) ? FAILED : rendered(`https://media.example/${code}.mp3`));

      const untilRest = async (): Promise<void> => {
        await night.clock.advanceUntil(async () => {
          const state = await night.state(id);
          // Three unknown in a row pause a batch; the user lets it go on.
          if (state === 'paused') await night.scheduler.start(id);
          return state === 'finished';
        });
        for (const task of await night.tasks(id)) {
          if (task.status === 'queued') expect(await waitsForUser(night, id, task.rowId, links)).toBe(true);
          else expect(['done', 'failed', 'cancelled', 'submit-unknown']).toContain(task.status);
          if (task.failure?.code === 'DEPENDENCY_FAILED')
            expect(await hasLostSource(night, id, task.rowId, links)).toBe(true);
        }
      };

      await night.scheduler.start(id);
      await untilRest();
      for (const group of deeds) {
        for (const one of group) await carryOut(night, id, one);
        await untilRest();
      }
      // At last the user wants everything, and the gateway has no more trouble in store.
      for (let n = 0; (await night.statuses(id)).some((status) => status !== 'done') && n < 40; n += 1) {
        for (const task of await night.tasks(id)) {
          const kind = task.status === 'submit-unknown' ? 'resubmit' : 'retry';
          if (task.status !== 'done') await carryOut(night, id, { kind, row: Number(task.rowId.slice(1)) });
        }
        await untilRest();
      }
      expect(wrong).toEqual([]);
      expect(new Set(await night.statuses(id))).toEqual(new Set(['done']));
      expect(night.bugs).toEqual([]);
    }),
    { numRuns: 40 },
  );
}, 120_000);

/** Whether somewhere above a row there is one whose outcome only the user can settle. */
async function waitsForUser(night: NightHarness, id: string, rowId: string, links: Plan['links']): Promise<boolean> {
  for (const target of links[Number(rowId.slice(1))] ?? []) {
    const { status } = await taskOf(night, id, `r${target}`);
    if (status === 'submit-unknown') return true;
    if (status === 'queued' && (await waitsForUser(night, id, `r${target}`, links))) return true;
  }
  return false;
}

/** Whether one of the rows that a row refers to has ended without a result. */
async function hasLostSource(night: NightHarness, id: string, rowId: string, links: Plan['links']): Promise<boolean> {
  const sources = await Promise.all(
    (links[Number(rowId.slice(1))] ?? []).map(async (target) => taskOf(night, id, `r${target}`)),
  );
  return sources.some(({ status }) => status === 'failed' || status === 'cancelled');
}
