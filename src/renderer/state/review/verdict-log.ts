/**
 * What the user says about the files of a batch, in the gallery and in the review: stored in the order in which it was
 * said, and taken back from the end, whichever of the two is open by then.
 */
import type { Reply } from '../../../shared/ipc/contract.ts';
import type { ReviewStep } from './file-decision.ts';

/** Something that was said, with what takes it back. */
export interface Said {
  readonly batchId: string;
  /** If it was said about one file or about a row: that row, and the file that was chosen. */
  readonly key?: number | undefined;
  readonly fileId?: string | undefined;
  /** The name of its file or its row, or how many files it was said about. */
  readonly name: string;
  /** Steps for files that are not known yet are added when it is their turn to be stored. */
  readonly back: ReviewStep[];
  /** How many takes the row had before it was asked for one more. */
  readonly takes?: number;
}

/** How many of the last decisions can be taken back. */
const MOST_UNDONE = 200;

/** Stores what is said about files, one thing after the other. */
export class VerdictLog {
  readonly #send: (step: ReviewStep) => Promise<Reply<undefined>>;
  /** What was said about one batch. */
  #said: readonly Said[] = [];
  /** What is being stored, one after the other. */
  #storing: Promise<unknown> = Promise.resolve();
  /** What waits for its turn to be stored. */
  readonly #waiting: (() => unknown)[] = [];
  #unstored = 0;
  /** While the window is about to close: nothing waits for an answer. */
  #isLeaving = false;
  /** Sends what is left of what is being stored. */
  #sendRest = (): void => undefined;

  constructor(send: (step: ReviewStep) => Promise<Reply<undefined>>) {
    this.#send = send;
  }

  /** Notes what can be taken back from now on. */
  note(said: Said): void {
    const ofBatch = this.#said.filter(({ batchId }) => batchId === said.batchId);
    this.#said = [...ofBatch, said].slice(-MOST_UNDONE);
  }

  /** How much can be taken back in a batch. */
  undoable(batchId: string | undefined): number {
    return this.#said.filter((said) => said.batchId === batchId).length;
  }

  /** What was said last in a batch, which is taken back now. @param isMeant Anything else stays. */
  takeLast(batchId: string | undefined, isMeant: (said: Said) => boolean = () => true): Said | undefined {
    const last = this.#said.findLast((said) => said.batchId === batchId && isMeant(said));
    this.#said = this.#said.filter((said) => said !== last);
    return last;
  }

  /** What is not true, or was worked out from something that is not true, cannot be taken back. */
  forget(isWrong: (said: Said) => boolean): void {
    this.#said = this.#said.filter((said) => !isWrong(said));
  }

  /** The same for one file of several about which something was said together. */
  forgetFile(fileId: string): void {
    this.forget(({ back }) => {
      const left = back.filter((step) => step.fileId !== fileId);
      const wasThere = left.length < back.length;
      if (wasThere) back.splice(0, back.length, ...left);
      return wasThere && left.length === 0;
    });
  }

  /** Whether something that was said is not stored yet: until then what the store says may be older. */
  get isStoring(): boolean {
    return this.#unstored > 0;
  }

  /** Resolves once everything that was said so far is stored, or refused. */
  async settled(): Promise<void> {
    await this.#storing;
  }

  /**
   * The window is closing: what was said and waits for its turn is sent at once, in order. The window may stay open
   * after all.
   */
  sendWaiting(): void {
    this.#isLeaving = true;
    this.#sendRest();
    for (const store of this.#waiting) store();
    this.#isLeaving = false;
  }

  /** Stores something after all that was said before it. */
  inTurn<T>(store: () => Promise<T>): Promise<T> {
    // It may be sent before its turn.
    let sent: Promise<T> | undefined;
    const once = (): Promise<T> => (sent ??= store());
    this.#waiting.push(once);
    this.#unstored += 1;
    const stored = this.#storing.then(async () => {
      this.#waiting.shift();
      return once().finally(() => (this.#unstored -= 1));
    });
    // A failure must not keep anything after it from being stored.
    this.#storing = stored.catch(() => undefined);
    return stored;
  }

  /**
   * Stores steps one after the other, in a turn of their own.
   * @param heard Called with each answer, with why it was refused; false if the rest is not wanted then.
   */
  async record(
    steps: readonly ReviewStep[],
    heard: (step: ReviewStep, refusal: string | undefined) => boolean,
  ): Promise<void> {
    const sent: Promise<Reply<undefined>>[] = [];
    const send = (most: number): void => {
      sent.push(...steps.slice(sent.length, most).map((step) => this.#send(step)));
    };
    if (this.#isLeaving) send(steps.length);
    this.#sendRest = () => send(steps.length);
    try {
      for (const [at, step] of steps.entries()) {
        send(at + 1);
        const reply = await sent[at];
        if (!heard(step, reply?.ok === false ? reply.error.message : undefined)) return;
      }
    } finally {
      this.#sendRest = () => undefined;
    }
  }
}
