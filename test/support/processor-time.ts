/**
 * What this thread has used of a processor, in milliseconds: unlike a clock, it does not go on while others use the
 * machine.
 */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
