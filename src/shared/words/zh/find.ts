import type { FindWords } from '../en/find.ts';

export const findZh: FindWords = {};
