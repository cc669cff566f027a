/** The ledger of the night. */
export const ledgerWords = {};
export type LedgerWords = typeof ledgerWords;
