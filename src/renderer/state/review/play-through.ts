/**
 * Plays the files of a batch one after the other in the review, in an order that stays, so that the hands are free for
 * decisions.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ViewedFileView } from '../../../shared/ipc/files.ts';
import { words } from '../../../shared/words/words.ts';
import { fileKind } from '../../format/phrases.ts';
import { idsOf, type GalleryPorts } from '../gallery/gallery-mode.ts';
import type { ReviewMode } from './review-mode.ts';

export interface PlayThroughPorts extends Pick<GalleryPorts, 'fetchFound' | 'fetchFiles' | 'schedule'> {
  readonly review: Pick<ReviewMode, 'store' | 'open' | 'goTo' | 'choose'>;
  /** Says that there is nothing to play, and what was passed over last: the review may not be open. */
  readonly tellNothing: (passedOver: string) => void;
}

export interface PlayThroughState {
  /** The ids of the files in order; undefined while nothing is played through. */
  readonly order: readonly string[] | undefined;
  /** The place of the file that is played, from 0; -1 until the first is found. */
  readonly at: number;
  /** Another number for each file that comes up: a file that comes up twice is played twice. */
  readonly turn: number;
  readonly isPaused: boolean;
  /** The last file has been played. */
  readonly isOver: boolean;
  /** What was passed over, or that the end is reached; undefined if there is nothing to say. */
  readonly said: string | undefined;
}

/** How long a picture is shown. */
export const PICTURE_MS = 5_000;
/** How many files are looked for at once: most of them can be played. */
const FETCHED = 50;

const STOPPED: PlayThroughState = {
  order: undefined,
  at: -1,
  turn: 0,
  isPaused: false,
  isOver: false,
  said: undefined,
};

export class PlayThrough {
  readonly store: StoreApi<PlayThroughState> = createStore(() => STOPPED);
  readonly #ports: PlayThroughPorts;
  #batchId = '';
  /** Another number for each search for a file: an answer to an earlier one means nothing. */
  #search = 0;
  /** How many files could not be played. */
  #passedOver = 0;
  /** The picture that is being shown, until its time is up. */
  #timed: { readonly fileId: string; readonly stop: () => void } | undefined;
  /** It was paused by something that ends by itself. */
  #isHeld = false;

  constructor(ports: PlayThroughPorts) {
    this.#ports = ports;
    ports.review.store.subscribe((state) => {
      if (this.store.getState().order === undefined) return;
      // Until the first file is found, the review may not be open.
      if (state.batchId !== this.#batchId && (state.batchId !== undefined || this.store.getState().at >= 0)) {
        this.stop();
      } else this.#follow();
    });
  }

  /** Begins with a file, or with the first one if that file is not among them. */
  start(batchId: string, order: readonly string[], from: string | undefined): Promise<void> {
    this.stop();
    this.#batchId = batchId;
    this.store.setState({ order });
    return this.#bringUp(from === undefined ? 0 : Math.max(0, order.indexOf(from)), 1);
  }

