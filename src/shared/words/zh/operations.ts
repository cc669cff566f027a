import type { OperationsWords } from '../en/operations.ts';

export const operationsZh: OperationsWords = {};
