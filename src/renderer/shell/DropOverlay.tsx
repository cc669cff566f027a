import { FileSpreadsheet } from 'lucide-react';
import { useState } from 'react';
import { joinClasses } from '../design/join-classes.ts';
import { words } from '../../shared/words/words.ts';
import { useAppModel } from '../state/app-context.ts';
import { useWindowEvent } from './keyboard.ts';
import styles from './DropOverlay.module.css';

/** Shown while a file is dragged over the window. The preload takes the file; the opened sheet comes as an event. */
export function DropOverlay() {
  const isFileOver = useFileOver();
  if (!isFileOver) return null;
  return (
    <div className={styles.overlay} data-testid="drop-overlay">
      <div className={joinClasses('stack', styles.target)}>
        <FileSpreadsheet size={30} strokeWidth={1.5} aria-hidden />
        <p className={styles.title}>{words.shell.drop}</p>
        <p className="soft">{words.shell.dropHint}</p>
      </div>
    </div>
  );
}

/** True while the user drags a file over the window. */
function useFileOver(): boolean {
  const { dragging } = useAppModel();
  const [isOver, setOver] = useState(false);
  // A file of a batch that is being dragged out may pass over the window; it must not be taken for a sheet.
  useWindowEvent(
    ['dragenter', 'dragover', 'drop'],
    (event) => {
      if (dragging.getState().isOut) event.stopImmediatePropagation();
    },
    true,
  );
  // While a file is held, the pointer never moves without a pressed button.
  useWindowEvent(['pointermove', 'pointerdown'], ({ type, buttons }) => {
    if (type === 'pointerdown' || buttons === 0) dragging.setState({ isOut: false });
  });
  useWindowEvent(['dragenter', 'dragleave', 'drop', 'dragend'], ({ type, dataTransfer, relatedTarget }) => {
    if (type === 'dragenter') setOver((before) => before || dataTransfer?.types.includes('Files') === true);
    // Each element on the way is left for another one; only the window is left for none.
    else if (type !== 'dragleave' || relatedTarget === null) setOver(false);
  });
  return isOver;
}
