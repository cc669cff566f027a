import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { Button, IconButton } from '../design/Button.tsx';
import { ConfirmDialog } from '../design/Dialog.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { countOf } from '../../shared/domain/base/text.ts';
import { shownLine } from '../format/shown-text.ts';
import { useAppModel } from '../state/app-context.ts';
import type { WordListView } from '../state/kept-lists.ts';
import { ListEditor } from './ListEditor.tsx';
import styles from './ListSettings.module.css';

const EXAMPLE: Pick<WordListView, 'name' | 'text'> = { name: 'animals', text: 'owl\nfox\nhare\n' };

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
              <span className="faint">{countOf(list.items, 'item')}</span>
              <IconButton icon={Pencil} label={`Edit ${shownLine(list.name)}`} onClick={() => setEdited(list)} />
              <IconButton
                icon={Trash2}
                label={`Remove ${shownLine(list.name)}`}
                onClick={() => setRemoved(list.name)}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <Button icon={Plus} onClick={() => setEdited('new')}>
          New list
        </Button>
        {lists?.length === 0 && (
          <Button look="quiet" onClick={() => setEdited(EXAMPLE)}>
            Start with an example
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
          title={`Remove the list “${shownLine(removed)}”?`}
          confirm="Remove it"
          decline="Keep it"
          onConfirm={() => void model.lists.remove(removed)}
          onClose={() => setRemoved(undefined)}
        >
          Cells that draw from it send their text as written. Rows that were rendered stay as they are.
        </ConfirmDialog>
      )}
    </>
  );
}

const ITEMS_SHOWN = 8;

function beginningOf(text: string): string {
  const items = text.split('\n').filter((line) => line.trim() !== '');
  const shown = items.slice(0, ITEMS_SHOWN).map((item) => shownLine(item.trim()));
  return items.length > ITEMS_SHOWN ? `${shown.join(', ')}, …` : shown.join(', ');
}
