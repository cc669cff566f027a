import { BellOff, Undo2 } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import {
  headerNamed,
  kindText,
  type IgnoredWarnings,
  type WarningKind,
} from '../../../shared/domain/sheet/problems.ts';
import type { ColumnView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { Button } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Disclosure } from '../../design/Page.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { kindsIn, PROBLEM_TITLES, type ProblemGroup, type ProblemKind } from '../../state/batch/problem-groups.ts';
import styles from './ProblemList.module.css';

interface IgnoringProps {
  /** What the headers of the sheet map to. */
  readonly columns: readonly ColumnView[];
  readonly isDisabled: boolean;
  readonly onIgnore: (kinds: readonly WarningKind[]) => void;
}

/** Stops counting the warnings of a kind, beside the first of them; nothing for errors, which always count. */
export function IgnoreKind({
  kind,
  columns,
  isDisabled,
  onIgnore,
}: IgnoringProps & { readonly kind: ProblemKind | undefined }) {
  if (kind?.severity !== 'warning') return null;
  const { code, column, count } = kind;
  return (
    <Button
      size="small"
      look="quiet"
      icon={BellOff}
      className={styles.fix}
      disabled={isDisabled}
      title={words.sheet.ignoring.hint(count, kindWords(kind, columns))}
      aria-label={words.sheet.ignoring.ignoreOf(kindWords(kind, columns))}
      onClick={() => onIgnore([{ code, column }])}
    >
      {words.sheet.ignoring.ignore}
    </Button>
  );
}

/** The same for all columns that have such warnings, if there are several. */
export function IgnoreColumns({
  group,
  isDisabled,
  onIgnore,
}: Omit<IgnoringProps, 'columns'> & { readonly group: ProblemGroup<ProblemKind> }) {
  const kinds = kindsIn(group.problems);
  if (group.severity === 'error' || kinds.length < 2) return null;
  return (
    <div className={styles.all}>
      <Button
        size="small"
        look="quiet"
        icon={BellOff}
        disabled={isDisabled}
        onClick={() => onIgnore(kinds.map(({ code, column }) => ({ code, column })))}
      >
        {words.sheet.ignoring.ignoreColumns(kinds.length)}
      </Button>
    </div>
  );
}

interface WithIgnoredProps {
  /** Names the list. */
  readonly label: string;
  readonly className?: string | undefined;
  readonly columns: readonly ColumnView[];
  readonly ignored: readonly IgnoredWarnings[];
  readonly isDisabled: boolean;
  readonly onTakeBack: (kinds: readonly WarningKind[]) => void;
  /** The problems that count. */
  readonly children: ReactNode;
}

/** A list of problems, and at its end the kinds of warnings that are ignored, each with a way back. */
export function WithIgnored({
  label,
  className,
  columns,
  ignored,
  isDisabled,
  onTakeBack,
  children,
}: WithIgnoredProps) {
  const place = useFocusKept(ignored.map(kindText).join('\n'));
  return (
    <fieldset ref={place} className={joinClasses(className, styles.kinds)} aria-label={label} tabIndex={-1}>
      {children}
      {ignored.length > 0 && (
        <div data-ignored>
          <Disclosure
            isOpenFirst={false}
            head={
              <>
                <BellOff className="faint" size={16} strokeWidth={1.75} aria-hidden />
                <span className="grow name">{words.sheet.ignoring.title}</span>
                <span className="faint tabular">
                  {words.common.warnings(ignored.reduce((sum, { count }) => sum + count, 0))}
                </span>
              </>
            }
          >
            <ul className={styles.problems}>
              {ignored.map((kind) => (
                <li key={kindText(kind)} className={styles.problem}>
                  <span className={joinClasses('soft', styles.message)}>
                    {kindWords(kind, columns)}
                    <span className="faint tabular"> · {words.common.warnings(kind.count)}</span>
                  </span>
                  <Button
                    size="small"
                    look="quiet"
                    icon={Undo2}
                    className={styles.fix}
                    disabled={isDisabled}
                    aria-label={words.sheet.ignoring.takeBackOf(kindWords(kind, columns))}
                    onClick={() => onTakeBack([{ code: kind.code, column: kind.column }])}
                  >
                    {words.sheet.ignoring.takeBack}
                  </Button>
                </li>
              ))}
            </ul>
          </Disclosure>
        </div>
      )}
    </fieldset>
  );
}

/**
 * The button that was pressed may disappear: the focus then goes to the list, or to the head of what it has ignored.
 */
function useFocusKept(kinds: string) {
  const place = useRef<HTMLFieldSetElement>(null);
  const held = useRef<EventTarget | null>(null);
  const before = useRef(kinds);
  useEffect(() => {
    const list = place.current;
    const hold = ({ target }: FocusEvent): void => void (held.current = target);
    list?.addEventListener('focusin', hold);
    return () => list?.removeEventListener('focusin', hold);
  }, []);
  useEffect(() => {
    const isIgnoring = before.current !== kinds;
    before.current = kinds;
    const list = place.current;
    const isNowhere = document.activeElement === document.body;
    if (isIgnoring && (isNowhere || list?.contains(document.activeElement) === true)) {
      (list?.querySelector<HTMLElement>('[data-ignored] button') ?? list)?.focus();
    } else if (isNowhere && held.current instanceof Element && !held.current.isConnected) {
      list?.focus({ preventScroll: true });
    }
  });
  return place;
}

function kindWords(kind: WarningKind, columns: readonly ColumnView[]): string {
  const title = PROBLEM_TITLES[kind.code];
  const column = headerNamed(kind, columns);
  return column === undefined ? title : words.sheet.ignoring.ofColumn(title, shownLine(column));
}
