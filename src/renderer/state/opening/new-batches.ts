/** Making and starting batches: from the open sheet, from templates, and from other batches. */
import { freeName } from '../../../shared/domain/base/text.ts';
import { headerNamed } from '../../../shared/domain/sheet/problems.ts';
import type { AccountsChoice } from '../../../shared/ipc/accounts.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { Reply, RouteInput } from '../../../shared/ipc/contract.ts';
import type { ProblemView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { AskFrom, IpcClient } from '../../ipc-client.ts';
import { isFixedForAll } from '../batch/problem-groups.ts';
import type { Notices } from '../notices-store.ts';
import { beginningOf, type OpenSheet } from './start-forms.ts';
import { isWhole } from './sheet-understanding.ts';
import {
  readableAnswers,
  START_FIELDS,
  startChoice,
  type StartAnswers,
  type StartForms,
  type StartPlace,
} from './start-forms.ts';

export interface NewBatchesPorts {
  /** Asks, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  /** The same, but what is refused about one of these fields is shown there. */
  readonly askFrom: AskFrom;
  readonly notices: Pick<Notices, 'show'>;
  readonly forms: StartForms;
  readonly openSheet: () => OpenSheet | undefined;
  /** A batch is being made of the open sheet. */
  readonly onImporting: () => void;
  readonly onRefused: () => void;
  /** A sheet has become a batch. */
  readonly onImported: (sheetId: string) => void;
  readonly lacksGateway: () => boolean;
  /** The currencies that prices at the gateway are in. */
  readonly currencies: (accounts: AccountsChoice | undefined) => readonly string[];
  readonly batchNames: () => readonly string[];
  readonly onBatch: (batch: BatchView) => void;
  /** For later: whether the user is still on the screen that they are on now. */
  readonly here: () => () => boolean;
  /** The user has made a batch. */
  readonly onMade: (batch: BatchView) => void;
  readonly showBatch: (batchId: string) => void;
  readonly showProblems: (batchId: string) => void;
  readonly showCell: (batchId: string, key: number, header: string | undefined) => Promise<void>;
}

/** Looks through this many of a sheet's problems for the one to jump to. */
const PROBLEMS_READ = 5_000;

export class NewBatches {
  readonly #ports: NewBatchesPorts;
  /** The sheets of which a batch is being made, with what will have come of it. */
  readonly #importing = new Map<string, Promise<boolean>>();

  constructor(ports: NewBatchesPorts) {
    this.#ports = ports;
  }

  /** The making of a batch from a sheet, while it is under way: whether there is one in the end. */
  importing(sheetId: string): Promise<boolean> | undefined {
    return this.#importing.get(sheetId);
  }

  /** Makes a batch of the open sheet, with the user's answers, and shows it. */
  async create(start: boolean): Promise<BatchView | undefined> {
    return (await this.#create(start))?.batch;
  }

  async #create(start: boolean): Promise<{ readonly batch: BatchView; readonly isShown: boolean } | undefined> {
    const open = this.#ports.openSheet();
    if (open === undefined || !isWhole(open.sheet)) return undefined;
    const { sheetId } = open.sheet;
    const answers = this.#ports.forms.store.getState()[sheetId] ?? beginningOf(open, this.#ports.batchNames());
    const choice = startChoice(answers, this.#placeOf(answers));
    if (!choice.ok) {
      this.#ports.notices.show({ level: 'info', title: choice.error, message: '' });
      return undefined;
    }
    this.#ports.forms.refuse(sheetId, undefined);
    this.#ports.onImporting();
    const isHere = this.#ports.here();
    const asked = this.#ports.askFrom(START_FIELDS, 'batch.create', { sheetId, start, ...choice.value });
    const reply = await this.#making(sheetId, asked);
    if (!reply.ok) {
      this.#ports.forms.refuse(sheetId, reply.error);
      this.#ports.onRefused();
      return undefined;
    }
    this.#ports.forms.forget(sheetId);
    this.#ports.onImported(sheetId);
    return { batch: reply.value, isShown: this.#made(reply.value, isHere()) };
  }

  /** Shows a new batch, unless the user has gone elsewhere while it was made: many rows take a while. */
  #made(batch: BatchView, isStillHere: boolean): boolean {
    this.#ports.onMade(batch);
    if (isStillHere) this.#ports.showBatch(batch.id);
    return isStillHere;
  }

  /**
   * Imports a sheet that gives way, without starting it, so that the user's answers about it are not lost, and says so.
   * An answer that cannot be understood yet is left out. Returns whether it could be imported.
   */
  async importUnstarted(open: OpenSheet, answers: StartAnswers): Promise<boolean> {
    const place = this.#placeOf(answers);
    const isReadable = startChoice(answers, place).ok;
    const readable = readableAnswers(answers, beginningOf(open, this.#ports.batchNames()), place);
    const choice = startChoice(readable, place);
    if (!choice.ok) return false;
    const { sheetId } = open.sheet;
    const asked = this.#ports.ask('batch.create', { sheetId, start: false, ...choice.value });
    const reply = await this.#making(sheetId, asked);
    if (!reply.ok) return false;
    this.#ports.onBatch(reply.value);
    this.#ports.notices.show({
      level: 'info',
      title: words.notices.sheetKept(shownLine(reply.value.name)),
      message: isReadable ? words.notices.sheetKeptWhere : words.notices.sheetKeptInPart,
      batchId: reply.value.id,
    });
    return true;
  }

  /**
   * Imports the open sheet without starting it, with all the user's answers, and goes to the cell of a problem, or to
   * where it can be put right for all of its rows.
   */
  async fixInGrid(problem: ProblemView): Promise<void> {
    const open = this.#ports.openSheet();
    if (open === undefined) return;
    const { sheet } = open;
    const made = await this.#create(false);
    if (made?.isShown !== true) return;
    const { batch } = made;
    if (isFixedForAll(problem)) this.#ports.showProblems(batch.id);
    const isHere = this.#ports.here();
    const reply = await this.#ports.ask('sheet.problems', { batchId: batch.id, limit: PROBLEMS_READ });
    const found = reply.ok ? reply.value.find((other) => isSameProblem(other, problem)) : undefined;
    if (found?.key === undefined || !isHere()) return;
    await this.#ports.showCell(batch.id, found.key, headerNamed(problem, sheet.columns));
  }

  /** Makes a batch from a template, or an empty one, and shows it; starts nothing. */
  async begin(template: string, name: string): Promise<void> {
    const given = { template, name: freeName(name, this.#ports.batchNames()) };
    const isHere = this.#ports.here();
    const reply = await this.#ports.ask('sheet.new', given);
    if (reply.ok) this.#made(reply.value, isHere());
  }

  /** Makes a batch with the rows of another one and shows it; starts nothing. */
  async duplicate(batchId: string): Promise<void> {
    const isHere = this.#ports.here();
    const reply = await this.#ports.ask('batch.duplicate', { batchId });
    if (reply.ok) this.#made(reply.value, isHere());
  }

  /**
   * Saves the user's answers for a batch that has not been started, and starts it for as many paid requests as they
   * saw. `rechecked`: its rows were checked for other accounts, and more or fewer of them run than the user saw.
   */
  async start(chosen: RouteInput<'batch.configure'>, submits: number): Promise<'started' | 'refused' | 'rechecked'> {
    this.#ports.forms.refuse(chosen.batchId, undefined);
    const configured = await this.#ports.askFrom(START_FIELDS, 'batch.configure', chosen);
    if (!configured.ok) {
      this.#ports.forms.refuse(chosen.batchId, configured.error);
      return 'refused';
    }
    this.#ports.onBatch(configured.value);
    if (chosen.accounts !== undefined && configured.value.taskCount !== submits) return 'rechecked';
    const started = await this.#ports.askFrom(START_FIELDS, 'batch.start', { batchId: chosen.batchId, submits });
    if (!started.ok) {
      this.#ports.forms.refuse(chosen.batchId, started.error);
      return 'refused';
    }
    this.#ports.forms.forget(chosen.batchId);
    this.#ports.onBatch(started.value);
    return 'started';
  }

  /** How many rows of a batch hold texts so long that Nocturne asks before it sends them; undefined if not known. */
  async countLongRows(batchId: string): Promise<number | undefined> {
    const reply = await this.#ports.ask('sheet.longRows', { batchId });
    return reply.ok ? reply.value : undefined;
  }

  #making<T>(sheetId: string, asked: Promise<Reply<T>>): Promise<Reply<T>> {
    const made = asked.then(({ ok }) => ok);
    this.#importing.set(sheetId, made);
    return asked.finally(() => this.#importing.delete(sheetId));
  }

  #placeOf({ accounts }: StartAnswers): StartPlace {
    return { lacksGateway: this.#ports.lacksGateway(), currencies: this.#ports.currencies(accounts) };
  }
}

function isSameProblem(a: ProblemView, b: ProblemView): boolean {
  return a.code === b.code && a.row === b.row && a.column === b.column && a.message === b.message;
}
