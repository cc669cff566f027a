import { Fragment } from 'react';
import { joinClasses } from '../design/join-classes.ts';
import { countText } from '../../shared/domain/base/text.ts';
import { GROUP_WORDS } from '../../shared/domain/ledger/ledger-groups.ts';
import { STAGES, type Stage } from '../../shared/domain/ledger/take-stage.ts';
import type { LedgerView } from '../../shared/ipc/ledger.ts';
import { words } from '../../shared/words/words.ts';
import styles from './LedgerScreen.module.css';

/** From plan to file in six figures, with what was lost between any two. */
export function Equation({ ledger }: { readonly ledger: LedgerView }) {
  return (
    <section className={joinClasses('card tabular', styles.equation)} aria-label={words.ledger.figuresInTakes}>
      {STAGES.map((stage, index) => {
        const before = STAGES[index - 1];
        return (
          <Fragment key={stage}>
            {before !== undefined && <Lost ledger={ledger} after={before} />}
            <p className={styles.figure} data-stage={stage} data-testid={`ledger-${stage}`}>
              <strong>{countText(ledger.stages[stage])}</strong>
              <span>{words.ledger.stages[stage]}</span>
            </p>
          </Fragment>
        );
      })}
    </section>
  );
}

/** Takes that did not get as far as the next figure; the groups below say what to do about them. */
function Lost({ ledger: { fallen }, after }: { readonly ledger: LedgerView; readonly after: Stage }) {
  const lost = fallen.filter((fallout) => fallout.after === after);
  const takes = lost.reduce((sum, fallout) => sum + fallout.takes, 0);
  if (takes === 0) {
    return (
      <p className={styles.lost} aria-hidden>
        =
      </p>
    );
  }
  const groups = lost.map((fallout) => words.ledger.lostIn(fallout.takes, GROUP_WORDS[fallout.group].what));
  const isCalm = lost.every(({ group }) => !GROUP_WORDS[group].needsYou);
  return (
    <p className={styles.lost} data-calm={isCalm || undefined} title={groups.join('\n')}>
      <strong>−{countText(takes)}</strong>
      <span className="visually-hidden">{words.ledger.without(takes, groups)}</span>
    </p>
  );
}
