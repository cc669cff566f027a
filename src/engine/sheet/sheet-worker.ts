/** The thread that reads a sheet, started by readSheetApart: it says what it finds, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import type { RawRecord } from '../../shared/domain/sheet-raw.ts';
import { streamSheet } from './read-sheet.ts';
import type { FromSheetWorker, SheetWorkerInput } from './sheet-process.ts';

/** Few enough for a message to be small, and enough for it to be worth sending. */
const RECORDS_SENT = 2_000;

const { path, options } = workerData as SheetWorkerInput;
let part: RawRecord[] = [];
const head = await streamSheet(path, options, (record) => {
  part.push(record);
  if (part.length === RECORDS_SENT) sendPart();
});
sendPart();
tell(head.ok ? { kind: 'read', head: head.value } : { kind: 'refused', problem: head.error });

function sendPart(): void {
  tell({ kind: 'records', lines: part.map(({ line }) => line), cells: part.map(({ cells }) => cells) });
  part = [];
}

function tell(message: FromSheetWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; a thread has one listener
  parentPort?.postMessage(message);
}
