/**
 * Rows as the window saw them when an edit was asked for. When its turn comes they may stand elsewhere: an edit goes to
 * the rows that were seen, not to the places where they stood.
 */
import type { CellPlace, RowRange, RowsInView } from '../../shared/ipc/sheet-views.ts';
import type { RowView } from '../../shared/ipc/views.ts';
import type { IpcClient } from '../ipc-client.ts';
import type { RowsView } from './rows-view.ts';
import type { TypedCells } from './typed-cells.ts';

/** Rows of the view, one below the other. */
export interface RowSpan {
  readonly y: number;
  readonly height: number;
}

export interface SeenRow {
  readonly view: RowsInView;
  readonly offset: number;
  readonly key: number;
}

export interface SeenRowsPorts {
  /** Asks, and shows a notice where it could not be done. */
  readonly ask: IpcClient['request'];
  /** Asks without a word. */
  readonly request: IpcClient['request'];
  readonly rows: RowsView;
  readonly typed: TypedCells;
}

const ALL_ROWS: RowsInView = { filter: {}, sort: { column: 'line', direction: 'ascending' } };

export class SeenRows {
  readonly #ports: SeenRowsPorts;
  #batchId: string | undefined;

  constructor(ports: SeenRowsPorts) {
    this.#ports = ports;
  }

  open(batchId: string): void {
    this.#batchId = batchId;
  }

  /** The row that stands at a place; undefined below the last one. */
  async row(index: number): Promise<SeenRow | undefined> {
    const { view, pages } = this.#ports.rows;
    const row = pages.rowAt(index) ?? (index < (pages.total ?? 0) ? await this.fetch(index) : undefined);
    const key = row?.key ?? this.#ports.typed.newRowAt(index)?.key;
    return key === undefined ? undefined : { view, offset: index, key };
  }

  /** The first rows of these spans; those that are not there are left out. */
  async all(spans: readonly RowSpan[]): Promise<readonly (SeenRow & RowSpan)[]> {
    const seen = await Promise.all(spans.map(async (span) => ({ span, row: await this.row(span.y) })));
    return seen.flatMap(({ span, row }) => (row === undefined ? [] : { ...span, ...row }));
  }

  /** A row that is far from what is in sight, with its cells. */
  async fetch(index: number): Promise<RowView | undefined> {
    if (this.#batchId === undefined) return undefined;
    const { view } = this.#ports.rows;
    const page = { batchId: this.#batchId, ...view, offset: index, limit: 1, withCells: true };
    const reply = await this.#ports.ask('rows.page', page);
    return reply.ok ? reply.value.rows[0] : undefined;
  }

  /** Where a row stands by now in the view in which it was seen. Where it has left that, an edit of it is refused. */
  async placed(seen: SeenRow): Promise<SeenRow> {
    return (await this.#placedInItsView(seen)) ?? seen;
  }

  /** The same for a row alone: where it has left the view, its place among all rows. */
  async placedAlone(seen: SeenRow): Promise<SeenRow> {
    return (await this.#placedInItsView(seen)) ?? (await this.#placedIn(ALL_ROWS, seen)) ?? seen;
  }

  async #placedInItsView(seen: SeenRow): Promise<SeenRow | undefined> {
    const { pages } = this.#ports.rows;
    const there = pages.rowAt(seen.offset)?.key ?? seen.key;
    return pages.isFresh && there === seen.key ? seen : this.#placedIn(seen.view, seen);
  }

  async #placedIn(view: RowsInView, { key }: SeenRow): Promise<SeenRow | undefined> {
    if (this.#batchId === undefined) return undefined;
    const reply = await this.#ports.request('sheet.place', { batchId: this.#batchId, key, view });
    const offset = reply.ok ? reply.value.offset : undefined;
    return offset === undefined ? undefined : { view, offset, key };
  }

  async cellPlace(seen: SeenRow | undefined): Promise<CellPlace> {
    return seen === undefined ? { kind: 'end' } : { kind: 'row', ...(await this.placed(seen)) };
  }

  async ranges(seen: readonly (SeenRow & RowSpan)[]): Promise<RowRange[]> {
    return Promise.all(
      seen.map(async ({ view, offset, key, height }) => {
        const placed = await this.placed({ view, offset, key });
        return { view, offset: placed.offset, count: height, firstKey: key };
      }),
    );
  }
}
