/** Sheets on their way in: opened, understood, checked; and batches that begin from nothing. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { Reply, RouteInput, RouteOutput } from '../../shared/ipc/contract.ts';
import type { SheetView } from '../../shared/ipc/opening.ts';
import type { ProblemView } from '../../shared/ipc/rows.ts';
import type { IpcClient } from '../ipc-client.ts';
import type { Notices } from './notices-store.ts';
import { startChoice, StartForms, type StartAnswers } from './start-forms.ts';
import { understandingOf, type SheetUnderstanding } from './sheet-understanding.ts';

/** A sheet that was opened, and where its rows are to be rendered. */
export interface OpenSheet {
  readonly sheet: SheetView;
  readonly isRehearsal: boolean;
}

export interface BringingInState {
  readonly open: OpenSheet | undefined;
  /** One is being chosen or read; a large one takes a while. */
  readonly isOpening: boolean;
  /** Rows that were read of the one that is being opened, as far as the reader has told. */
  readonly rowsRead: number;
  /** The open sheet is being read or checked in another way. */
  readonly isChecking: boolean;
  /** The files that were imported last, the newest first. */
  readonly recent: RouteOutput<'sheet.recent'>;
}

export interface BringingInPorts {
  /** Asks, and shows a notice where it could not be done. */
  readonly ask: IpcClient['request'];
  readonly notices: Pick<Notices, 'show'>;
  readonly lacksGateway: () => boolean;
  /** Shows the sheet that is open. */
  readonly showSheet: () => void;
  readonly onBatch: (batch: BatchView) => void;
  readonly showBatch: (batch: BatchView) => void;
  readonly showCell: (batchId: string, key: number, header: string | undefined) => Promise<void>;
  readonly goHome: () => void;
}

type Reading = Omit<RouteInput<'sheet.reread'>, 'sheetId'>;

/** A sheet's problems are looked through up to here for the one to jump to. */
const PROBLEMS_READ = 5_000;

export class BringingIn {
  readonly store: StoreApi<BringingInState> = createStore(() => ({
    open: undefined,
    isOpening: false,
    rowsRead: 0,
    isChecking: false,
    recent: [],
  }));
  readonly forms = new StartForms();
  readonly #ports: BringingInPorts;
  /** What the user wants that has not been asked for yet, because an earlier wish is under way. */
  #wanted: SheetUnderstanding | undefined;
  /** How the user wants the open sheet to be read. */
  #reading: Reading = {};

  constructor(ports: BringingInPorts) {
    this.#ports = ports;
  }

  /** Shows a sheet that was opened. Rehearsal is offered where the real gateway cannot be used anyway. */
  show(sheet: SheetView, isRehearsal = this.#ports.lacksGateway()): void {
    this.#wanted = undefined;
    this.#reading = {};
    const { open } = this.store.getState();
    if (open !== undefined && open.sheet.sheetId !== sheet.sheetId) this.forms.forget(open.sheet.sheetId);
    this.store.setState({ open: { sheet, isRehearsal }, isChecking: false });
    this.#ports.showSheet();
  }

  /** Opens the dialog for a sheet. */
  async choose(isRehearsal?: boolean): Promise<void> {
    await this.#opening(() => this.#ports.ask('sheet.choose'), isRehearsal);
  }

  /** Opens one of the sheets that come with the application, to be rehearsed. */
  async openSample(sample: RouteInput<'sheet.sample'>['sample']): Promise<void> {
    await this.#opening(() => this.#ports.ask('sheet.sample', { sample }), true);
  }

  async openRecent(recentId: string): Promise<void> {
    const isOpened = await this.#opening(() => this.#ports.ask('sheet.openRecent', { recentId }));
    if (!isOpened) await this.readRecent();
  }

