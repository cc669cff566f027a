/** A thread that writes short files and gives them their names, so that no other thread waits for the disk. */
import { parentPort, workerData } from 'node:worker_threads';
import { passCrashPointsOn, type CrashPointName } from '../../crash-point.ts';
import { writeParts, type WriteAnswer, type WriteOrder } from './file-steps.ts';

/** What a thread is started with. */
export interface FileThreadInput {
  /** Present if crash points are watched: the thread waits at each until it is passed here. */
  readonly watched?: SharedArrayBuffer;
}

/** What a thread says: the answers to one message, or the crash point that it has come to. */
export type FromFileThread =
  | {
      readonly kind: 'answers';
      /** In the order of the steps. */
      readonly answers: readonly WriteAnswer[];
      /** In the same order, the memory that they were given. */
      readonly contents: readonly Uint8Array<ArrayBuffer>[];
    }
  | { readonly kind: 'crash-point'; readonly name: CrashPointName };

const { watched } = workerData as FileThreadInput;
if (watched !== undefined) passCrashPointsOn(watched, (name) => say({ kind: 'crash-point', name }, []));

parentPort?.on('message', carryOut);

/** Orders for one disk, perhaps for several folders: a media folder has one for each kind of file. */
function carryOut(orders: readonly WriteOrder[]): void {
  const answers = writeParts(orders);
  const contents = orders.map(({ content }) => content);
  say(
    { kind: 'answers', answers, contents },
    contents.map(({ buffer }) => buffer),
  );
}

/** `moved`: memory that goes along without being copied. */
function say(message: FromFileThread, moved: readonly ArrayBuffer[]): void {
  parentPort?.postMessage(message, [...moved]);
}
