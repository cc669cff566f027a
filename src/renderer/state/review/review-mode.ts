/**
 * The review of a batch: which row and file is being looked at, what was decided about it, and what takes that back.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Reply, RouteOutput } from '../../../shared/ipc/contract.ts';
import type { RowDetail, RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { nameToTell } from '../../format/shown-text.ts';
import { versionsOf, type FileVersion } from '../batch/row-detail-view.ts';
import { changeOf, oppositeOf, wordsOf, withReview, type FileDecision, type ReviewStep } from './file-decision.ts';
import {
  filteredAnew,
  NO_ROWS,
  stepFrom,
  withRowsTold,
  withSaid,
  type ReviewFilter,
  type ReviewList,
} from './review-rows.ts';
import type { VerdictLog } from './verdict-log.ts';

export interface ReviewModePorts {
  readonly fetchPage: (batchId: string, offset: number, limit: number) => Promise<Reply<RouteOutput<'rows.page'>>>;
  readonly fetchDetail: (batchId: string, key: number) => Promise<Reply<RowDetail>>;
  readonly log: VerdictLog;
  /**
   * Asks for this many takes of a row by an edit of its sheet, which sends nothing; returns the reason if it is
   * refused.
   */
  readonly setTakes: (batchId: string, key: number, takes: number) => Promise<string | undefined>;
  /** Says that a file stays as it was, and why: even after the review has moved on, or was left. */
  readonly tellRefused: (name: string, why: string) => void;
  /** Calls back once after a time; returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
}

export interface ReviewState {
  /** The batch that is being reviewed; undefined if there is none. */
  readonly batchId: string | undefined;
  readonly list: ReviewList;
  /** Its rows are still being read. */
  readonly isReading: boolean;
  /**
   * The row that is being looked at, what it is called, and its files in a fixed order; undefined until they are known.
   */
  readonly key: number | undefined;
  readonly row: Pick<RowView, 'key' | 'line' | 'row' | 'label' | 'operation'> | undefined;
  /** The text of which the row's label is only the beginning. */
  readonly wholeLabel: string | undefined;
  /** Earlier files are among them, after the others, if the user came to the row for one of those. */
  readonly files: readonly FileVersion[] | undefined;
  /** Files that the row has got since the user came to it. */
  readonly arrivedFiles: readonly FileVersion[];
  readonly canPick: boolean;
  /** The chosen file, and the one that was chosen before it in this row. */
  readonly chosen: string | undefined;
  readonly before: string | undefined;
  /** What was last done, or why it was not. */
  readonly said: { readonly words: string; readonly isProblem: boolean } | undefined;
  /** How many decisions can be taken back. */
  readonly undoable: number;
  /** How many decisions are shown but not stored yet: keys may come faster than the disk can store them. */
  readonly unstored: number;
}

/** The row about which something is said, and its name then; no row if what is taken back was about many files. */
interface Meant {
  readonly key: number | undefined;
  readonly name: string;
}

/** Why something was not stored. */
interface Refused {
  readonly refusal: string;
  /** It was an edit of the sheet, which reports this itself. */
  readonly isEdit: boolean;
}

const PAGE = 500;
const RELOAD_DELAY_MS = 400;

const CLOSED: ReviewState = {
  batchId: undefined,
  list: NO_ROWS,
  isReading: false,
  key: undefined,
  row: undefined,
  wholeLabel: undefined,
  files: undefined,
  arrivedFiles: [],
  canPick: false,
  chosen: undefined,
  before: undefined,
  said: undefined,
  undoable: 0,
  unstored: 0,
};

