/** What something costs, or may cost. */
export const costsWords = {};
export type CostsWords = typeof costsWords;
