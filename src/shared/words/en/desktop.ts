/** Menus, the tray, dialogs and notifications of the system. */
export const desktopWords = {};
export type DesktopWords = typeof desktopWords;
