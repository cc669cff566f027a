import { useStore } from 'zustand';
import { TEXT_ENCODINGS, type LineStart, type TextEncoding } from '../../shared/domain/sheet/sheet-raw.ts';
import type { SheetBeginning } from '../../shared/ipc/opening.ts';
import { words } from '../../shared/words/words.ts';
import { Select } from '../design/Select.tsx';
import { shownLine } from '../format/shown-text.ts';
import { useAppModel } from '../state/app-context.ts';

const ENCODING_NAMES: Readonly<Record<TextEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  ...words.sheet.reading.encodings,
};
const DELIMITERS: readonly { readonly value: string; readonly words: string }[] = [
  { value: ',', words: words.sheet.reading.comma },
  { value: ';', words: words.sheet.reading.semicolon },
  { value: '\t', words: words.sheet.reading.tab },
  { value: '|', words: words.sheet.reading.verticalBar },
];

/** Title blocks above a table are rarely longer. */
const HEADER_LINES_OFFERED = 20;

/**
 * The lines that may hold the header, each with its beginning, including the one where it was found. Of a file whose
 * lines nobody has seen, as they could not be read, any.
 */
function headerLines({
  headerLine = 1,
  firstLines,
  columns,
}: Pick<SheetBeginning, 'headerLine' | 'firstLines' | 'columns'>): readonly LineStart[] {
  const any = Array.from({ length: HEADER_LINES_OFFERED }, (_, index) => ({ line: index + 1, text: '' }));
  const lines = firstLines ?? any;
  if (lines.some(({ line }) => line === headerLine)) return lines;
  const found = { line: headerLine, text: columns.map(({ header }) => header).join(' · ') };
  return [...lines, found].toSorted((one, other) => one.line - other.line);
}

/** How a file was read, if there is a choice: each choice reads it again. */
export function ReadingChoices({ sheet }: { readonly sheet: SheetBeginning }) {
  const model = useAppModel();
  const isChecking = useStore(model.bringIn.store, (state) => state.isChecking);
  const { sheetId, format, encoding, delimiter, sheets = [], headerLine = 1 } = sheet;
  if (format === 'clipboard') return null;
  const delimiters = DELIMITERS.some(({ value }) => value === delimiter)
    ? DELIMITERS
    : [...DELIMITERS, { value: delimiter ?? '', words: words.common.quoted(shownLine(delimiter ?? '')) }];
  const choices = [
    encoding !== undefined && {
      label: words.sheet.reading.encoding,
      value: encoding,
      options: TEXT_ENCODINGS.map((known) => ({ value: known, words: ENCODING_NAMES[known] })),
      reading: (value: string) => ({ encoding: TEXT_ENCODINGS.find((known) => known === value) ?? encoding }),
    },
    delimiter !== undefined && {
      label: words.sheet.reading.delimiter,
      value: delimiter,
      options: delimiters,
      reading: (value: string) => ({ delimiter: value }),
    },
    sheets.length > 1 && {
      label: words.sheet.reading.workbookTab,
      value: sheet.sheet ?? '',
      options: sheets.map((name) => ({ value: name, words: shownLine(name) })),
      reading: (value: string) => ({ sheet: value }),
    },
    format !== '' && {
      label: words.sheet.reading.headerLine,
      value: String(headerLine),
      options: headerLines(sheet).map(({ line, text }) => ({
        value: String(line),
        words: words.sheet.reading.headerInLine(line),
        about: shownLine(text),
      })),
      reading: (value: string) => ({ headerLine: Number(value) }),
    },
  ].filter((choice) => choice !== false);
  return choices.map(({ reading, ...choice }) => (
    <Select
      key={choice.label}
      {...choice}
      isDisabled={isChecking}
      onChoose={(value) => void model.bringIn.reread(sheetId, reading(value))}
    />
  ));
}
