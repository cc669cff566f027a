import { RadioGroup } from 'radix-ui';
import { useEffect, useId, useRef, type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes } from 'react';
import { joinClasses } from './join-classes.ts';
import styles from './Field.module.css';

interface LabelProps {
  readonly label: string;
  /** Its purpose, under the field. */
  readonly hint?: ReactNode;
  /** What is wrong with it; replaces the hint. */
  readonly problem?: string | undefined;
  /** Why what it says was refused, and what to do: replaces both, is read out, and brings the focus here. */
  readonly refusal?: string | undefined;
}

interface LabelledProps extends LabelProps {
  /** Id of the field itself; its note has the same one with `-note`. */
  readonly id?: string;
  /** Id of the note alone, for a field with several controls: they name the note as their description. */
  readonly noteId?: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** Any field, with its label, a hint, and what is wrong with it. */
export function Labelled({
  id,
  noteId = id && `${id}-note`,
  label,
  hint,
  problem,
  refusal,
  className,
  children,
}: LabelledProps) {
  const place = useFocusOn(refusal);
  return (
    <div ref={place} className={joinClasses('stack', styles.field, className)}>
      {id === undefined ? (
        <span className={styles.label}>{label}</span>
      ) : (
        <label className={styles.label} htmlFor={id}>
          {label}
        </label>
      )}
      {children}
      {refusal === undefined ? (
        (problem ?? hint) !== undefined && (
          <p id={noteId} className={problem === undefined ? 'faint' : styles.problem}>
            {problem ?? hint}
          </p>
        )
      ) : (
        <p id={noteId} role="alert" className={styles.problem}>
          {refusal}
        </p>
      )}
    </div>
  );
}

/** Brings the focus to the first control of a field when its input is refused, but not if that was so before. */
function useFocusOn(refusal: string | undefined) {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(refusal);
  useEffect(() => {
    const isNew = refusal !== undefined && refusal !== before.current;
    before.current = refusal;
    if (isNew) place.current?.querySelector<HTMLElement>('input, textarea, button:not(:disabled)')?.focus();
  }, [refusal]);
  return place;
}

/** One line of text. */
export function TextField({
  label,
  hint,
  problem,
  refusal,
  className,
  ...rest
}: LabelProps & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <Labelled id={id} className={className} label={label} hint={hint} problem={problem} refusal={refusal}>
      <input
        id={id}
        className={joinClasses('input', styles.line)}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={(refusal ?? problem) !== undefined}
        aria-describedby={(refusal ?? problem ?? hint) === undefined ? undefined : `${id}-note`}
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
  /** Id of what is said about it. */
  readonly describedBy?: string | undefined;
}

/** One of two or three options, each with its meaning. */
export function Choices<T extends string>({ label, value, options, onChoose, describedBy }: ChoicesProps<T>) {
  const choose = (chosen: string): void => {
    const option = options.find((one) => one.value === chosen);
    if (option !== undefined) onChoose(option.value);
  };
  return (
    <RadioGroup.Root
      className={styles.choices}
      aria-label={label}
      aria-describedby={describedBy}
      value={value}
      onValueChange={choose}
    >
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
