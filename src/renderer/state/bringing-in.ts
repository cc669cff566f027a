/** Importing sheets: opening, understanding and checking them; also batches that do not begin with a file. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { Reply, RouteInput, RouteOutput } from '../../shared/ipc/contract.ts';
import type { SheetView } from '../../shared/ipc/opening.ts';
import type { ProblemView } from '../../shared/ipc/rows.ts';
import type { IpcClient } from '../ipc-client.ts';
import type { Notices } from './notices-store.ts';
import { startChoice, StartForms, type StartAnswers } from './start-forms.ts';
import { understandingOf, type SheetUnderstanding } from './sheet-understanding.ts';

/** An opened sheet, and where its rows will be rendered. */
export interface OpenSheet {
  readonly sheet: SheetView;
  readonly isRehearsal: boolean;
}

export interface BringingInState {
  readonly open: OpenSheet | undefined;
  /** The user is choosing one, or it is being read; a large one takes a while. */
  readonly isOpening: boolean;
  /** Rows read so far of the sheet that is being opened. */
  readonly rowsRead: number;
  /** The open sheet is being read or checked again. */
  readonly isChecking: boolean;
  /** The last imported files, newest first. */
  readonly recent: RouteOutput<'sheet.recent'>;
}

export interface BringingInPorts {
  /** Asks, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  readonly notices: Pick<Notices, 'show'>;
  readonly lacksGateway: () => boolean;
  /** Shows the open sheet. */
  readonly showSheet: () => void;
  readonly onBatch: (batch: BatchView) => void;
  readonly showBatch: (batch: BatchView) => void;
  readonly showCell: (batchId: string, key: number, header: string | undefined) => Promise<void>;
  readonly goHome: () => void;
}

type Reading = Omit<RouteInput<'sheet.reread'>, 'sheetId'>;

/** Looks through this many of a sheet's problems for the one to jump to. */
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
  /** What the user wants but the window has not asked for yet, because an earlier request is under way. */
  #wanted: SheetUnderstanding | undefined;
  /** How the user wants the open sheet to be read. */
  #reading: Reading = {};

  constructor(ports: BringingInPorts) {
    this.#ports = ports;
  }

  /** Shows an opened sheet. Offers a rehearsal if the real gateway cannot be used anyway. */
  show(sheet: SheetView, isRehearsal = this.#ports.lacksGateway()): void {
    this.#wanted = undefined;
    this.#reading = {};
    const { open } = this.store.getState();
    if (open !== undefined && open.sheet.sheetId !== sheet.sheetId) this.forms.forget(open.sheet.sheetId);
    this.store.setState({ open: { sheet, isRehearsal }, isChecking: false });
    this.#ports.showSheet();
  }

  /** Opens the file dialog for a sheet. */
  async choose(isRehearsal?: boolean): Promise<void> {
    await this.#opening(() => this.#ports.ask('sheet.choose'), isRehearsal);
  }

  /** Opens one of the built-in sheets, for a rehearsal. */
  async openSample(sample: RouteInput<'sheet.sample'>['sample']): Promise<void> {
    await this.#opening(() => this.#ports.ask('sheet.sample', { sample }), true);
  }

  async openRecent(recentId: string): Promise<void> {
    const isOpened = await this.#opening(() => this.#ports.ask('sheet.openRecent', { recentId }));
    if (!isOpened) await this.readRecent();
  }

  /** Opens the table on the clipboard, or says that there is none. */
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

  /** Reads the open sheet again, with other settings. */
  async reread(sheetId: string, reading: Reading): Promise<void> {
    if (this.#isBusy()) return;
    this.store.setState({ isChecking: true });
    // Earlier choices stay; everything else is recognised again.
    this.#reading = { ...this.#reading, ...reading };
    this.#replace(sheetId, await this.#ports.ask('sheet.reread', { sheetId, ...this.#reading }));
    this.store.setState({ isChecking: false });
  }

  /** Interprets the open sheet in another way. A change that comes meanwhile follows at once. */
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
      // The user may have dropped another sheet on the window meanwhile: it has its own choices.
      if (this.store.getState().open?.sheet.sheetId !== sheetId) return;
      if (reply.ok && asked !== this.#wanted) continue;
      this.#wanted = undefined;
      this.#replace(sheetId, reply);
      this.store.setState({ isChecking: false });
      return;
    }
  }

  /** Forgets how the headers were mapped, here and for the next sheet with the same ones. */
  async forgetMapping(): Promise<void> {
    const { open } = this.store.getState();
    if (open === undefined) return;
    const { defaultOperation: _, corrections: __, ...rest } = understandingOf(open.sheet);
    this.#wanted = { ...rest, mapping: {} };
    await this.interpret({});
  }

  /** Reports how many rows of the opening sheet have been read. */
  readSoFar(rows: number): void {
    this.store.setState({ rowsRead: rows });
  }

  /** Discards the open sheet. */
  close(): void {
    const { open } = this.store.getState();
    if (open !== undefined) this.forms.forget(open.sheet.sheetId);
    this.store.setState({ open: undefined, isChecking: false });
    this.#ports.goHome();
  }

  /** Makes a batch of the open sheet, with the user's answers, and shows it. */
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

  /** Imports the open sheet without starting it, with all the user's answers, and goes to the cell of a problem. */
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

  /** Makes a batch from a template, or an empty one, and shows it; starts nothing. */
  async begin(template: string, name: string): Promise<void> {
    const reply = await this.#ports.ask('sheet.new', { template, name });
    if (reply.ok) this.#ports.showBatch(reply.value);
  }

  /** Makes a batch with the rows of another one and shows it; starts nothing. */
  async duplicate(batchId: string): Promise<void> {
    const reply = await this.#ports.ask('batch.duplicate', { batchId });
    if (reply.ok) this.#ports.showBatch(reply.value);
  }

  /**
   * Saves the user's answers for a batch that has not been started, and starts it for as many paid requests as they
   * saw. Returns whether it did.
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

  /** How many rows of a batch hold texts so long that Nocturne asks before it sends them. */
  async countLongRows(batchId: string): Promise<number> {
    const reply = await this.#ports.ask('sheet.problems', { batchId, limit: PROBLEMS_READ });
    const long = reply.ok ? reply.value.filter(({ code }) => code === 'value-long') : [];
    return new Set(long.map(({ row }) => row)).size;
  }

  #isBusy(): boolean {
    const { isOpening, isChecking } = this.store.getState();
    return isOpening || isChecking;
  }

  /** Opens one sheet at a time. Returns whether it opened one. */
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

/** The answers for a sheet before the user has said anything. */
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
