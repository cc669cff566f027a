/** What the window sees of the ledger: read from a store, whether or not an engine works on it. */
import { ok, present } from '../../shared/domain/base/result.ts';
import { spoken } from '../../shared/domain/base/reason.ts';
import { readLedger, type StoreView } from '../../engine/index.ts';
import type { LedgerRowView } from '../../shared/ipc/ledger.ts';
import { MOST_ROWS } from '../../shared/ipc/rows.ts';
import type { GroupedTakes } from '../../shared/domain/ledger/ledger-figures.ts';
import type { LedgerRow } from '../../shared/domain/ledger/ledger-view.ts';
import type { LedgerGroup } from '../../shared/domain/ledger/take-stage.ts';
import { toShownTake } from './views/to-file-view.ts';
import type { EngineHandlers } from './engine-protocol.ts';

/** Enough for a calendar of more than a year. */
const NIGHTS_SHOWN = 400;

export interface LedgerReaderOptions extends Pick<StoreView, 'store' | 'ledger'> {
  /** False if nothing works on the store: nothing continues by itself. */
  readonly isAtWork: boolean;
  /** The time by the clock of the engine, in milliseconds since the epoch. */
  readonly now?: () => number;
}

/** The requests that the ledger answers. */
export function ledgerHandlers({ store, ledger, isAtWork, now = Date.now }: LedgerReaderOptions) {
  const read = (question: Parameters<typeof readLedger>[1]) =>
    readLedger({ store, ledger }, question, { now: now(), isAtWork });

  async function takesOf(batchId: string, wanted: LedgerGroup, limit: number): Promise<readonly LedgerRow[]> {
    const found = (await read({ batchId }))?.groups.find(({ group }) => group === wanted);
    return found === undefined ? [] : ledger.rows(batchId, found.facts, limit);
  }

  return {
    'ledger.read': async (question) => {
      const found = await read(question);
      if (found === undefined) return ok(undefined);
      return ok({ ...found, groups: found.groups.map(withoutFacts) });
    },
    'ledger.rows': async ({ batchId, group, limit }) =>
      ok({ rows: (await takesOf(batchId, group, limit)).map(toLedgerRowView) }),
    'ledger.shown': async ({ batchId, group }) => {
      const takes = await takesOf(batchId, group, MOST_ROWS);
      return ok({ takes: takes.filter(({ id }) => id > 0).map(toShownTake) });
    },
    'ledger.nights': async () => ok(await ledger.nights(NIGHTS_SHOWN, isAtWork)),
  } satisfies Partial<EngineHandlers>;
}

function toLedgerRowView({ said, reason, ...row }: LedgerRow): LedgerRowView {
  return { ...row, ...present({ reason: (said && spoken(said)) ?? reason }) };
}

/** A group as the window has it: only the store needs the facts, and the limit is in the pause of its batch. */
function withoutFacts(group: GroupedTakes): Omit<GroupedTakes, 'facts' | 'limit'> {
  const { facts: _facts, limit: _limit, ...view } = group;
  return view;
}