  /** Begins at the file that is chosen in the review, with the files that its filter shows. */
  async startInReview(): Promise<void> {
    const { batchId, chosen, list } = this.#ports.review.store.getState();
    if (batchId === undefined) return;
    const { filter } = list;
    const reply = await this.#ports.fetchFound(batchId, {
      version: 'now',
      ...(filter !== 'all' && { verdict: filter }),
    });
    const { batchId: now } = this.#ports.review.store.getState();
    if (reply.ok && now === batchId) await this.start(batchId, idsOf(reply.value.files), chosen);
  }

  stop(): void {
    this.#search += 1;
    this.#passedOver = 0;
    this.#isHeld = false;
    this.#stopTimer();
    this.store.setState(STOPPED);
  }

  /** Goes to the next file, or to the previous one. */
  step(by: 1 | -1): Promise<void> {
    const { at, isOver } = this.store.getState();
    this.#isHeld = false;
    this.store.setState({ isPaused: false, said: undefined });
    // After the end, the way back leads to the last file again.
    return this.#bringUp(isOver && by < 0 ? at : at + by, by);
  }

  /** A file has been played to its end. */
  ended(fileId: string): void {
    if (!this.#isPlayed(fileId)) return;
    this.store.setState({ said: undefined });
    void this.#bringUp(this.store.getState().at + 1, 1);
  }

  /** A file cannot be played. */
  failed(fileId: string, name: string): void {
    const { order, at } = this.store.getState();
    if (order === undefined || !this.#isPlayed(fileId)) return;
    this.#passOver(words.review.through.unplayable(name));
    void this.#bringUp(at + 1, 1);
  }

  setPaused(isPaused: boolean): void {
    const { order, isPaused: before, isOver } = this.store.getState();
    if (order === undefined || isPaused === before || isOver) return;
    this.#isHeld = false;
    this.#stopTimer();
    this.store.setState({ isPaused });
    this.#follow();
  }

  /** Waits for something that the user does, such as a note, and goes on after it; what was paused before stays so. */
  hold(isHeld: boolean): void {
    if (isHeld && !this.store.getState().isPaused) {
      this.setPaused(true);
      this.#isHeld = true;
    } else if (!isHeld && this.#isHeld) this.setPaused(false);
  }

  #isPlayed(fileId: string): boolean {
    const { order, isPaused, isOver } = this.store.getState();
    return order !== undefined && !isPaused && !isOver && this.#ports.review.store.getState().chosen === fileId;
  }

  /** Shows the first file that can be played, from a place forwards or back. */
  async #bringUp(from: number, by: 1 | -1): Promise<void> {
    this.#stopTimer();
    const search = (this.#search += 1);
    const { order = [] } = this.store.getState();
    for (let place = from; place >= 0 && place < order.length;) {
      const ids =
        by > 0 ? order.slice(place, place + FETCHED) : order.slice(Math.max(0, place + 1 - FETCHED), place + 1);
      const reply = await this.#ports.fetchFiles(this.#batchId, [...ids]);
      if (search !== this.#search) return;
      if (!reply.ok) {
        this.store.setState({ isPaused: true, said: reply.error.message });
        return;
      }
      const found = new Map(reply.value.files.map((file) => [file.id, file]));
      for (const id of by > 0 ? ids : ids.toReversed()) {
        const file = found.get(id);
        if (file !== undefined && fileKind(file) !== 'data') {
          this.#show(file, place);
          return;
        }
        this.#passOver(file === undefined ? words.review.through.gone : words.review.through.nothingToPlay(file.name));
        place += by;
      }
    }
    if (by > 0) this.#end();
  }

  #show(file: ViewedFileView, at: number): void {
    const { review } = this.#ports;
    const { batchId, key, files } = review.store.getState();
    if (batchId !== this.#batchId) review.open(this.#batchId, file.key, file.id);
    this.store.setState(({ turn }) => ({ at, turn: turn + 1, isOver: false }));
    if (batchId !== this.#batchId) return;
    if (key === file.key && files?.some(({ id }) => id === file.id) === true) review.choose(file.id);
    else review.goTo(file.key, file.id);
    this.#follow();
  }

  #end(): void {
    const { order = [], at, said = '' } = this.store.getState();
    if (at < 0) {
      this.#ports.tellNothing(said);
      this.stop();
      return;
    }
    this.store.setState({
      at: order.length - 1,
      isOver: true,
      said: words.review.through.end(order.length, this.#passedOver),
    });
  }

  #passOver(said: string): void {
    this.#passedOver += 1;
    this.store.setState({ said });
  }

  /** The user may choose another file: playing goes on from there. The time of a picture begins when it is there. */
  #follow(): void {
    const { order = [], at, isPaused, isOver } = this.store.getState();
    const { chosen, files } = this.#ports.review.store.getState();
    const file = files?.find(({ id }) => id === chosen);
    if (at < 0 || file === undefined) return;
    if (order[at] !== file.id && order.includes(file.id)) {
      this.#search += 1;
      this.store.setState(({ turn }) => ({
        at: order.indexOf(file.id),
        turn: turn + 1,
        isOver: false,
        said: undefined,
      }));
      this.#follow();
      return;
    }
    if (this.#timed?.fileId === file.id) return;
    this.#stopTimer();
    if (fileKind(file) !== 'image' || isPaused || isOver) return;
    const stop = this.#ports.schedule(() => {
      this.#timed = undefined;
      this.ended(file.id);
    }, PICTURE_MS);
    this.#timed = { fileId: file.id, stop };
  }

  #stopTimer(): void {
    this.#timed?.stop();
    this.#timed = undefined;
  }
}
