import { FAILURE_CODES, FAILURE_POLICIES, whatFollows } from '../../shared/domain/task/failure.ts';
import styles from './HelpScreen.module.css';

/** Every failure that is expected, what follows, and what to do. */
export function FailureTable() {
  return (
    <table className={styles.table}>
      <tbody>
        {FAILURE_CODES.map((code) => {
          const { title, remedy } = FAILURE_POLICIES[code];
          return (
            <tr key={code}>
              <th scope="row">{title}</th>
              <td>
                {whatFollows(code)} {remedy}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
