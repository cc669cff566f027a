import { Check, ChevronDown } from 'lucide-react';
import { Select } from 'radix-ui';
import { useStore } from 'zustand';
import { TEXT_ENCODINGS, type TextEncoding } from '../../shared/domain/sheet-raw.ts';
import { useAppModel } from '../state/app-context.ts';
import styles from './EncodingSelect.module.css';

const NAMES: Readonly<Record<TextEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Windows-1252 (Western European)',
  gbk: 'GBK (Chinese)',
  shift_jis: 'Shift-JIS (Japanese)',
};

interface EncodingSelectProps {
  readonly sheetId: string;
  readonly encoding: TextEncoding;
}

/** Shows what a text file was read as, and has it read again as something else. */
export function EncodingSelect({ sheetId, encoding }: EncodingSelectProps) {
  const model = useAppModel();
  const isReading = useStore(model.openSheet, (state) => state.isOpening);
  const choose = (value: string): void => {
    const wanted = TEXT_ENCODINGS.find((known) => known === value);
    if (wanted !== undefined) void model.rereadSheet(sheetId, wanted);
  };
  return (
    <Select.Root value={encoding} onValueChange={choose} disabled={isReading}>
      <Select.Trigger className={styles.trigger} aria-label="Encoding">
        <Select.Value>{NAMES[encoding]}</Select.Value>
        <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
      </Select.Trigger>
      <Select.Portal>
        <Select.Content className={styles.content} position="popper" sideOffset={4} align="start">
          <Select.Viewport>
            {TEXT_ENCODINGS.map((known) => (
              <Select.Item key={known} className={styles.item} value={known}>
                <Select.ItemText>{NAMES[known]}</Select.ItemText>
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
