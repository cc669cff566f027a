import { LONGEST_COMMON_TEXT } from '../../../shared/domain/cells/cell-order.ts';
import { words } from '../../../shared/words/words.ts';
import { Dialog } from '../../design/Dialog.tsx';
import { OptionList, type SelectGroup } from '../../design/Select.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { useAnswer, useAppModel, useRows } from '../../state/app-context.ts';

interface ValuePickerProps {
  readonly batchId: string;
  readonly header: string;
  readonly onClose: () => void;
  /** Called once the picker is gone. */
  readonly onClosed: () => void;
}

/** Cannot be the text of a cell: blanks around a text do not count. */
const NONE = '\n';

/** Chooses which text rows must have in a column to be shown: one of the most frequent, or any other. */
export function ValuePicker({ batchId, header, onClose, onClosed }: ValuePickerProps) {
  const model = useAppModel();
  const filter = useRows((state) => state.filter);
  const common = useAnswer('rows.common', { batchId, header });
  const title = words.find.filter.cellOf(shownLine(header) || words.grid.header.noName);
  const groupsFor = (search: string): readonly SelectGroup[] => {
    if (common === undefined) return [];
    const typed = search.trim();
    const shown = common.texts.filter(({ text }) => text.toLowerCase().includes(typed.toLowerCase()));
    const isListed = typed === '' || shown.some(({ text }) => text === typed);
    const isTooLong = typed.length > LONGEST_COMMON_TEXT;
    const tooLong = words.find.filter.tooLong(LONGEST_COMMON_TEXT);
    const options = shown.map(({ text, rows }) => ({
      value: text,
      label: shownLine(text) || words.find.filter.blank,
      help: words.common.rows(rows),
      isOwn: text !== '',
    }));
    const own = { value: typed, label: typed, help: words.find.filter.asTyped, isOwn: true };
    return [
      ...(options.length === 0 ? [] : [{ title: words.find.filter.frequent, options }]),
      ...(isListed
        ? []
        : [isTooLong ? { title: tooLong, options: [] } : { title: words.find.filter.typed, options: [own] }]),
    ];
  };
  return (
    <Dialog title={title} isBare testId="value-picker" onClose={onClose} onClosed={onClosed}>
      <OptionList
        label={title}
        value={filter.cell?.header === header ? filter.cell.text : NONE}
        groupsFor={groupsFor}
        onChoose={(text) => model.rows.setFilter({ ...filter, cell: { header, text } })}
        onClose={onClose}
      />
    </Dialog>
  );
}
