import { useEffect, useState, type ReactNode } from 'react';
import { words } from '../../../shared/words/words.ts';
import type { LearnedView } from '../../../shared/ipc/profiles.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { Disclosure } from '../../design/Page.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { shownLine } from '../../format/shown-text.ts';
import { useApp, useAppModel } from '../../state/app-context.ts';
import styles from './LearnedSettings.module.css';

/** What nights have shown of a gateway: the settings that follow, and why. */
export function LearnedSettings({ gateway }: { readonly gateway: string }) {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const [view, setView] = useState<LearnedView>();
  useEffect(() => {
    // Whatever changes the settings may change what is proposed.
    if (settings === undefined) return undefined;
    let isGone = false;
    void model.client.request('profile.learned', { profile: gateway }).then((reply) => {
      if (!isGone) setView(reply.ok ? reply.value : undefined);
    });
    return () => {
      isGone = true;
    };
  }, [model, settings, gateway]);
  if (view === undefined) return null;
  const { proposals, statuses, times, measures, answers } = view;
  if (statuses.length + times.length + measures.length + answers.length === 0) {
    return <p className="soft">{words.settings.learned.nothing}</p>;
  }
  return (
    <>
      {proposals.length === 0 ? (
        <p className="soft">{words.settings.learned.agrees}</p>
      ) : (
        <ul className="stack">
          {proposals.map((proposal) => (
            <Proposal key={JSON.stringify([proposal.path, proposal.value])} gateway={gateway} proposal={proposal} />
          ))}
        </ul>
      )}
      <div className="card">
        <Seen title={words.settings.learned.statuses} count={statuses.length}>
          <SeenTable
            heads={words.settings.learned.heads.statuses}
            rows={statuses.map((one) => [one.operation, one.status, looksOf(one), MEANT[one.became], one.tasks])}
          />
        </Seen>
        <Seen title={words.settings.learned.times} count={times.length}>
          <SeenTable
            heads={words.settings.learned.heads.times}
            rows={times.map(({ operation, median, longest, tasks }) => [
              operation,
              secondsText(median),
              secondsText(longest),
              tasks,
            ])}
          />
        </Seen>
        <Seen title={words.settings.learned.limits} count={measures.length}>
          <SeenTable
            heads={words.settings.learned.heads.limits}
            rows={measures.map((one) => [one.operation, one.words, one.answers])}
          />
        </Seen>
        <Seen title={words.settings.learned.answers} count={answers.length}>
          <SeenTable
            heads={words.settings.learned.heads.answers}
            rows={answers.map((one) => [one.operation, one.words, one.fields, one.answers])}
          />
        </Seen>
      </div>
    </>
  );
}

interface ProposalProps {
  readonly gateway: string;
  readonly proposal: LearnedView['proposals'][number];
}

/** One setting that could be different: what changes, why, and the button that applies it. */
function Proposal({ gateway, proposal }: ProposalProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const { path, value, evidence, changes } = proposal;
  const take = async (): Promise<void> => {
    const reply = await model.ask('profile.takeProposal', { profile: gateway, path: [...path], value });
    if (reply.ok && reply.value !== undefined) model.app.setState({ settings: reply.value });
  };
  return (
    <li className={joinClasses('card row', styles.proposal)}>
      <div className="grow">
        {changes.map((change) => (
          <p key={`${change.path}/${change.after}`} className="selectable">
            <code>{shownLine(change.path)}</code>{' '}
            {change.before !== undefined && <del className="faint">{shownLine(change.before)}</del>}{' '}
            {change.after !== undefined && <strong>{shownLine(change.after)}</strong>}
          </p>
        ))}
        <p className="soft selectable">{shownLine(evidence)}</p>
      </div>
      <Button
        size="small"
        disabled={isBusy}
        aria-label={words.settings.learned.takeInto(shownLine(path.join('.')))}
        onClick={() => run(take)}
      >
        {words.settings.learned.take}
      </Button>
    </li>
  );
}

interface SeenProps {
  readonly title: string;
  readonly count: number;
  readonly children: ReactNode;
}

function Seen({ title, count, children }: SeenProps) {
  if (count === 0) return null;
  return (
    <Disclosure
      head={
        <>
          <span className="grow name">{title}</span>
          <span className="faint">{words.settings.learned.lines(count)}</span>
        </>
      }
      className={styles.seen}
    >
      {children}
    </Disclosure>
  );
}

interface SeenTableProps {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

function SeenTable({ heads, rows }: SeenTableProps) {
  return (
    <table className="table selectable tabular">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr key={JSON.stringify(cells)}>
            {cells.map((cell, i) => (
              <td key={heads[i]} className={styles.cell}>
                {typeof cell === 'number' ? cell : shownLine(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type SeenStatus = LearnedView['statuses'][number];

const MEANT: Readonly<Record<SeenStatus['became'], string>> = words.settings.learned.meant;

function looksOf({ hasUrl, hasEnded, hasMessage }: SeenStatus): string {
  return words.settings.learned.cameWith(hasUrl, hasEnded, hasMessage);
}

function secondsText(seconds: number): string {
  return seconds < 120
    ? words.settings.learned.seconds(Math.round(seconds))
    : words.settings.learned.minutes(Math.round(seconds / 6) / 10);
}
