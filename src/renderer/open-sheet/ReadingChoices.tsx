import { Check, ChevronDown } from 'lucide-react';
import { Select } from 'radix-ui';
import { useStore } from 'zustand';
import { TEXT_ENCODINGS, type TextEncoding } from '../../shared/domain/sheet/sheet-raw.ts';
import type { SheetView } from '../../shared/ipc/views.ts';
import { formatCount } from '../format/numbers.ts';
import { visibleLine } from '../format/visible-text.ts';
import { useAppModel } from '../state/app-context.ts';
import styles from './ReadingChoices.module.css';

const ENCODING_NAMES: Readonly<Record<TextEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Windows-1252 (Western European)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  gbk: 'GBK (Chinese)',
  shift_jis: 'Shift-JIS (Japanese)',
};
const DELIMITER_NAMES: readonly (readonly [delimiter: string, name: string])[] = [
  [',', 'Comma'],
  [';', 'Semicolon'],
  ['\t', 'Tab'],
  ['|', 'Vertical bar'],
];

/** Titles above a table are rarely longer. */
const HEADER_LINES_OFFERED = 20;

/** The lines that the header may be said to be in, the one among them where it was found. */
function headerLines(found: number): readonly number[] {
  const lines = Array.from({ length: HEADER_LINES_OFFERED }, (_, index) => index + 1);
  return found <= HEADER_LINES_OFFERED ? lines : [...lines, found];
}

/** How a file was read, where there is something to choose: each choice has it read again. */
export function ReadingChoices({ sheet }: { readonly sheet: SheetView }) {
  const model = useAppModel();
  const isChecking = useStore(model.bringIn.store, (state) => state.isChecking);
  const { sheetId, format, encoding, delimiter, sheets = [], headerLine = 1 } = sheet;
  if (format === 'clipboard') return null;
  const delimiters = DELIMITER_NAMES.some(([known]) => known === delimiter)
    ? DELIMITER_NAMES
    : [...DELIMITER_NAMES, [delimiter ?? '', `“${visibleLine(delimiter ?? '')}”`] as const];
  return (
    <>
      {encoding !== undefined && (
        <ReadingSelect
          label="Encoding"
          value={encoding}
          options={TEXT_ENCODINGS.map((known) => [known, ENCODING_NAMES[known]])}
          isDisabled={isChecking}
          onChoose={(value) => {
            const wanted = TEXT_ENCODINGS.find((known) => known === value);
            if (wanted !== undefined) void model.bringIn.reread(sheetId, { encoding: wanted });
          }}
        />
      )}
      {delimiter !== undefined && (
        <ReadingSelect
          label="Delimiter"
          value={delimiter}
          options={delimiters}
          isDisabled={isChecking}
          onChoose={(value) => void model.bringIn.reread(sheetId, { delimiter: value })}
        />
      )}
      {sheets.length > 1 && (
        <ReadingSelect
          label="Sheet of the workbook"
          value={sheet.sheet ?? ''}
          options={sheets.map((name) => [name, visibleLine(name)])}
          isDisabled={isChecking}
          onChoose={(value) => void model.bringIn.reread(sheetId, { sheet: value })}
        />
      )}
      {format !== '' && (
        <ReadingSelect
          label="Line of the header"
          value={String(headerLine)}
          options={headerLines(headerLine).map((line) => [String(line), `Header in line ${formatCount(line)}`])}
          isDisabled={isChecking}
          onChoose={(value) => void model.bringIn.reread(sheetId, { headerLine: Number(value) })}
        />
      )}
    </>
  );
}

interface ReadingSelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly isDisabled: boolean;
  readonly onChoose: (value: string) => void;
}

function ReadingSelect({ label, value, options, isDisabled, onChoose }: ReadingSelectProps) {
  return (
    <Select.Root value={value} onValueChange={onChoose} disabled={isDisabled}>
      <Select.Trigger className={styles.trigger} aria-label={label} title={label}>
        <Select.Value />
        <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
      </Select.Trigger>
      <Select.Portal>
        <Select.Content className={styles.content} position="popper" sideOffset={4} align="start">
          <Select.Viewport>
            {options.map(([option, name]) => (
              <Select.Item key={option} className={styles.item} value={option}>
                <Select.ItemText>{name}</Select.ItemText>
                <Select.ItemIndicator className={styles.indicator}>
                  <Check size={14} strokeWidth={2} aria-hidden />
                </Select.ItemIndicator>
              </Select.Item>
            ))}
          </Select.Viewport>
        </Select.Content>
      </Select.Portal>
    </Select.Root>
  );
}
