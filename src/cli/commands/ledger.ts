import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { readLedger, writeWhole, type LedgerQuestion, type StoreView } from '../../engine/index.ts';
import { CSV_BYTE_ORDER_MARK, csvLine } from '../../shared/domain/base/csv-text.ts';
import { present } from '../../shared/domain/base/result.ts';
import { mainMoney, PAID_REQUEST_COLUMNS, paidRequestCells } from '../../shared/domain/ledger/ledger-money.ts';
import type { Ledger, LedgerRow, LedgerScope } from '../../shared/domain/ledger/ledger-view.ts';
import type { Console } from '../console.ts';
import { EXIT, wrongUsage, type ExitCode } from '../ending.ts';
import { ledgerPage, PAGE_BEGINNING } from '../ledger/ledger-page.ts';
import { ledgerPaper, TAKES_READ, type GroupWithRows } from '../ledger/ledger-paper.ts';
import { markdown, textLines } from '../ledger/ledger-lines.ts';
import { isWorkedOn, namedBatch, withStore } from '../with-store.ts';
import type { CommonOptions } from '../options/common-options.ts';

export interface LedgerOptions extends CommonOptions {
  readonly night?: string;
  readonly since?: string;
  readonly markdown?: true;
  readonly html?: string;
  readonly csv?: string;
}

/** As many rows as a spreadsheet has. */
const ALL_ROWS = 1_048_576;

/**
 * Says what became of a night, a batch, or everything since a day. Only reads: it works beside the process that owns
 * the store.
 */
export async function ledgerCommand(
  console: Console,
  named: string | undefined,
  options: LedgerOptions,
): Promise<ExitCode> {
  if (options.json === true && options.markdown === true) {
    throw wrongUsage('Two formats given.', 'Give either --json or --markdown, or neither.');
  }
  // Asked before the batches are read: if the owner ended in between, finished batches would look interrupted.
  const isAtWork = isWorkedOn(options);
  return withStore(options, async (opened) => {
    const question = await questionOf(opened, named, options);
    const now = Date.now();
    const ledger = await readLedger(opened, question, { now, isAtWork });
    if (ledger === undefined) throw nothingThere(options);
    const groups = await withRows(opened, ledger, options.json === true ? ALL_ROWS : TAKES_READ);
    const paper = ledgerPaper(ledger, groups, now);
    if (options.html !== undefined) await writeOurs(options.html, ledgerPage(paper), PAGE_BEGINNING);
    if (options.csv !== undefined) await writeOurs(options.csv, await csvOf(opened, ledger, question), CSV_BEGINNING);
    console.document(ledgerDocument(ledger, groups));
    if (options.markdown === true) console.line(markdown(paper).trimEnd());
    else if (options.html === undefined && options.csv === undefined) {
      for (const line of textLines(paper)) console.line(line);
    }
    for (const file of [options.html, options.csv])
      if (file !== undefined) console.line(`Written: ${path.resolve(file)}`);
    return EXIT.done;
  });
}

async function questionOf(
  { store }: StoreView,
  named: string | undefined,
  { night, since }: LedgerOptions,
): Promise<LedgerQuestion> {
  if ([named, night, since].filter((given) => given !== undefined).length > 1) {
    throw wrongUsage('More than one ledger named.', 'Give a batch, --night ID or --since DATE, or none of them.');
  }
  if (night !== undefined) {
    if (!/^[1-9]\d{0,14}$/u.test(night)) throw wrongUsage(`Not the number of a night: ${night}`, NAME_A_NIGHT);
    return { night: Number(night) };
  }
  if (since !== undefined) return { since: momentOf(since) };
  return named === undefined ? {} : { batchId: (await namedBatch(store, named)).id };
}

const NAME_A_NIGHT = 'Without --night you get the last one; the ledger gives the number of each night.';

/**
 * A day, or a day with a time, in the machine’s zone, as milliseconds since the epoch. Throws {@link CommandFailure}.
 */
