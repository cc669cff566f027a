/**
 * Tests whether a gateway charges only once for one key of a request: what is sent, what it costs, what it has shown.
 */
import { domainWords } from '../../words/domain-words.ts';
import { moneyText } from '../base/money.ts';
import { visibleLine } from '../base/text.ts';
import type { Idempotency } from '../gateway/charges/idempotency.ts';
import type { Profile } from '../gateway/profile.ts';
import { OPERATIONS, type OperationPath } from '../operations/operations.ts';
import type { BatchRecord } from './batch.ts';
import { priceOf, type CheckedSheet, type Prices, type Row } from '../sheet/row.ts';

/** A cheap operation, and what it is asked for. */
export const PROBE_OPERATION: OperationPath = 'musicgen/music/lyrics';
export const PROBE_PROMPT = 'a quiet harbour at night';
/** The operations for which a prompt is enough. */
export const PROBE_OPERATIONS = OPERATIONS.filter(({ senseFields }) => senseFields.includes('prompt'));
/** One request is sent twice: a gateway that does not keep its word charges for both. */
export const PROBE_REQUESTS = 2;
/** The batch has one row, and what it accepts is sent once more. */
export const PROBE_SETTINGS = { maxSubmits: PROBE_REQUESTS, probe: true, rehearsal: false } as const;

type Verdict = IdempotencyProof['verdict'];
type Header = Pick<Idempotency, 'header'>;

/** The name of the batch that is the probe: it is stored. */
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
export function probePriceWords(known: Prices, { header }: Header, operation: OperationPath): string {
  const price = priceOf(known, operation);
  const prices = price && ([moneyText(price), moneyText({ ...price, amount: price.amount * PROBE_REQUESTS })] as const);
  return domainWords.nights.probe.price(operation, header, prices);
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

/** What a probe has shown; without a verdict, an empty text. */
export function verdictWords(verdict: Verdict | undefined, { header }: Header): string {
  return domainWords.nights.probe.verdict[verdict ?? 'none'](header);
}

/** The warning that stays until a probe has passed. */
export function doubtWords(verdict: Verdict | undefined, { header }: Header): string | undefined {
  switch (verdict) {
    case 'passed':
      return undefined;
    case 'refuted':
      return domainWords.nights.probe.chargedTwice(header);
    case undefined:
      return domainWords.nights.probe.untried(header);
  }
}

/**
 * What is known about whether a gateway keeps its word about the keys in a header. `passed`: two requests under one key
 * were one task. `refuted`: they were two; the option then counts as off. Without either, the profile is believed, with
 * a warning.
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
