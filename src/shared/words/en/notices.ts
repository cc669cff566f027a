/** What the window tells of its own accord, and of requests that were refused. */
export const noticesWords = {};
export type NoticesWords = typeof noticesWords;
