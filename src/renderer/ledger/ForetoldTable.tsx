import { countText } from '../../shared/domain/base/text.ts';
import { moneyTogether } from '../../shared/domain/task/forecast/forecast-words.ts';
import type { LedgerView } from '../../shared/ipc/ledger.ts';
import { words } from '../../shared/words/words.ts';
import { limitTexts } from '../format/costs.ts';
import { formatNearby } from '../format/times.ts';
import { shownLine } from '../format/shown-text.ts';
import { useNow } from '../state/app-context.ts';
import styles from './LedgerScreen.module.css';

const MINUTE_MS = 60_000;
const foretoldWords = words.ledger.foretold;

/** The forecast for each batch, and below it how the batch turned out. */
export function ForetoldTable({ batches }: Pick<LedgerView, 'batches'>) {
  const now = useNow(MINUTE_MS);
  const foretold = batches.flatMap((batch) => (batch.foretold === undefined ? [] : { ...batch, ...batch.foretold }));
  if (foretold.length === 0) return null;
  const areRehearsals = foretold.every(({ rehearsal }) => rehearsal);
  // Requests of a rehearsal are not paid, but are in the same column.
  const arePaid = foretold.every(({ rehearsal }) => !rehearsal);
  return (
    <table className={`table ${styles.money} ${styles.foretold}`} data-testid="ledger-foretold">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">{foretoldWords.of}</span>
          </th>
          <th scope="col">{arePaid ? foretoldWords.paidRequests : foretoldWords.requests}</th>
          {!areRehearsals && <th scope="col">{foretoldWords.cost}</th>}
          <th scope="col">{foretoldWords.end}</th>
        </tr>
      </thead>
      {foretold.map(({ id, name, rehearsal, requests, cost, ends, limit = {}, came }) => {
        const lines = [
          [
            foretoldWords.within(limitTexts(limit)),
            countText(requests),
            cost,
            ends === undefined ? foretoldWords.endUnknown : foretoldWords.aboutTime(formatNearby(ends, now)),
          ],
          [
            came.ranAgain === true ? foretoldWords.cameToWithLater : foretoldWords.cameTo,
            foretoldWords.withEarlier(came.requests, came.earlier ?? 0),
            came.cost,
            came.ended === undefined ? foretoldWords.notEnded : formatNearby(came.ended, now),
          ],
        ] as const;
        return (
          <tbody key={id}>
            {lines.map(([title, count, sum, end]) => (
              <tr key={title}>
                <th scope="row">{foretold.length > 1 ? foretoldWords.ofBatch(shownLine(name), title) : title}</th>
                <td>{count}</td>
                {!areRehearsals && <td>{rehearsal || sum.length === 0 ? '–' : moneyTogether(sum)}</td>}
                <td>{end}</td>
              </tr>
            ))}
          </tbody>
        );
      })}
    </table>
  );
}
