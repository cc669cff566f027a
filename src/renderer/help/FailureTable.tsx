import { FAILURE_CODES, FAILURE_POLICIES, type FailurePolicy } from '../../shared/domain/failure.ts';
import styles from './HelpScreen.module.css';

const NEXT_WORDS: Readonly<Record<FailurePolicy['next'], string>> = {
  fail: 'The row fails.',
  retry: 'It is retried automatically.',
  pause: 'The batch pauses; nothing is lost.',
  ask: 'It waits for your decision.',
  bug: 'The row stops.',
};

/** Every failure that is expected, what follows, and what to do. */
export function FailureTable() {
  return (
    <table className={styles.table}>
      <tbody>
        {FAILURE_CODES.map((code) => {
          const { title, next, remedy } = FAILURE_POLICIES[code];
          return (
            <tr key={code}>
              <th scope="row">{title}</th>
              <td>
                {NEXT_WORDS[next]} {remedy}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
