/**
 * A task's record as the gateway gave it (interface 2.3), read but not judged. All values are text, exactly as they
 * came: a number of 19 digits is not rounded. What was absent or null is empty.
 */
export interface ResultRecord {
  readonly status: string;
  readonly message: string;
  /** Every media address of the record, in its order, each once. */
  readonly urls: readonly string[];
  /** The JSON text of the whole `result`. */
  readonly document: string;
  readonly addTime: string;
  readonly endTime: string;
  /** May be the task code, or an id of the gateway's own. */
  readonly taskId: string;
  /** Identifiers that the result names (interface 2.5), such as `clip_id`, by their field; the first of each. */
  readonly ids: Readonly<Record<string, string>>;
}
