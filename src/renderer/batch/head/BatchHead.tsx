import { ChevronDown, ChevronUp, FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import { FAMILIES, FAMILY_NAMES } from '../../../shared/domain/operations/operations.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { IconButton } from '../../design/Button.tsx';
import { SegmentedBar } from '../../design/Status.tsx';
import { amountText, moneyText } from '../../../shared/domain/base/money.ts';
import { hoursWords } from '../../state/opening/when-answers.ts';
import { moneyTogether } from '../../../shared/domain/task/forecast/forecast-words.ts';
import { keepInWindow, useNow } from '../../state/app-context.ts';
import { countText } from '../../../shared/domain/base/text.ts';
import { words } from '../../../shared/words/words.ts';
import { limitTexts } from '../../format/costs.ts';
import { formatBytes } from '../../format/phrases.ts';
import { formatClockSeconds, formatDuration, formatExpectedEnd, formatNearby } from '../../format/times.ts';
import { shownLine } from '../../format/shown-text.ts';
import {
  percentDone,
  requestsLeft,
  standingOf,
  statusTotals,
  tasksInTotal,
  type StatusTotals,
} from '../../state/batch/batch-progress.ts';
import { AfterNightChoice } from '../../shell/AfterNight.tsx';
import { balancesOf, balanceWords } from './Balance.tsx';
import { ForecastCard, useForecast } from '../../open-sheet/start/ForecastCard.tsx';
import { BatchActions } from './BatchActions.tsx';
import { KeyDoubt } from '../../settings/gateways/KeyTrustSettings.tsx';
import styles from './BatchHead.module.css';

const CLOCK_INTERVAL_MS = 15_000;
const HOLD_INTERVAL_MS = 1_000;
const FOLDED = 'nocturne.head-folded';

/** The head of a batch: name, state, progress, and expected end. */
export function BatchHead({ batch }: { readonly batch: BatchView }) {
  const totals = statusTotals(batch.counts);
  const standing = standingOf(batch);
  const [isFolded, fold] = useFolded();
  const first = batch.waitsForFirst && words.batch.head.waitForFirst(shownLine(batch.waitsForFirst));
  return (
    <header className={joinClasses('stack', styles.head, isFolded && styles.folded)}>
      <div className={joinClasses('row wrap', styles.top)}>
        <div className={joinClasses('row', styles.titles)}>
          <h1 className="cut" translate="no">
            {shownLine(batch.name)}
          </h1>
          <span className={styles.state} data-tone={standing.tone} data-testid="batch-state">
            {standing.words}
          </span>
          {batch.rehearsal && (
            <span className={styles.state}>
              <FlaskConical size={13} strokeWidth={1.75} aria-hidden />
              {words.batch.head.rehearsal}
            </span>
          )}
          {first !== undefined && (
            <span className={joinClasses('cut soft', styles.first)} data-testid="first-of-kind" title={first}>
              {first}
            </span>
          )}
        </div>
        <BatchActions batch={batch} totals={totals} />
      </div>
      {/* Before the start, the sheet is what matters, and gets the room. */}
      {batch.state !== 'ready' && (
        <>
          <div className={joinClasses('row', styles.progress)}>
            <p className={joinClasses('tabular', styles.percent)} data-testid="batch-progress">
              {percentDone(totals)}
            </p>
            <ProgressWords batch={batch} totals={totals} isFolded={isFolded} />
            {batch.state === 'running' && <AfterNightChoice />}
            <IconButton
              icon={isFolded ? ChevronDown : ChevronUp}
              label={isFolded ? words.batch.head.unfold : words.batch.head.fold}
              aria-expanded={!isFolded}
              onClick={() => fold(!isFolded)}
            />
          </div>
          <SegmentedBar totals={totals} size="large" label={words.batch.head.takes} />
          {!isFolded && <FamilyBars batch={batch} />}
          {batch.state !== 'finished' && !batch.rehearsal && <KeyDoubt batch={batch} />}
          {!isFolded && batch.state === 'paused' && totals.queued > 0 && <IfItGoesOn batch={batch} />}
        </>
      )}
    </header>
  );
}

/** Whether only what matters most is shown, for all batches: the rest gives its room to the rows. */
function useFolded(): readonly [boolean, (isFolded: boolean) => void] {
  const [isFolded, setFolded] = useState(() => localStorage.getItem(FOLDED) === 'yes');
  const fold = (wish: boolean): void => {
    keepInWindow(FOLDED, wish ? 'yes' : 'no');
    setFolded(wish);
  };
  return [isFolded, fold];
}

/** The forecast if the batch goes on; it is asked for only once somebody looks. */
function IfItGoesOn({ batch }: { readonly batch: BatchView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="soft" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.batch.head.ifResumed}</summary>
      {isOpen && <GoesOn batch={batch} />}
    </details>
  );
}

