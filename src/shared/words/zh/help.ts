import type { HelpWords } from '../en/help.ts';

export const helpZh: HelpWords = {};
