/** Find and replace, and the panel of problems. */
export const findWords = {};
export type FindWords = typeof findWords;
