import { amountsOf, moneyText } from '../../shared/domain/base/money.ts';
import { withLimits, type Limit, type SpendingLimits, type SpentSum } from '../../shared/domain/task/spending.ts';
import type { Console } from '../console.ts';
import { count } from '../describe.ts';
import { EXIT, type ExitCode } from '../ending.ts';
import { withEngine } from '../open-engine.ts';
import { withStore } from '../with-store.ts';
import type { CommonOptions } from '../options/common-options.ts';
import { givenAmount, givenRequests } from '../options/spending-options.ts';

export interface LimitsOptions extends CommonOptions {
  readonly nightRequests?: string;
  readonly nightCost?: string;
  readonly monthRequests?: string;
  readonly monthCost?: string;
}

/**
 * Shows what all batches together may spend in a night and in a month, and what they have spent; sets these limits if
 * told to.
 */
export async function limitsCommand(console: Console, options: LimitsOptions): Promise<ExitCode> {
  const changes = {
    night: {
      requests: givenRequests('--night-requests', options.nightRequests),
      cost: givenAmount('--night-cost', options.nightCost, {}),
    },
    month: {
      requests: givenRequests('--month-requests', options.monthRequests),
      cost: givenAmount('--month-cost', options.monthCost, {}),
    },
  };
  const isChange = Object.values(changes).some(({ requests, cost }) => requests !== undefined || cost !== undefined);
  if (!isChange) {
    return withStore(options, async ({ store, zone }) => {
      if (zone !== undefined) console.line(`By the clock of ${zone}, wherever workers are:`);
      show(console, await store.spendingLimits(), await store.spending(Date.now(), []));
      return EXIT.done;
    });
  }
  return withEngine(options, async (engine) => {
    await engine.setLimits(withLimits(await engine.store.spendingLimits(), changes));
    const { limits, ...spent } = await engine.spending();
    show(console, limits, spent);
    return EXIT.done;
  });
}

function show(
  console: Console,
  limits: SpendingLimits,
  { night, month }: { readonly night: SpentSum; readonly month: SpentSum },
): void {
  console.document({ limits, spent: { night: sumsOf(night), month: sumsOf(month) } });
  console.line(`A night:  ${limitText(limits.night)} · this night: ${spentWords(night)}`);
  console.line(`A month:  ${limitText(limits.month)} · this month: ${spentWords(month)}`);
}

function sumsOf({ requests, unpriced, micros }: SpentSum) {
  return { requests, unpriced, cost: amountsOf(new Map(Object.entries(micros))) };
}

export function limitText({ requests, cost }: Limit = {}): string {
  const parts = [
    requests === undefined ? [] : count(requests, 'paid request'),
    cost === undefined ? [] : moneyText(cost),
  ];
  return parts.flat().join(', ') || 'no limit';
}

function spentWords(spent: SpentSum): string {
  const { requests, unpriced, cost } = sumsOf(spent);
  const words = [count(requests, 'paid request'), ...cost.map(moneyText)].join(', ');
  return unpriced === 0 ? words : `${words}, ${unpriced} of them without a known price`;
}
