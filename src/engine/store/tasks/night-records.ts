import { present } from '../../../shared/domain/base/result.ts';
import type { BatchState } from '../../../shared/domain/task/batch.ts';
import { dayOfNight, isOfNight, type NightRecord } from '../../../shared/domain/task/night-record.ts';
import type { Database } from '../open/database.ts';

interface NightColumns {
  readonly id: number;
  readonly began_at: number;
  readonly ended_at: number | null;
}

/** The machine's time zone. */
export function zoneHere(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * The nights, which follow the states of batches: the beginning or end of a night is written in the transaction of its
 * cause. A kill leaves a night open, with the batch that ran: the night goes on with that batch, or counts as ended at
 * its last sign of life.
 * @param zone The name of the time zone whose noon separates two nights.
 */
export function openNightRecords(db: Database, zone: () => string) {
  const selectAll = db.prepare<NightColumns>('SELECT * FROM nights ORDER BY id');
  const selectLast = db.prepare<NightColumns>('SELECT * FROM nights ORDER BY id DESC LIMIT 1');
  const selectRunning = db.prepare("SELECT 1 FROM batches WHERE state = 'running' LIMIT 1");
  const selectSign = db.prepareColumn<number>(`
    SELECT max(began_at, coalesce((SELECT max(started_at) FROM attempts WHERE night = nights.id), 0),
      coalesce((SELECT at FROM events ORDER BY seq DESC LIMIT 1), 0)) FROM nights WHERE id = ?`);
  const insert = db.prepare('INSERT INTO nights (began_at) VALUES (?)');
  const writeEnd = db.prepare('UPDATE nights SET ended_at = ? WHERE id = ?');

  const last = (): NightRecord | undefined => {
    const columns = selectLast.get();
    return columns && nightOf(columns);
  };
  const lastSignIn = ({ id, beganAt }: NightRecord): number => selectSign(id)[0] ?? beganAt;

  /** The night of what happens at `at`, inside a transaction; begins it, or continues it, if necessary. */
  function nightAt(at: number): number {
    const night = last();
    if (night === undefined) return insert.insert(at);
    if (isOfNight(night, () => lastSignIn(night), at, zone())) {
      if (night.endedAt !== undefined) writeEnd.run(null, night.id);
      return night.id;
    }
    if (night.endedAt === undefined) writeEnd.run(lastSignIn(night), night.id);
    return insert.insert(at);
  }

  return {
    all: () => selectAll.all().map(nightOf),
    lastSignIn,
    nightAt,
    /** The night of what would happen at `at`, and its day; without a number if that would begin another night. */
    nightOrDayAt(at: number): { readonly night: number | undefined; readonly from: number; readonly until: number } {
      const night = last();
      const isOf = night !== undefined && isOfNight(night, () => lastSignIn(night), at, zone());
      return { night: isOf ? night.id : undefined, ...dayOfNight(isOf ? night.beganAt : at, zone()) };
    },
    /**
     * Follows a batch's change to a state at `at`, inside its transaction. Only a start begins a night: one that began
     * with the end of something would have no batch.
     */
    follow(state: BatchState, at: number) {
      if (state === 'running') return void nightAt(at);
      const night = last();
      if (night === undefined || night.endedAt !== undefined || selectRunning.get() !== undefined) return;
      const isOf = isOfNight(night, () => lastSignIn(night), at, zone());
      writeEnd.run(isOf ? Math.max(at, night.beganAt) : lastSignIn(night), night.id);
    },
  };
}

function nightOf({ id, began_at: beganAt, ended_at: endedAt }: NightColumns): NightRecord {
  return { id, beganAt, ...present({ endedAt }) };
}
