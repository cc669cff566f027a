/** What one worker has done since it was started, for those who monitor it. */
import type {
  AnsweredTurn,
  AttemptIntent,
  CountedRequest,
  Engine,
  FleetTurn,
  NightWatch,
} from '../../../engine/index.ts';
import { microsOf } from '../../../shared/domain/base/money.ts';
import { visibleLine } from '../../../shared/domain/base/text.ts';
import { accountNamed, accountsOf } from '../../../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { TaskEvent } from '../../../shared/domain/task/task-event.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { Counts, type Metric } from './exposition.ts';

const MICROS = 1_000_000;
const NO_FILE: ReadonlySet<TaskEvent['kind']> = new Set([
  'url-expired',
  'download-failed',
  'unsound',
  'unverifiable',
  'download-given-up',
]);

/** Accounts are counted by the name that the first batch with them gave; nothing is counted by row, key or text. */
export class WorkerCounts implements NightWatch {
  readonly #changes = new Counts();
  readonly #requests = new Counts();
  readonly #downloads = new Counts();
  readonly #files = new Counts();
  readonly #bytes = new Counts();
  readonly #reserved = new Counts();
  readonly #taken = new Counts();
  readonly #turns = new Counts();
  readonly #batches = new Map<string, BatchRecord['settings']>();
  readonly #labels = new Map<string, string>();
  #last: AnsweredTurn = { held: [], tookMs: Number.NaN, aheadMs: Number.NaN, isClockOff: false };
  #laneOf: Engine['laneName'] = ({ profile }) => profile.baseUrl;

  /** A batch has come, or its accounts have changed; `engine` has been given their keys. */
  note(engine: Pick<Engine, 'laneName'>, { id, settings }: BatchRecord): void {
    this.#laneOf = (account) => engine.laneName(account);
    this.#batches.set(id, settings);
    for (const account of accountsOf(settings)) {
      if (!URL.canParse(account.profile.baseUrl)) continue;
      const lane = this.#laneOf(account);
      if (!this.#labels.has(lane)) this.#name(lane, visibleLine(account.name, 60));
    }
  }

  readonly onRequest = ({ account, kind, outcome }: CountedRequest): void => {
    this.#requests.add({ account: this.#labelOf(account), kind, outcome });
  };

  readonly onCommitted = (task: Task, event: TaskEvent, intent?: AttemptIntent): void => {
    this.#changes.add({ event: event.kind, status: task.status });
    const account = this.#accountOf(task);
    if (intent?.price !== undefined && intent.isAgain !== true) {
      const { price, charges = 1 } = intent;
      this.#reserved.add({ account, currency: price.currency }, (microsOf(price.amount) * charges) / MICROS);
    }
    if (event.kind === 'output-verified') {
      const isDocument = task.outputs.find(({ index }) => index === event.index)?.document !== undefined;
      if (!isDocument) this.#downloads.add({ account, outcome: 'arrived' });
      this.#files.add({ account });
      this.#bytes.add({ account }, event.placement.bytes);
    }
    if (NO_FILE.has(event.kind)) this.#downloads.add({ account, outcome: event.kind });
  };

  onTurn(turn: FleetTurn): void {
    this.#turns.add({ outcome: 'problem' in turn ? 'unanswered' : 'answered' });
    if ('problem' in turn) return;
    const before = new Set(this.#last.held.map(({ account, epoch }) => `${epoch} ${account}`));
    for (const { account, epoch } of turn.held) {
      if (!before.has(`${epoch} ${account}`)) this.#taken.add({ account: this.#labelOf(account) });
    }
    this.#last = turn;
  }

  /** Everything that was counted. */
  get metrics(): readonly Metric[] {
    const { held, tookMs, aheadMs } = this.#last;
    const epochs = held.map(({ account, epoch }) => ({ labels: { account: this.#labelOf(account) }, value: epoch }));
    return [
      counter(
        'task_changes',
        'Changes of tasks that this worker committed, by event and the status after it.',
        this.#changes,
      ),
      counter('requests', 'Requests to gateways that have ended, by account, kind and outcome.', this.#requests),
      counter('downloads', 'Files that arrived, and tries that brought none, by account and outcome.', this.#downloads),
      counter('files', 'Files that were verified and placed, by account.', this.#files),
      counter('file_bytes', 'Bytes of the files that were verified and placed, by account.', this.#bytes),
      counter(
        'reserved_amount',
        'What paid requests were expected to cost when they were sent, by account.',
        this.#reserved,
      ),
      counter('leases_taken', 'How often an account was taken, by account.', this.#taken),
      counter('turns', 'Turns with the store, by outcome.', this.#turns),
      gauge('lease_epoch', 'The epoch of each account that this worker holds.', epochs),
      gauge('store_answer_seconds', 'How long the store took to answer the last turn.', [{ value: tookMs / 1000 }]),
      gauge('clock_ahead_seconds', 'By how much the clock of this machine is ahead of the store.', [
        { value: aheadMs / 1000 },
      ]),
    ];
  }

  #accountOf({ batchId, account }: Task): string {
    const settings = this.#batches.get(batchId);
    if (settings === undefined) return visibleLine(account ?? '', 60);
    const named = accountNamed(settings, account);
    return URL.canParse(named.profile.baseUrl) ? this.#labelOf(this.#laneOf(named)) : visibleLine(named.name, 60);
  }

  #labelOf(lane: string): string {
    return this.#labels.get(lane) ?? this.#name(lane, 'unnamed');
  }

  /**
   * Accounts with the same name are numbered: what distinguishes them is made from their keys, and nobody else may see
   * it.
   */
  #name(lane: string, name: string): string {
    const taken = new Set(this.#labels.values());
    let label = name;
    for (let number = 2; taken.has(label); number += 1) label = `${name} ${number}`;
    this.#labels.set(lane, label);
    return label;
  }
}

function counter(name: string, help: string, { samples }: Counts): Metric {
  return { name: `nocturne_${name}_total`, type: 'counter', help, samples };
}

/** A value that is known at this moment. */
export function gauge(name: string, help: string, samples: Metric['samples']): Metric {
  return { name: `nocturne_${name}`, type: 'gauge', help, samples };
}
