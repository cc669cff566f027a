/** A thread that writes and places short files, so that no other waits for the disk. */
import { parentPort, workerData } from 'node:worker_threads';
import { passCrashPointsOn, type CrashPointName } from '../../crash-point.ts';
import {
  keepPart,
  moveParts,
  type FileOrder,
  type KeepAnswer,
  type KeepOrder,
  type MoveAnswer,
  type MoveOrder,
} from './file-steps.ts';

/** What a thread is started with. */
export interface FileThreadInput {
  /** Somebody watches the crash points: the thread waits at each until it is passed here. */
  readonly watched?: SharedArrayBuffer;
}

export type StepAnswer = KeepAnswer | MoveAnswer;

export type FromFileThread =
  | {
      readonly kind: 'answers';
      /** In the order of the steps; `contents` in the order of those that had one. */
      readonly answers: readonly StepAnswer[];
      readonly contents: readonly Uint8Array<ArrayBuffer>[];
    }
  | { readonly kind: 'crash-point'; readonly name: CrashPointName };

const { watched } = workerData as FileThreadInput;
if (watched !== undefined) passCrashPointsOn(watched, (name) => say({ kind: 'crash-point', name }, []));

parentPort?.on('message', (orders: readonly FileOrder[]) => {
  const contents = orders.filter(isKeep).map(({ content }) => content);
  const answers = carryOut(orders);
  say(
    { kind: 'answers', answers, contents },
    contents.map(({ buffer }) => buffer),
  );
});

/** They may be of several folders of one disk: a media folder has one for each kind of file. */
function carryOut(orders: readonly FileOrder[]): readonly StepAnswer[] {
  const moves = orders.filter((order): order is MoveOrder => order.kind === 'move');
  const moved = moveParts(moves);
  return orders.map((order) => {
    if (isKeep(order)) return keepPart(order);
    return moved[moves.indexOf(order)] ?? { kind: 'failed', message: 'a step was lost' };
  });
}

function isKeep(order: FileOrder): order is KeepOrder {
  return order.kind === 'keep';
}

function say(message: FromFileThread, moved: readonly ArrayBuffer[]): void {
  parentPort?.postMessage(message, [...moved]);
}
