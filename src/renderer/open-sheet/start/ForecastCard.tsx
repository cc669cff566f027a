import { CircleAlert, Clock, Coins, CopyCheck, HardDrive, Repeat, Rows3, type LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { FAMILY_NAMES } from '../../../shared/domain/operations/operations.ts';
import {
  againWords,
  dearerWords,
  keptBackWords,
  moneyTogether,
  twiceWords,
  unpricedWords,
} from '../../../shared/domain/task/forecast/forecast-words.ts';
import type { RouteInput } from '../../../shared/ipc/contract.ts';
import type { ForecastView } from '../../../shared/ipc/forecast.ts';
import { words } from '../../../shared/words/words.ts';
import { someOf } from '../../format/costs.ts';
import { formatNearby } from '../../format/times.ts';
import { formatBytes } from '../../format/phrases.ts';
import { useCurrentAnswer, useNow } from '../../state/app-context.ts';
import styles from './ForecastCard.module.css';

/** While the user types, nothing is asked. */
const SETTLED_MS = 250;
const MINUTE_MS = 60_000;

/**
 * The forecast for a run, and whether it answers the question as it is now.
 * @param version Another number asks again: what is asked about has changed.
 */
export function useForecast(
  question: RouteInput<'start.forecast'>,
  version?: number,
): { readonly forecast: ForecastView | undefined; readonly isCurrent: boolean } {
  const asked = JSON.stringify(question);
  const settled = useSettled(asked);
  const { answer, isCurrent } = useCurrentAnswer('start.forecast', JSON.parse(settled) as typeof question, version);
  return { forecast: answer, isCurrent: isCurrent && settled === asked };
}

interface ForecastCardProps {
  readonly forecast: ForecastView | undefined;
  readonly isRehearsal: boolean;
}

/** The forecast for a run: requests, cost, end, disk, and a picture of the night. Shows nothing if nothing waits. */
export function ForecastCard({ forecast, isRehearsal }: ForecastCardProps) {
  const isEmpty = forecast === undefined || waitingIn(forecast) + forecast.held.requests === 0;
  return isEmpty ? null : <Foretold forecast={forecast} isRehearsal={isRehearsal} />;
}

function waitingIn({ requests, beyondLimit, unsent }: ForecastView): number {
  return requests + beyondLimit + unsent;
}

function Foretold({ forecast, isRehearsal }: { readonly forecast: ForecastView; readonly isRehearsal: boolean }) {
  const now = useNow(MINUTE_MS);
  const { requests, ends, duplicates, invalidRows, picture } = forecast;
  const request = isRehearsal ? 'request' : 'paid request';
  const dearer = dearerWords(forecast);
  const again = againWords(forecast, request);
  const facts: readonly (readonly [LucideIcon, string])[] = [
    [Rows3, countWords(forecast, isRehearsal)],
    ...keptBackWords(forecast, request).map((text) => [CircleAlert, text] as const),
    ...(requests > 0 ? [[Coins, costWords(forecast, isRehearsal)] as const] : []),
    ...(again === '' ? [] : [[Repeat, words.start.begun(again)] as const]),
    ...(dearer === '' ? [] : [[CircleAlert, dearer] as const]),
    ...(ends === undefined ? [] : [[Clock, endWords(forecast, ends, now)] as const]),
    ...(requests > 0 ? [[HardDrive, diskWords(forecast)] as const] : []),
    ...(duplicates.rows > 0 ? [[CopyCheck, twiceWords(duplicates, request)] as const] : []),
    ...(invalidRows > 0 ? [[CircleAlert, words.start.forecast.invalidRows(invalidRows)] as const] : []),
  ];
  return (
    <section className="stack" aria-label={words.start.forecast.title} data-testid="forecast">
      <h3 className="faint">{words.start.forecast.title}</h3>
      <ul className={styles.facts}>
        {facts.map(([Icon, text]) => (
          <li key={text} className="row soft">
            <Icon size={14} strokeWidth={1.75} aria-hidden />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {requests > 0 && picture !== undefined && <Picture picture={picture} />}
    </section>
  );
}

/** `40 of 60 paid requests, 60 rows` */
function countWords(forecast: ForecastView, isRehearsal: boolean): string {
  return words.start.forecast.count(someOf(forecast.requests, waitingIn(forecast), isRehearsal), forecast.rows);
}

function costWords(forecast: ForecastView, isRehearsal: boolean): string {
  if (isRehearsal) return words.start.forecast.free;
  const missing = unpricedWords(forecast);
  if (forecast.cost.length === 0) return words.start.forecast.costUnknown(missing);
  return words.start.forecast.cost(moneyTogether(forecast.cost), missing);
}

function endWords({ begins, source }: ForecastView, ends: NonNullable<ForecastView['ends']>, now: number): string {
  return words.start.forecast.ends({
    begins: begins - now > MINUTE_MS ? formatNearby(begins, now) : undefined,
    likely: formatNearby(ends.likely, now),
    earliest: formatNearby(ends.earliest, now),
    latest: formatNearby(ends.latest, now),
    source,
  });
}

function diskWords({ diskBytes, freeBytes }: ForecastView): string {
  const free = freeBytes === undefined ? undefined : formatBytes(freeBytes);
  const isEnough = freeBytes === undefined || diskBytes <= freeBytes;
  return words.start.forecast.disk(formatBytes(Math.round(diskBytes)), free, isEnough);
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
