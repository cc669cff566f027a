import { useState } from 'react';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { shownLine } from '../format/shown-text.ts';
import { mediaUrl } from '../format/phrases.ts';
import { nameOfKey } from './review-keys.ts';
import styles from './Wipe.module.css';

interface WipeProps {
  /** The picture on the left, and the one that covers it on the right. */
  readonly left: FileView;
  readonly right: FileView;
  readonly onClose: () => void;
}

const MIDDLE = 50;

/** Two pictures, one over the other: the slider decides how much of each is seen. */
export function Wipe({ left, right, onClose }: WipeProps) {
  const [percent, setPercent] = useState(MIDDLE);
  return (
    <div className={styles.wipe} data-testid="wipe">
      <img src={mediaUrl(left.id)} alt={shownLine(left.name)} />
      <img src={mediaUrl(right.id)} alt={shownLine(right.name)} style={{ clipPath: `inset(0 0 0 ${percent}%)` }} />
      <span className={styles.line} style={{ left: `${percent}%` }} />
      <input
        type="range"
        className={styles.slider}
        min={0}
        max={100}
        value={percent}
        aria-label={words.review.stage.fromTo(shownLine(left.name), shownLine(right.name))}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- a key has opened it, and the next ones move the line
        autoFocus
        onChange={(event) => setPercent(event.target.valueAsNumber)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && nameOfKey(event) !== 'w') return;
          event.preventDefault();
          event.stopPropagation();
          onClose();
        }}
      />
      <span className={styles.name} data-side="left">
        {shownLine(left.name)}
      </span>
      <span className={styles.name} data-side="right">
        {shownLine(right.name)}
      </span>
    </div>
  );
}
