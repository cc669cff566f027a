/** The ledger of a batch, of a night or of the last night; the takes of its groups; and the calendar of nights. */
import { z } from 'zod';
import { FAILURE_CODES } from '../domain/base/failure.ts';
import { CHARGES } from '../domain/ledger/ledger-money.ts';
import { LEDGER_GROUPS, STAGES } from '../domain/ledger/take-stage.ts';
import { OPERATION_PATHS } from '../domain/operations/operations.ts';
import { spendingLimit } from './accounts.ts';
import { shownTakes } from './batches.ts';
import { batchRef, cost, engine, id, none, type Seen } from './route.ts';

const nightView = z.strictObject({
  id: z.int(),
  beganAt: z.number(),
  /** Absent while it runs. */
  endedAt: z.number().optional(),
  interruptedAt: z.number().optional(),
  batchIds: z.array(z.string()),
  rehearsal: z.boolean(),
  verified: z.int(),
  requests: z.int(),
  costs: cost,
});
export type NightView = Seen<typeof nightView>;

const spentNumbers = z.record(z.enum(['planned', ...CHARGES]), z.number());
const moneyOf = z.strictObject({
  planned: z.number(),
  reserved: z.number(),
  spent: z.number(),
  unknown: z.number(),
  currency: z.string(),
});
const costLine = z.strictObject({ of: z.string(), requests: spentNumbers, money: z.array(moneyOf) });

const group = z.enum(LEDGER_GROUPS);
/** As `Ledger` has it, without the facts by which the store finds the takes of a group. */
export const ledgerView = z.strictObject({
  night: nightView.optional(),
  batches: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      rehearsal: z.boolean(),
      finishedAt: z.number().optional(),
      /** The forecast for this night or period, beside what came of it. */
      foretold: z
        .strictObject({
          requests: z.int(),
          cost,
          ends: z.number().optional(),
          limit: spendingLimit.optional(),
          came: z.strictObject({
            requests: z.int(),
            earlier: z.int().optional(),
            cost,
            ended: z.number().optional(),
            ranAgain: z.literal(true).optional(),
          }),
        })
        .optional(),
    }),
  ),
  isPart: z.boolean(),
  stages: z.record(z.enum(STAGES), z.int()),
  fallen: z.array(z.strictObject({ after: z.enum(STAGES), group, takes: z.int() })),
  groups: z.array(
    z.strictObject({
      batchId: z.string(),
      group,
      what: z.string(),
      do: z.string(),
      needsYou: z.boolean(),
      takes: z.int(),
      waitsUntil: z.number().optional(),
      codes: z.array(z.enum(FAILURE_CODES)),
      areInferred: z.literal(true).optional(),
    }),
  ),
  money: z.strictObject({
    requests: spentNumbers,
    money: z.array(moneyOf),
    unpriced: spentNumbers,
    counted: cost,
    byOperation: z.array(costLine),
    byDay: z.array(costLine),
    byAccount: z.array(costLine),
  }),
  timeline: z
    .strictObject({
      from: z.number(),
      to: z.number(),
      stepMs: z.number(),
      points: z.array(
        z.strictObject({
          at: z.number(),
          submitted: z.int(),
          verified: z.int(),
          failed: z.int(),
          active: z.int(),
          limited: z.int(),
        }),
      ),
      pauses: z.array(
        z.strictObject({
          batchId: z.string(),
          from: z.number(),
          to: z.number().optional(),
          code: z.enum(FAILURE_CODES).optional(),
        }),
      ),
    })
    .optional(),
});
export type LedgerView = Seen<typeof ledgerView>;
export type LedgerGroupView = LedgerView['groups'][number];

const ledgerRow = z.strictObject({
  id: z.int(),
  attempts: z.int(),
  key: z.int(),
  row: z.string(),
  take: z.int(),
  operation: z.enum(OPERATION_PATHS).optional(),
  label: z.string(),
  /** Why it is in the group, in the gateway's words or the sheet's. */
  reason: z.string().optional(),
  isHeld: z.literal(true).optional(),
});
export type LedgerRowView = Seen<typeof ledgerRow>;

const oneGroup = batchRef.extend({ group });

export const ledgerRoutes = {
  /** The ledger of a batch, of a night or, without either, of the last night; undefined if there is none. */
  'ledger.read': engine.quick(
    z.strictObject({ batchId: id.optional(), night: z.int().optional() }),
    ledgerView.optional(),
  ),
  /** The first takes of a group, in order of the sheet. */
  'ledger.rows': engine.quick(
    oneGroup.extend({ limit: z.int().min(1).max(200) }),
    z.strictObject({ rows: z.array(ledgerRow) }),
  ),
  /** All takes of a group that have a task, to act on them as they are now. */
  'ledger.shown': engine.quick(oneGroup, z.strictObject({ takes: shownTakes })),
  /** Newest first. */
  'ledger.nights': engine.quick(none, z.array(nightView)),
};