/** Walks through the rows of a batch that have verified files. */
export class ReviewMode {
  readonly store: StoreApi<ReviewState> = createStore(() => CLOSED);
  readonly #ports: ReviewModePorts;
  /**
   * How many decisions about a row are on their way: until they arrive, what the store says about it is older than what
   * is shown.
   */
  readonly #underWay = new Map<number | undefined, number>();
  /** Another number for each opening: answers from an earlier one mean nothing. */
  #opening = 0;
  /**
   * The list is being read for the first time: rows reported meanwhile belong to it, and do not count as arrived since.
   */
  #isOpening = false;
  /** What was said before it was opened: rows are read once that is stored. */
  #earlier: Promise<void> = Promise.resolve();
  #stopReload: (() => void) | undefined;
  #stopScan: (() => void) | undefined;
  /** Steps that wait until the place of their row among the others, the row after it, or its files have been read. */
  #owedSteps: { readonly to: 'row' | 'file'; readonly by: 1 | -1 }[] = [];
  /** At which of its files the row is entered; undefined: at the first that is not decided. */
  #entersAt: 'first' | 'last' | undefined;

  constructor(ports: ReviewModePorts) {
    this.#ports = ports;
  }

  /** Opens the review of a batch, at one of its rows and its files if they are given. */
  open(batchId: string, key?: number, fileId?: string): void {
    if (this.store.getState().batchId === batchId && key === undefined) return;
    this.close();
    this.#earlier = this.#ports.log.settled();
    this.store.setState({ batchId, isReading: true, undoable: this.#ports.log.undoable(batchId) });
    if (key !== undefined) this.goTo(key, fileId);
    this.#isOpening = true;
    void this.#scan(batchId, true);
  }

  close(): void {
    this.#opening += 1;
    this.#owedSteps = [];
    this.#stopReload?.();
    this.#stopScan?.();
    this.#stopReload = undefined;
    this.#stopScan = undefined;
    this.store.setState(CLOSED);
  }

  /**
   * Goes to the next row, or to the previous one; stays at the ends. If that place has not been read yet, the step is
   * made as soon as it is.
   */
  step(by: 1 | -1): void {
    const { list, key, row, files } = this.store.getState();
    const listed = key === undefined ? undefined : list.rows.get(key);
    const next = stepFrom(list, key === undefined ? undefined : (listed ?? row), by);
    // A row that is not in the list gets its place by its line once all are read.
    const isUnread = listed === undefined && (this.#isOpening || files === undefined);
    const isCut = this.#isOpening && by === 1 && next === undefined;
    const isBehind = this.#owedSteps.length > 0;
    if (key !== undefined && (isUnread || isCut || isBehind)) this.#owedSteps.push({ to: 'row', by });
    else if (next !== undefined && next !== key) this.goTo(next);
  }

  goTo(key: number, chosen?: string): void {
    const row = this.store.getState().list.rows.get(key);
    this.#entersAt = undefined;
    this.store.setState({
      key,
      row,
      wholeLabel: undefined,
      files: undefined,
      arrivedFiles: [],
      chosen,
      before: undefined,
      said: undefined,
    });
    void this.#readRow();
  }

  /** Chooses a file of the row. */
  choose(fileId: string): void {
    const { chosen } = this.store.getState();
    if (fileId !== chosen) this.store.setState({ chosen: fileId, before: chosen });
  }

  /** Chooses the next file, or the previous one, as in the gallery: beyond those of this row it goes to another one. */
  chooseNext(by: 1 | -1): void {
    const { files, chosen, key } = this.store.getState();
    if (key === undefined) return;
    if (files === undefined) {
      this.#owedSteps.push({ to: 'file', by });
      return;
    }
    const next = files[files.findIndex(({ id }) => id === chosen) + by];
    if (next !== undefined) {
      this.choose(next.id);
      return;
    }
    const owed = this.#owedSteps.length;
    this.step(by);
    if (this.store.getState().key !== key) this.#entersAt = by === 1 ? 'first' : 'last';
    else if (this.#owedSteps.length === owed) {
      const { lastFile, firstFile } = words.review.said;
      this.#say({ words: by === 1 ? lastFile : firstFile, isProblem: false });
    }
  }

  /** Picks the chosen file, or takes that back. A pick that no row waits for would mean nothing: says so. */
  pick(): void {
    const { files = [], chosen, canPick } = this.store.getState();
    const file = files.find(({ id }) => id === chosen);
    if (file?.verdict?.isPicked === true || (canPick && file?.isEarlier !== true)) {
      this.decide({ kind: 'pick' });
    } else if (file !== undefined) {
      const { noPick, noPickOfEarlier } = words.review.said;
      this.#say({ words: canPick ? noPickOfEarlier : noPick, isProblem: true });
    }
  }

  /** Shows only these rows from now on, and those that have come since: the current row stays, if it is among them. */
  filter(filter: ReviewFilter): void {
    const list = filteredAnew(this.store.getState().list, filter);
    this.store.setState({ list });
    const { key } = this.store.getState();
    const [first] = list.order;
    if (key !== undefined && list.order.includes(key)) return;
    if (first === undefined) this.store.setState({ key: undefined, files: undefined, arrivedFiles: [] });
    else this.goTo(first);
  }

  /** Adds the rows and files that have come since. */
  addArrived(): void {
    const { files, arrivedFiles, list } = this.store.getState();
    this.store.setState({
      list: filteredAnew(list, list.filter),
      arrivedFiles: [],
      ...(files !== undefined && { files: [...files, ...arrivedFiles] }),
    });
    if (this.store.getState().key === undefined) this.step(1);
  }

  /** False while the files of the row are not known yet, and says so: an early key must not be lost silently. */
  canDecide(): boolean {
    const { files, key } = this.store.getState();
    const isKnown = key === undefined || files !== undefined;
    if (!isKnown) this.#say({ words: words.review.said.tooEarly, isProblem: true });
    return isKnown;
  }

  /** Says something about the chosen file, or of another one of this row: shown at once, and stored at once. */
  decide(decision: FileDecision, of?: string): void {
    if (!this.canDecide()) return;
    const { files = [], chosen, key, batchId = '' } = this.store.getState();
    const file = files.find(({ id }) => id === (of ?? chosen));
    if (file === undefined || key === undefined) return;
    const step = { fileId: file.id, change: changeOf(file, decision) };
    const back = [...oppositeOf(files, step)];
    if (back.length === 0) return;
    const { name } = file;
    this.#ports.log.note({ batchId, key, fileId: file.id, name, back });
    this.#carryOut({ key, name }, () => [step], words.review.said.of(nameToTell(name), wordsOf(step.change)));
  }

  /** Asks for one more take of the row: it is sent once the user has agreed to its cost. */
  askAgain(): void {
    const { list, key, chosen, batchId = '' } = this.store.getState();
    const row = key === undefined ? undefined : list.rows.get(key);
    if (row === undefined) {
      this.#say({ words: words.review.said.noTakeYet, isProblem: true });
      return;
    }
    const { takes, row: name } = row;
    this.#ports.log.note({ batchId, key: row.key, fileId: chosen, name, back: [], takes });
    this.#changeTakes({ batchId, key: row.key, name }, takes + 1, words.review.said.oneMoreTake(name));
  }

  /**
   * Takes the last decision back, in its row; a decision about several files of the gallery, without leaving the
   * current row.
   */
  undo(): void {
    const { list, key: here, batchId } = this.store.getState();
    const said = this.#ports.log.takeLast(batchId);
    if (said === undefined) return;
    const { key = here, fileId, name, back, takes } = said;
    // A row that has only earlier files is in no list.
    const isLeftOut = key !== undefined && list.rows.has(key) && !list.order.includes(key);
    if (isLeftOut) this.store.setState({ list: filteredAnew(list, 'all') });
    if (key !== undefined && key !== here) this.goTo(key, fileId);
    else if (fileId !== undefined) this.choose(fileId);
    const told = words.review.said.takenBack(nameToTell(name));
    if (takes === undefined) this.#carryOut({ key, name }, () => back, told, said.key === undefined);
    else if (key !== undefined && batchId !== undefined) this.#changeTakes({ batchId, key, name }, takes, told, true);
  }

  /**
   * Shown at once, so that asking again asks for another take.
   * @param unpaidIn The row's batch, if only a take that nobody has agreed to may be removed: what was paid for stays
   * in sight.
   */
  #changeTakes(
    { batchId, key, name }: Meant & { readonly batchId: string; readonly key: number },
    takes: number,
    told: string,
    onlyUnpaid = false,
  ): void {
    this.store.setState(({ list }) => ({ list: withSaid(list, key, { takes }) }));
    this.#say({ words: told, isProblem: false });
    this.#inTurn(key, name, async () => {
      if (onlyUnpaid) {
        const detail = await this.#ports.fetchDetail(batchId, key);
        if (!detail.ok) return { refusal: detail.error.message, isEdit: true };
        // A take that is only asked for has no task yet.
        if (detail.value.tasks.length > takes) return { refusal: words.review.said.takeStays, isEdit: true };
      }
      const refusal = await this.#ports.setTakes(batchId, key, takes);
      return refusal === undefined ? undefined : { refusal, isEdit: true };
    });
  }

