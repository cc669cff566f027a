import type { Transform } from 'node:stream';

/** The result of inflating some bytes. */
export interface Inflated {
  readonly body: Uint8Array;
  /** Why `body` is incomplete. */
  readonly cut?: 'too-long' | 'damaged';
}

/** Inflates at most `maxBytes`, whatever size the bytes claim. Never rejects: it keeps what came before an error. */
export function inflate(bytes: Uint8Array, inflater: Transform, maxBytes: number): Promise<Inflated> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const finish = (cut?: 'too-long' | 'damaged'): void => {
      inflater.removeAllListeners();
      inflater.on('error', () => undefined);
      inflater.destroy();
      resolve({ body: Buffer.concat(chunks), ...(cut === undefined ? {} : { cut }) });
    };
    inflater.on('data', (chunk: Uint8Array) => {
      const room = maxBytes - length;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      length += Math.min(chunk.length, room);
      if (chunk.length > room) finish('too-long');
    });
    inflater.on('end', () => finish());
    inflater.on('error', () => finish('damaged'));
    inflater.end(bytes);
  });
}
