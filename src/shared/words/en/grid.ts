/** The grid: its columns, cells, menus, keys and editors of cells. */
export const gridWords = {};
export type GridWords = typeof gridWords;
