/** The gallery of a batch: which files pass its filter, in an order that stays, and what is known of those in sight. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Reply, RouteInput, RouteOutput } from '../../../shared/ipc/contract.ts';
import type { ViewedFileView } from '../../../shared/ipc/files.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import {
  changeOf,
  oppositeOf,
  withReview,
  wordsOf,
  type FileDecision,
  type ReviewStep,
} from '../review/file-decision.ts';
import type { VerdictLog } from '../review/verdict-log.ts';
import { NO_FILES_SELECTED, reaching, stillShown, toggled, type Selection } from './selection.ts';
import type { FileReview } from '../../../shared/domain/review/verdict.ts';
import { FILES_AT_ONCE } from '../../../shared/domain/task/batch-view.ts';
import { outputIdOf } from '../../../shared/domain/task/task.ts';
import { words } from '../../../shared/words/words.ts';
import { nameToTell } from '../../format/shown-text.ts';

export type GalleryFilter = RouteInput<'files.found'>['filter'];

export interface GalleryPorts {
  readonly fetchFound: (batchId: string, filter: GalleryFilter) => Promise<Reply<RouteOutput<'files.found'>>>;
  readonly fetchFiles: (batchId: string, fileIds: string[]) => Promise<Reply<RouteOutput<'files.get'>>>;
  readonly log: VerdictLog;
  /** Says that a file stays as it was, and why. */
  readonly tellRefused: (name: string, why: string) => void;
  /** Says which files are on screen. */
  readonly tellInSight: (fileIds: string[]) => void;
  /** Calls back once after a time; returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
}

export interface GalleryState {
  /** Undefined if no gallery is open. */
  readonly batchId: string | undefined;
  readonly filter: GalleryFilter;
  /** The ids of the files, in an order that stays until the user asks for another; undefined until they are read. */
  readonly order: readonly string[] | undefined;
  /** How many files now pass the filter that are not among them. */
  readonly arrived: number;
  /** What is known about files; `null` for a file that is gone. */
  readonly files: ReadonlyMap<string, ViewedFileView | null>;
  /** The file with the cursor. */
  readonly current: string | undefined;
  readonly selection: Selection;
  /** What was last said or taken back, until the cursor moves on. */
  readonly said: string | undefined;
  readonly problem: string | undefined;
}

/** More is not kept: it is asked for again when the user comes back. */
const MOST_KNOWN = 4_000;
/** A single question asks for no more than this. */
const MOST_ASKED = 200;
const RELOAD_DELAY_MS = 400;
const COUNT_DELAY_MS = 5_000;

const CLOSED: GalleryState = {
  batchId: undefined,
  filter: {},
  order: undefined,
  arrived: 0,
  files: new Map(),
  current: undefined,
  selection: NO_FILES_SELECTED,
  said: undefined,
  problem: undefined,
};

export class GalleryMode {
  readonly store: StoreApi<GalleryState> = createStore(() => CLOSED);
  readonly #ports: GalleryPorts;
  /** The files in sight. */
  #wanted: readonly string[] = [];
  /** Known files that have changed since. */
  readonly #stale = new Set<string>();
  #isFetching = false;
  /**
   * How many decisions on a file are on their way: until they arrive, what the store says about it is older than what
   * is shown.
   */
  readonly #underWay = new Map<string, number>();
  /** Another number for each list: an answer about an earlier list means nothing. */
  #listing = 0;
  /** The same for each time that it is looked at: in between, nobody says what has changed. */
  #visit = 0;
  #stopReload: (() => void) | undefined;
  #stopCount: (() => void) | undefined;

  constructor(ports: GalleryPorts) {
    this.#ports = ports;
  }

  /** Opens the gallery of a batch; if it was open before, where the user left it. */
  open(batchId: string): void {
    if (this.store.getState().batchId !== batchId) {
      this.close();
      this.store.setState({ batchId });
    }
    void this.#list();
  }

