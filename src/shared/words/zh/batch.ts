import type { BatchWords } from '../en/batch.ts';

export const batchZh: BatchWords = {};
