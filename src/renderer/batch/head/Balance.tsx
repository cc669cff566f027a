import { asSentence } from '../../../shared/domain/base/text.ts';
import { balanceText, moneyText } from '../../../shared/domain/base/money.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { Callout } from '../../design/Callout.tsx';
import { formatClock } from '../../format/times.ts';
import { shownLine, shownText } from '../../format/shown-text.ts';
import { useAnswer } from '../../state/app-context.ts';

type SeenBalance = NonNullable<BatchView['balance']>;

/** What an account has left, as last heard, and when: `12.50 USD at 22:14`. */
export function balanceWords({ at, balance }: SeenBalance): string {
  return balance === undefined
    ? words.batch.balance.unknown
    : words.batch.balance.at(balanceText(balance), formatClock(at));
}

/** The same for each of several accounts whose gateway reports it, short and with its time; empty if none does. */
export function balancesOf(accounts: BatchView['accounts'] = []) {
  return accounts.flatMap(({ name, balance: seen }) => {
    if (seen === undefined) return [];
    const left = seen.balance === undefined ? words.batch.balance.unknown : balanceText(seen.balance);
    const { titled } = words.batch;
    return [{ short: titled(shownLine(name), left), whole: titled(shownLine(name), balanceWords(seen)) }];
  });
}

/** What one of several accounts has left, if its gateway reports it. */
export function AccountBalance(access: { readonly profile: string; readonly keyName: string | undefined }) {
  const seen = useAnswer('account.balance', access);
  if (seen === undefined) return null;
  const { balance, problem = '' } = seen;
  const text =
    balance === undefined
      ? words.common.sentences([words.batch.balance.accountUnknown, asSentence(shownText(problem))])
      : words.batch.balance.accountHas(balanceText(balance));
  return <p className="faint">{text}</p>;
}

interface BalanceProps {
  /** What is about to be paid, by currency. */
  readonly cost?: readonly { readonly amount: number; readonly currency: string }[];
}

/**
 * Before a night: what the account at the settings' gateway has left, and whether that is enough. Shows nothing if the
 * gateway does not report it.
 */
export function Balance({ cost }: BalanceProps) {
  const seen = useAnswer('gateway.balance', undefined);
  if (seen === undefined) return null;
  const { balance, problem } = seen;
  if (balance === undefined) {
    return (
      <p className="faint" data-testid="balance">
        {words.common.sentences([words.batch.balance.isUnknown, asSentence(shownText(problem ?? ''))])}
      </p>
    );
  }
  const needed = cost?.find(({ currency }) => currency === balance.currency);
  const isLow = needed !== undefined && needed.amount > balance.amount;
  if (!isLow) {
    return (
      <p className="faint" data-testid="balance">
        {words.batch.balance.youHave(balanceText(balance))}
      </p>
    );
  }
  return (
    <Callout isSlim level="warning" title={words.batch.balance.isLow(balanceText(balance), moneyText(needed))}>
      {words.batch.balance.isLowText}
    </Callout>
  );
}