  /** Forgets the gallery: another batch is looked at. */
  close(): void {
    this.leave();
    this.store.setState(CLOSED);
  }

  /** Nobody looks at it any more; it is opened again where it was. */
  leave(): void {
    this.#listing += 1;
    this.#visit += 1;
    this.#stopReload?.();
    this.#stopCount?.();
    this.#stopReload = undefined;
    this.#stopCount = undefined;
    if (this.#wanted.length > 0) this.#ports.tellInSight([]);
    this.#wanted = [];
    this.#stale.clear();
    this.store.setState({ files: new Map(), said: undefined });
  }

  /** Shows only these files; the cursor stays on its file, if that is among them. */
  filter(filter: GalleryFilter): void {
    this.store.setState({ filter });
    void this.#listAll();
  }

  /** Shows the files that have come since, too. */
  addArrived(): void {
    void this.#listAll();
  }

  /** Reads the file with the cursor, if it is not known at the moment; undefined if it is gone. */
  async readCurrent(): Promise<ViewedFileView | undefined> {
    const { batchId, current } = this.store.getState();
    if (batchId === undefined || current === undefined) return undefined;
    const reply = await this.#ports.fetchFiles(batchId, [current]);
    return reply.ok ? reply.value.files[0] : undefined;
  }

  /** The keys of the rows of all that are selected, or of the file with the cursor. */
  async readRows(): Promise<readonly number[]> {
    const { batchId, current, selection, order = [] } = this.store.getState();
    if (batchId === undefined || current === undefined) return [];
    const ids = selection.ids.size === 0 ? [current] : order.filter((id) => selection.ids.has(id));
    const keys = new Set<number>();
    for (let from = 0; from < ids.length; from += MOST_ASKED) {
      const reply = await this.#ports.fetchFiles(batchId, ids.slice(from, from + MOST_ASKED));
      for (const { key } of reply.ok ? reply.value.files : []) keys.add(key);
    }
    return [...keys];
  }

  /** What was last said is old news: something else is looked at. */
  hush(): void {
    if (this.store.getState().said !== undefined) this.store.setState({ said: undefined });
  }

  choose(fileId: string): void {
    if (fileId !== this.store.getState().current) this.store.setState({ current: fileId, said: undefined });
  }

  /** Selects one file more, or one fewer; with `from`, all those from the file with the cursor to this one. */
  select(fileId: string, how: 'toggle' | 'from'): void {
    const { selection, order = [], current } = this.store.getState();
    this.store.setState({
      said: undefined,
      selection: how === 'toggle' ? toggled(selection, fileId, current) : reaching(selection, order, fileId, current),
    });
  }

  selectAll(): void {
    const { order = [], current } = this.store.getState();
    this.store.setState({ selection: { ids: new Set(order), anchor: current } });
  }

  /** False if nothing was selected. */
  selectNone(): boolean {
    const wasSelected = this.store.getState().selection.ids.size > 0;
    if (this.store.getState().selection !== NO_FILES_SELECTED) this.store.setState({ selection: NO_FILES_SELECTED });
    return wasSelected;
  }

  /**
   * Says something about the file with the cursor, or the same about all that are selected: shown at once, and stored
   * at once. If the first of them already has the same decision, it is taken back instead.
   */
  decide(decision: FileDecision): void {
    const { batchId, current, files, selection, order = [] } = this.store.getState();
    const alone = current === undefined ? [] : [current];
    const ids = selection.ids.size === 0 ? alone : order.filter((id) => selection.ids.has(id));
    const known = ids.flatMap((id) => files.get(id) ?? []);
    const first = known.find(({ id }) => id === current) ?? known[0];
    const { log } = this.#ports;
    if (batchId === undefined || first === undefined) return;
    const change = changeOf(first, decision);
    const steps = ids.filter((id) => files.get(id) !== null).map((fileId) => ({ fileId, change }));
    const back: ReviewStep[] = [];
    const name = steps.length === 1 ? first.name : words.common.files(steps.length);
    const one = steps.length === 1 ? { key: first.key, fileId: first.id } : {};
    log.note({ batchId, ...one, name, back });
    // What was said about them before may have changed since they were seen, and most of many were never seen.
    const isStoring = log.isStoring;
    const isSure = (id: string): boolean => this.#underWay.has(id) || !(isStoring || this.#stale.has(id));
    const sure = known.filter(({ id }) => isSure(id));
    back.push(...sure.flatMap((file) => oppositeOf([file], { fileId: file.id, change })));
    const unsure = steps.flatMap(({ fileId: id }) => (files.has(id) && isSure(id) ? [] : [id]));
    if (unsure.length > 0) void log.inTurn(() => this.#readBefore(batchId, unsure, change, back));
    this.#carryOut(() => steps, words.gallery.said(nameToTell(name), wordsOf(change)));
  }

  /** Takes back what was said last, here or in the review; returns its file, if it was said about a single one. */
  undo(): string | undefined {
    const { batchId, order = [] } = this.store.getState();
    // What asks for another take is taken back where it was asked for, or in the grid: it is not a verdict.
    const last = this.#ports.log.takeLast(batchId, ({ takes }) => takes === undefined);
    if (last === undefined) {
      this.store.setState({ said: words.gallery.nothingToTakeBack });
      return undefined;
    }
    const { fileId, name, back } = last;
    if (fileId !== undefined && order.includes(fileId)) this.choose(fileId);
    this.#carryOut(() => back, words.gallery.takenBack(nameToTell(name)));
    return fileId;
  }

  /** Notes what takes a change back, for files as they are once everything before the change is stored. */
  async #readBefore(batchId: string, ids: readonly string[], change: FileReview, back: ReviewStep[]): Promise<void> {
    for (let from = 0; from < ids.length; from += MOST_ASKED) {
      const reply = await this.#ports.fetchFiles(batchId, ids.slice(from, from + MOST_ASKED));
      const files = reply.ok ? reply.value.files : [];
      back.push(...files.flatMap((file) => oppositeOf([file], { fileId: file.id, change })));
    }
  }

  /** @param steps Asked for again once their turn has come. */
  #carryOut(steps: () => readonly ReviewStep[], said: string): void {
    const shown = steps();
    const files = new Map(this.store.getState().files);
    for (const step of shown) {
      const { fileId: id } = step;
      this.#underWay.set(id, (this.#underWay.get(id) ?? 0) + 1);
      const file = files.get(id) ?? undefined;
      if (file === undefined) continue;
      const [after] = withReview([file], step);
      files.set(id, after ?? file);
    }
    this.store.setState({ files, said });
    const heard = ({ fileId: id }: ReviewStep, refusal: string | undefined): boolean => {
      const left = (this.#underWay.get(id) ?? 1) - 1;
      if (left > 0) this.#underWay.set(id, left);
      else this.#underWay.delete(id);
      if (refusal !== undefined) {
        this.#ports.tellRefused(this.store.getState().files.get(id)?.name ?? words.review.said.aFile, refusal);
        this.#ports.log.forgetFile(id);
      }
      // What is shown must match what is stored again.
      this.#stale.add(id);
      void this.#fetch();
      return true;
    };
    void this.#ports.log.inTurn(() => this.#ports.log.record(steps(), heard));
  }

  /** These files are in sight. */
  want(fileIds: readonly string[]): void {
    this.#wanted = fileIds.slice(0, FILES_AT_ONCE);
    this.#ports.tellInSight([...this.#wanted]);
    void this.#fetch();
  }

  /** Rows of its batch have changed, or all may have. */
  changed(rows: readonly Pick<RowView, 'key'>[], isStale: boolean): void {
    const keys = new Set(rows.map(({ key }) => key));
    for (const [id, file] of this.store.getState().files) {
      if (isStale || file === null || keys.has(file.key)) this.#stale.add(id);
    }
    this.#stopReload ??= this.#ports.schedule(() => {
      this.#stopReload = undefined;
      void this.#fetch();
    }, RELOAD_DELAY_MS);
    this.#stopCount ??= this.#ports.schedule(() => {
      this.#stopCount = undefined;
      void this.#countArrived();
    }, COUNT_DELAY_MS);
  }

  /** Events may have been missed. */
  refresh(): void {
    const { batchId, order } = this.store.getState();
    if (batchId === undefined) return;
    if (order === undefined) void this.#list();
    else this.changed([], true);
  }

  /** Lists the files at once, and again once what was said before is stored: the store says which of them pass. */
  async #listAll(): Promise<void> {
    const { log } = this.#ports;
    const stored = log.isStoring ? log.settled() : undefined;
    await this.#list();
    const listing = this.#listing;
    await stored;
    if (stored !== undefined && listing === this.#listing) await this.#list();
  }

  /** Reads which files there are, in order. */
  async #list(): Promise<void> {
    const { batchId, filter } = this.store.getState();
    if (batchId === undefined) return;
    const listing = (this.#listing += 1);
    const reply = await this.#ports.fetchFound(batchId, filter);
    if (listing !== this.#listing) return;
    if (!reply.ok) {
      this.store.setState({ problem: reply.error.message });
      return;
    }
    const order = idsOf(reply.value.files);
    const { current } = this.store.getState();
    const kept = current !== undefined && order.includes(current) ? current : order[0];
    const selection = stillShown(this.store.getState().selection, order);
    this.store.setState({ order, arrived: 0, current: kept, selection, problem: undefined });
  }

  async #countArrived(): Promise<void> {
    const { batchId, filter, order } = this.store.getState();
    if (batchId === undefined || order === undefined) return;
    const listing = this.#listing;
    const reply = await this.#ports.fetchFound(batchId, filter);
    if (listing !== this.#listing || !reply.ok) return;
    const shown = new Set(order);
    const arrived = idsOf(reply.value.files).filter((id) => !shown.has(id)).length;
    // If nothing is shown, nothing can jump.
    if (order.length === 0 && arrived > 0) void this.#list();
    else this.store.setState({ arrived });
  }

  /** Asks for what is in sight and not known, one question at a time: what was scrolled past meanwhile is left out. */
  async #fetch(): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    for (let asked = this.#unknown(); asked.length > 0; asked = this.#unknown()) {
      const { batchId } = this.store.getState();
      if (batchId === undefined) break;
      for (const id of asked) this.#stale.delete(id);
      const visit = this.#visit;
      const reply = await this.#ports.fetchFiles(batchId, asked);
      if (visit !== this.#visit) continue;
      if (!reply.ok) {
        this.store.setState({ problem: reply.error.message });
        break;
      }
      this.#learn(asked, reply.value.files);
    }
    this.#isFetching = false;
  }

  #unknown(): string[] {
    const { files } = this.store.getState();
    return this.#wanted.filter((id) => !files.has(id) || this.#stale.has(id)).slice(0, MOST_ASKED);
  }

  #learn(asked: readonly string[], found: readonly ViewedFileView[]): void {
    const files = new Map(this.store.getState().files);
    const isOlder = (id: string): boolean => this.#underWay.has(id) && this.store.getState().files.has(id);
    const told = asked.filter((id) => !isOlder(id));
    for (const id of told) {
      // The last to be learnt are the last to be forgotten.
      files.delete(id);
      files.set(id, null);
    }
    for (const file of found) if (!isOlder(file.id)) files.set(file.id, file);
    for (const id of files.keys()) {
      if (files.size <= MOST_KNOWN) break;
      files.delete(id);
      this.#stale.delete(id);
    }
    this.store.setState({ files });
  }
}

/** The ids of files as their list has them: the number of the take, and their own there. */
export function idsOf(files: Float64Array): readonly string[] {
  return Array.from({ length: files.length / 2 }, (_, at) => outputIdOf(files[2 * at] ?? 0, files[2 * at + 1] ?? 0));
}
