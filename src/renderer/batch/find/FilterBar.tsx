import { RotateCcw, Search, X } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import { ROW_VIEW_STATUSES } from '../../../shared/domain/task/row-status.ts';
import { OPERATIONS } from '../../../shared/domain/operations/operations.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { FAILURE_POLICIES } from '../../../shared/domain/base/failure.ts';
import { Button, IconButton } from '../../design/Button.tsx';
import { OutputIcon, StatusGlyph } from '../../design/drawings.tsx';
import { Select } from '../../design/Select.tsx';
import { FILTER_ORDER, STATUS_LOOKS } from '../../design/status-look.ts';
import { countText } from '../../../shared/domain/base/text.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import { useWindowEvent } from '../../shell/keyboard.ts';
import { useAnswer, useAppModel, useRows } from '../../state/app-context.ts';
import { useRetry } from '../head/use-retry.tsx';
import styles from './FilterBar.module.css';

const TYPING_PAUSE_MS = 160;

const ALL = 'all';
export const OPERATION_OPTIONS = [
  { value: ALL, words: words.find.filter.allOperations },
  ...OPERATIONS.map(({ path, title, output }) => ({
    value: path,
    words: title,
    icon: <OutputIcon kind={output} size={14} />,
  })),
];

/** Status counts that filter the rows, and filters by text and by operation. */
export function FilterBar({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const filter = useRows((state) => state.filter);
  const chosen = filter.status ?? [];
  const counts = batch.rows;
  const chips = FILTER_ORDER.filter((status) => counts[status] > 0 || chosen.includes(status));
  const choose = (values: readonly string[]): void => {
    const status = ROW_VIEW_STATUSES.filter((name) => values.includes(name));
    const { status: _before, ...others } = filter;
    model.rows.setFilter(status.length === 0 ? others : { ...others, status });
  };
  return (
    <div className={joinClasses('row wrap', styles.bar)}>
      <ToggleGroup.Root
        className={joinClasses('row', styles.chips)}
        type="multiple"
        aria-label={words.find.filter.statuses}
        value={[...chosen]}
        onValueChange={choose}
        // A plain wheel scrolls only vertically, and the bar only horizontally.
        onWheel={({ currentTarget, deltaY }) => currentTarget.scrollBy({ left: deltaY })}
      >
        {chips.map((status) => (
          <ToggleGroup.Item key={status} className={styles.chip} value={status} data-testid={`chip-${status}`}>
            <StatusGlyph look={STATUS_LOOKS[status]} size={13} />
            {STATUS_LOOKS[status].word}
            <span className={joinClasses('tabular', styles.count)}>{countText(counts[status])}</span>
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
      <div className={joinClasses('row', styles.choices)}>
        <CellChip />
        <EditedChip />
        <Reasons batch={batch} />
        <Select
          label={words.find.filter.operation}
          align="end"
          value={filter.operation ?? ALL}
          options={OPERATION_OPTIONS}
          onChoose={(value) => {
            const operation = OPERATIONS.find(({ path }) => path === value)?.path;
            const { operation: _before, ...others } = filter;
            model.rows.setFilter(operation === undefined ? others : { ...others, operation });
          }}
        />
        <TextFilter
          label={words.find.filter.text}
          applied={filter.text ?? ''}
          onApply={(text) => {
            const { text: _before, ...others } = filter;
            model.rows.setFilter(text === undefined ? others : { ...others, text });
          }}
        />
      </div>
    </div>
  );
}

/** The text that rows must have in a column, chosen from its menu; a press removes it. */
function CellChip() {
  const model = useAppModel();
  const filter = useRows((state) => state.filter);
  const { cell, ...others } = filter;
  if (cell === undefined) return null;
  const header = shownLine(cell.header) || words.grid.header.noName;
  return (
    <RemovableChip
      testId="chip-cell"
      title={words.find.filter.removeCell(header)}
      onRemove={() => model.rows.setFilter(others)}
    >
      <span className={joinClasses('cut', styles.cell)} translate="no">
        {words.find.filter.cell(header, shownLine(cell.text) || words.find.filter.blank)}
      </span>
    </RemovableChip>
  );
}

/** Only rows that were edited since the import are shown; a press removes it. */
function EditedChip() {
  const model = useAppModel();
  const { isEdited, ...others } = useRows((state) => state.filter);
  if (isEdited === undefined) return null;
  return (
    <RemovableChip
      testId="chip-edited"
      title={words.find.filter.removeEdited}
      onRemove={() => model.rows.setFilter(others)}
    >
      {words.find.filter.edited}
    </RemovableChip>
  );
}

interface RemovableChipProps {
  readonly testId: string;
  /** What a press does. */
  readonly title: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function RemovableChip({ testId, title, onRemove, children }: RemovableChipProps) {
  return (
    <button type="button" className={styles.chip} data-state="on" data-testid={testId} title={title} onClick={onRemove}>
      {children}
      <X size={13} strokeWidth={1.75} aria-hidden />
    </button>
  );
}

/** Filters by the reason why takes failed; those rows can be retried together. */
function Reasons({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const filter = useRows((state) => state.filter);
  const total = useRows((state) => state.total);
  const { isRetrying, retry, retryDialog } = useRetry(batch);
  const failed = Object.values(batch.counts).reduce((sum, counts) => sum + counts.failed, 0);
  const reasons = useAnswer('batch.failures', { batchId: batch.id }, failed)?.reasons ?? [];
  const { failure } = filter;
  const named = reasons.some(({ code }) => code === failure)
    ? reasons
    : [...reasons, ...(failure ? [{ code: failure, rows: 0 }] : [])];
  if (named.length === 0) return null;
  const options = named.map(({ code, rows }) => ({
    value: code,
    words: words.find.filter.reasonOf(FAILURE_POLICIES[code].title, rows),
  }));
  return (
    <>
      {failure !== undefined && total !== undefined && total > 0 && (
        <Button
          size="small"
          icon={RotateCcw}
          disabled={isRetrying}
          title={words.find.filter.retryShown}
          onClick={() => retry(Array.from(model.rows.pages.keys))}
        >
          {words.find.filter.retry(total)}
        </Button>
      )}
      <Select
        label={words.find.filter.reason}
        align="end"
        value={failure ?? ALL}
        options={[{ value: ALL, words: words.find.filter.allReasons }, ...options]}
        onChoose={(value) => {
          const { failure: _before, ...others } = filter;
          const chosen = named.find(({ code }) => code === value)?.code;
          model.rows.setFilter(chosen === undefined ? others : { ...others, failure: chosen });
        }}
      />
      {retryDialog}
    </>
  );
}

interface TextFilterProps {
  readonly label: string;
  /** The text of the current filter. */
  readonly applied: string;
  /** Filters by what was typed, once the user pauses; undefined for no text. */
  readonly onApply: (text: string | undefined) => void;
}

/** Filters by a text, as it is typed. */
export function TextFilter({ label, applied, onApply }: TextFilterProps) {
  const [typed, setTyped] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const text = typed ?? applied;
  const apply = useEffectEvent((wanted: string) => onApply(wanted === '' ? undefined : wanted));

  useEffect(() => {
    if (typed === undefined) return undefined;
    const timer = setTimeout(() => {
      apply(typed.trim());
      setTyped(undefined);
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  useWindowEvent(['keydown'], (event) => {
    // Without Shift, Ctrl+F finds cells.
    const isCommand = (event.ctrlKey || event.metaKey) && event.shiftKey && !event.altKey;
    if (event.key.toLowerCase() !== 'f' || !isCommand) return;
    event.preventDefault();
    input.current?.select();
  });

  return (
    <div className={joinClasses('row', styles.text)}>
      <Search size={14} strokeWidth={1.75} aria-hidden />
      <input
        ref={input}
        className={joinClasses('input', styles.input)}
        type="text"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        spellCheck={false}
        value={text}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setTyped('')}
      />
      {text !== '' && (
        <IconButton className={styles.clear} icon={X} label={words.find.filter.clear} onClick={() => setTyped('')} />
      )}
    </div>
  );
}
