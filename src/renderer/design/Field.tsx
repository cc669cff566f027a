import { useId, type InputHTMLAttributes, type ReactNode } from 'react';
import { joinClasses } from './join-classes.ts';
import styles from './Field.module.css';

export interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  /** What it is for, under the field. */
  readonly hint?: ReactNode;
  /** What is wrong with it; takes the hint's place. */
  readonly problem?: string | undefined;
}

/** One line of text with its label, a hint, and what is wrong with it. */
export function TextField({ label, hint, problem, className, ...rest }: TextFieldProps) {
  const id = useId();
  const hasNote = problem !== undefined || hint !== undefined;
  return (
    <div className={joinClasses(styles.field, className)}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className={styles.input}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={hasNote ? `${id}-note` : undefined}
        {...rest}
      />
      {hasNote && (
        <p id={`${id}-note`} className={problem === undefined ? styles.hint : styles.problem}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}
