import { FileSpreadsheet } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { joinClasses } from '../design/join-classes.ts';
import styles from './DropOverlay.module.css';

/** Shown while a file is dragged over the window. The preload takes the file; the opened sheet comes as an event. */
export function DropOverlay() {
  const isFileOver = useFileOver();
  if (!isFileOver) return null;
  return (
    <div className={styles.overlay} data-testid="drop-overlay">
      <div className={joinClasses('stack', styles.target)}>
        <FileSpreadsheet size={30} strokeWidth={1.5} aria-hidden />
        <p className={styles.title}>Drop your sheet</p>
        <p className="soft">CSV, TSV, XLSX or ODS. It is read and checked; nothing is sent.</p>
      </div>
    </div>
  );
}

/** True while the user drags a file over the window. */
function useFileOver(): boolean {
  const [isOver, setOver] = useState(false);
  // Every element on the way fires enter and leave; only their balance tells whether the pointer left the window.
  const depth = useRef(0);
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const enter = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      depth.current += 1;
      setOver(true);
    };
    const leave = (): void => {
      depth.current = Math.max(0, depth.current - 1);
      if (depth.current === 0) setOver(false);
    };
    const end = (): void => {
      depth.current = 0;
      setOver(false);
    };
    window.addEventListener('dragenter', enter, { signal });
    window.addEventListener('dragleave', leave, { signal });
    window.addEventListener('drop', end, { signal });
    window.addEventListener('dragend', end, { signal });
    return () => listening.abort();
  }, []);
  return isOver;
}
