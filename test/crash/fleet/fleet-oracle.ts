/**
 * Judges a night of a fleet: by the ledgers and files of the gateways, by what reached them and when, by what the
 * database saw written and by whom, and by what is in the media folder.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PREVIEWS_FOLDER } from '../../../src/engine/media-folder/documents/gallery/kept-previews.ts';
import { FOLDER_IDENTITY_FILE } from '../../../src/shared/domain/files/naming.ts';
import type { Charge } from '../../../src/gateway-sim/charge-log.ts';
import { holds, parsed, sha256Of } from '../oracle.ts';
import { rowOfCharge, type WatchedAccount } from './accounts.ts';
import type { Audit, StoredTask } from './audit.ts';
import type { Fleet } from './fleet.ts';
import { pause } from './fleet-faults.ts';
import { judgeLimits, type LimitsSeen } from './limits-seen.ts';

export type FleetOracleName =
  | 'duplicate charge'
  | 'foreign charge'
  | 'charge without an intent'
  | 'lost row'
  | 'lost task code'
  | 'wrong file'
  | 'cap passed'
  | 'limit passed'
  | 'written without the right'
  | 'lease renewed after its end'
  | 'lease taken too early'
  | 'hang'
  | 'broken life';

export interface FleetViolation {
  readonly oracle: FleetOracleName;
  readonly detail: string;
}

interface PaidFor extends Charge {
  readonly account: WatchedAccount;
}

export interface NightJudged {
  readonly violations: readonly FleetViolation[];
  /** How each task ended. */
  readonly ends: ReadonlyMap<number, RowEnd>;
  readonly limits: LimitsSeen;
}

export type RowEnd = 'not begun' | 'done' | 'unknown, charged' | 'unknown, not charged' | 'failed';

export interface NightFacts {
  readonly fleet: Fleet;
  readonly batch: number;
  readonly batchId: string;
  readonly rows: ReadonlySet<string>;
  readonly folder: string;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  readonly leaseMs: number;
  /** The most paid requests that the night may make. */
  readonly cap: number | undefined;
  /** Submits whose answers no surviving worker can have received. */
  readonly answersLost: number;
}

/** The worker that was hit last may still hold an answer: it notes that within this time. */
const NOTED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 250;

export async function judgeNight(facts: NightFacts): Promise<NightJudged> {
  const { fleet, batch, rows } = facts;
  const charges = fleet.accounts.flatMap((account) =>
    account.gateway
      .chargeLog()
      .map((charge): PaidFor => ({ ...charge, account }))
      .filter((charge) => rows.has(rowOfCharge(charge))),
  );
  const byRow = new Map<string, PaidFor[]>();
  for (const charge of charges) byRow.set(rowOfCharge(charge), [...(byRow.get(rowOfCharge(charge)) ?? []), charge]);
  const end = performance.now() + NOTED_WITHIN_MS;
  let tasks = await fleet.audit.tasks(batch);
  while (unclaimedOf(tasks, byRow).length > facts.answersLost && performance.now() < end) {
    await pause(LOOK_EVERY_MS);
    tasks = await fleet.audit.tasks(batch);
  }
  const limits = judgeLimits(fleet.accounts, tasks, facts.since);
  const files = await judgeFiles(facts, tasks, byRow);
  return {
    violations: [
      ...judgeCharges(facts, tasks, byRow),
      ...judgeRows(facts, tasks, byRow),
      ...files,
      ...judgeCaps(facts, charges),
      ...limits.broken.map((detail): FleetViolation => ({ oracle: 'limit passed', detail })),
      ...(await judgeWrites(fleet.audit, fleet, facts.leaseMs)),
    ],
    ends: new Map(tasks.map((task) => [task.id, endOf(task, byRow)])),
    limits,
  };
}

function endOf({ status, row }: StoredTask, byRow: ReadonlyMap<string, readonly PaidFor[]>): RowEnd {
  if (status === 'done') return 'done';
  if (status === 'queued') return 'not begun';
  if (status !== 'submit-unknown') return 'failed';
  return byRow.has(row) ? 'unknown, charged' : 'unknown, not charged';
}

