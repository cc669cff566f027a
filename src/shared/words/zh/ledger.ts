import type { LedgerWords } from '../en/ledger.ts';

export const ledgerZh: LedgerWords = {};
