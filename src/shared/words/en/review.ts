/** The review of what was rendered. */
export const reviewWords = {};
export type ReviewWords = typeof reviewWords;
