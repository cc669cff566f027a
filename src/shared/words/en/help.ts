/** Help and support. */
export const helpWords = {};
export type HelpWords = typeof helpWords;
