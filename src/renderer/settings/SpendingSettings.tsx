import { useState, type FormEvent } from 'react';
import { moneyText, type Money } from '../../shared/domain/base/money.ts';
import type { SpendingView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { TextField } from '../design/Field.tsx';
import { MoneyField } from '../open-sheet/start/MoneyField.tsx';
import { useAnswer, useApp, useAppModel, useBatches, useNow, useTyped } from '../state/app-context.ts';
import { setSpending, spendingTyped } from '../state/batch/limit-change.ts';
import { unheldWords } from '../state/opening/start-forms.ts';

type Period = 'night' | 'month';

/** The sums start again at noon and at the end of a month. */
const RENEWED_MS = 60_000;

const PERIODS = ['night', 'month'] as const satisfies readonly Period[];

/** What all batches together may spend in a night and in a month. */
export function SpendingSettings() {
  const model = useAppModel();
  const [typed, type, savedTyped] = useTyped('spending');
  const [isBusy, run] = useBusy();
  const [saved, setSaved] = useState<{ readonly before: SpendingView | undefined; readonly view: SpendingView }>();
  const [saves, setSaves] = useState(0);
  // What a batch sends is reported with the batch.
  const sent = useBatches().reduce((sum, { submitsUsed }) => sum + submitsUsed, 0);
  const answer = useAnswer('spending.get', undefined, sent + saves + useNow(RENEWED_MS));
  const view = saved !== undefined && saved.before === answer ? saved.view : answer;
  const currencies = useApp((state) => state.settings?.currenciesOfAll) ?? [];
  if (view === undefined) return null;
  const limits = { night: spendingTyped(view, typed, 'night'), month: spendingTyped(view, typed, 'month') };
  const { night, month } = limits;
  const save = (event: FormEvent): void => {
    event.preventDefault();
    run(async () => {
      const reply = await setSpending((route, ...input) => model.ask(route, ...input), typed);
      if (!reply.ok) return;
      setSaved({ before: answer, view: reply.value });
      setSaves(saves + 1);
      savedTyped(typed);
    });
  };
  const isRight = [night.requests, night.cost, month.requests, month.cost].every(({ ok }) => ok);
  return (
    <form className="stack" onSubmit={save}>
      {PERIODS.map((period) => {
        const { texts, requests, cost } = limits[period];
        return (
          <div key={period} className="stack">
            <TextField
              label={words.settings.spending.requestsOf[period]}
              inputMode="numeric"
              placeholder={words.settings.spending.noLimit}
              value={texts.requests}
              onChange={(event) => type({ [`${period} requests`]: event.target.value })}
              problem={requests.ok ? undefined : requests.error}
            />
            <MoneyField
              label={words.settings.spending.moneyOf[period]}
              value={texts.cost}
              onChange={(typed) => type({ [`${period} cost`]: typed })}
              problem={cost.ok ? undefined : cost.error}
              hint={spentWords(period, view[period].spent)}
            />
            {cost.ok && <Unheld limit={cost.value} currencies={currencies} />}
          </div>
        );
      })}
      <div className="row">
        <Button type="submit" disabled={isBusy || !isRight || Object.keys(typed).length === 0}>
          {words.settings.spending.save}
        </Button>
        {saved !== undefined && Object.keys(typed).length === 0 && (
          <output className="soft">{words.settings.spending.saved}</output>
        )}
      </div>
    </form>
  );
}

/** The limit may be for the prices of another profile: a warning, not an obstacle. */
function Unheld({ limit, currencies }: { readonly limit: Money | undefined; readonly currencies: readonly string[] }) {
  const problem = unheldWords(limit, currencies);
  if (problem === undefined) return null;
  return (
    <Callout isSlim level="warning" title={words.settings.spending.holdsUp}>
      {problem}
    </Callout>
  );
}

function spentWords(period: Period, { requests, cost, unpriced }: SpendingView['night']['spent']): string {
  return words.settings.spending.spent(period, requests, cost.map(moneyText), unpriced);
}
