/**
 * A zone in which it is this hour now. Nights end at noon and days at midnight, in the zone of the machine: tests
 * choose a zone in which neither comes while they run, whenever that is.
 */
export function zoneAt(hour: number): string {
  const east = (hour - new Date().getUTCHours() + 24) % 24;
  // The names count westwards.
  return east <= 12 ? `Etc/GMT-${east}` : `Etc/GMT+${24 - east}`;
}

/** The hour at which tests begin: noon is long past, and midnight is far. */
export const TEST_HOUR = 16;

/** Where the clocks that tests move themselves begin, in UTC. */
export const FAKE_CLOCK_HOUR = 22;

/** Other hours of that kind. */
const AFTERNOON = [13, 14, 15, 16, 17, 18, 19, 20, 21] as const;

/**
 * A zone of that kind in which the next noon is also far from where these clocks begin: they pass many hours in a
 * moment.
 */
export function zoneForFakeClocks(): string {
  const now = new Date().getUTCHours();
  const sinceNoon = (real: number): number => (FAKE_CLOCK_HOUR + real - now - 12 + 48) % 24;
  return zoneAt(AFTERNOON.reduce((best, real) => (sinceNoon(real) < sinceNoon(best) ? real : best)));
}
