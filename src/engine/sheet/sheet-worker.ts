/** The thread that reads a sheet, started by startReaderThread: it says what it finds, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import type { RawRecord } from '../../shared/domain/sheet-raw.ts';
import { streamSheet } from './read-sheet.ts';
import { packRecords } from './sheet-parts.ts';
import type { FromSheetReader, SheetReaderInput } from './sheet-reader.ts';

/** Few enough for a message to be small, and enough for it to be worth sending. */
const RECORDS_SENT = 2_000;
const CHARACTERS_SENT = 4 * 1024 * 1024;

const { path, options } = workerData as SheetReaderInput;
let part: RawRecord[] = [];
let characters = 0;
const head = await streamSheet(path, options, (record) => {
  part.push(record);
  for (const cell of record.cells) characters += cell.length;
  if (part.length === RECORDS_SENT || characters > CHARACTERS_SENT) sendPart();
});
sendPart();
tell(head.ok ? { kind: 'read', head: head.value } : { kind: 'refused', problem: head.error });

function sendPart(): void {
  tell({ kind: 'records', part: packRecords(part) });
  part = [];
  characters = 0;
}

function tell(message: FromSheetReader): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; a thread has one listener
  parentPort?.postMessage(message);
}
