import type { GridWords } from '../en/grid.ts';

export const gridZh: GridWords = {};
