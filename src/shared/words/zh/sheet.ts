import type { SheetWords } from '../en/sheet.ts';

export const sheetZh: SheetWords = {};
