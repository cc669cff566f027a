import { words } from '../../shared/words/words.ts';
import { Button } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { Page, PageParts, type PagePart } from '../design/Page.tsx';
import { shownLine } from '../format/shown-text.ts';
import { formatDayAndClock, formatDuration } from '../format/times.ts';
import type { LedgerView } from '../../shared/ipc/ledger.ts';
import { useAppModel, useBatch, useBatches, useNow } from '../state/app-context.ts';
import { ledgerSpan } from '../state/batch/batch-progress.ts';
import { Equation } from './Equation.tsx';
import { ForetoldTable } from './ForetoldTable.tsx';
import { GroupCard } from './GroupCard.tsx';
import { MoneyTable } from './MoneyTable.tsx';
import { NightCalendar } from './NightCalendar.tsx';
import { NightTimeline } from './NightTimeline.tsx';
import { useHappening } from './use-happening.ts';
import styles from './LedgerScreen.module.css';

interface LedgerScreenProps {
  readonly batchId: string | undefined;
  readonly night: number | undefined;
}

const CLOCK_INTERVAL_MS = 15_000;

/** What became of a night or of a batch, and what to press. */
export function LedgerScreen({ batchId, night }: LedgerScreenProps) {
  const model = useAppModel();
  const ledger = useHappening('ledger.read', {
    ...(batchId === undefined ? {} : { batchId }),
    ...(night === undefined ? {} : { night }),
  });
  return (
    <Page
      title={words.ledger.title}
      about={ledger && <About ledger={ledger} batchId={batchId} />}
      testId="ledger-screen"
      tools={
        batchId === undefined ? undefined : (
          <Button size="small" onClick={() => model.go({ kind: 'batch', batchId })}>
            {words.ledger.openBatch}
          </Button>
        )
      }
    >
      <LedgerParts ledger={ledger} />
    </Page>
  );
}

/** The night, or the batch, in a line. */
function About({ ledger, batchId }: { readonly ledger: LedgerView; readonly batchId: string | undefined }) {
  const { night, batches } = ledger;
  const now = useNow(CLOCK_INTERVAL_MS);
  const { from, to } = ledgerSpan(ledger, useBatch(batchId ?? ''));
  const names = batches.map(({ name, rehearsal }) =>
    rehearsal ? words.ledger.about.rehearsal(shownLine(name)) : shownLine(name),
  );
  const how = to === undefined ? 'running' : night?.interruptedAt === undefined ? 'ended' : 'interrupted';
  const time =
    from === undefined
      ? words.ledger.about.nothingSent
      : words.ledger.about.time(how, formatDayAndClock(from), formatDuration((to ?? now) - from));
  return (
    <p data-testid="ledger-about">
      {night === undefined ? time : words.ledger.about.ofNight(night.id, time)}
      {names.length > 0 && ` · ${words.ledger.about.batches(names)}`}
    </p>
  );
}

function LedgerParts({ ledger }: { readonly ledger: LedgerView | undefined }) {
  const nights = useHappening('ledger.nights', undefined);
  const parts: readonly PagePart[] = [
    // Until they are known, nobody can say that there are none.
    ...(ledger !== undefined ? partsOf(ledger) : nights?.length === 0 ? [NOTHING_YET] : []),
    ...(nights === undefined || nights.length === 0
      ? []
      : [
          {
            id: 'nights',
            title: words.ledger.nights.title,
            content: <NightCalendar nights={nights} current={ledger?.night?.id} />,
          },
        ]),
  ];
  return <PageParts label={words.ledger.parts} parts={parts} first={undefined} />;
}

const NOTHING_YET: PagePart = {
  id: 'nothing',
  title: words.ledger.nothingYet,
  content: <p className="soft">{words.ledger.nothingYetAbout}</p>,
};

function partsOf(ledger: LedgerView): readonly PagePart[] {
  const { groups, timeline, batches } = ledger;
  const needy = groups.filter(({ needsYou }) => needsYou);
  const rest = groups.filter(({ needsYou }) => !needsYou);
  const cards = (shown: LedgerView['groups']) => <Groups groups={shown} isNamed={batches.length > 1} />;
  return [
    {
      id: 'figures',
      title: words.ledger.figures,
      content: (
        <>
          <Equation ledger={ledger} />
          <ForetoldTable batches={batches} />
        </>
      ),
    },
    {
      id: 'needs',
      title: words.ledger.needsYou,
      content: needy.length === 0 ? <AllWell ledger={ledger} /> : cards(needy),
    },
    ...(rest.length === 0 ? [] : [{ id: 'rest', title: words.ledger.rest, content: cards(rest) }]),
    { id: 'money', title: words.ledger.money.title, content: <MoneyTable ledger={ledger} /> },
    ...(timeline === undefined
      ? []
      : [{ id: 'night', title: words.ledger.night, content: <NightTimeline timeline={timeline} batches={batches} /> }]),
  ];
}

function Groups({ groups, isNamed }: { readonly groups: LedgerView['groups']; readonly isNamed: boolean }) {
  const batches = useBatches();
  return (
    <ul className={joinClasses('stack', styles.groups)}>
      {groups.map((group) => {
        const batch = batches.find(({ id }) => id === group.batchId);
        if (batch === undefined) return null;
        // Of several such groups, the last one is that of what is tried again, which says what an answer changes.
        const asking = groups.findLast(({ batchId, areInferred }) => batchId === batch.id && areInferred === true);
        return (
          <GroupCard
            key={`${group.group} ${batch.id}`}
            group={group}
            batch={batch}
            isNamed={isNamed}
            asksStatuses={group === asking}
          />
        );
      })}
    </ul>
  );
}

function AllWell({ ledger: { stages, groups } }: { readonly ledger: LedgerView }) {
  const isUnderWay = groups.some(({ group }) => group === 'wait' || group === 'wait-hours');
  if (isUnderWay) return <p className="soft">{words.ledger.nothingSoFar}</p>;
  return stages.planned > 0 && stages.verified === stages.planned ? (
    <Callout level="info" title={words.ledger.allVerified} />
  ) : (
    <p className="soft">{words.ledger.allSettled}</p>
  );
}
