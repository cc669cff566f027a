/** Concurrent downloads of every contender. */
export const DOWNLOADS_AT_ONCE = 8;

/** Works on `count` items, {@link DOWNLOADS_AT_ONCE} at a time. */
export async function inParallel(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await work(i);
  };
  await Promise.all(Array.from({ length: Math.min(count, DOWNLOADS_AT_ONCE) }, worker));
}
