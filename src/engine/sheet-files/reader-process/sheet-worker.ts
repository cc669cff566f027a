/** The thread, started by startReaderThread, that reads a sheet or writes results into it, reports and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import type { RawBeginning, RawRecord } from '../../../shared/domain/sheet/sheet-raw.ts';
import { streamSheet } from '../read/read-sheet.ts';
import { packRecords } from '../read/sheet-parts.ts';
import type { FromSheetReader, SheetReaderInput } from './sheet-reader.ts';

/** Few enough for a small message, and enough to be worth sending. */
const RECORDS_SENT = 2_000;
const CHARACTERS_SENT = 4 * 1024 * 1024;

const { path, work, language } = workerData as SheetReaderInput;
// The command line speaks only English, and loads nothing else.
if (language !== 'en') (await import('../../../shared/words/catalogues.ts')).speakLanguage(language);
let part: RawRecord[] = [];
let characters = 0;
switch (work.kind) {
  case 'read': {
    const take = (record: RawRecord): void => {
      part.push(record);
      for (const cell of record.cells) characters += cell.length;
      if (part.length === RECORDS_SENT || characters > CHARACTERS_SENT) sendPart();
    };
    const begin = work.wantsBeginning === true ? sendBeginning : undefined;
    const head = await streamSheet(path, work.options, { take, ...(begin && { begin }) });
    sendPart();
    tell(head.ok ? { kind: 'read', head: head.value } : { kind: 'refused', problem: head.error });
    break;
  }
  case 'results': {
    // Most sheets are only read.
    const { resultsDocument } = await import('../results/results-document.ts');
    tell({ kind: 'document', document: await resultsDocument(path, work.request) });
    break;
  }
}

function sendBeginning({ records, ...head }: RawBeginning): void {
  const packed = packRecords(records);
  tell({ kind: 'beginning', head, part: packed }, [packed.buffer]);
}

function sendPart(): void {
  const packed = packRecords(part);
  tell({ kind: 'records', part: packed }, [packed.buffer]);
  part = [];
  characters = 0;
}

function tell(message: FromSheetReader, moved: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, [...moved]);
}
