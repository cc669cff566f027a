import { CircleAlert, Clock, Coins, CopyCheck, HardDrive } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { moneyText, type Money } from '../../../shared/domain/base/money.ts';
import { countOf, countText } from '../../../shared/domain/base/text.ts';
import { FAMILY_NAMES, operationOf } from '../../../shared/domain/operations/operations.ts';
import type { RouteInput } from '../../../shared/ipc/contract.ts';
import type { ForecastView } from '../../../shared/ipc/forecast.ts';
import { requestsOf } from '../../format/costs.ts';
import { formatNearby } from '../../format/times.ts';
import { formatBytes } from '../../format/words.ts';
import { useAnswer, useNow } from '../../state/app-context.ts';
import styles from './ForecastCard.module.css';

interface ForecastCardProps {
  readonly question: RouteInput<'start.forecast'>;
  readonly isRehearsal: boolean;
  /** Another number asks again: what is asked about has changed. */
  readonly version?: number;
}

/** While the user types, nothing is asked. */
const SETTLED_MS = 250;
const MINUTE_MS = 60_000;

/** What a run will be: requests, cost, end, disk, and a picture of the night. */
export function ForecastCard({ question, isRehearsal, version }: ForecastCardProps) {
  const settled = useSettled(JSON.stringify(question));
  const forecast = useAnswer('start.forecast', JSON.parse(settled) as typeof question, version);
  if (forecast === undefined || forecast.requests === 0) return null;
  return <Foretold forecast={forecast} isRehearsal={isRehearsal} />;
}

function Foretold({ forecast, isRehearsal }: { readonly forecast: ForecastView; readonly isRehearsal: boolean }) {
  const now = useNow(MINUTE_MS);
  const { duplicates, invalidRows, beyondLimit, unsent, picture } = forecast;
  return (
    <section className="stack" aria-label="Forecast" data-testid="forecast">
      <h3 className="faint">Forecast</h3>
      <ul className={styles.facts}>
        <Fact icon={<Coins size={14} strokeWidth={1.75} aria-hidden />}>{costWords(forecast, isRehearsal)}</Fact>
        <Fact icon={<Clock size={14} strokeWidth={1.75} aria-hidden />}>{endWords(forecast, now)}</Fact>
        <Fact icon={<HardDrive size={14} strokeWidth={1.75} aria-hidden />}>{diskWords(forecast)}</Fact>
        {duplicates.rows > 0 && (
          <Fact icon={<CopyCheck size={14} strokeWidth={1.75} aria-hidden />}>{twiceWords(forecast, isRehearsal)}</Fact>
        )}
        {[
          invalidRows > 0 && `${countOf(invalidRows, 'row')} left out because of errors`,
          beyondLimit > 0 && `${requestsOf(beyondLimit, isRehearsal)} more do not fit into the limit`,
          unsent > 0 && `${requestsOf(unsent, isRehearsal)} are not sent before its hours are over`,
        ].map(
          (words) =>
            words !== false && (
              <Fact key={words} icon={<CircleAlert size={14} strokeWidth={1.75} aria-hidden />}>
                {words}
              </Fact>
            ),
        )}
      </ul>
      {picture !== undefined && <Picture picture={picture} />}
    </section>
  );
}

function Fact({ icon, children }: { readonly icon: ReactNode; readonly children: string }) {
  return (
    <li className="row soft">
      {icon}
      <span>{children}</span>
    </li>
  );
}

function costWords({ cost, unpriced }: ForecastView, isRehearsal: boolean): string {
  if (isRehearsal) return 'A rehearsal costs nothing';
  const missing = unpriced.map(({ operation, requests }) => `${countText(requests)} ${operationOf(operation).short}`);
  if (cost.length === 0) return `Cost unknown: no price for ${missing.join(', ')}`;
  return `Costs ${sumOf(cost)}${missing.length === 0 ? '' : `; no price for ${missing.join(', ')}`}`;
}

function sumOf(cost: readonly Money[]): string {
  return cost.map(moneyText).join(' and ');
}

const SOURCES = {
  learned: 'as this gateway took before',
  defaults: 'by what is usual: nothing is known of this gateway yet',
  both: 'in part by what is usual',
} as const satisfies Record<ForecastView['source'], string>;

function endWords({ begins, ends, source }: ForecastView, now: number): string {
  if (ends === undefined) return 'End unknown: nothing is sent within its hours';
  const starts = begins - now > MINUTE_MS ? `Begins ${formatNearby(begins, now)}, ends` : 'Ends';
  const between = `${formatNearby(ends.earliest, now)} to ${formatNearby(ends.latest, now)}`;
  return `${starts} about ${formatNearby(ends.likely, now)} (${between}), ${SOURCES[source]}`;
}

function diskWords({ diskBytes, freeBytes }: ForecastView): string {
  const needed = `About ${formatBytes(Math.round(diskBytes))} on the disk`;
  if (freeBytes === undefined) return `${needed}; free room unknown`;
  return `${needed}, ${formatBytes(freeBytes)} free${diskBytes > freeBytes ? ': not enough' : ''}`;
}

function twiceWords({ duplicates }: ForecastView, isRehearsal: boolean): string {
  const { rows, requests, cost } = duplicates;
  const sum = cost.length === 0 ? requestsOf(requests, isRehearsal) : sumOf(cost);
  return `${countOf(rows, 'row')} ${rows === 1 ? 'asks' : 'ask'} for what another row asks for: ${sum}`;
}

/** A bar over the night for each family: how much of its places is taken; hatched where nothing is sent. */
function Picture({ picture }: { readonly picture: NonNullable<ForecastView['picture']> }) {
  const { from, to, open, families } = picture;
  const now = useNow(MINUTE_MS);
  return (
    <figure className={styles.picture} aria-hidden>
      {families.map(({ family, busy }) => (
        <div key={family} className={styles.family} data-family={family}>
          <span className="faint">{FAMILY_NAMES[family]}</span>
          <svg viewBox={`0 0 ${busy.length} 10`} preserveAspectRatio="none" className={styles.bar}>
            <path className={styles.busy} d={barsOf(busy)} />
            <path className={styles.closed} d={barsOf(open.map((isOpen) => (isOpen ? 0 : 1)))} />
          </svg>
        </div>
      ))}
      <figcaption className="row faint tabular">
        <span className="grow">{formatNearby(from, now)}</span>
        <span>{formatNearby(to, now)}</span>
      </figcaption>
    </figure>
  );
}

/** A bar for each part, as high as its share of ten. */
function barsOf(parts: readonly number[]): string {
  return parts.map((part, i) => (part === 0 ? '' : `M${i} 10V${(10 - 10 * part).toFixed(2)}H${i + 1}V10Z`)).join('');
}

/** The text as it was when it last stayed the same for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
