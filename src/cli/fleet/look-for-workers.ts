/** Says that nobody renders what a command has started on a shared store. */
import type { Engine } from '../../engine/index.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { accountsOf, type Account } from '../../shared/domain/task/accounts/account.ts';
import type { Console } from '../console.ts';

const LOOK_MS = 5_000;
/** Workers share out accounts in turns of seconds: an account that nobody has for this many looks has no worker. */
const LOOKS_IN_VAIN = 5;

/**
 * Checks now and then whether workers have the accounts of a running batch, and says once for each what is missing,
 * until the returned function is called. Does nothing if this process has the store to itself.
 */
export function lookForWorkers(console: Console, engine: Engine, batchId: string): () => void {
  if (!engine.isShared) return () => undefined;
  const told = new Set<string>();
  const inVain = new Map<string, number>();
  const tell = (what: string, words: string): void => {
    if (told.has(what)) return;
    told.add(what);
    console.event('no-worker', what === '' ? {} : { account: what });
    console.problem(words);
  };
  const look = async (): Promise<void> => {
    const [fleet, batch] = await Promise.all([engine.fleet(), engine.store.batch(batchId)]);
    if (fleet === undefined || batch?.state !== 'running') return;
    if (fleet.workers.length === 0) {
      tell(
        '',
        'No worker is running on this store.\n    → Start one with: nocturne worker --store URL --key-file FILE',
      );
      return;
    }
    for (const account of accountsOf(batch.settings)) {
      const isHeld = fleet.leases.some((lease) => isOf(lease.account, engine.laneName(account)));
      const looks = isHeld ? 0 : (inVain.get(account.name) ?? 0) + 1;
      inVain.set(account.name, looks);
      if (looks >= LOOKS_IN_VAIN) tell(account.name, wordsFor(account));
    }
  };
  // A store that cannot answer is reported at the end of the run.
  const lookOnce = (): void => void look().catch(() => undefined);
  const timer = setInterval(lookOnce, LOOK_MS);
  lookOnce();
  return () => clearInterval(timer);
}

/** A name without a key stands for every key at its gateway. */
function isOf(account: string, name: string): boolean {
  return name.endsWith(' ') ? account.startsWith(name) : account === name;
}

function wordsFor({ name, profile: { baseUrl } }: Account): string {
  const what = `the account ${visibleLine(name, 60)} at ${new URL(baseUrl).origin}`;
  return `No worker holds ${what}.\n    → Start one that has its key: nocturne worker --store URL --account-key "${visibleLine(name, 60)}=FILE"`;
}
