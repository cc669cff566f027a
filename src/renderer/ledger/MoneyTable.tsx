import { moneyText } from '../../shared/domain/base/money.ts';
import { countText } from '../../shared/domain/base/text.ts';
import { countedWords } from '../../shared/domain/ledger/ledger-groups.ts';
import { CHARGES } from '../../shared/domain/ledger/ledger-money.ts';
import { OPERATIONS } from '../../shared/domain/operations/operations.ts';
import type { LedgerView } from '../../shared/ipc/ledger.ts';
import { words } from '../../shared/words/words.ts';
import styles from './LedgerScreen.module.css';

const COLUMNS = ['planned', ...CHARGES] as const;
type Line = LedgerView['money']['byOperation'][number];
const moneyWords = words.ledger.money;

/** What was planned, reserved, spent, and may have been: in money if a price is known, otherwise in requests. */
export function MoneyTable({ ledger }: { readonly ledger: LedgerView }) {
  const { money, batches, isPart } = ledger;
  if (batches.every(({ rehearsal }) => rehearsal)) {
    return <p className="soft">{moneyWords.rehearsal}</p>;
  }
  const total: Line = { of: moneyWords.all, requests: money.requests, money: money.money };
  const lines = [...money.byOperation.map(named), ...money.byAccount, ...(money.byDay.length > 1 ? money.byDay : [])];
  const isUnpriced = money.money.length === 0;
  const unpriced = COLUMNS.reduce((sum, column) => sum + money.unpriced[column], 0);
  return (
    <>
      {isUnpriced && <p className="soft">{moneyWords.noPrices}</p>}
      <table className={`table ${styles.money}`} data-testid="ledger-money">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">{moneyWords.of}</span>
            </th>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" title={moneyWords.columnsMean[column]}>
                {moneyWords.columns[column]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[total, ...lines].map((line) => (
            <tr key={line.of}>
              <th scope="row">{line.of}</th>
              {COLUMNS.map((column) => (
                <td key={column}>{amountOf(line, column)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {money.counted.length > 0 && <p className="soft">{countedWords(money.counted)}</p>}
      {isPart && <p className="soft">{moneyWords.isPart}</p>}
      {!isUnpriced && unpriced > 0 && (
        <p className="soft">
          {moneyWords.withoutPrice(COLUMNS.map((column) => [moneyWords.columns[column], money.unpriced[column]]))}
        </p>
      )}
    </>
  );
}

function named(line: Line): Line {
  return { ...line, of: OPERATIONS.find(({ path }) => path === line.of)?.title ?? line.of };
}

/** Amounts by currency; requests if nothing has a price. */
function amountOf({ money, requests }: Line, column: (typeof COLUMNS)[number]): string {
  const amounts = money.filter((of) => of[column] > 0 || money.length === 1);
  if (amounts.length > 0)
    return moneyWords.amounts(amounts.map(({ currency, ...of }) => moneyText({ amount: of[column], currency })));
  return money.length > 0 ? '–' : countText(requests[column]);
}
