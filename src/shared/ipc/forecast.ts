/** What a run will be like, before it starts: asked for whenever the user changes an answer in the start form. */
import { z } from 'zod';
import { gateSettingsSchema } from '../domain/gates/gate-settings.ts';
import { FAMILIES, OPERATION_PATHS } from '../domain/operations/operations.ts';
import { FORECAST_SOURCES } from '../domain/task/forecast/forecast-record.ts';
import { accountsChoice } from './accounts.ts';
import { schedule } from './batches.ts';
import { batchRef, cost, engine, id, main, money, type Seen } from './route.ts';

/** Which limit keeps requests back. */
const stop = z.strictObject({
  of: z.enum(['account', 'batch', 'night', 'month']),
  limit: z.strictObject({ requests: z.int().optional(), cost: money.optional() }),
  lacks: z.enum(['requests', 'cost', 'price']),
  operations: z.array(z.enum(OPERATION_PATHS)),
});
const unpriced = z.array(z.strictObject({ operation: z.enum(OPERATION_PATHS), requests: z.int() }));

export const forecastView = z.strictObject({
  rows: z.int(),
  requests: z.int(),
  /** By currency; empty if nothing has a price, and for a rehearsal. */
  cost,
  unpriced,
  diskBytes: z.number(),
  /** Absent if the disk does not say, or if the folder is not known yet. */
  freeBytes: z.number().optional(),
  begins: z.number(),
  /** Absent if nothing is ever sent. */
  ends: z.strictObject({ earliest: z.number(), likely: z.number(), latest: z.number() }).optional(),
  source: z.enum(FORECAST_SOURCES),
  picture: z
    .strictObject({
      from: z.number(),
      to: z.number(),
      open: z.array(z.boolean()),
      families: z.array(z.strictObject({ family: z.enum(FAMILIES), busy: z.array(z.number()) })),
    })
    .optional(),
  /** What is rendered again, if gates flag everything each time. */
  again: z.strictObject({ times: z.int(), requests: z.int(), cost }).optional(),
  /** Kinds of requests. */
  kinds: z.int(),
  /** Requests that do not fit into a limit, and that limit. */
  beyondLimit: z.int(),
  stop: stop.optional(),
  /** Operations for which the gateway was seen to charge more than their price. */
  dearer: z.array(z.strictObject({ operation: z.enum(OPERATION_PATHS), cost: money })),
  /** Requests that are not sent before the hours are over. */
  unsent: z.int(),
  closed: z.enum(['passed', 'never']).optional(),
  held: z.strictObject({ rows: z.int(), requests: z.int() }),
  invalidRows: z.int(),
  duplicates: z.strictObject({ rows: z.int(), requests: z.int(), cost }),
});
export type ForecastView = Seen<typeof forecastView>;

/** What new and changed rows cost once they run, with what waits beside them in a paused batch. */
const releaseCostView = z.strictObject({
  /** Takes that had failed only because of the rows that run: they go on with them, and their requests count, too. */
  following: z.int(),
  /** By currency, by the prices of the batch. */
  cost,
  unpriced,
  /** So many of all requests that wait then do not fit into a limit, and that limit. */
  beyondLimit: z.int(),
  stop: stop.optional(),
});
export type ReleaseCostView = Seen<typeof releaseCostView>;

/** The question is about an opened sheet or a batch; what is left out is as the batch has it. */
export const forecastQuestion = z.strictObject({
  of: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('sheet'), sheetId: id }),
    z.strictObject({ kind: z.literal('batch'), batchId: id }),
  ]),
  rehearsal: z.boolean().optional(),
  /** 0: no request limit. */
  maxSubmits: z.int().min(0).max(1_000_000).optional(),
  /** Null: no spending limit. */
  maxCost: money.nullable().optional(),
  canary: z.boolean().optional(),
  /** Null: at any time. */
  schedule: schedule.nullable().optional(),
  /** Null: none. */
  gates: gateSettingsSchema.nullable().optional(),
  /** In place of the settings' gateway, which null stands for; a started batch keeps its accounts. */
  accounts: accountsChoice.nullable().optional(),
});

export const forecastRoutes = {
  /** The folder is the chosen one, else the default one. */
  'start.forecast': main.query(forecastQuestion.extend({ folderId: id.optional() }), forecastView),
  /** What `batch.release` costs. */
  'batch.releaseCost': engine.query(batchRef, releaseCostView),
};
