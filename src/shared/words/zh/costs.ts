import type { CostsWords } from '../en/costs.ts';

export const costsZh: CostsWords = {};
