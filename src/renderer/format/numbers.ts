const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in decimal units with at most three digits: `4.21 MB`. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  const decimals = step === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(decimals)} ${UNITS[step] ?? 'B'}`;
}

/** A share in whole percent. Rounded down, so that 100 % means all of it. */
export function formatPercent(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.floor((part / whole) * 100)}%`;
}
