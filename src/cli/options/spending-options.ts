/** What may be spent, as options of a command. */
import type { Command } from 'commander';
import { readMoney, type Money } from '../../shared/domain/base/money.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import type { Prices } from '../../shared/domain/sheet/row.ts';
import { LONGEST_FUSE } from '../../shared/domain/task/fuse.ts';
import { priceUnknown, unpricedFor, type LimitNamed } from '../../shared/domain/task/spending.ts';
import { wrongUsage } from '../ending.ts';
import { wholeNumber } from './common-options.ts';

export interface SpendingOptions {
  readonly maxSubmits?: string;
  readonly maxRequests?: string;
  readonly maxCost?: string;
  readonly fuse?: string;
}

const MOST_REQUESTS = 1_000_000;

/** Lifts a limit. */
export const OFF = 'off';

/** Adds the options for the limits and the fuse of a batch. */
export function withSpendingOptions(command: Command): Command {
  return command
    .option('--max-submits <n>', 'request limit: the most paid requests that the batch may make')
    .option('--max-requests <n>', 'the same as --max-submits')
    .option(
      '--max-cost <amount>',
      'spending limit by the profile’s prices, such as "12.50 EUR"; off lifts it. If the gateway says that it charges more, the limit holds from the first such answer on; what was sent before may exceed it',
    )
    .option(
      '--fuse <n>',
      'pause after this many failures of one kind in a row (1 to 1000, 5 by default), or when more than half of the last 20 requests failed (of the last 2 × <n>, if that is more); off: never. Three requests in a row with an unknown outcome pause it in any case',
    );
}

/** The limits and the fuse that the options give; null: no limit from now on. Throws {@link CommandFailure}. */
export function spendingOf(options: SpendingOptions, prices: Prices) {
  const { maxSubmits, maxRequests, maxCost, fuse } = options;
  if (maxSubmits !== undefined && maxRequests !== undefined && maxSubmits !== maxRequests) {
    throw wrongUsage('--max-submits and --max-requests are the same limit.', 'Give one of them.');
  }
  const name = maxSubmits === undefined ? '--max-requests' : '--max-submits';
  return {
    maxSubmits: wholeNumber(name, maxSubmits ?? maxRequests, 1, MOST_REQUESTS),
    maxCost: givenAmount('--max-cost', maxCost, prices),
    fuse: fuse === OFF ? 0 : wholeNumber('--fuse', fuse, 1, LONGEST_FUSE),
  };
}

/** An amount of an option; null if it is lifted, undefined if it is not given. Throws {@link CommandFailure}. */
export function givenAmount(name: string, text: string | undefined, prices: Prices): Money | null | undefined {
  if (text === undefined) return undefined;
  if (text === OFF) return null;
  const read = readMoney(
    text,
    Object.values(prices).flatMap((price) => price?.currency ?? []),
  );
  if (!read.ok) throw wrongUsage(`${name} ${text}: not an amount of money`, read.error);
  return read.value;
}

/** A number of requests of an option; null if the limit is lifted. Throws {@link CommandFailure}. */
export function givenRequests(name: string, text: string | undefined): number | null | undefined {
  return text === OFF ? null : wholeNumber(name, text, 1, MOST_REQUESTS);
}

/** Ends a command whose spending limit cannot be held, before anything is sent. */
export function refuseUnpriced(
  cost: Money | null | undefined,
  operations: Iterable<OperationPath>,
  prices: Prices,
): void {
  if (cost === undefined || cost === null) return;
  const unpriced = unpricedFor(cost, operations, prices);
  if (unpriced.length === 0) return;
  throw wrongUsage(
    priceUnknown({ of: 'batch', limit: { cost } }, unpriced).message,
    `Add the missing prices in ${cost.currency} to the profile, or leave out --max-cost. Nothing was sent.`,
  );
}

/** What is typed to let a batch that a limit holds go on: each of these is one way. */
export function waysPast({ of, lacks }: LimitNamed, batchId: string): readonly string[] {
  const resume = `nocturne resume ${batchId}`;
  const lift = (own: string, ofAll: string): string =>
    of === 'batch' ? `${resume} ${own}` : `nocturne limits --${of}-${ofAll} && ${resume}`;
  if (of === 'account') {
    const price = lacks === 'price' ? [`${resume} --profile FILE`] : [];
    return [...price, `${resume} --account-max-${lacks === 'requests' ? 'requests NAME=N' : 'cost NAME=AMOUNT'}`];
  }
  switch (lacks) {
    case 'requests':
      return [lift('--max-submits N', 'requests N')];
    case 'cost':
      return [lift('--max-cost AMOUNT', 'cost AMOUNT')];
    case 'price':
      return [`${resume} --profile FILE`, lift('--max-cost off', 'cost off')];
    default:
      return assertNever(lacks);
  }
}
