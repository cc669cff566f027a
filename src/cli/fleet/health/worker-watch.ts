/** Watches one worker: its health and what it has done, if `--health` asks for them. */
import { systemClock, type Engine, type FleetTurn } from '../../../engine/index.ts';
import { wrongUsage } from '../../ending.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import { exposition, type Metric } from './exposition.ts';
import { healthPlace, openHealthServer, type HealthServer } from './health-server.ts';
import { gauge, WorkerCounts } from './worker-counts.ts';
import { WorkerStanding } from './worker-standing.ts';

const MICROS = 1_000_000;
/** A scrape does not wait longer for the store than this. */
const STORE_MS = 2_000;

export class WorkerWatch {
  readonly counts = new WorkerCounts();
  readonly #standing: WorkerStanding;
  readonly #version: string;
  #engine: Engine | undefined;
  /** The question to the store that is under way: scrapes share it. */
  #asking: Promise<readonly Metric[]> | undefined;

  constructor(version: string, leaseMs: number) {
    this.#version = version;
    this.#standing = new WorkerStanding(leaseMs);
  }

  /** Answers at an address, if one is given. Throws {@link CommandFailure} if that is not possible. */
  async listen(address: string | undefined): Promise<HealthServer | undefined> {
    if (address === undefined) return undefined;
    const opened = await openHealthServer(healthPlace(address), {
      health: () => this.#standing.healthAt(systemClock.monotonic()),
      metrics: () => this.#metrics(),
    });
    if (opened.ok) return opened.value;
    throw wrongUsage(`--health ${address}: ${opened.error}`, 'Choose another port, or 0 for a free one.');
  }

  opened(engine: Engine): void {
    this.#engine = engine;
  }

  turned(turn: FleetTurn): void {
    this.counts.onTurn(turn);
    this.#standing.turned(turn, systemClock.monotonic());
  }

  /** A batch has come or changed, and its accounts have been given their keys. */
  noted(engine: Engine, batch: BatchRecord): void {
    this.counts.note(engine, batch);
    this.#standing.noted(batch);
  }

  ends(): void {
    this.#standing.ends();
  }

  async #metrics(): Promise<string> {
    const now = systemClock.monotonic();
    const { isWell } = this.#standing.healthAt(now);
    const { changes = 0, waitingMs = 0 } = this.#engine?.backlog ?? {};
    const age = this.#standing.ageAt(now) ?? Number.NaN;
    return exposition([
      gauge('build_info', 'The version of Nocturne.', [{ labels: { version: this.#version }, value: 1 }]),
      gauge('healthy', 'Whether /healthz says that the worker is well.', [{ value: isWell ? 1 : 0 }]),
      gauge('turn_age_seconds', 'How long ago the store answered the last turn.', [{ value: age / 1000 }]),
      gauge('unwritten_changes', 'Changes of tasks that wait to be written to the store.', [{ value: changes }]),
      gauge('store_waiting_seconds', 'How long the longest question to the store waits.', [
        { value: waitingMs / 1000 },
      ]),
      ...this.counts.metrics,
      ...(await this.#spending()),
    ]);
  }

  /** The spending of the whole store; left out if the store does not answer. */
  async #spending(): Promise<readonly Metric[]> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    let stop = (): void => undefined;
    const tooLate = new Promise<readonly Metric[]>((resolve) => {
      stop = systemClock.setTimer(STORE_MS, () => resolve([]));
    });
    return Promise.race([this.#asking, tooLate]).finally(() => stop());
  }

  async #ask(): Promise<readonly Metric[]> {
    try {
      const spending = await this.#engine?.spending();
      if (spending === undefined) return [];
      const periods = (['night', 'month'] as const).map((period) => ({ period, ...spending[period] }));
      return [
        gauge(
          'spent_amount',
          'What paid requests of the whole store count for: reserved, or stated by the gateway if that is more.',
          periods.flatMap(({ period, micros }) =>
            Object.entries(micros).map(([currency, sum]) => ({ labels: { period, currency }, value: sum / MICROS })),
          ),
        ),
        gauge(
          'spent_requests',
          'Paid requests of the whole store that count against its limits.',
          periods.map(({ period, requests }) => ({ labels: { period }, value: requests })),
        ),
        gauge(
          'spent_unpriced_requests',
          'Those of them that have no price, and so are in no amount.',
          periods.map(({ period, unpriced }) => ({ labels: { period }, value: unpriced })),
        ),
      ];
    } catch {
      // The store is away: /healthz says so.
      return [];
    }
  }
}
