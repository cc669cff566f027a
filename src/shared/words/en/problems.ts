/** What is wrong with a sheet or a profile, and what to do about it. */
export const problemsWords = {};
export type ProblemsWords = typeof problemsWords;