function GoesOn({ batch }: { readonly batch: BatchView }) {
  const { forecast } = useForecast({ of: { kind: 'batch', batchId: batch.id } }, batch.submitsUsed);
  if (forecast === undefined) return <p>{words.batch.head.notKnownYet}</p>;
  return <ForecastCard forecast={forecast} isRehearsal={batch.rehearsal} />;
}

interface ProgressWordsProps {
  readonly batch: BatchView;
  readonly totals: StatusTotals;
  readonly isFolded: boolean;
}

function ProgressWords({ batch, totals, isFolded }: ProgressWordsProps) {
  // Reads batches again that had to wait, once the wait is over.
  const now = useNow(batch.heldUntil === undefined ? CLOCK_INTERVAL_MS : HOLD_INTERVAL_MS);
  const used = countText(batch.submitsUsed);
  const isHeld = batch.heldUntil !== undefined && batch.heldUntil > now;
  const { head, partOf } = words.batch;
  return (
    <dl className={joinClasses('row wrap grow tabular', styles.words)}>
      <Fact title={head.takesDone}>{partOf(countText(totals.done), countText(tasksInTotal(totals)))}</Fact>
      <Fact title={batch.state === 'finished' ? head.ended : head.finishes} testId="batch-end">
        {endWords(batch, totals, now)}
      </Fact>
      <Fact title={batch.rehearsal ? head.requests : head.paidRequests}>
        {batch.maxSubmits === undefined ? used : partOf(used, countText(batch.maxSubmits))}
      </Fact>
      {!isFolded && <MoreFacts batch={batch} now={now} />}
      {isHeld && (
        <div className={styles.held} data-testid="gateway-held">
          <dt>{head.gatewayWaits}</dt>
          <dd>{head.nextAt(formatClockSeconds(batch.heldUntil))}</dd>
        </div>
      )}
      {!isFolded && !isHeld && (
        <div className={styles.spare}>
          <dt>{batch.accounts === undefined ? head.gateway : head.accounts}</dt>
          <dd className={joinClasses('cut', styles.gateway)} title={shownLine(gatewayTitle(batch))}>
            {batch.rehearsal ? head.builtIn : shownLine(gatewayWords(batch))}
          </dd>
        </div>
      )}
    </dl>
  );
}

function MoreFacts({ batch, now }: { readonly batch: BatchView; readonly now: number }) {
  const spent = spentWords(batch);
  const balances = balancesOf(batch.accounts);
  const { head } = words.batch;
  return (
    <>
      {spent !== '' && (
        <Fact title={batch.rehearsal ? head.wouldBeSpent : head.spent} testId="batch-spent">
          {spent}
        </Fact>
      )}
      {batch.waitsUntil !== undefined && batch.schedule !== undefined && (
        <Fact title={head.sends} testId="batch-hours">
          {hoursWords(batch.schedule, now)}
        </Fact>
      )}
      {batch.foretold !== undefined && (
        <Fact title={hasRunAgain(batch) ? head.forecastOfLast : head.forecast}>
          {foretoldWords(batch.foretold, batch.rehearsal, now)}
        </Fact>
      )}
      {batch.files > 0 && <Fact title={head.inFolder}>{head.files(batch.files, formatBytes(batch.bytes))}</Fact>}
      {batch.balance !== undefined && (
        <Fact title={head.balance} testId="batch-balance">
          {balanceWords(batch.balance)}
        </Fact>
      )}
      {balances.length > 0 && (
        <div className={styles.several} title={balances.map(({ whole }) => whole).join('\n')}>
          <dt>{head.balances}</dt>
          <dd className="cut" data-testid="batch-balance">
            {balances.map(({ short }) => short).join(' · ')}
          </dd>
        </div>
      )}
    </>
  );
}

