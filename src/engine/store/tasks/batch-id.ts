import type { Random } from '../../ports.ts';

/** Without the letters and digits that are mistaken for one another. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

/**
 * A batch's id, such as `20250725-160743-k7q`: its UTC time, so that ids sort by age, and three characters that tell
 * two batches of the same second apart. `isTaken` refuses an id that is in use already.
 */
export function newBatchId(createdAt: number, random: Random, isTaken: (id: string) => boolean): string {
  const time = new Date(createdAt).toISOString().replace(/[-:]/g, '').slice(0, 15).replace('T', '-');
  for (let length = 3; ; length += 1) {
    const id = `${time}-${randomText(length, random)}`;
    if (!isTaken(id)) return id;
  }
}

/** `length` random characters that a person can read out. */
export function randomText(length: number, random: Random): string {
  return Array.from({ length }, () => ALPHABET[Math.floor(random.next() * ALPHABET.length)]).join('');
}
