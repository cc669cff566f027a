/** The gateway's own knowledge of one file that a task gives. */
export interface GatewayOutput {
  readonly index: number;
  /** The URL that a poll would give now. */
  readonly url: string;
  readonly sha256: string;
  /** Length in bytes. */
  readonly bytes: number;
  readonly mediaType: string;
}
