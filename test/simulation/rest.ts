import type { SimDisk } from './sim-disk.ts';

/** What the store says is left to do in a night; looked at after every turn, and read again after each write. */
export class Rest {
  readonly #disk: SimDisk;
  #known: { readonly writes: number; readonly isAtRest: boolean } | undefined;

  constructor(disk: SimDisk) {
    this.#disk = disk;
  }

  /** Nothing happens any more by itself. */
  get isAtRest(): boolean {
    const { writes } = this.#disk.db;
    if (this.#known?.writes !== writes) this.#known = { writes, isAtRest: this.#lookAtRest() };
    return this.#known.isAtRest;
  }

  #lookAtRest(): boolean {
    const { db } = this.#disk;
    // A pause because of the disk ends by itself, unless another folder has taken the place of the batch's own.
    const going = db
      .prepare<object>(
        `SELECT 1 FROM batches WHERE state = 'running'
         OR (state = 'paused' AND json_extract(pause, '$.failure.code') IN ('DISK_FULL', 'DISK_DENIED')
         AND json_extract(pause, '$.failure.data.replaced') IS NULL) LIMIT 1`,
      )
      .get();
    if (going !== undefined) return false;
    const flying = db
      .prepare<object>(
        `SELECT 1 FROM tasks t JOIN batches b ON b.seq = t.batch WHERE superseded = 0
         AND b.state <> 'paused' AND status IN ('submitting', 'rendering', 'downloading') LIMIT 1`,
      )
      .get();
    return flying === undefined;
  }

  /** What has not ended; empty if everything has. */
  openRows(): string {
    return this.#disk.db
      .prepare<{
        readonly row_id: string;
        readonly status: string;
        readonly state: string;
        readonly pause: string | null;
      }>(
        `SELECT row_id, status, b.state, b.pause FROM tasks t JOIN batches b ON b.seq = t.batch
         WHERE superseded = 0 AND status NOT IN ('done', 'failed', 'cancelled')
         AND b.settings ->> '$.shelf.is' IS NOT 'removed' ORDER BY t.id LIMIT 3`,
      )
      .all()
      .map(({ row_id: row, status, state, pause }) => `${row} ${status} in a batch ${state} ${pause ?? ''}`)
      .join(', ');
  }
}
