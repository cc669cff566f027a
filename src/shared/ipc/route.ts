/**
 * A route: where it is answered, its input, its output. Main answers `main` routes itself and passes `engine` routes
 * through, without a handler of its own for them.
 */
import { z } from 'zod';

/** What main adds to the input of a route on its way to the engine: the window does not have it, or may not set it. */
export type Added = 'profile' | 'profiles' | 'prices' | 'clipboard';

const of =
  <A extends 'main' | 'engine', K extends 'quick' | 'query' | 'command'>(answeredBy: A, kind: K) =>
  <I extends z.ZodType, O extends z.ZodType, M extends Added | undefined = undefined>(input: I, output: O, adds?: M) =>
    ({ answeredBy, kind, input, output, adds }) as {
      readonly answeredBy: A;
      readonly kind: K;
      readonly input: I;
      readonly output: O;
      readonly adds: M;
    };

export const main = { query: of('main', 'query'), command: of('main', 'command') };
export const engine = {
  /** Requests that the window makes by itself to show something: answered in a moment, however long the sheet is. */
  quick: of('engine', 'quick'),
  /** Also changes nothing, but may take its time. */
  query: of('engine', 'query'),
  command: of('engine', 'command'),
};

/** What is read with a schema. Nobody may change what was parsed or is to be sent, so it need not be copied either. */
export type Seen<S extends z.ZodType> = DeepReadonly<z.output<S>>;
type DeepReadonly<T> = T extends Float64Array
  ? T
  : T extends readonly (infer I)[]
    ? readonly DeepReadonly<I>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;

export const none = z.undefined();
export const id = z.string().max(64);
export const profileName = z.string().min(1).max(200);
export const batchRef = z.strictObject({ batchId: id });
/** A row by its key: it distinguishes even two rows with the same id. */
export const rowRef = batchRef.extend({ key: z.int().min(0) });
/** An amount of money, or of what the gateway counts instead. */
export const money = z.strictObject({ currency: z.string(), amount: z.number() });
/** What was last heard about a balance and when, in milliseconds since the epoch; or why it could not be read. */
export const seenBalance = z.strictObject({
  at: z.number(),
  balance: money.optional(),
  problem: z.string().optional(),
});
/** The cost of submits, by currency; empty if the profile has no prices. */
export const cost = z.array(money);
