import type { NightsWords } from '../en/nights.ts';

export const nightsZh: NightsWords = {};
