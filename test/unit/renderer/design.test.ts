import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BAR_ORDER, FILTER_ORDER, STATUS_LOOKS } from '../../../src/renderer/design/status-look.ts';
import { TASK_STATUSES } from '../../../src/shared/domain/task/task.ts';
import { ROW_VIEW_STATUSES } from '../../../src/shared/domain/task/row-status.ts';

const TOKENS = readFileSync(new URL('../../../src/renderer/design/tokens.css', import.meta.url), 'utf8');
const GROUNDS = ['--sunken', '--ground', '--surface', '--raised'];
const TEXTS = ['--ink', '--ink-soft', '--ink-faint', '--lamp', '--danger', '--warning'];
const STATUS_COLORS = ROW_VIEW_STATUSES.map((status) => STATUS_LOOKS[status].color);
const READABLE = 4.5;

describe.each(['dark', 'light'])('in the %s theme', (theme) => {
  const colors = colorsOf(theme);

  test.each([...TEXTS, ...STATUS_COLORS])('%s can be read on every ground', (name) => {
    for (const ground of GROUNDS) {
      expect(contrast(colorOf(colors, name), colorOf(colors, ground)), `on ${ground}`).toBeGreaterThanOrEqual(READABLE);
    }
  });

  test('the words of the main button can be read', () => {
    for (const ground of ['--moon', '--moon-hover']) {
      expect(contrast(colorOf(colors, '--moon-ink'), colorOf(colors, ground))).toBeGreaterThanOrEqual(READABLE);
    }
  });
});

test('no status has to be told from another by its colour', () => {
  expect(new Set(ROW_VIEW_STATUSES.map((status) => STATUS_LOOKS[status].word)).size).toBe(ROW_VIEW_STATUSES.length);
  expect(new Set(ROW_VIEW_STATUSES.map((status) => STATUS_LOOKS[status].glyph)).size).toBe(ROW_VIEW_STATUSES.length);
});

/** The plain colours of a theme. */
function colorsOf(theme: string): ReadonlyMap<string, string> {
  const both = TOKENS.matchAll(/(--[\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g);
  return new Map([...both].map(([, name = '', light = '', dark = '']) => [name, theme === 'light' ? light : dark]));
}

function colorOf(colors: ReadonlyMap<string, string>, name: string): string {
  const color = colors.get(name);
  if (color === undefined) throw new Error(`${name} has no plain colour`);
  return color;
}

/** Contrast as WCAG 2 has it. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('the bar and the filters have a place for every status', () => {
  expect(BAR_ORDER.toSorted()).toEqual(TASK_STATUSES.toSorted());
  expect(FILTER_ORDER.toSorted()).toEqual(ROW_VIEW_STATUSES.toSorted());
});
