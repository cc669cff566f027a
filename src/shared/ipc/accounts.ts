/** The accounts that a batch is to have, as the user chose them from the kept profiles and the stored keys. */
import { z } from 'zod';
import { LONGEST_ACCOUNT_NAME, MOST_ACCOUNTS } from '../domain/task/accounts/account.ts';
import { connectionReport, keyName } from './app.ts';
import { failureView } from './rows.ts';
import { main, money, profileName, seenBalance, type Seen } from './route.ts';

export const accountName = z.string().min(1).max(LONGEST_ACCOUNT_NAME);

/** The most requests, and the most money; what is absent is not limited. */
export const spendingLimit = z.strictObject({
  requests: z.int().min(1).max(1_000_000).optional(),
  cost: money.optional(),
});

/** A gateway, and which of its keys. */
const chosenAccess = z.strictObject({
  /** The name of a profile that is kept. */
  profile: profileName,
  /** The name of the key; absent for that gateway's key without a name. */
  keyName: keyName.optional(),
});

const chosenAccount = chosenAccess.extend({ name: accountName, limit: spendingLimit });
export type ChosenAccount = Seen<typeof chosenAccount>;

/** Several accounts, in the user's order. */
export const accountsChoice = z.strictObject({
  list: z.array(chosenAccount).min(2).max(MOST_ACCOUNTS),
  isCheapestFirst: z.literal(true).optional(),
});
export type AccountsChoice = Seen<typeof accountsChoice>;

/** One of several accounts of a batch. */
export const accountView = z.strictObject({
  name: z.string(),
  /** The name of its profile. */
  profile: z.string(),
  /** Its origin. */
  gateway: z.string(),
  /** The name of its key, if it has one. */
  keyName: keyName.optional(),
  limit: spendingLimit,
  /** How much of its limit is used up or reserved; absent if nothing has been sent yet. */
  requests: z.int().optional(),
  spent: money.optional(),
  stop: failureView.optional(),
  /** What it has left, if its gateway says. */
  balance: seenBalance.optional(),
});
/** New limits for accounts of a batch, by their names; what a limit leaves out is not limited. */
export const accountLimits = z.array(z.strictObject({ name: accountName, limit: spendingLimit })).max(MOST_ACCOUNTS);

export const accountRoutes = {
  /** Asks a gateway with a key about a task that does not exist: costs nothing. */
  'account.test': main.query(chosenAccess, connectionReport),
  /** Asks what an account has left; undefined if its profile does not say where. */
  'account.balance': main.query(chosenAccess, seenBalance.optional()),
};
