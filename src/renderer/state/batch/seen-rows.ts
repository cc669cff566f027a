/**
 * Rows as the window saw them at one moment. The grid knows rows by their places, and places change while the night goes
 * on: what is to be done is done to the rows that were seen there, by their keys.
 */

/** Rows of the view, one below the other. */
export interface RowSpan {
  readonly y: number;
  readonly height: number;
}

export interface SeenRowsOptions {
  /** Keys by place, of the rows that are known. */
  readonly known: ReadonlyMap<number, number>;
  /** Rows that the view shows; undefined while that is not known. */
  readonly total: number | undefined;
  /** Which order and choice of rows this is (see `RowPages.queryNumber`). */
  readonly query: number;
  /** The keys from a place on as the application has them; undefined where they could not be had. */
  readonly fetch: (offset: number, count: number) => Promise<readonly number[] | undefined>;
}

export class SeenRows {
  readonly #options: SeenRowsOptions;
  readonly #places: ReadonlyMap<number, number>;

  constructor(options: SeenRowsOptions) {
    this.#options = options;
    this.#places = new Map([...options.known].map(([place, key]) => [key, place]));
  }

  get query(): number {
    return this.#options.query;
  }

  get known(): ReadonlyMap<number, number> {
    return this.#options.known;
  }

  /** How many rows the view shows, as far as is known. */
  get total(): number {
    return this.#options.total ?? 0;
  }

  /** True where something is known of the view. */
  get isRead(): boolean {
    return this.#options.total !== undefined;
  }

  /** True where a row that is not known cannot be anywhere in the view. */
  get isWhole(): boolean {
    return this.#options.total !== undefined && this.#options.known.size >= this.#options.total;
  }

  placeOf(key: number): number | undefined {
    return this.#places.get(key);
  }

  /** Rows of a span that there are, by what is known of the view. */
  within({ y, height }: RowSpan): RowSpan {
    return { y, height: Math.max(0, Math.min(height, this.total - y)) };
  }

  /**
   * The keys of the rows of a span, from the top down, fewer where the view ends. Undefined where they could not be had,
   * or where the application had other rows by then at places that are known: what stood between was not seen.
   */
  async keys(span: RowSpan): Promise<readonly number[] | undefined> {
    const { y, height } = this.within(span);
    const { known, fetch } = this.#options;
    const keys: number[] = [];
    for (let place = y; place < y + height; place += 1) {
      const key = known.get(place);
      if (key === undefined) break;
      keys.push(key);
    }
    // New rows that are on their way stand below the last one.
    if (keys.length === height) return [...keys, ...this.#newKeys(span, y + height)];
    const fetched = await fetch(y, height);
    if (fetched === undefined || fetched.length < height) return undefined;
    const isAsSeen = fetched.every((key, at) => (known.get(y + at) ?? key) === key);
    return isAsSeen ? fetched : undefined;
  }

  #newKeys({ y, height }: RowSpan, from: number): readonly number[] {
    const places = [...this.#options.known.keys()].filter((place) => place >= Math.max(y, from) && place < y + height);
    return places.toSorted((a, b) => a - b).flatMap((place) => this.#options.known.get(place) ?? []);
  }
}
