/** Notices that events were missed: their numbers have no gaps, whatever they are about. */
export class EventSequence {
  #last: number | undefined;

  /** Takes the number of an event that has come. False: something before it was missed, ask for everything again. */
  follows(sequence: number): boolean {
    const isNext = this.#last === undefined || sequence === this.#last + 1;
    this.#last = sequence;
    return isNext;
  }
}