  /** Opens the table that is in the clipboard; says so where there is none. */
  async paste(): Promise<void> {
    let isEmpty = false;
    await this.#opening(async () => {
      const reply = await this.#ports.ask('sheet.fromClipboard');
      isEmpty = reply.ok && reply.value === undefined;
      return reply;
    });
    if (!isEmpty) return;
    this.#ports.notices.show({
      level: 'info',
      title: 'There is no table on the clipboard',
      message: 'Copy the cells in your spreadsheet, with their header line, and paste again.',
    });
  }

  async readRecent(): Promise<void> {
    const reply = await this.#ports.ask('sheet.recent');
    if (reply.ok) this.store.setState({ recent: reply.value });
  }

  async forgetRecent(recentId: string): Promise<void> {
    const reply = await this.#ports.ask('sheet.forgetRecent', { recentId });
    if (reply.ok) this.store.setState({ recent: reply.value });
  }

  /** Reads the sheet that is open once more, in another way. */
  async reread(sheetId: string, reading: Reading): Promise<void> {
    if (this.#isBusy()) return;
    this.store.setState({ isChecking: true });
    // What was chosen before stays chosen; all else is recognised anew.
    this.#reading = { ...this.#reading, ...reading };
    this.#replace(sheetId, await this.#ports.ask('sheet.reread', { sheetId, ...this.#reading }));
    this.store.setState({ isChecking: false });
  }

  /** Understands the sheet that is open in another way. What is changed while that is under way follows at once. */
  async interpret(change: Partial<SheetUnderstanding>): Promise<void> {
    const { open, isChecking } = this.store.getState();
    if (open === undefined) return;
    this.#wanted = { ...(this.#wanted ?? understandingOf(open.sheet)), ...change };
    if (isChecking) return;
    this.store.setState({ isChecking: true });
    const { sheetId } = open.sheet;
    for (;;) {
      const asked: SheetUnderstanding = this.#wanted;
      const reply = await this.#ports.ask('sheet.interpret', { sheetId, ...asked });
      // Another sheet may have been dropped on the window meanwhile: it has its own wishes.
      if (this.store.getState().open?.sheet.sheetId !== sheetId) return;
      if (reply.ok && asked !== this.#wanted) continue;
      this.#wanted = undefined;
      this.#replace(sheetId, reply);
      this.store.setState({ isChecking: false });
      return;
    }
  }

  /** Forgets what the headers were taken for, here and for the next sheet with the same ones. */
  async forgetMapping(): Promise<void> {
    const { open } = this.store.getState();
    if (open === undefined) return;
    const { defaultOperation: _, corrections: __, ...rest } = understandingOf(open.sheet);
    this.#wanted = { ...rest, mapping: {} };
    await this.interpret({});
  }

  /** A sheet that is being opened has come so far. */
  readSoFar(rows: number): void {
    this.store.setState({ rowsRead: rows });
  }

  /** Leaves the sheet that is open without bringing it in. */
  close(): void {
    const { open } = this.store.getState();
    if (open !== undefined) this.forms.forget(open.sheet.sheetId);
    this.store.setState({ open: undefined, isChecking: false });
    this.#ports.goHome();
  }

  /** Makes a batch of the sheet that is open, with what was chosen for it, and shows it. */
  async create(start: boolean): Promise<BatchView | undefined> {
    const { open } = this.store.getState();
    if (open === undefined) return undefined;
    const { sheetId } = open.sheet;
    const answers = this.forms.store.getState()[sheetId] ?? beginningOf(open);
    const choice = startChoice(answers, this.#ports.lacksGateway());
    if (!choice.ok) {
      this.#ports.notices.show({ level: 'info', title: choice.error, message: '' });
      return undefined;
    }
    const reply = await this.#ports.ask('batch.create', { sheetId, start, ...choice.value });
    if (!reply.ok) return undefined;
    this.forms.forget(sheetId);
    this.store.setState({ open: undefined });
    this.#ports.showBatch(reply.value);
    return reply.value;
  }

  /**
   * Imports the sheet that is open without starting it, with everything that was chosen for it, and goes to the cell
   * that a problem is about.
   */
  async fixInGrid(problem: ProblemView): Promise<void> {
    const { open } = this.store.getState();
    if (open === undefined) return;
    const { sheet } = open;
    const batch = await this.create(false);
    if (batch === undefined) return;
    const reply = await this.#ports.ask('sheet.problems', { batchId: batch.id, limit: PROBLEMS_READ });
    const found = reply.ok ? reply.value.find((other) => isSameProblem(other, problem)) : undefined;
    if (found?.key === undefined) return;
    const column = sheet.columns.find(({ column: known }) => known !== '' && known === problem.column);
    await this.#ports.showCell(batch.id, found.key, column?.header ?? problem.column);
  }

  /** Makes a batch of a template, or an empty one, and shows it; nothing is started. */
  async begin(template: string, name: string): Promise<void> {
    const reply = await this.#ports.ask('sheet.new', { template, name });
    if (reply.ok) this.#ports.showBatch(reply.value);
  }

  /** Makes a batch with the rows of another one and shows it; nothing is started. */
  async duplicate(batchId: string): Promise<void> {
    const reply = await this.#ports.ask('batch.duplicate', { batchId });
    if (reply.ok) this.#ports.showBatch(reply.value);
  }

  /**
   * Takes over what the user chose for a batch that is not started, and starts it for as many paid requests as were shown;
   * gives whether that could be done.
   */
  async start(chosen: RouteInput<'batch.configure'>, submits: number): Promise<boolean> {
    const configured = await this.#ports.ask('batch.configure', chosen);
    if (!configured.ok) return false;
    this.#ports.onBatch(configured.value);
    const started = await this.#ports.ask('batch.start', { batchId: chosen.batchId, submits });
    if (!started.ok) return false;
    this.forms.forget(chosen.batchId);
    this.#ports.onBatch(started.value);
    return true;
  }

  /** Rows of a batch that hold texts so long that they are asked about before they are sent. */
  async countLongRows(batchId: string): Promise<number> {
    const reply = await this.#ports.ask('sheet.problems', { batchId, limit: PROBLEMS_READ });
    const long = reply.ok ? reply.value.filter(({ code }) => code === 'value-long') : [];
    return new Set(long.map(({ row }) => row)).size;
  }

  #isBusy(): boolean {
    const { isOpening, isChecking } = this.store.getState();
    return isOpening || isChecking;
  }

  /** One at a time. Gives whether a sheet was opened. */
  async #opening(open: () => Promise<Reply<SheetView | undefined>>, isRehearsal?: boolean): Promise<boolean> {
    if (this.store.getState().isOpening) return false;
    this.store.setState({ isOpening: true, rowsRead: 0 });
    const reply = await open();
    this.store.setState({ isOpening: false });
    if (!reply.ok || reply.value === undefined) return false;
    this.show(reply.value, isRehearsal);
    return true;
  }

  /** Another sheet may have been dropped on the window meanwhile. */
  #replace(sheetId: string, reply: Reply<SheetView>): void {
    const { open } = this.store.getState();
    if (reply.ok && open?.sheet.sheetId === sheetId) this.store.setState({ open: { ...open, sheet: reply.value } });
  }
}

/** What is answered for a sheet about which nothing was said yet. */
export function beginningOf({ sheet, isRehearsal }: OpenSheet): StartAnswers {
  return {
    name: sheet.name.replace(/\.[a-z0-9]{1,5}$/iu, ''),
    wantsRehearsal: isRehearsal,
    folder: undefined,
    limitText: '',
  };
}

function isSameProblem(a: ProblemView, b: ProblemView): boolean {
  return a.code === b.code && a.row === b.row && a.column === b.column && a.message === b.message;
}
