/** How the batches of a night share what their accounts allow: places at the gateway, and requests. */

/** A batch that may submit. */
export interface TurnTaker {
  /** The number of the turn in which it last submitted, among all batches of the night. */
  lastTurn: number;
  /** Batches with a higher priority come first. */
  readonly priority: number;
}

/**
 * Gives out what is free, one by one: to the batch with the highest priority that can still use it, and among equals to
 * the one whose last turn was the longest ago. So no batch waits for an equal one for longer than one turn of each, and
 * one that joins has nothing to catch up on.
 * @param offers What each batch would submit next; an offer takes its place and its request when it is asked for, and
 *   ends if there is none for it.
 * @param turn The number of the last turn.
 * @returns What each batch submits; all of it in the order in which it was given out; and the new number of the last
 * turn.
 */
export function takeTurns<B extends TurnTaker, T>(
  offers: ReadonlyMap<B, Iterator<T>>,
  turn: number,
): { readonly taken: ReadonlyMap<B, readonly T[]>; readonly order: readonly T[]; readonly turn: number } {
  const taken = new Map<B, T[]>([...offers.keys()].map((batch) => [batch, []]));
  const waiting = new Map(offers);
  const order: T[] = [];
  let last = turn;
  while (waiting.size > 0) {
    const [batch, offer] = [...waiting].reduce((first, other) => (isBefore(other[0], first[0]) ? other : first));
    const next = offer.next();
    if (next.done === true) {
      waiting.delete(batch);
      continue;
    }
    last += 1;
    batch.lastTurn = last;
    taken.get(batch)?.push(next.value);
    order.push(next.value);
  }
  return { taken, order, turn: last };
}

/** Whether a batch comes before another one. */
export function isBefore(a: TurnTaker, b: TurnTaker): boolean {
  return a.priority === b.priority ? a.lastTurn < b.lastTurn : a.priority > b.priority;
}
