/**
 * Rows of one kind ask for the same operation and model with the same columns: if the gateway refuses one of them for
 * what it is, it refuses them all. Before the others of its kind are paid for, one of them can show that it works.
 */
import type { JsonObject } from '../base/json.ts';
import { reason, type Reason } from '../base/reason.ts';
import { spreadHashOf } from '../base/text.ts';
import { operationOf } from '../operations/operations.ts';
import type { Row } from '../sheet/row.ts';
import type { BatchRecord, BatchSettings } from './batch.ts';

/** How a batch tries each kind of request before it pays for the rest of that kind. */
export interface CanaryRule {
  /** When the user last started or resumed the batch: failures before that are known, and another one may be tried. */
  readonly since: number;
  /** Kinds whose rest the user has released, whatever became of their first. */
  readonly released: readonly number[];
}

/** Why the rest of a kind waits, besides for its first to end: the first failed, or its outcome is unknown. */
export type HeldWhy = 'failed' | 'unknown';

/** The columns that a row used in a body, in order; one inside an object as `object.column`. */
export function columnsUsed(body: JsonObject): readonly string[] {
  return Object.entries(body)
    .flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.keys(value).map((inner) => `${name}.${inner}`)
        : [name],
    )
    .sort();
}

/** A number that rows of one kind share, and rows of different kinds hardly ever. Never 0. */
export function requestKindOf({ operation, body }: Pick<Row, 'operation' | 'body'>): number {
  const model = body['model'];
  return (
    spreadHashOf(JSON.stringify([operation ?? '', typeof model === 'string' ? model : '', columnsUsed(body)])) || 1
  );
}

/** A kind in words: `music with prompt, title`. */
export function kindWords({ operation, body }: Pick<Row, 'operation' | 'body'>): Reason {
  const { model } = body;
  const name = operation === undefined ? '' : operationOf(operation).short;
  const columns = columnsUsed(body).filter((column) => column !== 'model');
  return reason('rowKind', name, typeof model === 'string' ? model : '', columns.join(', '));
}

/**
 * In a batch with more rows than this, one of each kind goes first, unless the user says otherwise; in a rehearsal
 * nothing is paid.
 */
const CANARY_ABOVE_ROWS = 20;

/** Whether a batch of this many rows has canaries by default. */
export function isCanaryUsual(rows: number, isRehearsal: boolean): boolean {
  return !isRehearsal && rows > CANARY_ABOVE_ROWS;
}

/** How a batch tries each kind of request before it pays for the rest of that kind; undefined if it does not. */
export function canaryRuleOf({ settings, resumedAt = 0 }: BatchRecord): CanaryRule | undefined {
  return settings.canary === undefined ? undefined : { since: resumedAt, released: settings.canaryReleased ?? [] };
}

/** The settings with one row of each kind going first, or without. */
export function withCanary(settings: BatchSettings, isOn: boolean): BatchSettings {
  const { canary: _, canaryReleased: _released, ...rest } = settings;
  if (!isOn) return rest;
  return settings.canary === undefined ? { ...rest, canary: 'first' } : settings;
}

/** The settings once the user sends the rest of the kind that holds up a batch; undefined if no kind does. */
export function withKindReleased({ settings, pause }: BatchRecord): BatchSettings | undefined {
  if (pause?.by !== 'failure' || pause.failure.code !== 'CANARY_FAILED') return undefined;
  const kind = pause.failure.data?.['requestKind'];
  if (typeof kind !== 'number') return undefined;
  return { ...settings, canaryReleased: [...(settings.canaryReleased ?? []), kind] };
}
