/**
 * The engine's public interface: all that the application and the command line may import. The rest of `src/engine` is
 * private and changes freely.
 */

// The engine: commands for batches and sheets, views of them, and changes.
export { createEngine, type MemberOptions } from './compose.ts';
export type { Engine } from './engine.ts';
export type { EngineChange } from './change-feed.ts';
export type { AnsweredTurn, Fleet, FleetTurn } from './ports/fleet.ts';
export type { CountedRequest, NightWatch } from './night/fleet/night-watch.ts';
export type { AttemptIntent } from './ports/task-change.ts';
export type { RawAnswer } from './ports/media-gateway.ts';
export type { TaskReader } from './ports/task-store.ts';
export { chosenOf } from './edit/living/kept-rows.ts';
export type { SheetDifference } from './edit/living/living-sheet.ts';

// Where a store is, and why it cannot be used.
export { defaultDataDir, incarnationFileOf } from './store/open/data-dir.ts';
export { problemOfError, problemOfLook, StoreWriteError, type StoreProblem } from './store/open/store-problem.ts';

// A store beside the engine that works on it: to read, to copy, and the requests and answers of its batches.
export { readLedger, type LedgerQuestion } from './read-ledger.ts';
export {
  deliverBatch,
  exportBatch,
  missingFiles,
  isStoreOwned,
  lookAtStore,
  salvageStore,
  verifyAnyFolder,
  type StoreView,
} from './store-view.ts';
export { FolderDocuments } from './commands/folder-documents.ts';
export type { DeliveryWish } from './delivery/deliver.ts';
export { moveStore, type StorePlace } from './store/move/move-store.ts';
export { downloadQueue } from './store/postgres/download-queue.ts';
export { lookAtServer } from './store/postgres/open-postgres.ts';
export { isStoreAddress, storeAddress, type StoreAddress } from './store/postgres/store-address.ts';
export { backupStore } from './store/open/open-store.ts';
export { inspectBackup, restoreStore } from './store/open/restore-store.ts';
export { mayBeCharged } from './store/tasks/evidence-records.ts';
export {
  gatherEvidence,
  type Evidence,
  type EvidenceAnswer,
  type EvidenceAttempt,
  type EvidenceBytes,
} from './store/tasks/evidence.ts';

// What somebody who helps the user needs to know.
export { storeFacts } from './store/open/store-facts.ts';
export { serverFacts } from './store/postgres/open-postgres.ts';
export { logTail, systemFacts } from './system-facts.ts';

// Texts for the user: what a night could not save, and why a task code is not adopted.
export { unsavedText, type Unsaved } from './night/night-end.ts';
export type { AdoptionRefusal } from './night/adopt.ts';

// What a run will be, before it starts.
export { foretellRun } from './night/foretold.ts';

// Sheets without a store: a file, a clipboard, the lists of words in a folder.
export {
  forkedSheetReader,
  loadSheet,
  type LoadedSheet,
  type LoadOptions,
} from './sheet-files/reader-process/load-sheet.ts';
export type { ReadSheetOptions } from './sheet-files/read/read-sheet.ts';
export { readClipboardTable } from './sheet-files/clipboard/read-clipboard.ts';
export { writeClipboardTable } from './sheet-files/clipboard/write-clipboard.ts';
export { itemsByName, readWordLists } from './sheet-files/lists/word-lists.ts';

// Reading sheets in processes that the application starts.
export {
  sheetReaderOf,
  type FromSheetReader,
  type ReadProgress,
  type ReaderChannel,
  type SheetReader,
  type SheetReaderInput,
} from './sheet-files/reader-process/sheet-reader.ts';

// Other files: a media folder checked against its manifest, a profile, any that the user names.
export { batchOfManifest } from './media-folder/documents/export-documents.ts';
export { readDocument } from './media-folder/documents/gallery/text-previews.ts';
export { whyNotOwnFolder } from './media-folder/folder-identity.ts';
export { freeBytes } from './media-folder/media-folder.ts';
export { loadProfile, mayBeRead } from './gateway/profile-file.ts';
export { testConnection } from './gateway/test-connection.ts';
export { writeWhole } from './whole-file.ts';

// Which gateway a key belongs to.
export { KeyOrigins, type KeyOriginFinding } from './gateway/key-origins.ts';

// What the gates say about files.
export { whyNoPictures } from './gates/make-picture.ts';
export { createFileMeasurer } from './gates/measure-files.ts';
export { previewGates, type PreviewedFile } from './gates/preview-gates.ts';
// Files of this computer that a sheet names.
export { readPutFiles } from './file-places/put-record.ts';
export { filesPlaceIn, readFilesPlace } from './file-places/read-place.ts';
export { checkLocalFiles, type NamedFile, type SheetFiles } from './file-places/check-files.ts';

// Telling somebody who is not there.
export { NightTeller } from './telling/night-teller.ts';
export { askForPower } from './telling/power.ts';
export { tellByWays, type WayOutcome } from './telling/tell.ts';

// The machine's clock, and its stand-ins in tests.
export { systemClock } from './system-clock.ts';
export type { Clock, WorkWatch } from './ports/base.ts';
