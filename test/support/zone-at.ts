/**
 * A zone in which it is this hour now. Nights end at noon and days at midnight, in the zone of the machine: tests choose
 * theirs, so that neither comes while they run, whenever that is.
 */
export function zoneAt(hour: number): string {
  const east = (hour - new Date().getUTCHours() + 24) % 24;
  // The names count westwards.
  return east <= 12 ? `Etc/GMT-${east}` : `Etc/GMT+${24 - east}`;
}

/** The hour at which tests begin: noon is long past, and midnight is far. */
export const TEST_HOUR = 16;
