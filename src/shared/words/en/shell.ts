/** The frame of the window: side bar, palette, notices, and what every dialog has. */
export const shellWords = {};
export type ShellWords = typeof shellWords;
