import type { Theme } from '@glideapps/glide-data-grid';
import { useMemo } from 'react';
import { ROW_VIEW_STATUSES, type RowViewStatus } from '../../../shared/domain/task/row-status.ts';
import { STATUS_LOOKS } from '../../design/status-look.ts';
import { useAppliedTheme } from '../../shell/theme.tsx';

/** The design's colours and font as a canvas needs them: values, not names. */
export interface GridPalette {
  readonly ink: string;
  readonly inkSoft: string;
  readonly inkFaint: string;
  readonly line: string;
  readonly hover: string;
  readonly selected: string;
  /** The background of cells that cannot be edited now. */
  readonly locked: string;
  /** The background of cells that contain what is searched for. */
  readonly found: string;
  readonly error: string;
  readonly warning: string;
  /** The corner of cells that were edited since the import. */
  readonly edited: string;
  readonly status: Readonly<Record<RowViewStatus, string>>;
  readonly theme: Partial<Theme>;
}

/** The page's current tokens, read again when the theme has changed. */
export function useGridPalette(): GridPalette {
  const theme = useAppliedTheme();
  return useMemo(() => readGridPalette(theme), [theme]);
}

/** Reads the tokens of the page's current theme. */
function readGridPalette(_theme: string): GridPalette {
  // A token holds the colours of both themes; an element has one of them.
  const sample = document.body.appendChild(document.createElement('span'));
  // Otherwise the colour could be one in transition, or one that the system substitutes for all.
  sample.style.transition = 'none';
  sample.style.forcedColorAdjust = 'none';
  const token = (name: string): string => {
    sample.style.color = `var(${name})`;
    return getComputedStyle(sample).color;
  };
  const status = ROW_VIEW_STATUSES.map((name) => [name, token(STATUS_LOOKS[name].color)] as const);
  const palette = {
    ink: token('--ink'),
    inkSoft: token('--ink-soft'),
    inkFaint: token('--ink-faint'),
    line: token('--line-strong'),
    hover: token('--hover'),
    selected: token('--lamp-soft'),
    locked: token('--sunken'),
    found: token('--warning-soft'),
    error: token('--danger'),
    warning: token('--warning'),
    edited: token('--ink-faint'),
    status: Object.fromEntries(status) as Record<RowViewStatus, string>,
    theme: { ...themeOf(token), fontFamily: getComputedStyle(sample).fontFamily },
  };
  sample.remove();
  return palette;
}

function themeOf(token: (name: string) => string): Partial<Theme> {
  const ground = token('--ground');
  return {
    accentColor: token('--lamp'),
    accentFg: token('--moon-ink'),
    accentLight: token('--lamp-soft'),
    textDark: token('--ink'),
    textMedium: token('--ink-soft'),
    textLight: token('--ink-faint'),
    textHeader: token('--ink-faint'),
    textHeaderSelected: token('--ink'),
    bgCell: ground,
    bgCellMedium: token('--surface'),
    bgHeader: ground,
    bgHeaderHasFocus: ground,
    bgHeaderHovered: token('--surface'),
    borderColor: token('--line'),
    horizontalBorderColor: token('--line'),
    headerBottomBorderColor: token('--line'),
    cellHorizontalPadding: 10,
    cellVerticalPadding: 4,
    baseFontStyle: '13px',
    headerFontStyle: '540 12px',
    roundingRadius: 3,
  };
}
