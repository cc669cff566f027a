/** What a folder that takes no files means: nothing more is paid for meanwhile, and it goes on by itself afterwards. */
import type { Database } from '../../src/engine/store/open/database.ts';
import type { Machine } from './machine.ts';
import { REFUSALS, type NightPlan, type Spell } from './plan.ts';
import { OWN_FOLDER } from './sim-folder.ts';

/** A folder that was good counts as good for 15 s; a store may take its time over what was chosen by then. */
const NOTICED_MS: Readonly<Record<NightPlan['store'], number>> = {
  'at-once': 20_000,
  quick: 20_000,
  slow: 30_000,
  stalling: 120_000,
};
/** A folder that was refused is looked at every 30 s. */
const AGAIN_MS = 5 * 60_000;

const OF_FOLDER: ReadonlySet<Spell['kind']> = new Set(['disk', ...REFUSALS]);

export class DiskWatch {
  readonly #machine: Machine;
  readonly #report: (rule: string, detail: string) => void;
  readonly #spells: readonly Spell[];
  readonly #still;
  readonly #folderOf;

  constructor(db: Database, machine: Machine, report: (rule: string, detail: string) => void) {
    this.#machine = machine;
    this.#report = report;
    this.#spells = machine.plan.spells.filter(({ kind }) => OF_FOLDER.has(kind));
    // The user has taken another folder if its own is not the one that is there.
    this.#still = db.prepare<{ readonly id: string; readonly pause: string }>(
      `SELECT id, pause FROM batches WHERE state = 'paused' AND settings ->> '$.shelf.is' IS NULL
       AND coalesce(settings ->> '$.folderIdentity', '${OWN_FOLDER}') = '${OWN_FOLDER}'
       AND coalesce(pause ->> '$.disk.code', pause ->> '$.failure.code') IN ('DISK_FULL', 'DISK_DENIED')`,
    );
    this.#folderOf = db.prepare<{ readonly isOwn: 0 | 1 }>(
      `SELECT coalesce(settings ->> '$.folderIdentity', '${OWN_FOLDER}') = '${OWN_FOLDER}'
       AND settings ->> '$.folderAccepted' IS NULL AS isOwn FROM batches WHERE id = ?`,
    );
  }

  /** A request that is to be paid for is handed to the network. */
  onHandOver(batchId: string, body: string): void {
    const { agenda, plan, clockSetAtMs } = this.#machine;
    const { nowMs } = agenda;
    for (const { kind, fromMs, forMs } of this.#spells) {
      if (nowMs >= fromMs + forMs) continue;
      const refusedMs = nowMs - Math.max(fromMs, clockSetAtMs);
      if (refusedMs < NOTICED_MS[plan.store]) continue;
      // The user may have taken the other folder.
      if (kind === 'replaced' && this.#folderOf.get(batchId)?.isOwn !== 1) continue;
      this.#report('disk', `sent although its folder takes no files for ${Math.round(refusedMs / 1000)} s: ${body}`);
    }
  }

  /** Once a minute. */
  look(): void {
    if (this.#spells.length === 0) return;
    const { agenda, disturbedAtMs } = this.#machine;
    const backAtMs = Math.max(disturbedAtMs, ...this.#spells.map(({ fromMs, forMs }) => fromMs + forMs));
    if (agenda.nowMs - backAtMs < AGAIN_MS) return;
    for (const { id, pause } of this.#still.all())
      this.#report('disk', `its folder takes files again, and ${id} stands still: ${pause}`);
  }
}