function judgeCharges(
  { fleet, rows }: NightFacts,
  tasks: readonly StoredTask[],
  byRow: ReadonlyMap<string, readonly PaidFor[]>,
): readonly FleetViolation[] {
  const violations: FleetViolation[] = [];
  for (const [row, charges] of byRow) {
    const task = tasks.find((one) => one.row === row);
    const told = charges.map(({ account, seq }) => `${account.name} #${seq}`).join(', ');
    // Nobody has agreed to another request.
    if (charges.length > 1) violations.push({ oracle: 'duplicate charge', detail: `${row}: ${told}` });
    for (const { bodySha256, account } of charges) {
      const isNoted = task?.attempts.some((one) => one.bodySha256 === bodySha256 && one.origin === account.origin);
      if (isNoted !== true) violations.push({ oracle: 'charge without an intent', detail: `${row}: ${told}` });
    }
  }
  for (const { gateway, name } of fleet.accounts) {
    const { keyLeaks, rejections } = gateway.stats();
    if (keyLeaks > 0) violations.push({ oracle: 'foreign charge', detail: `${name}: a key was sent elsewhere` });
    for (const info of rejections) violations.push({ oracle: 'foreign charge', detail: `${name}: refused: ${info}` });
    const foreign = gateway.chargeLog().filter((charge) => !/^row\d+n\d+$/u.test(rowOfCharge(charge)));
    for (const { body } of foreign) violations.push({ oracle: 'foreign charge', detail: JSON.stringify(body) });
  }
  if (tasks.length !== rows.size) violations.push({ oracle: 'lost row', detail: `${tasks.length} of ${rows.size}` });
  return violations;
}

/** Each row must be done, or it must be clear why not. */
function judgeRows(
  { answersLost, cap }: NightFacts,
  tasks: readonly StoredTask[],
  byRow: ReadonlyMap<string, readonly PaidFor[]>,
): readonly FleetViolation[] {
  const lost = tasks.flatMap(({ row, status, failure }): readonly FleetViolation[] => {
    if (status === 'done') return byRow.has(row) ? [] : [{ oracle: 'lost row', detail: `${row} is done, and unpaid` }];
    if (status === 'submit-unknown' && failure !== null) return [];
    // The night itself says why.
    if (status === 'queued' && cap !== undefined && !byRow.has(row)) return [];
    return [{ oracle: 'lost row', detail: `${row} is ${status}: ${failure ?? 'nothing says why'}` }];
  });
  const unclaimed = unclaimedOf(tasks, byRow);
  return unclaimed.length <= answersLost
    ? lost
    : [
        ...lost,
        { oracle: 'lost task code', detail: `${unclaimed.map(({ row }) => row).join(', ')} of at most ${answersLost}` },
      ];
}

/** Rows that were paid for, whose task codes nobody can adopt. */
function unclaimedOf(
  tasks: readonly StoredTask[],
  byRow: ReadonlyMap<string, readonly PaidFor[]>,
): readonly StoredTask[] {
  return tasks.filter(
    ({ row, status, taskCode }) =>
      status === 'submit-unknown' && byRow.get(row)?.some((charge) => charge.taskCode === taskCode) === false,
  );
}

/** Every file that was paid for must be there once, under its row's name, as the gateway made it; and nothing else. */
async function judgeFiles(
  { fleet, folder, batchId }: NightFacts,
  tasks: readonly StoredTask[],
  byRow: ReadonlyMap<string, readonly PaidFor[]>,
): Promise<readonly FleetViolation[]> {
  const violations: FleetViolation[] = [];
  const wrong = (detail: string): void => void violations.push({ oracle: 'wrong file', detail });
  const found = new Map(filesIn(folder).map((file) => [file, readFileSync(path.join(folder, file))]));
  for (const { row, status } of tasks) {
    if (status !== 'done') continue;
    const own = [...found].filter(
      ([file]) => path.basename(file).startsWith(`${row}.`) || path.basename(file).startsWith(`${row}-`),
    );
    for (const {
      account: { gateway },
      taskCode,
    } of byRow.get(row) ?? []) {
      const data = gateway.dataResult(taskCode);
      const wanted = data === undefined ? gateway.outputs(taskCode).map(({ sha256 }) => sha256) : [undefined];
      if (own.length !== wanted.length) wrong(`${row} has ${own.length} files, not ${wanted.length}`);
      for (const sha256 of wanted) {
        const isThere = own.some(([, content]) =>
          sha256 === undefined ? holds(parsed(content.toString()), data) : sha256Of(content) === sha256,
        );
        if (!isThere) wrong(`${row}: a file is not as the gateway made it`);
      }
    }
    for (const [file] of own) found.delete(file);
  }
  for (const file of found.keys()) wrong(`${file} is of no row that is done`);
  const out = await fleet.command(['export', batchId, '--out', folder]);
  if (out.exitCode !== 0) wrong(`the documents cannot be written: ${out.output}`);
  const verified = await fleet.command(['verify', folder]);
  if (verified.exitCode !== 0) wrong(`the manifest: ${verified.output}`);
  return violations;
}

