/** What a forecast says, alike in the window and on the command line: sentences without their full stop. */
import { moneyText, type Money } from '../../base/money.ts';
import { countOf, countText } from '../../base/text.ts';
import { operationOf, type OperationPath } from '../../operations/operations.ts';
import { CAP_OF } from '../spending.ts';
import type { Forecast } from './forecast.ts';
import type { ForecastStop } from './purse.ts';

/** Parts of a {@link Forecast}, also as the window is shown them. */
interface KeptBack extends Pick<Forecast, 'beyondLimit' | 'unsent'> {
  readonly stop?: Stop | undefined;
  readonly closed?: Forecast['closed'] | undefined;
  readonly held: { readonly rows: number };
}

interface Stop extends Pick<ForecastStop, 'of' | 'lacks' | 'operations'> {
  readonly limit: { readonly requests?: number | undefined; readonly cost?: Money | undefined };
}

/** What keeps a run from sending all that waits, and what it leaves out: a sentence each. */
export function keptBackWords(
  { beyondLimit, stop, unsent, closed, held }: KeptBack,
  request: string,
): readonly string[] {
  const { rows } = held;
  return [
    ...(beyondLimit > 0 && stop !== undefined ? [limitWords(stop, beyondLimit, request)] : []),
    ...(unsent > 0 && closed !== undefined ? [CLOSED_WORDS[closed]] : []),
    ...(unsent > 0 && closed === undefined
      ? [`${countOf(unsent, request)} ${unsent === 1 ? 'is' : 'are'} not sent before its hours are over`]
      : []),
    ...(rows > 0 ? [`${countOf(rows, 'row')} ${rows === 1 ? 'is' : 'are'} held or waiting for one: not in this`] : []),
  ];
}

const CLOSED_WORDS: Readonly<Record<NonNullable<Forecast['closed']>, string>> = {
  passed: 'Finish-by has passed: nothing will be sent',
  never: 'Its hours do not open before it is over: nothing will be sent',
};

function limitWords({ of, limit, lacks, operations }: Stop, n: number, request: string): string {
  const { requests = 0, cost } = limit;
  // A forecast does not say which of several accounts a row goes to: it is about all of them.
  const whose = of === 'account' ? 'its accounts together' : CAP_OF[of];
  const allowed = lacks === 'requests' || cost === undefined ? countOf(requests, request) : moneyText(cost);
  if (lacks !== 'price')
    return `${countOf(n, request)} more ${n === 1 ? 'does' : 'do'} not fit into the limit of ${allowed} for ${whose}`;
  const names = operations.map(nameOf).join(', ');
  return `Nothing is sent: ${allowed} for ${whose} cannot be held without a price in ${cost?.currency ?? ''} for ${names}`;
}

/** What comes on top at most where what gates flag is rendered again; empty where it is not. */
export function againWords({ again }: { readonly again?: Forecast['again'] | undefined }, request: string): string {
  if (again === undefined) return '';
  const { times, requests, cost } = again;
  const price = cost.length === 0 ? '' : ` for ${moneyTogether(cost)}`;
  const often = times === 1 ? 'is flagged' : `is flagged ${times} times`;
  return `up to ${countOf(requests, `more ${request}`)}${price}, if every file ${often}; the limits hold for them, too`;
}

/** For how many requests no price is known: `30 image, 2 music`; empty if each has one. */
export function unpricedWords({ unpriced }: Pick<Forecast, 'unpriced'>): string {
  return unpriced.map(({ operation, requests }) => `${countText(requests)} ${nameOf(operation)}`).join(', ');
}

/** What the gateway charges beyond the profile's prices; empty if it was not seen to. */
export function dearerWords({ dearer }: Pick<Forecast, 'dearer'>): string {
  const each = dearer.map(({ operation, cost }) => `${moneyText(cost)} for ${nameOf(operation)}`).join(', ');
  return each === '' ? '' : `The gateway charges up to ${each}, more than the profile’s price`;
}

/** Rows that ask for the same, and what they cost; without a price, how many requests. */
export function twiceWords({ rows, requests, cost }: Forecast['duplicates'], request: string): string {
  const together = cost.length === 0 ? countOf(requests, request) : moneyTogether(cost);
  return `${countOf(rows, 'row')} ${rows === 1 ? 'repeats another row' : 'repeat other rows'}: ${together}`;
}

/** `6.40 USD and 3.00 EUR` */
export function moneyTogether(cost: readonly Money[]): string {
  return cost.map(moneyText).join(' and ');
}

function nameOf(operation: OperationPath): string {
  return operationOf(operation).short;
}
