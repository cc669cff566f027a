import type { RowStatusName } from '../../shared/ipc/views.ts';
import { STATUS_LOOKS } from './status-look.ts';
import styles from './StatusBadge.module.css';

/** The drawing of a status alone; its word must stand beside it. */
export function StatusGlyph({ status, size = 14 }: { readonly status: RowStatusName; readonly size?: number }) {
  const { glyph, color } = STATUS_LOOKS[status];
  return (
    <svg
      className={styles.glyph}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden
      style={{ color: `var(${color})` }}
    >
      <path d={glyph} />
    </svg>
  );
}

/** A status with its drawing, its word and its colour. */
export function StatusBadge({ status }: { readonly status: RowStatusName }) {
  const { word, color } = STATUS_LOOKS[status];
  return (
    <span className={styles.badge} style={{ color: `var(${color})` }}>
      <StatusGlyph status={status} size={13} />
      {word}
    </span>
  );
}
