/** Codes that are remembered; a night that is longer forgets its oldest. */
const MAX_CODES = 20_000;

/**
 * Tells another task's record from the one that was asked for. A record's `taskId` may be the task code or an id of
 * the gateway's own, so it is another's only where it is the code of another task, or where this result operation has
 * been seen to repeat the code.
 */
export class RecordOwners {
  readonly #codes = new Set<string>();
  readonly #repeating = new Set<string>();

  /** Whether the record that came for `taskCode` belongs to another task. */
  isForeign(resultPath: string, taskCode: string, taskId: string): boolean {
    this.#codes.delete(taskCode);
    this.#codes.add(taskCode);
    if (this.#codes.size > MAX_CODES) {
      for (const oldest of this.#codes) {
        this.#codes.delete(oldest);
        break;
      }
    }
    if (taskId === '') return false;
    if (taskId === taskCode) {
      this.#repeating.add(resultPath);
      return false;
    }
    return this.#repeating.has(resultPath) || this.#codes.has(taskId);
  }
}
