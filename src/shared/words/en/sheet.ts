/** A sheet that is being brought in: how it is read, its columns and problems. */
export const sheetWords = {};
export type SheetWords = typeof sheetWords;