function gatewayWords({ gateway, accounts }: BatchView): string {
  return accounts === undefined ? gateway : words.batch.list(accounts.map(({ name }) => name));
}

function gatewayTitle({ gateway, accounts }: BatchView): string {
  const { list, titled } = words.batch;
  return accounts === undefined ? gateway : list(accounts.map((one) => titled(one.name, one.gateway)));
}

interface FactProps {
  readonly title: string;
  readonly testId?: string;
  readonly children: string;
}

function Fact({ title, testId, children }: FactProps) {
  return (
    <div>
      <dt>{title}</dt>
      <dd data-testid={testId}>{children}</dd>
    </div>
  );
}

/** Whether its forecast is about a part of what is counted beside it: about its last run. */
function hasRunAgain({ state, runStartedAt }: BatchView): boolean {
  return state !== 'ready' && state !== 'finished' && runStartedAt === undefined;
}

/** What was forecast for this run when it began, beside how it is turning out or did. */
function foretoldWords(
  { ends, requests, cost, limit }: NonNullable<BatchView['foretold']>,
  isRehearsal: boolean,
  now: number,
): string {
  const end = ends === undefined ? undefined : formatNearby(ends, now);
  const sum = isRehearsal || cost.length === 0 ? words.common.requests(requests) : moneyTogether(cost);
  return words.batch.head.foretold(end, sum, limitTexts(limit ?? {}));
}

function endWords(batch: BatchView, totals: StatusTotals, now: number): string {
  const { state, finishedAt, runStartedAt, expectedEnd } = batch;
  const said = words.batch.end;
  if (state === 'finished') {
    if (finishedAt === undefined) return said.nothingLeft;
    const at = formatNearby(finishedAt, now);
    return runStartedAt === undefined ? at : said.at(at, formatDuration(finishedAt - runStartedAt));
  }
  // What it needs is said beside its name and in the banner.
  if (state === 'paused') return said.notWhilePaused;
  if (batch.waitsUntil !== undefined) return said.waitsUntil(formatNearby(batch.waitsUntil, now));
  if (expectedEnd === undefined) return said.estimating;
  const left = requestsLeft(batch);
  const pausesBefore = left !== undefined && left < totals.queued;
  const end = formatExpectedEnd(expectedEnd, now);
  return pausesBefore ? said.pausesAtLimit(end) : end;
}

function FamilyBars({ batch }: { readonly batch: BatchView }) {
  const families = FAMILIES.map((family) => ({ family, totals: statusTotals(batch.counts, family) }));
  const used = families.filter(({ totals }) => tasksInTotal(totals) > 0);
  if (used.length < 2) return null;
  return (
    <ul className={joinClasses('row wrap', styles.families)}>
      {used.map(({ family, totals }) => (
        <li key={family} className={styles.family}>
          <span className="soft">{FAMILY_NAMES[family]}</span>
          <SegmentedBar totals={totals} size="small" />
          <span className="faint tabular">
            {countText(totals.done)}/{countText(tasksInTotal(totals))}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What a batch has spent at most, of its limit if it has one; empty if there is nothing to say. */
function spentWords({ maxCost, spent, charged = [], unpriced = 0 }: BatchView): string {
  const { head, partOf } = words.batch;
  const limit = maxCost && moneyText(maxCost);
  const ofLimit = limit && (spent === undefined ? head.ofLimit(limit) : partOf(amountText(spent), limit));
  const known = ofLimit ?? (charged.length === 0 ? '' : moneyTogether(charged));
  if (unpriced === 0) return known;
  return known === '' ? head.withoutPrice(unpriced) : head.spentAndUnpriced(known, unpriced);
}
