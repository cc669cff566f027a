import { memorySource, type ByteSource } from '../../src/engine/media-folder/containers/container-check.ts';

/** Gives bytes that are valid only until the next ones are read, as a source may, and spoils them then. */
export function forgetfulSource(bytes: Buffer): ByteSource {
  const source = memorySource(bytes);
  let last: Buffer = Buffer.alloc(0);
  const give = async (position: number, length: number): Promise<Buffer> => {
    const wanted = Buffer.from(await source.read(position, length));
    last.fill(0xa5);
    last = wanted;
    return wanted;
  };
  // As little at a time as a source may give.
  return { size: source.size, read: give, held: () => undefined, stretch: (position) => give(position, 2) };
}
