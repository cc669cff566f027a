import { useStore } from 'zustand';
import { Section } from '../design/Page.tsx';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { NightView } from '../../shared/ipc/ledger.ts';
import { words } from '../../shared/words/words.ts';
import { nightCost } from '../format/costs.ts';
import { shownLine } from '../format/shown-text.ts';
import { formatDayAndClock, formatDuration } from '../format/times.ts';
import { useHappening } from '../ledger/use-happening.ts';
import { useAppModel, useBatches } from '../state/app-context.ts';
import { standingOf } from '../state/batch/batch-progress.ts';
import { batchesInNeed, batchesLeftOver } from '../state/batches-store.ts';
import { BatchLine, HomeLine, HomeLines, RunningBatches } from './RunningBatches.tsx';
import styles from './ReturnPanel.module.css';

/** The most batches of a night that are named. */
const NAMED = 3;
/** The most batches with something left to do; the side bar has all. */
const LEFT_SHOWN = 5;

/** For a user who comes back: what needs them, what runs, and what became of the last night. */
export function ReturnPanel() {
  const model = useAppModel();
  const batches = useBatches();
  const nights = useHappening('ledger.nights', undefined);
  const waiting = batchesInNeed(batches);
  const running = batches.filter(({ state }) => state === 'running');
  const leftOver = batchesLeftOver(batches);
  const sheet = useStore(model.bringIn.store, ({ open }) => open?.sheet);
  const last = nights?.[0];
  const isNothing = waiting.length + leftOver.length === 0 && sheet === undefined;
  return (
    <>
      <header>
        <h1 className={styles.title}>{words.home.back.title}</h1>
        {waiting.length + running.length === 0 && (
          <p className="soft">{isNothing ? words.home.back.nothing : words.home.back.nothingRuns}</p>
        )}
      </header>
      {waiting.length > 0 && (
        <Section title={words.home.back.need(waiting.length)}>
          <HomeLines>
            {waiting.map((batch) => (
              <BatchLine key={batch.id} batch={batch} about={needWords(batch)} />
            ))}
          </HomeLines>
        </Section>
      )}
      {/* A batch that needs the user is listed above. */}
      {(running.length > 1 || running.some((batch) => !waiting.includes(batch))) && <RunningBatches />}
      {(sheet !== undefined || leftOver.length > 0) && (
        <Section title={words.home.back.leftOver}>
          <HomeLines>
            {sheet !== undefined && (
              <HomeLine
                tone="ready"
                name={shownLine(sheet.name)}
                about={words.home.back.openSheet}
                onClick={() => model.go({ kind: 'sheet' })}
              />
            )}
            {leftOver.slice(0, LEFT_SHOWN).map((batch) => (
              <BatchLine key={batch.id} batch={batch} about={standingOf(batch).words} />
            ))}
          </HomeLines>
          {leftOver.length > LEFT_SHOWN && (
            <p className="faint">{words.home.back.moreLeft(leftOver.length - LEFT_SHOWN)}</p>
          )}
        </Section>
      )}
      {last !== undefined && (
        <Section
          title={
            last.endedAt === undefined && last.interruptedAt === undefined
              ? words.home.back.thisNight
              : words.home.back.lastNight
          }
        >
          <HomeLines>
            <HomeLine
              tone="night"
              name={nightNames(last, batches)}
              about={nightWords(last)}
              onClick={() => model.go({ kind: 'ledger', night: last.id })}
            />
          </HomeLines>
        </Section>
      )}
    </>
  );
}

/** Why a batch has stopped, if that is a failure; otherwise its state. */
function needWords(batch: BatchView): string {
  return batch.pause?.by === 'failure' ? batch.pause.failure.message : standingOf(batch).words;
}

/** The batches that ran in a night; of those removed since, only that they were there. */
function nightNames({ batchIds }: NightView, batches: readonly BatchView[]): string {
  const names = batchIds.flatMap((id) => batches.find((batch) => batch.id === id)?.name ?? []).map(shownLine);
  const shown = names.slice(0, NAMED);
  return words.home.back.batches(shown, batchIds.length - shown.length);
}

function nightWords(night: NightView): string {
  const { beganAt, endedAt, interruptedAt, verified } = night;
  const to = endedAt ?? interruptedAt;
  return words.home.back.night({
    began: formatDayAndClock(beganAt),
    length: to === undefined ? undefined : formatDuration(to - beganAt),
    isInterrupted: endedAt === undefined,
    verified,
    cost: nightCost(night),
  });
}