  /** Rows of its batch have changed, or all may have. */
  changed(rows: readonly RowView[], isStale: boolean): void {
    const { key, list } = this.store.getState();
    const told = rows.filter((row) => !this.#underWay.has(row.key));
    if (told.length > 0) this.store.setState({ list: withRowsTold(list, told, this.#isOpening) });
    if (isStale || rows.some((row) => row.key === key)) this.#reloadSoon();
    if (isStale) this.#scanSoon();
  }

  /** Events may have been missed. */
  refresh(): void {
    const { batchId } = this.store.getState();
    if (batchId !== undefined) this.changed([], true);
  }

  /**
   * @param steps Asked for again once their turn has come.
   * @param isOfMany They are about many files: one that is refused stays as it is, without affecting the others.
   */
  #carryOut({ key, name }: Meant, steps: () => readonly ReviewStep[], told: string, isOfMany = false): void {
    const { files = [], key: here } = this.store.getState();
    const ofRow = steps().filter(({ fileId }) => files.some(({ id }) => id === fileId));
    if (key !== undefined && here === key && ofRow.length > 0)
      this.#show(
        key,
        ofRow.reduce((before, step) => withReview(before, step), files),
      );
    this.#say({ words: told, isProblem: false });
    this.#inTurn(key, name, async () => {
      let refusal: string | undefined;
      await this.#ports.log.record(steps(), ({ fileId }, why) => {
        if (why === undefined) return true;
        if (!isOfMany) refusal = why;
        else {
          this.#ports.tellRefused(words.review.said.aFile, why);
          this.#ports.log.forgetFile(fileId);
        }
        return isOfMany;
      });
      return refusal === undefined ? undefined : { refusal, isEdit: false };
    });
  }

  /** Stores what is already shown for a row, after what was decided before it. */
  #inTurn(key: number | undefined, name: string, store: () => Promise<Refused | undefined>): void {
    const opening = this.#opening;
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
    this.#countUnstored();
    void this.#ports.log.inTurn(store).then((refused) => {
      const left = (this.#underWay.get(key) ?? 1) - 1;
      if (left > 0) this.#underWay.set(key, left);
      else this.#underWay.delete(key);
      this.#countUnstored();
      if (refused?.isEdit === false) this.#ports.tellRefused(name, refused.refusal);
      // What would take back the other decisions about this row was worked out from something that is not true.
      if (refused !== undefined)
        this.#ports.log.forget((said) => said.key === key && (said.takes !== undefined) === refused.isEdit);
      if (opening !== this.#opening) return;
      if (refused !== undefined) {
        this.#say({ words: words.review.said.refused(name, refused.refusal), isProblem: true });
        this.#scanSoon();
      }
      // What is shown must match what is stored again.
      if (left === 0 && this.store.getState().key === key) void this.#readRow();
    });
  }

  #countUnstored(): void {
    this.store.setState({ unstored: [...this.#underWay.values()].reduce((sum, count) => sum + count, 0) });
  }

  #say(said: ReviewState['said']): void {
    this.store.setState({ said, undoable: this.#ports.log.undoable(this.store.getState().batchId) });
  }

  #show(key: number, files: readonly FileVersion[]): void {
    const count = (kept: boolean): number =>
      files.filter(({ verdict, isEarlier }) => verdict?.kept === kept && !isEarlier).length;
    const { list } = this.store.getState();
    this.store.setState({ files, list: withSaid(list, key, { kept: count(true), rejected: count(false) }) });
  }

  /** Reads the row that is being looked at: its known files stay in their places, and new ones wait for the user. */
  async #readRow(): Promise<void> {
    const { batchId, key } = this.store.getState();
    if (batchId === undefined || key === undefined) return;
    const opening = this.#opening;
    await this.#earlier;
    const reply = await this.#ports.fetchDetail(batchId, key);
    const { key: now, files: known, chosen } = this.store.getState();
    if (opening !== this.#opening || key !== now || this.#underWay.has(key)) return;
    if (!reply.ok) {
      // What is known stays: the user may be writing a note on it.
      this.store.setState({ files: known ?? [], said: { words: reply.error.message, isProblem: true } });
      this.#makeOwedSteps();
      return;
    }
    const { row, isPickWanted = false } = reply.value;
    const isFirst = known === undefined || known.length === 0;
    const versions = versionsOf(undefined, reply.value);
    const isEarlierMeant = (isFirst ? versions.filter(({ id }) => id === chosen) : known).some((one) => one.isEarlier);
    const meant = versions.filter(({ isEarlier }) => isEarlierMeant || !isEarlier);
    const found = new Map(meant.map((file) => [file.id, file]));
    const files = isFirst ? [...found.values()] : known.flatMap(({ id }) => found.get(id) ?? []);
    const shown = new Set(files.map(({ id }) => id));
    const undecided = files.find(({ verdict }) => verdict?.kept === undefined) ?? files[0];
    const first = this.#entersAt === undefined ? undecided : files.at(this.#entersAt === 'first' ? 0 : -1);
    this.store.setState({
      row,
      wholeLabel: wholeLabelOf(reply.value),
      arrivedFiles: [...found.values()].filter(({ id }) => !shown.has(id)),
      canPick: isPickWanted,
      ...(chosen === undefined || !shown.has(chosen) ? { chosen: first?.id } : {}),
    });
    this.#show(key, files);
    this.#makeOwedSteps();
  }

  #makeOwedSteps(): void {
    for (const { to, by } of this.#owedSteps.splice(0)) {
      if (to === 'row') this.step(by);
      else this.chooseNext(by);
    }
  }

  #reloadSoon(): void {
    this.#stopReload ??= this.#ports.schedule(() => {
      this.#stopReload = undefined;
      void this.#readRow();
    }, RELOAD_DELAY_MS);
  }

  #scanSoon(): void {
    this.#stopScan ??= this.#ports.schedule(() => {
      this.#stopScan = undefined;
      const { batchId, isReading } = this.store.getState();
      if (isReading) this.#scanSoon();
      else if (batchId !== undefined) void this.#scan(batchId, false);
    }, RELOAD_DELAY_MS);
  }

  /** Reads the rows of the batch, one page after the other. */
  async #scan(batchId: string, isOpening: boolean): Promise<void> {
    const opening = this.#opening;
    this.store.setState({ isReading: true });
    for (let offset = 0; ; offset += PAGE) {
      const reply = await this.#ports.fetchPage(batchId, offset, PAGE);
      if (opening !== this.#opening) return;
      if (!reply.ok) {
        this.#say({ words: reply.error.message, isProblem: true });
        break;
      }
      const { rows, keys } = reply.value;
      const { key } = this.store.getState();
      const list = withRowsTold(this.store.getState().list, rows, isOpening);
      this.store.setState({ list });
      if (key === undefined && isOpening) this.step(1);
      if (key !== undefined && list.rows.has(key)) this.#makeOwedSteps();
      if (offset + PAGE >= keys.length) break;
    }
    if (isOpening) this.#isOpening = false;
    this.store.setState({ isReading: false });
    this.#makeOwedSteps();
  }
}

/** The cell of which the label is the beginning, if that says more. */
function wholeLabelOf({ row: { label }, cells }: RowDetail): string | undefined {
  const whole = cells.find(({ value }) => label !== '' && oneLine(value).startsWith(label))?.value;
  return whole === undefined || oneLine(whole) === label ? undefined : whole;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
