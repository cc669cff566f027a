/** The thread that checks files, one after the other, so that a file that breaks its check harms nothing else. */
import { present } from '../../../shared/domain/base/result.ts';
import { parentPort } from 'node:worker_threads';
import type { FromMediaChecker, MediaCheckOrder } from './media-checker.ts';
import { diskErrorCode } from '../disk-failure.ts';
import { openPlainFile } from '../plain-file.ts';
import { memorySource } from '../containers/container-check.ts';
import { verifyMedia, verifySource, type MediaCheck } from './verify-media.ts';

parentPort?.on('message', (order: MediaCheckOrder) => void carryOut(order));
say({ kind: 'started' });

async function carryOut(order: MediaCheckOrder): Promise<void> {
  const { id, content } = order;
  try {
    say({ id, kind: 'checked', check: await check(order), ...present({ content }) });
  } catch (error) {
    // An error loses its code on the way, and the code distinguishes a failing disk from a bad file.
    const code = diskErrorCode(error);
    const message = error instanceof Error ? error.message : String(error);
    say({ id, kind: 'failed', message, ...present({ code, content }) });
  }
}

async function check({ path, bytes, content }: MediaCheckOrder): Promise<MediaCheck> {
  if (content !== undefined) return verifySource(memorySource(content));
  const file = await openPlainFile(path);
  try {
    return await verifyMedia(file, bytes);
  } finally {
    await file.close();
  }
}

function say(message: FromMediaChecker): void {
  const content = message.kind === 'started' ? undefined : message.content;
  parentPort?.postMessage(message, content === undefined ? [] : [content.buffer]);
}
