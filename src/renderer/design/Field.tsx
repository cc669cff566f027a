import { RadioGroup } from 'radix-ui';
import { useId, type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes } from 'react';
import { joinClasses } from './join-classes.ts';
import styles from './Field.module.css';

interface LabelProps {
  readonly label: string;
  /** Its purpose, under the field. */
  readonly hint?: ReactNode;
  /** What is wrong with it; replaces the hint. */
  readonly problem?: string | undefined;
}

interface LabelledProps extends LabelProps {
  /** Id of the field itself; its note has the same one with `-note`. */
  readonly id?: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** Any field, with its label, a hint, and what is wrong with it. */
export function Labelled({ id, label, hint, problem, className, children }: LabelledProps) {
  return (
    <div className={joinClasses('stack', styles.field, className)}>
      {id === undefined ? (
        <span className={styles.label}>{label}</span>
      ) : (
        <label className={styles.label} htmlFor={id}>
          {label}
        </label>
      )}
      {children}
      {(problem ?? hint) !== undefined && (
        <p id={id && `${id}-note`} className={problem === undefined ? 'faint' : styles.problem}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}

/** One line of text. */
export function TextField({
  label,
  hint,
  problem,
  className,
  ...rest
}: LabelProps & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <Labelled id={id} className={className} label={label} hint={hint} problem={problem}>
      <input
        id={id}
        className={joinClasses('input', styles.line)}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={(problem ?? hint) === undefined ? undefined : `${id}-note`}
        {...rest}
      />
    </Labelled>
  );
}

/** Several lines of text. */
export function TextArea({ label, hint, ...rest }: LabelProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint}>
      <textarea id={id} className={joinClasses('input', styles.text)} spellCheck={false} {...rest} />
    </Labelled>
  );
}

interface ChoicesProps<T extends string> {
  /** What it chooses, for the screen reader. */
  readonly label: string;
  readonly value: T;
  readonly options: readonly {
    readonly value: T;
    readonly title: string;
    readonly text: string;
    readonly icon?: ReactNode;
    readonly isDisabled?: boolean;
  }[];
  readonly onChoose: (value: T) => void;
}

/** One of two or three options, each with its meaning. */
export function Choices<T extends string>({ label, value, options, onChoose }: ChoicesProps<T>) {
  const choose = (chosen: string): void => {
    const option = options.find((one) => one.value === chosen);
    if (option !== undefined) onChoose(option.value);
  };
  return (
    <RadioGroup.Root className={styles.choices} aria-label={label} value={value} onValueChange={choose}>
      {options.map(({ value: own, title, text, icon, isDisabled = false }) => (
        <RadioGroup.Item key={own} className={styles.choice} value={own} aria-label={title} disabled={isDisabled}>
          {icon}
          <span className={styles.choiceTitle}>{title}</span>
          <span className={joinClasses('soft', styles.choiceText)}>{text}</span>
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
