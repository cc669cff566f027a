/** The form before the start of a batch. */
export const startWords = {};
export type StartWords = typeof startWords;
