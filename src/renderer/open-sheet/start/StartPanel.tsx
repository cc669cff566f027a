import { Play } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { Button, useBusy } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Phrase } from '../../design/Page.tsx';
import { NOTHING_TO_START, sentBy, someOf, startLabel, sumText } from '../../format/costs.ts';
import { useApp, useAppModel, useBatches } from '../../state/app-context.ts';
import { checkedFor } from '../../state/account-choices.ts';
import { beginningOf, type OpenSheet } from '../../state/opening/start-forms.ts';
import { answerToCorrect } from '../../state/opening/start-forms.ts';
import { isWhole } from '../../state/opening/sheet-understanding.ts';
import { tourPlace } from '../../state/tour.ts';
import type { AccountsChoice } from '../../../shared/ipc/accounts.ts';
import type { SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { RUN_SHORTCUT } from '../../shell/keyboard.ts';
import { foundWords } from './FilesPlace.tsx';
import { ForecastCard, useForecast } from './ForecastCard.tsx';
import { LongTextDialog, StartFields, useStartForm } from './StartForm.tsx';
import styles from './StartPanel.module.css';

/** Where to render the rows, where to put the files, how much it may cost, and the start button. */
export function StartPanel({ open }: { readonly open: OpenSheet }) {
  const { sheet } = open;
  const model = useAppModel();
  const defaultFolder = useApp((state) => state.settings?.defaultFolder ?? '');
  const isChecking = useStore(model.bringIn.store, (state) => state.isChecking);
  const names = useBatches().map(({ name }) => name);
  const form = useStartForm(sheet.sheetId, beginningOf(open, names));
  const [isAsking, setAsking] = useState(false);
  const [isBusy, run] = useBusy();

  const { isRehearsal, limit } = form;
  useCheckedFor(open, isRehearsal ? undefined : form.answers.accounts);
  const whole = isWhole(sheet) ? sheet : undefined;
  const { submits = 0, rowCount = 0, longRows = 0 } = whole ?? {};
  const canRun = submits > 0;
  const { forecast, isCurrent } = useForecast(
    { of: { kind: 'sheet', sheetId: sheet.sheetId }, ...form.run },
    useChanges(sheet),
  );
  const waiting = { submits, cost: whole?.cost ?? [], withoutPrice: whole?.submitsWithoutPrice ?? 0 };
  const sent = sentBy(waiting, isCurrent ? forecast : undefined);
  const again = isCurrent && forecast !== undefined ? (forecast.again?.requests ?? 0) : form.again * submits;
  const problem = form.choice.ok ? sent.problem : answerToCorrect(form.choice.error);
  const canCreate = rowCount > 0 && form.choice.ok && !isBusy && !isChecking;
  const create = (start: boolean): void =>
    run(async () => {
      await model.newBatches.create(start);
    });
  const start = (): void => (longRows > 0 ? setAsking(true) : create(true));

  return (
    <aside className={styles.panel} aria-label={words.start.title}>
      <div className={joinClasses(styles.fields, 'stack scroll')} data-region="panel">
        <StartFields
          form={form}
          submits={submits}
          cost={whole?.cost}
          rows={whole?.runnableRows ?? 0}
          folder={defaultFolder}
          folderHint={words.start.newFolder}
          place={{
            place: whole?.filesPlace,
            found: whole?.localFiles && foundWords(whole.localFiles),
            choose: () => model.bringIn.choosePlace(),
          }}
          namesFiles={whole?.problems.some(({ code }) => code === 'local-file') === true}
        />
        {whole !== undefined && canRun && <ForecastCard forecast={forecast} isRehearsal={isRehearsal} />}
      </div>
      <div className={joinClasses(styles.start, 'stack')} data-region="start" {...tourPlace('start')}>
        <p className={joinClasses(styles.sum, 'soft')}>
          {whole === undefined ? (
            words.start.stillReading
          ) : canRun ? (
            <Phrase
              of={words.start.sum(
                <strong>{someOf(sent.submits, submits, isRehearsal)}</strong>,
                whole.runnableRows,
                sumText(isRehearsal, sent.submits, sent.cost, sent.withoutPrice),
              )}
            />
          ) : (
            NOTHING_TO_START
          )}
        </p>
        <Button
          look="primary"
          size="large"
          icon={Play}
          disabled={!canRun || !canCreate || problem !== undefined}
          onClick={start}
          {...RUN_SHORTCUT}
        >
          {startLabel(isRehearsal, sent, limit.ok ? limit.value : undefined, again)}
        </Button>
        {canRun && problem !== undefined && <p className="wrong">{words.start.sentence(problem)}</p>}
        {whole !== undefined && !canRun && <p className="faint">{nothingWords(whole)}</p>}
        <Button look="quiet" disabled={!canCreate} onClick={() => create(false)}>
          {words.start.importOnly}
        </Button>
      </div>
      {isAsking && <LongTextDialog rows={longRows} onConfirm={() => create(true)} onClose={() => setAsking(false)} />}
    </aside>
  );
}

/** How often the sheet was replaced: one that was checked again may have other rows, or other prices for them. */
function useChanges(of: OpenSheet['sheet']): number {
  const [last, setLast] = useState({ of, times: 0 });
  if (last.of !== of) setLast({ of, times: last.times + 1 });
  return last.times;
}

/**
 * Keeps the check of the sheet in step with the accounts: its cells may name accounts, and its cost depends on their
 * prices.
 */
function useCheckedFor({ sheet }: OpenSheet, accounts: AccountsChoice | undefined): void {
  const model = useAppModel();
  const wanted = JSON.stringify(accounts ?? null);
  const isOther = isWhole(sheet) && checkedFor(sheet.accounts) !== checkedFor(accounts);
  useEffect(() => {
    const several = JSON.parse(wanted) as AccountsChoice | null;
    if (isOther) void model.bringIn.checkFor(several ?? undefined);
  }, [model, isOther, wanted]);
}

function nothingWords({ errorCount }: SheetView): string {
  return errorCount > 0 ? words.start.noneRuns : words.start.noneRenders;
}
