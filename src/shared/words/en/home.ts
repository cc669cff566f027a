/** The first screen, sheets that changed on the disk, the store. */
export const homeWords = {};
export type HomeWords = typeof homeWords;
