import { useState } from 'react';
import { Dialog } from '../design/Dialog.tsx';
import { TextArea, TextField } from '../design/Field.tsx';
import { useBusy } from '../design/Button.tsx';
import { words } from '../../shared/words/words.ts';
import { useAppModel } from '../state/app-context.ts';
import type { WordListView } from '../state/kept-lists.ts';

/** Cells write list names between underscores: nothing else fits between them. */
const NAME = /^[\p{L}\p{M}\p{N}-]+(?:_[\p{L}\p{M}\p{N}-]+)*$/u;

interface ListEditorProps {
  /** Undefined for a new list. */
  readonly list: Pick<WordListView, 'name' | 'text'> | undefined;
  readonly onClose: () => void;
}

/** A list as text, one item per line. */
export function ListEditor({ list, onClose }: ListEditorProps) {
  const model = useAppModel();
  const [name, setName] = useState(list?.name ?? '');
  const [text, setText] = useState(list?.text ?? '');
  const [isBusy, run] = useBusy();
  const items = text.split('\n').filter((line) => line.trim() !== '').length;
  const isChanged = name !== (list?.name ?? '') || text !== (list?.text ?? '');
  const isNameWrong = name !== '' && !NAME.test(name);
  const isTaken = model.lists.isTaken(name, list?.name);
  const taken = isTaken ? words.settings.lists.takenName : undefined;
  const save = async (): Promise<void> => {
    if (await model.lists.save(name, text, list?.name)) onClose();
  };
  return (
    <Dialog
      title={list === undefined ? words.settings.lists.new : words.settings.lists.editTitle}
      decline={words.common.cancel}
      actions={[
        {
          words: words.settings.lists.save,
          look: 'primary',
          isDisabled: name === '' || isNameWrong || isTaken || items === 0,
          onClick: () => run(save),
        },
      ]}
      isBusy={isBusy}
      unsaved={isChanged ? words.settings.lists.unsaved : undefined}
      onClose={onClose}
    >
      <TextField
        label={words.common.name}
        value={name}
        placeholder="animals"
        maxLength={100}
        onChange={(event) => setName(event.target.value.trim())}
        problem={isNameWrong ? words.settings.lists.wrongName : taken}
        hint={words.settings.lists.inCell(`__${name === '' ? 'animals' : name}__`)}
      />
      <TextArea
        label={words.settings.lists.itemsLabel}
        rows={10}
        value={text}
        onChange={(event) => setText(event.target.value)}
        hint={words.settings.lists.items(items)}
      />
    </Dialog>
  );
}
