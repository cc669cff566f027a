/** Lets whatever waits go on: answers of the gateway, other requests of the window. */
export function letOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