export function momentOf(text: string): number {
  const day = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}))?$/u.exec(text);
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0] = (day ?? []).slice(1).map((part) => Number(part ?? 0));
  const at = new Date(year, month - 1, date, hour, minute);
  const isSame = day !== null && at.getMonth() === month - 1 && at.getDate() === date && at.getHours() === hour;
  if (isSame) return at.getTime();
  throw wrongUsage(`Not a day: ${JSON.stringify(text)}`, 'Write it as 2026-11-21, or "2026-11-21 22:00".');
}

function nothingThere({ night }: LedgerOptions): Error {
  return night === undefined
    ? wrongUsage('There are no batches yet.', 'Import a sheet with: nocturne run SHEET --out DIR')
    : wrongUsage(`There is no night ${night}.`, NAME_A_NIGHT);
}

/** The groups of a ledger with their takes, at most `limit` of each. */
export function withRows({ ledger }: StoreView, { groups }: Ledger, limit: number): Promise<readonly GroupWithRows[]> {
  return Promise.all(
    groups.map(async (group) => ({
      ...group,
      rows: (await ledger.rows(group.batchId, group.facts, limit)).map(inEnglishAlone),
    })),
  );
}

/** The row without the name of its reason's text: the reason itself is already in English. */
function inEnglishAlone(row: LedgerRow): LedgerRow {
  const { said: _, ...rest } = row;
  return rest;
}

/** What `--json` prints: the figures of the contract first. */
export function ledgerDocument(ledger: Ledger, groups: readonly GroupWithRows[]) {
  const { stages, fallen, money, night, batches, timeline } = ledger;
  const { requests, unpriced, counted, byOperation, byDay, byAccount } = money;
  return {
    ...stages,
    money: { ...mainMoney(money), requests, unpriced, counted, currencies: money.money, byOperation, byDay, byAccount },
    groups: groups.map(({ what, do: deed, rows, batchId, group, needsYou, takes, codes, waitsUntil, limit }) => ({
      what,
      do: deed,
      rows: [...new Set(rows.map(({ row }) => row))],
      batch: batchId,
      group,
      needsYou,
      takes,
      codes,
      ...present({ limit }),
      ...(waitsUntil === undefined ? {} : { waitsUntil: new Date(waitsUntil).toISOString() }),
    })),
    timeline: timeline ?? null,
    fallen,
    night: night ?? null,
    batches,
  };
}

/** How every file of this kind that Nocturne has written begins: `account` was added later. */
const CSV_BEGINNING = CSV_BYTE_ORDER_MARK + PAID_REQUEST_COLUMNS.filter((column) => column !== 'account').join(',');
const CSV_HEAD = CSV_BYTE_ORDER_MARK + csvLine(PAID_REQUEST_COLUMNS);

async function csvOf({ ledger }: StoreView, { batches, night }: Ledger, { since }: LedgerQuestion): Promise<string> {
  const paid = batches.filter(({ rehearsal }) => !rehearsal).map(({ id }) => id);
  const scope: LedgerScope = {
    batchIds: paid,
    ...(night === undefined ? {} : { night: night.id }),
    ...(since === undefined ? {} : { from: since }),
  };
  const lines = [CSV_HEAD];
  for await (const request of ledger.paidRequests(scope)) lines.push(csvLine(paidRequestCells(request)));
  return lines.join('');
}

/** Writes a whole file, replacing only an earlier one that Nocturne wrote. */
async function writeOurs(file: string, text: string, beginning: string): Promise<void> {
  const target = path.resolve(file);
  if (!isFreeOrOurs(target, beginning)) {
    throw wrongUsage(
      `${target} already exists and is not a ledger written by Nocturne.`,
      'Name another file; it is not replaced.',
    );
  }
  try {
    await writeWhole(target, text, 0o600);
  } catch (error) {
    throw wrongUsage(
      `The ledger cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      'Name a file in a writable folder.',
    );
  }
}

function isFreeOrOurs(target: string, beginning: string): boolean {
  let file: number;
  try {
    // A pipe would be waited for.
    if (statSync(target, { throwIfNoEntry: false })?.isFile() === false) return false;
    file = openSync(target, 'r');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
  try {
    const head = Buffer.alloc(Buffer.byteLength(beginning));
    return readSync(file, head, 0, head.length, 0) === head.length && head.toString('utf8') === beginning;
  } catch {
    // A folder, for instance.
    return false;
  } finally {
    closeSync(file);
  }
}
