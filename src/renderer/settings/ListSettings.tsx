import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { Button, IconButton } from '../design/Button.tsx';
import { ConfirmDialog } from '../design/Dialog.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { words } from '../../shared/words/words.ts';
import { shownLine } from '../format/shown-text.ts';
import { useAppModel } from '../state/app-context.ts';
import type { WordListView } from '../state/kept-lists.ts';
import { ListEditor } from './ListEditor.tsx';
import styles from './ListSettings.module.css';

const EXAMPLE: Pick<WordListView, 'name' | 'text'> = {
  name: 'animals',
  text: `${words.settings.lists.example.join('\n')}\n`,
};

/** The lists that cells draw from with `__name__`. */
export function ListSettings() {
  const model = useAppModel();
  const lists = useStore(model.lists.store, (state) => state.lists);
  const [edited, setEdited] = useState<Pick<WordListView, 'name' | 'text'> | 'new'>();
  const [removed, setRemoved] = useState<string>();
  useEffect(() => {
    void model.lists.read();
  }, [model]);
  return (
    <>
      {lists !== undefined && lists.length > 0 && (
        <ul className="card">
          {lists.map((list) => (
            <li key={list.name} className={joinClasses('row', styles.line)}>
              <code>{`__${shownLine(list.name)}__`}</code>
              <span className="grow soft cut">{beginningOf(list.text)}</span>
              <span className="faint">{words.settings.lists.items(list.items)}</span>
              <IconButton
                icon={Pencil}
                label={words.settings.lists.edit(shownLine(list.name))}
                onClick={() => setEdited(list)}
              />
              <IconButton
                icon={Trash2}
                label={words.settings.lists.remove(shownLine(list.name))}
                onClick={() => setRemoved(list.name)}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <Button icon={Plus} onClick={() => setEdited('new')}>
          {words.settings.lists.new}
        </Button>
        {lists?.length === 0 && (
          <Button look="quiet" onClick={() => setEdited(EXAMPLE)}>
            {words.settings.lists.startWithExample}
          </Button>
        )}
      </div>
      {edited !== undefined && (
        <ListEditor
          key={edited === 'new' ? '' : edited.name}
          list={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {removed !== undefined && (
        <ConfirmDialog
          title={words.settings.lists.askRemove(shownLine(removed))}
          confirm={words.settings.lists.removeIt}
          decline={words.settings.lists.keep}
          onConfirm={() => void model.lists.remove(removed)}
          onClose={() => setRemoved(undefined)}
        >
          {words.settings.lists.removeHint}
        </ConfirmDialog>
      )}
    </>
  );
}

const ITEMS_SHOWN = 8;

function beginningOf(text: string): string {
  const items = text.split('\n').filter((line) => line.trim() !== '');
  const shown = items.slice(0, ITEMS_SHOWN).map((item) => shownLine(item.trim()));
  return words.settings.lists.beginning(shown, items.length > ITEMS_SHOWN);
}
