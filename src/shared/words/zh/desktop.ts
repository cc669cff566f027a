import type { DesktopWords } from '../en/desktop.ts';

export const desktopZh: DesktopWords = {};
