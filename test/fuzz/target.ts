import type { SeededRandom } from '../../src/gateway-sim/random.ts';

/** One reader of foreign bytes, how inputs for it are made, and what must hold for every one of them. */
export interface FuzzTarget {
  readonly name: string;
  /** Of the file that an input is kept in when it shows a defect. */
  readonly extension: string;
  /** Inputs in the run with a fixed seed that is one of the tests. */
  readonly seededCases: number;
  /** An input; the same numbers give the same bytes. */
  readonly makeInput: (random: SeededRandom) => Uint8Array;
  /**
   * Reads an input the way the program does. Throws where the reader throws, or where something does not hold.
   * @param scratch An empty folder of the target's own, which is kept from case to case.
   */
  readonly check: (input: Uint8Array, scratch: string) => void | Promise<void>;
}
