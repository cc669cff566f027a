import type { HomeWords } from '../en/home.ts';

export const homeZh: HomeWords = {};
