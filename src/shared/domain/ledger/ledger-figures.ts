/**
 * The ledger: planned = submitted = accepted = rendered = downloaded = verified, counted in takes, with what fell out
 * between any two. Every take is counted in exactly one place, so that the figures add up.
 */
import type { FailureCode } from '../base/failure.ts';
import { present } from '../base/result.ts';
import type { OperationPath } from '../operations/operations.ts';
import type { Prices } from '../sheet/row.ts';
import type { BatchRecord } from '../task/batch.ts';
import { limitNamedIn, type LimitNamed } from '../task/spending.ts';
import { doOf, GROUP_WORDS, whatOf } from './ledger-groups.ts';
import {
  groupOf,
  isInferred,
  LEDGER_GROUPS,
  STAGES,
  stageOf,
  type LedgerGroup,
  type Stage,
  type StandingBatch,
  type TakeFacts,
} from './take-stage.ts';

/** Takes of one batch and operation that have the same facts. */
export interface LedgerTakes extends TakeFacts {
  readonly batchId: string;
  /** Absent where the row names no operation. */
  readonly operation?: OperationPath;
  readonly takes: number;
}

/** A batch in the ledger. */
export interface LedgerBatch extends StandingBatch, Pick<BatchRecord, 'id' | 'name'> {
  readonly rehearsal: boolean;
  readonly prices: Prices;
}

/** Takes that fell out after a stage. */
export interface FallenTakes {
  /** The last stage that they reached. */
  readonly after: Stage;
  readonly group: LedgerGroup;
  readonly takes: number;
}

/** Takes of one batch that need the same from the user. */
export interface GroupedTakes {
  readonly batchId: string;
  readonly group: LedgerGroup;
  readonly what: string;
  readonly do: string;
  readonly needsYou: boolean;
  readonly takes: number;
  /** Until when they wait for their hours, in milliseconds since the epoch. */
  readonly waitsUntil?: number;
  /** The limit that holds them. */
  readonly limit?: LimitNamed;
  /** Why they failed, or why the batch is held. */
  readonly codes: readonly FailureCode[];
  /** Failures among them were inferred because there was no file: a question about the gateway's status may be open. */
  readonly areInferred?: true;
  /** The facts by which the store finds them. */
  readonly facts: readonly TakeFacts[];
}

/** The figures of a ledger. */
export interface LedgerFigures {
  readonly stages: Readonly<Record<Stage, number>>;
  /** In order of stage, then of group; only those that are not zero. */
  readonly fallen: readonly FallenTakes[];
  readonly groups: readonly GroupedTakes[];
}

interface OpenGroup {
  takes: number;
  readonly codes: Set<FailureCode>;
  readonly facts: TakeFacts[];
}

/** Adds up the takes of these batches; takes of other batches are left out. */
export function ledgerFigures(batches: readonly LedgerBatch[], takes: readonly LedgerTakes[]): LedgerFigures {
  const known = new Map(batches.map((batch) => [batch.id, batch]));
  const ended = new Map<Stage, Map<LedgerGroup | 'verified', number>>();
  const groups = new Map<string, Map<LedgerGroup, OpenGroup>>();
  for (const take of takes) {
    const batch = known.get(take.batchId);
    if (batch === undefined || take.takes <= 0) continue;
    const stage = stageOf(take);
    const group = groupOf(take, batch);
    const atStage = ended.get(stage) ?? new Map<LedgerGroup | 'verified', number>();
    ended.set(stage, atStage.set(group ?? 'verified', (atStage.get(group ?? 'verified') ?? 0) + take.takes));
    if (group === undefined) continue;
    const ofBatch = groups.get(batch.id) ?? new Map<LedgerGroup, OpenGroup>();
    groups.set(batch.id, ofBatch);
    const open = ofBatch.get(group) ?? { takes: 0, codes: new Set(), facts: [] };
    ofBatch.set(group, open);
    open.takes += take.takes;
    open.facts.push(take);
    const code = take.code ?? holdingCode(batch, group);
    if (code !== undefined) open.codes.add(code);
  }
  const stages = Object.fromEntries(
    STAGES.map((stage, index) => [stage, sum(STAGES.slice(index).map((later) => total(ended.get(later))))]),
  ) as Record<Stage, number>;
  const fallen = STAGES.flatMap((after) =>
    LEDGER_GROUPS.flatMap((group) => {
      const count = ended.get(after)?.get(group) ?? 0;
      return count === 0 ? [] : [{ after, group, takes: count }];
    }),
  );
  return { stages, fallen, groups: groupViews(batches, groups) };
}

/** Why a batch holds the takes of a group; undefined where it does not. */
function holdingCode({ state, pause }: LedgerBatch, group: LedgerGroup): FailureCode | undefined {
  if (state !== 'paused' || pause === undefined) return undefined;
  if (group === 'free-disk' && pause.disk !== undefined) return pause.disk.code;
  return group === 'wait' || pause.by === 'user' ? undefined : HELD_GROUPS.has(group) ? pause.failure.code : undefined;
}

/** The limit that holds the takes of a group; undefined if none does. */
function limitHolding(batch: LedgerBatch, group: LedgerGroup): LimitNamed | undefined {
  const { pause } = batch;
  if (pause?.by !== 'failure' || holdingCode(batch, group) !== pause.failure.code) return undefined;
  return limitNamedIn(pause.failure);
}

const HELD_GROUPS: ReadonlySet<LedgerGroup> = new Set<LedgerGroup>([
  'raise-limit',
  'enter-key',
  'top-up',
  'change-time',
  'free-disk',
  'check-settings',
  'look',
]);

function groupViews(
  batches: readonly LedgerBatch[],
  groups: ReadonlyMap<string, ReadonlyMap<LedgerGroup, OpenGroup>>,
): readonly GroupedTakes[] {
  return LEDGER_GROUPS.flatMap((group) =>
    batches.flatMap((batch) => {
      const { id, waitsUntil } = batch;
      const found = groups.get(id)?.get(group);
      if (found === undefined) return [];
      const codes = [...found.codes].toSorted();
      const inferred = group === 'deleted' ? 'none' : howManyInferred(found.facts);
      const does = { do: doOf(group, codes, inferred), ...(inferred === 'none' ? {} : { areInferred: true as const }) };
      const words = { what: whatOf(group, codes), needsYou: GROUP_WORDS[group].needsYou, ...does };
      const hours = group === 'wait-hours' ? present({ waitsUntil }) : {};
      const limit = present({ limit: limitHolding(batch, group) });
      return [{ batchId: id, group, ...words, takes: found.takes, ...hours, ...limit, codes, facts: found.facts }];
    }),
  );
}

function howManyInferred(facts: readonly TakeFacts[]): 'none' | 'some' | 'all' {
  const inferred = facts.filter((take) => isInferred(take) && !take.isRendered);
  if (inferred.length === 0) return 'none';
  return inferred.length === facts.length ? 'all' : 'some';
}

/** How many takes fell out right after each stage: the difference between one figure of the ledger and the next. */
export function fallenAfter({ fallen }: LedgerFigures, stage: Stage): readonly FallenTakes[] {
  return fallen.filter(({ after }) => after === stage);
}

function total(counts: ReadonlyMap<unknown, number> | undefined): number {
  return counts === undefined ? 0 : sum([...counts.values()]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
