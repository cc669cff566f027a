/** Rows that wait for each other. */
export interface Circle {
  /** In order of the references if they lead from each row to the next one, otherwise in the order of the sheet. */
  readonly ids: readonly string[];
  /** The references lead from each row to the next one, and from the last to the first. */
  readonly isSimple: boolean;
}

/**
 * Every set of two or more rows that all wait for each other, directly or not (the strongly connected components, after
 * R. Tarjan, 1972). Without recursion: a sheet may be one chain of a million rows.
 * @param targets The rows that each row waits for, in the order of the sheet; an id that is not a key waits for
 * nothing.
 */
export function findCircles(targets: ReadonlyMap<string, readonly string[]>): readonly Circle[] {
  const search = new CircleSearch(targets);
  for (const id of targets.keys()) search.from(id);
  return search.circles;
}

/** A row whose references are being followed. */
interface Visit {
  readonly id: string;
  readonly order: number;
  /** The earliest row that is reachable from it and still open. */
  lowest: number;
  next: number;
}

class CircleSearch {
  readonly circles: Circle[] = [];
  readonly #targets: ReadonlyMap<string, readonly string[]>;
  readonly #orders = new Map<string, number>();
  readonly #open: string[] = [];
  readonly #isOpen = new Set<string>();

  constructor(targets: ReadonlyMap<string, readonly string[]>) {
    this.#targets = targets;
  }

  from(start: string): void {
    if (this.#orders.has(start)) return;
    const path = [this.#visit(start)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const target = this.#targets.get(visit.id)?.[visit.next++];
      if (target === undefined) {
        path.pop();
        this.#leave(visit);
        const before = path.at(-1);
        if (before) before.lowest = Math.min(before.lowest, visit.lowest);
      } else if (!this.#orders.has(target)) {
        if (this.#targets.has(target)) path.push(this.#visit(target));
      } else if (this.#isOpen.has(target)) {
        visit.lowest = Math.min(visit.lowest, this.#orders.get(target) ?? 0);
      }
    }
  }

  #visit(id: string): Visit {
    const order = this.#orders.size;
    this.#orders.set(id, order);
    this.#open.push(id);
    this.#isOpen.add(id);
    return { id, order, lowest: order, next: 0 };
  }

  /**
   * Everything reachable has been seen: if nothing leads further back, the open rows from this one on are one
   * component.
   */
  #leave({ id, order, lowest }: Visit): void {
    if (lowest !== order) return;
    const members = this.#open.splice(this.#open.lastIndexOf(id));
    for (const member of members) this.#isOpen.delete(member);
    if (members.length > 1) this.circles.push(this.#circleOf(members));
  }

  #circleOf(members: readonly string[]): Circle {
    const within = new Set(members);
    const along: string[] = [];
    let id = members[0] ?? '';
    while (along.length < members.length) {
      const targets = (this.#targets.get(id) ?? []).filter((target) => within.has(target));
      if (targets.length !== 1) return { ids: this.#inSheetOrder(within), isSimple: false };
      along.push(id);
      id = targets[0] ?? '';
    }
    const first = this.#inSheetOrder(within)[0] ?? '';
    const at = along.indexOf(first);
    return { ids: [...along.slice(at), ...along.slice(0, at)], isSimple: true };
  }

  #inSheetOrder(members: ReadonlySet<string>): readonly string[] {
    const places = this.#places();
    return [...members].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  }

  /** Made when the first circle is found: most sheets have none. */
  #knownPlaces: ReadonlyMap<string, number> | undefined;
  #places(): ReadonlyMap<string, number> {
    this.#knownPlaces ??= new Map([...this.#targets.keys()].map((id, place) => [id, place]));
    return this.#knownPlaces;
  }
}
