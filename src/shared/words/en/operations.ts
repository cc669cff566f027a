/** Operations, their fields and families. */
export const operationsWords = {};
export type OperationsWords = typeof operationsWords;