function judgeCaps({ fleet, cap }: NightFacts, charges: readonly PaidFor[]): readonly FleetViolation[] {
  const passed = (name: string, most: number | undefined, made: number): readonly FleetViolation[] =>
    most === undefined || made <= most ? [] : [{ oracle: 'cap passed', detail: `${name}: ${made} of ${most}` }];
  return [
    ...passed('the night', cap, charges.length),
    ...fleet.accounts.flatMap(({ name, cap: most }) =>
      passed(name, most, charges.filter(({ account }) => account.name === name).length),
    ),
  ];
}

/**
 * Only the worker that has an account may write about it, nothing may begin under a lease that has ended, and no ended
 * lease may come back.
 */
async function judgeWrites(audit: Audit, { workers }: Fleet, leaseMs: number): Promise<readonly FleetViolation[]> {
  const lives = new Map(workers.flatMap(({ pids }) => [...pids]));
  // A process that is not a worker carries out what the user decides.
  const lifeOf = (writer: string): string | undefined => lives.get(Number(/^nocturne (\d+)\./u.exec(writer)?.[1]));
  const isOf = (holder: string | null, life: string): boolean => holder?.split(' ')[0] === life;
  const { intents, moves, leases } = await audit.take();
  return [
    ...intents.flatMap(({ writer, task, holder, until, began }): readonly FleetViolation[] => {
      const life = lifeOf(writer) ?? writer;
      if (isOf(holder, life) && (until ?? 0) > began) return [];
      const had = `${holder ?? 'nobody'}, ${Math.round((until ?? 0) - began)} ms left`;
      return [
        { oracle: 'written without the right', detail: `${life} began to pay for task ${task}; its account: ${had}` },
      ];
    }),
    ...moves.flatMap(({ writer, task, was, became, holders }): readonly FleetViolation[] => {
      const life = lifeOf(writer);
      if (life === undefined || holders.some((holder) => isOf(holder, life))) return [];
      const detail = `${life} made task ${task} ${became} of ${was}; its account: ${holders.join(', ')}`;
      return [{ oracle: 'written without the right', detail }];
    }),
    ...leases.flatMap((lease): readonly FleetViolation[] => {
      const { account, began, epoch, holder, until } = lease;
      const isLonger = until > lease.was_until && until > began;
      if (isLonger && epoch === lease.was_epoch && lease.was_until <= until - leaseMs) {
        return [{ oracle: 'lease renewed after its end', detail: `${account} by ${holder}` }];
      }
      const isTaken = holder !== lease.was_holder && lease.was_until > until - leaseMs && lease.was_until > began;
      if (holder !== lease.was_holder && epoch <= lease.was_epoch) {
        return [{ oracle: 'lease taken too early', detail: `${account} by ${holder} without another epoch` }];
      }
      return isTaken ? [{ oracle: 'lease taken too early', detail: `${account} by ${holder}` }] : [];
    }),
  ];
}

function filesIn(folder: string): readonly string[] {
  const isDocument = (file: string): boolean =>
    ['index.html', 'manifest.json', 'manifest.csv', 'sheet.results.csv', FOLDER_IDENTITY_FILE].includes(file);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter(
      (file) =>
        !isDocument(file) && !file.startsWith(PREVIEWS_FOLDER) && !file.endsWith('.part') && !/^\..*\.tmp$/u.test(file),
    );
}
