/** A batch on screen: its head, banners, questions, and what is done with it. */
export const batchWords = {};
export type BatchWords = typeof batchWords;
