/**
 * The engine's door: what the application and the command line may use of it, and all that they may import. The rest of
 * `src/engine` is nobody else's business and changes freely.
 */

// The engine itself: commands and views.
export { createEngine, type Engine, type EngineChange } from './compose.ts';

// A store beside the engine that may work on it: looked at, copied, found.
export { exportBatch, lookAtStore, salvageStore, type StoreView } from './store-view.ts';
export { backupStore } from './store/open/backup-store.ts';
export { defaultDataDir, incarnationFileOf } from './store/open/data-dir.ts';
export { StoreWriteError, type StoreProblem } from './store/open/store-problem.ts';

// Batches and their tasks, as they are read.
export type { Clock, RawAnswer, TaskReader } from './ports.ts';
export { findBatch } from './store/tasks/batch-records.ts';
export { mayBeCharged } from './store/tasks/evidence-records.ts';
export {
  gatherEvidence,
  type Evidence,
  type EvidenceAnswer,
  type EvidenceAttempt,
  type EvidenceBytes,
} from './store/tasks/evidence.ts';

// What a night has to say at its end.
export { almostDoneNotice } from './night/expected-end.ts';
export type { AdoptionRefusal } from './night/decisions.ts';
export { unsavedText, type Unsaved } from './night/unsaved.ts';

// Sheets: their files, a clipboard's table, the lists that cells draw from.
export { loadSheet, type LoadedSheet, type LoadOptions } from './sheet-files/reader-process/load-sheet.ts';
export type { ReadSheetOptions } from './sheet-files/read/read-sheet.ts';
export {
  sheetReaderOf,
  type FromSheetReader,
  type ReaderChannel,
  type SheetReader,
  type SheetReaderInput,
} from './sheet-files/reader-process/sheet-reader.ts';
export { readClipboardTable } from './sheet-files/clipboard/read-clipboard.ts';
export { writeClipboardTable } from './sheet-files/clipboard/write-clipboard.ts';
export { itemsByName, readWordLists, removeWordList, saveWordList } from './sheet-files/lists/word-lists.ts';
export type { SheetDifference } from './edit/living/living-sheet.ts';
export { submitsChosen } from './edit/living/plan-difference.ts';

// What is in a media folder, held against its manifest.
export { verifyFolder } from './media-folder/documents/verify-folder.ts';

// The gateway: its profile's file, and whom a key belongs to.
export { loadProfile } from './gateway/profile-file.ts';
export { KeyOrigins, type KeyOriginFinding } from './gateway/key-origins.ts';
export { fingerprintOf } from './gateway/key-seal.ts';

// The machine.
export { mayBeRead } from './may-be-read.ts';
export { systemClock } from './system-clock.ts';
