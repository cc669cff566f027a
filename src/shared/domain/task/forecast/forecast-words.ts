/** What a forecast says, alike in the window and on the command line: sentences without their full stop. */
import { moneyText, type Money } from '../../base/money.ts';
import { domainWords } from '../../../words/domain-words.ts';
import { operationOf, type OperationPath } from '../../operations/operations.ts';
import type { Forecast } from './forecast.ts';
import type { ForecastStop } from './purse.ts';

/** What is counted: in a rehearsal, no request is paid. */
type Request = 'request' | 'paid request';

/** Parts of a {@link Forecast}, also as the window is shown them. */
interface KeptBack extends Pick<Forecast, 'beyondLimit' | 'unsent'> {
  readonly stop?: Stop | undefined;
  readonly closed?: Forecast['closed'] | undefined;
  readonly held: { readonly rows: number };
}

interface Stop extends Pick<ForecastStop, 'of' | 'lacks' | 'operations'> {
  readonly limit: { readonly requests?: number | undefined; readonly cost?: Money | undefined };
}

/**
 * What keeps a run from sending everything that waits, and what the run leaves out, one sentence each.
 * @param isAll Whether the limit keeps everything back.
 */
export function keptBackWords(
  { beyondLimit, stop, unsent, closed, held }: KeptBack,
  request: Request,
  isAll = false,
): readonly string[] {
  const { forecast } = domainWords.costs;
  return [
    ...(beyondLimit > 0 && stop !== undefined ? [limitWords(stop, beyondLimit, request, isAll)] : []),
    ...(unsent > 0 ? [closed === undefined ? forecast.unsent(unsent, isPaid(request)) : forecast[closed]] : []),
    ...(held.rows > 0 ? [forecast.held(held.rows)] : []),
  ];
}

function isPaid(request: Request): boolean {
  return request === 'paid request';
}

function limitWords({ of, limit, lacks, operations }: Stop, n: number, request: Request, isAll: boolean): string {
  const { requests = 0, cost } = limit;
  const { forecast } = domainWords.costs;
  const whose = forecast.of[of];
  const allowed =
    lacks === 'requests' || cost === undefined
      ? domainWords.costs.requests(requests, isPaid(request))
      : moneyText(cost);
  if (lacks !== 'price') {
    return (isAll ? forecast.noRoom : forecast.beyondLimit)(n, isPaid(request), allowed, whose);
  }
  return forecast.priceUnknown(allowed, whose, cost?.currency ?? '', operations.map(nameOf));
}

/** The most that is added if what gates flag is rendered again; empty if it is not. */
export function againWords({ again }: { readonly again?: Forecast['again'] | undefined }, request: Request): string {
  if (again === undefined) return '';
  const { times, requests, cost } = again;
  return domainWords.costs.forecast.again(requests, isPaid(request), cost.map(moneyText), times);
}

/** How many requests have no known price: `30 image, 2 music`; empty if each has one. */
export function unpricedWords({ unpriced }: Pick<Forecast, 'unpriced'>): string {
  const { listed, ofOperation } = domainWords.costs.forecast;
  return listed(unpriced.map(({ operation, requests }) => ofOperation(requests, nameOf(operation))));
}

/** What the gateway charges beyond the profile's prices; empty if it was never seen to do so. */
export function dearerWords({ dearer }: Pick<Forecast, 'dearer'>): string {
  const each = dearer.map(({ operation, cost }) => ({ sum: moneyText(cost), operation: nameOf(operation) }));
  return each.length === 0 ? '' : domainWords.costs.forecast.dearer(each);
}

/** Rows that ask for the same, and what they cost; without a price, how many requests. */
export function twiceWords({ rows, requests, cost }: Forecast['duplicates'], request: Request): string {
  const together = cost.length === 0 ? domainWords.costs.requests(requests, isPaid(request)) : moneyTogether(cost);
  return domainWords.costs.forecast.twice(rows, together);
}

/** `6.40 USD and 3.00 EUR` */
export function moneyTogether(cost: readonly Money[]): string {
  return domainWords.costs.together(cost.map(moneyText));
}

function nameOf(operation: OperationPath): string {
  return domainWords.costs.forecast.operation(operationOf(operation).short);
}
