/** Trying whether a gateway charges only once for one key of a request: what is sent, what it costs, what it has shown. */
import { moneyText } from '../base/money.ts';
import { visibleLine } from '../base/text.ts';
import type { Idempotency } from '../gateway/charges/idempotency.ts';
import type { Profile } from '../gateway/profile.ts';
import { OPERATIONS, type OperationPath } from '../operations/operations.ts';
import type { BatchRecord } from './batch.ts';
import { priceOf, type CheckedSheet, type Prices, type Row } from '../sheet/row.ts';

/** A cheap one, and what it is asked for. */
export const PROBE_OPERATION: OperationPath = 'musicgen/music/lyrics';
export const PROBE_PROMPT = 'a quiet harbour at night';
/** The operations for which a prompt is enough. */
export const PROBE_OPERATIONS = OPERATIONS.filter(({ senseFields }) => senseFields.includes('prompt'));
/** One request is sent twice: at a gateway that does not keep its word it is paid for so often. */
export const PROBE_REQUESTS = 2;
/** The batch has one row, and what it accepts is sent once more. */
export const PROBE_SETTINGS = { maxSubmits: PROBE_REQUESTS, probe: true, rehearsal: false } as const;

type Verdict = IdempotencyProof['verdict'];
type Header = Pick<Idempotency, 'header'>;

/** The name of the batch that is the probe. */
export function probeName({ name }: Pick<Profile, 'name'>): string {
  return `Probe of ${visibleLine(name, 60)}`;
}

/** Whether a batch is there to try the keys of a profile's gateway. */
export function isProbeOf({ settings }: Pick<BatchRecord, 'settings'>, profile: Profile): boolean {
  const { probe, profile: own } = settings;
  const header = own.idempotency?.header.toLowerCase();
  return probe === true && own.baseUrl === profile.baseUrl && header === profile.idempotency?.header.toLowerCase();
}

/** What a probe costs, to be said before it is sent. */
export function probePriceWords(prices: Prices, { header }: Header, operation: OperationPath): string {
  const price = priceOf(prices, operation);
  const [once, twice] =
    price === undefined
      ? ['one request', 'two; the profile has no price for it']
      : [moneyText(price), moneyText({ ...price, amount: price.amount * PROBE_REQUESTS })];
  return `This sends one paid request (${operation}) twice under one ${header}. A gateway that keeps its word charges ${once}, any other ${twice}.`;
}

/** The one row of the probe. */
export function probeSheet(operation: OperationPath, prompt: string): CheckedSheet {
  const row: Row = {
    id: 'probe',
    line: 2,
    operation,
    body: { prompt },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: 'probe', operation, prompt },
  };
  return { headers: Object.keys(row.cells), rows: [row], problems: [] };
}

/** What a probe has shown; without a verdict, nothing. */
export function verdictWords(verdict: Verdict | undefined, { header }: Header): string {
  switch (verdict) {
    case 'passed':
      return `The second request was the same task: this gateway charges only once for one ${header}. From now on that is believed.`;
    case 'refuted':
      return `The second request was another task: this gateway charges twice for one ${header}. Nothing is sent again there under a key, whatever the profile says.`;
    case undefined:
      return `No answer has shown whether this gateway charges only once for one ${header}.`;
  }
}

/** The warning that stays until a probe has passed. */
export function doubtWords(verdict: Verdict | undefined, { header }: Header): string | undefined {
  switch (verdict) {
    case 'passed':
      return undefined;
    case 'refuted':
      return `This gateway charged twice for one ${header}: nothing is sent again there, whatever the profile says.`;
    case undefined:
      return `Nobody has tried whether this gateway charges only once for one ${header}, as the profile says.`;
  }
}

/**
 * What is known of whether a gateway keeps its word about the keys in a header. `passed`: two requests under one key were
 * one task. `refuted`: they were two; the option then counts as off. Without either the profile is believed, with a warning.
 */
export interface IdempotencyProof {
  /** See `gatewayKey`. */
  readonly gateway: string;
  /** In lower case. */
  readonly header: string;
  readonly verdict: 'passed' | 'refuted';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The proof about a header of a gateway, if there is one. */
export function proofAbout(
  proofs: readonly IdempotencyProof[],
  gateway: string,
  { header }: Pick<Idempotency, 'header'>,
): IdempotencyProof | undefined {
  return proofs.find((proof) => proof.gateway === gateway && proof.header === header.toLowerCase());
}
