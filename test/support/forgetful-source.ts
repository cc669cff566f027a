import { memorySource } from '../../src/engine/files/containers/byte-source.ts';
import type { ByteSource } from '../../src/engine/files/containers/byte-source.ts';

/** Gives bytes that are valid until the next ones are read, as a source is allowed to, and spoils them then. */
export function forgetfulSource(bytes: Buffer): ByteSource {
  const source = memorySource(bytes);
  let last: Buffer = Buffer.alloc(0);
  return {
    ...source,
    async read(position, length) {
      const wanted = Buffer.from(await source.read(position, length));
      last.fill(0xa5);
      last = wanted;
      return wanted;
    },
  };
}
