import type { StartWords } from '../en/start.ts';

export const startZh: StartWords = {};
