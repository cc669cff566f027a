/**
 * Who did what in a rehearsal of several workers, as lines of text, and whether it was within the limits of the
 * accounts.
 */
import { countText } from '../../../shared/domain/base/text.ts';
import type { WorkOfAccount } from './worker-process.ts';

/** What the gateway has counted for an account, and the account's limits there. */
export interface AccountAtGateway {
  readonly account: string;
  readonly charges: number;
  readonly requests: number;
  readonly refused: number;
  /** The most requests that had come beyond the allowed pace, and how many may come. */
  readonly mostAhead: number;
  readonly mayBeAhead: number;
  readonly mostAtOnce: number;
  readonly mayBeAtOnce: number;
}

/**
 * Each account that was asked for more than it allows, in words. Places are exact. Requests that left at the right pace
 * may arrive together if the gateway stood still: it counts them when it gets to them.
 * @param lateMs How much later a request may have been counted than it left.
 */
export function beyondLimits(
  accounts: readonly AccountAtGateway[],
  perSecond: number,
  lateMs: number,
): readonly string[] {
  return accounts.flatMap(({ account, refused, mostAhead, mayBeAhead, mostAtOnce, mayBeAtOnce }) => {
    const isAhead = mostAhead > mayBeAhead;
    return [
      ...(mostAtOnce > mayBeAtOnce ? [`${account} had ${mostAtOnce} of ${mayBeAtOnce} places at once.`] : []),
      ...(mostAhead > mayBeAhead + (lateMs / 1000) * perSecond
        ? [`${account} was asked ${mostAhead.toFixed(1)} requests ahead of its pace, of ${mayBeAhead}.`]
        : []),
      // A request that is not ahead of the pace is only refused if there is no place.
      ...(refused > 0 && !isAhead ? [`${account} has refused ${refused} that found no place.`] : []),
    ];
  });
}

export function workTable(work: readonly WorkOfAccount[]): readonly string[] {
  const sum = (of: (one: WorkOfAccount) => number): number => work.reduce((so, one) => so + of(one), 0);
  const cells = ({ worker, account, leases, submits, polls, downloads, files, bytes }: WorkOfAccount) => [
    worker,
    account,
    ...[leases, submits, polls, downloads, files].map(countText),
    (bytes / 1e6).toFixed(1),
  ];
  return table([
    ['worker', 'account', 'leases', 'submits', 'polls', 'downloads', 'files', 'MB'],
    ...work.map(cells),
    cells({
      worker: 'all',
      account: '',
      leases: sum(({ leases }) => leases),
      submits: sum(({ submits }) => submits),
      polls: sum(({ polls }) => polls),
      downloads: sum(({ downloads }) => downloads),
      files: sum(({ files }) => files),
      bytes: sum(({ bytes }) => bytes),
    }),
  ]);
}

export function gatewayTable(accounts: readonly AccountAtGateway[]): readonly string[] {
  return table([
    ['account', 'charges', 'requests', 'refused', 'most ahead of its pace', 'most places at once'],
    ...accounts.map((one) => [
      one.account,
      ...[one.charges, one.requests, one.refused].map(countText),
      `${one.mostAhead.toFixed(1)} of ${one.mayBeAhead}`,
      `${one.mostAtOnce} of ${one.mayBeAtOnce}`,
    ]),
  ]);
}

/** Columns as wide as they need to be, with numbers aligned on the right. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) =>
        /^[\d,.]/u.test(rows[1]?.[i] ?? '') ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
