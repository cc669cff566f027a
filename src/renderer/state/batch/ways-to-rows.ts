/** Ways from elsewhere to a row of a batch: to one of its cells, to what is wrong in it, or to all about it. */
import type { RouteInput } from '../../../shared/ipc/contract.ts';
import type { SheetEdit } from '../../../shared/ipc/editing.ts';
import { words } from '../../../shared/words/words.ts';
import type { IpcClient } from '../../ipc-client.ts';
import type { Notices } from '../notices-store.ts';
import type { RowsView } from './rows-view.ts';
import type { SheetEditing } from './sheet-editing.ts';
import type { JumpTarget, SheetPlaces } from './sheet-places.ts';

interface WaysPorts {
  readonly ask: IpcClient['request'];
  /** Shows a batch. */
  readonly go: (batchId: string) => void;
  /** Whether this batch is on screen. */
  readonly isShown: (batchId: string) => boolean;
  /** For later: whether the user is still on the screen that they are on now. */
  readonly here: () => () => boolean;
  readonly rows: RowsView;
  readonly editing: SheetEditing;
  readonly places: SheetPlaces;
  readonly notices: Pick<Notices, 'show'>;
}

/** The ways to the first row of a group of the ledger. */
type WayToFirst = 'openPrompt' | 'inspectRow' | 'showPick';

export class WaysToRows {
  readonly #ports: WaysPorts;

  constructor(ports: WaysPorts) {
    this.#ports = ports;
  }

  /** Shows a batch with the cursor in one cell of its sheet. */
  async openCell(batchId: string, key: number, header: string | undefined): Promise<void> {
    const { go, places, notices } = this.#ports;
    go(batchId);
    if (await places.jumpTo(key, header)) return;
    notices.show({ level: 'info', title: words.notices.rowGone, message: '' });
  }

  /** Shows a row in its batch with the cursor in the cell of its prompt. */
  async openPrompt(batchId: string, key: number): Promise<void> {
    const { go, isShown, editing, places } = this.#ports;
    go(batchId);
    await editing.read();
    if (!isShown(batchId)) return;
    const { sheet } = editing.store.getState();
    await places.jumpTo(key, sheet?.columns.find(({ column }) => column === 'prompt')?.header);
  }

  /** Shows the rows of a batch that cannot run, and what is wrong, with the cursor in the first cell that is. */
  async openInvalid(batchId: string): Promise<void> {
    const { go, isShown, rows, editing, places } = this.#ports;
    go(batchId);
    rows.setFilter({ status: ['invalid'] });
    places.showProblems(true);
    await Promise.all([editing.read(), places.readProblems()]);
    if (isShown(batchId)) await places.jumpToError(editing.store.getState().sheet?.columns ?? []);
  }

  /** Shows a row in its batch, with everything about it. */
  async inspectRow(batchId: string, key: number): Promise<void> {
    await this.openCell(batchId, key, undefined);
    if (this.#ports.isShown(batchId)) this.#ports.rows.inspect(key);
  }

  /** Shows the row one of whose files is to be picked for this one, with its files; otherwise this one. */
  async showPick(batchId: string, key: number): Promise<void> {
    const isHere = this.#ports.here();
    const waiting = await this.#ports.ask('row.detail', { batchId, key });
    if (isHere()) await this.inspectRow(batchId, (waiting.ok ? waiting.value.pickFrom : undefined) ?? key);
  }

  /** Leads to the first row of a group of the ledger, unless the user has gone elsewhere while it was looked up. */
  async openFirst({ batchId, group }: RouteInput<'ledger.shown'>, way: WayToFirst): Promise<void> {
    const { ask, here, notices } = this.#ports;
    const isHere = here();
    const reply = await ask('ledger.rows', { batchId, group, limit: 1 });
    if (!reply.ok || !isHere()) return;
    const [first] = reply.value.rows;
    if (first !== undefined) await this[way](batchId, first.key);
    else notices.show({ level: 'info', title: words.notices.rowGone, message: '' });
  }

  /** Adds a column to the sheet on screen, and leads to it in one of its rows. */
  async addColumn(
    edit: Omit<Extract<SheetEdit, { kind: 'add-column' }>, 'kind'>,
    { index, key }: Pick<JumpTarget, 'index' | 'key'>,
  ): Promise<void> {
    const { isShown, rows, editing, places } = this.#ports;
    const { batchId = '' } = rows.store.getState();
    if ((await editing.edit({ kind: 'add-column', ...edit })) === undefined) return;
    await editing.read();
    if (isShown(batchId)) places.jump(index, key, edit.header);
  }
}
