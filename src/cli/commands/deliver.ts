/** `export`: writes a batch's media folder somewhere else, or delivers its files. */
import { deliverBatch, exportBatch, type DeliveryWish, type StoreView } from '../../engine/index.ts';
import { present } from '../../shared/domain/base/result.ts';
import {
  deliveryOutcome,
  deliveryWords,
  progressText,
  type DeliveryProgress,
} from '../../shared/domain/delivery/delivery-report.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { liveLines, type Console } from '../console.ts';
import { CommandFailure, EXIT, type ExitCode, wrongUsage } from '../ending.ts';
import { localFolderOf, mediaFolderOf } from '../given.ts';
import { warnOfOtherBatch } from '../other-batch.ts';
import { namedBatch, withStore } from '../with-store.ts';
import type { CommonOptions } from '../options/common-options.ts';
import { interruption } from '../interruption.ts';
import { MAKING_PICTURES } from '../run-batch.ts';

export interface ExportOptions extends CommonOptions {
  readonly out: string;
  readonly kept?: true;
  readonly template?: string;
  readonly tags?: true;
  readonly xmp?: true;
  readonly timeline?: string;
  readonly zip?: true;
}

/**
 * Without further options: writes a batch's whole media folder somewhere else, with verified files, manifest, results
 * sheet and gallery; in the batch's own folder it only rewrites the documents. With any of them: delivers its files. It
 * only reads the store, so it works beside the store's owner.
 */
export async function exportCommand(console: Console, named: string, options: ExportOptions): Promise<ExitCode> {
  const wish = wishOf(options);
  const folder = wish === undefined ? mediaFolderOf(options.out) : wish.folder;
  return withStore(options, async (opened) => {
    const batch = await namedBatch(opened.store, named);
    if (wish !== undefined) return deliver(console, opened, batch, wish);
    await warnOfOtherBatch(console, opened.store, folder, batch);
    const onFirst = (): void => console.line(MAKING_PICTURES);
    const problem = await exportBatch(opened, batch.id, folder, { onFirst });
    if (problem !== undefined) {
      if (problem.code === 'OUTPUT_UNVERIFIABLE') throw damagedFile(problem.message);
      const correct = problem.code === 'DISK_FULL' ? 'make room for it' : 'correct that, and repeat the command';
      throw wrongUsage(problem.message, `Give another folder with --out, or ${correct}.`);
    }
    console.document({ batch: batch.id, folder });
    console.line(`Batch ${batch.id} (${batch.name}) → ${folder}`);
    return EXIT.done;
  });
}

/** Undefined: the media folder itself is wanted. Throws {@link CommandFailure}. */
function wishOf({ out, kept, template, tags, xmp, timeline, zip }: ExportOptions): DeliveryWish | undefined {
  const wanted = [kept, template, tags, xmp, timeline, zip];
  if (wanted.every((option) => option === undefined)) return undefined;
  if (timeline !== undefined && timeline !== 'otio') {
    throw wrongUsage(`--timeline ${timeline}: not known`, 'Give --timeline otio.');
  }
  if (template !== undefined && template.trim() === '') {
    throw wrongUsage('--template is empty.', 'Give folders and names, such as --template "{operation}/{row}-{slug}".');
  }
  return {
    folder: localFolderOf('--out', out),
    isKeptOnly: kept === true,
    hasTags: tags === true,
    hasSidecars: xmp === true,
    hasTimeline: timeline !== undefined,
    isZip: zip === true,
    ...present({ template }),
  };
}

/** The command was right: a file of the batch is not, and no other place helps. */
function damagedFile(message: string, stays = '.'): CommandFailure {
  const remedy = `Put that file back, or render its row again, then repeat the command${stays}`;
  return new CommandFailure(EXIT.failedRows, message, remedy);
}

const CANCELLING = 'Cancelling: the file under way is finished first. Press Ctrl-C again to stop at once.';

/** Ctrl-C ends it after the current file: what was delivered is listed, and the same command continues. */
async function deliver(console: Console, opened: StoreView, batch: BatchRecord, wish: DeliveryWish): Promise<ExitCode> {
  const lines = await liveLines(console);
  const cancelling = new AbortController();
  const interrupted = interruption(console, CANCELLING);
  void interrupted.happened.then(() => cancelling.abort());
  const onProgress = (progress: DeliveryProgress): void => {
    if (lines !== undefined) console.live(progressText(progress), lines);
  };
  let delivered;
  try {
    delivered = await deliverBatch(opened, batch.id, wish, { signal: cancelling.signal, onProgress });
  } finally {
    interrupted.stopListening();
    console.clearLive();
  }
  if (!delivered.ok) {
    const { code, message } = delivered.error;
    const stays = code === 'INPUT_INVALID' || wish.isZip ? '.' : ': what was delivered stays.';
    if (code === 'OUTPUT_UNVERIFIABLE') throw damagedFile(message, stays);
    throw wrongUsage(message, `Correct that, or give another place with --out, then repeat the command${stays}`);
  }
  console.document({ batch: batch.id, folder: wish.folder, ...delivered.value });
  for (const line of deliveryWords(delivered.value, 'terminal')) console.line(line);
  const outcome = deliveryOutcome(delivered.value);
  // A cancelled ZIP does not exist.
  const isThere = outcome !== 'nothing' && (outcome !== 'cancelled' || !wish.isZip);
  if (isThere) console.line(`Batch ${batch.id} (${batch.name}) → ${wish.folder}`);
  return outcome === 'cancelled' ? EXIT.interrupted : EXIT.done;
}
