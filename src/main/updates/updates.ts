/**
 * Newer versions of Nocturne: looked for, fetched when the user says so, and put in place when nothing runs. Nothing is
 * put in place without a copy of the store, and there is a way back.
 */
import { inEnglish, sayError, systemSays } from '../../shared/domain/base/reason.ts';
import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { keepNewestSync } from '../../engine/whole-file.ts';
import { ok, present, type Result } from '../../shared/domain/base/result.ts';
import { refuse, type News, type Reply } from '../../shared/ipc/contract.ts';
import type { ShownRelease, UpdatesView } from '../../shared/ipc/updates.ts';
import type { Question } from '../shell/desktop.ts';
import type { Log } from '../shell/log.ts';
import {
  compareVersions,
  newestFor,
  previousFor,
  readFeed,
  type Installation,
  type Offer,
  type ReleasedFile,
  UpdateError,
} from './release-feed.ts';
import { readUpdateNote, writeUpdateNote, type UpdateBuild, type UpdateNote } from './update-files.ts';
import { words } from '../../shared/words/words.ts';

/**
 * The feed is asked for once in this time. Whether it is time is checked every hour: timers do not count while the
 * computer sleeps.
 */
const DAY_MS = 24 * 3_600_000;
const LOOK_EVERY_MS = DAY_MS;
const TICK_MS = 3_600_000;
/** The window gets this long to open first. */
const FIRST_TICK_MS = 15_000;

/** Fetches a version, and puts it in place. Throws with a sentence for the user. */
export interface UpdateInstaller {
  /** Puts the whole file on the disk, checked against its digest. */
  fetch(what: WantedFile, onProgress: (receivedBytes: number) => void, signal: AbortSignal): Promise<void>;
  /** Why it cannot be put in place here, as a sentence. */
  obstacle(): string | undefined;
  /**
   * Puts this version, which was fetched, in place. It is the last thing that the process does; the version starts
   * after its end.
   */
  install(version: string): Promise<void>;
}

export interface WantedFile {
  readonly version: string;
  readonly file: ReleasedFile;
  readonly url: URL;
  readonly isOlder: boolean;
}

export interface UpdatesOptions {
  /** Undefined: this copy asks for no updates. */
  readonly build: UpdateBuild | undefined;
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
  /** Undefined: the user puts updates in place. */
  readonly installer: (UpdateInstaller & { readonly format: Installation['format'] }) | undefined;
  /** Asks for the feed; the error is a sentence for the user. */
  readonly ask: (feed: string) => Promise<Result<Uint8Array, UpdateError>>;
  readonly noteFile: string;
  readonly backupFolder: string;
  /** Whether to look once a day. */
  readonly isAutomatic: () => boolean;
  /** Also true for a night in a store that another process has. */
  readonly isNightRunning: () => boolean | Promise<boolean>;
  readonly backUp: (file: string) => Promise<Reply<unknown>>;
  readonly confirm: (question: Question) => Promise<boolean>;
  /** Ends the application; `finish` is called at its very end. */
  readonly quit: () => void;
  /** Has this very version start again after the end. */
  readonly restart: () => void;
  readonly onChanged: (view: UpdatesView) => void;
  readonly onNotice: (notice: News<'notice'>) => void;
  readonly now: () => number;
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
  readonly log: Log;
}

type Step =
  | { readonly kind: 'idle' | 'looking' }
  | { readonly kind: 'found' | 'ready' | 'installing'; readonly offer: Offer }
  | {
      readonly kind: 'fetching';
      readonly offer: Offer;
      readonly receivedBytes: number;
      readonly ending: AbortController;
    };

/** A store with years of nights is large: going back twice is enough. */
const BACKUPS_KEPT = 2;
const BACKUP = /^nocturne-[\d.]+-before-[\d.]+-\d+\.db$/u;

export class Updates {
  readonly #options: UpdatesOptions;
  #note: UpdateNote;
  #step: Step = { kind: 'idle' };
  #previous: Offer | undefined;
  #problem: UpdateError | undefined;
  /** The version for which everything is done that must come before it is put in place. */
  #prepared: string | undefined;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#note = readUpdateNote(options.noteFile);
  }

  get view(): UpdatesView {
    const { build, installer, version, isAutomatic } = this.#options;
    const step = this.#step;
    const shown = 'offer' in step ? { release: this.#shown(step.offer) } : {};
    const received = step.kind === 'fetching' ? { receivedBytes: step.receivedBytes } : {};
    return {
      version,
      by: build === undefined ? 'nobody' : installer === undefined ? 'user' : 'program',
      host: build === undefined ? '' : new URL(build.feed).host,
      isAutomatic: isAutomatic(),
      step: { kind: step.kind, ...shown, ...received } as UpdatesView['step'],
      ...present({
        lookedAt: this.#note.lookedAt,
        previous: this.#previous && this.#shown(this.#previous),
        problem: this.#problem?.said(words.desktop.updates),
      }),
    };
  }

  /** Says what came of the last update, and begins to look for newer ones. */
  start(): void {
    this.#tellOfLast();
    if (this.#options.build === undefined) return;
    this.#options.setTimer(FIRST_TICK_MS, () => void this.#tick());
  }

  /** Asks whether there is a newer version; for the user, also for one that is not yet offered to everybody. */
  async look(isAsked: boolean): Promise<void> {
    const { build } = this.#options;
    // What was fetched stays until the user asks again.
    if (build === undefined || this.#isBusy() || (this.#step.kind === 'ready' && !isAsked)) return;
    const before = this.#step;
    this.#go({ kind: 'looking' }, undefined);
    const asked = await this.#options.ask(build.feed);
    const feed = asked.ok ? readFeed(asked.value, build.keys) : asked;
    if (!feed.ok) {
      this.#go(before, feed.error);
      return;
    }
    if (feed.value.at < this.#note.seenAt) {
      this.#go(before, new UpdateError((told) => told.older));
      return;
    }
    const { now } = this.#options;
    // A feed signed with a clock that was ahead would be newer than every later one.
    const seenAt = Math.max(this.#note.seenAt, Math.min(feed.value.at, now() + DAY_MS));
    this.#keep({ ...this.#note, seenAt, lookedAt: now() });
    const installation = this.#installation();
    const newest = newestFor(feed.value, installation, isAsked);
    this.#previous = this.#options.installer === undefined ? undefined : previousFor(feed.value, installation);
    if (newest === undefined) this.#go({ kind: 'idle' }, undefined);
    else if (before.kind === 'ready' && isSameFile(before.offer, newest)) this.#go(before, undefined);
    else this.#go({ kind: 'found', offer: newest }, undefined);
    if (newest !== undefined && !isAsked) this.#tellOfNew(newest);
  }

  /** Begins to fetch a version that was found, or the one before this. */
  fetch(version: string): Reply<UpdatesView> {
    const { build, installer } = this.#options;
    const offer = [this.#previous, 'offer' in this.#step ? this.#step.offer : undefined].find(
      (each) => each?.release.version === version,
    );
    const file = offer?.file;
    if (build === undefined || installer === undefined || offer === undefined || file === undefined) {
      return refuse('refused', words.desktop.updates.notHere(version));
    }
    if (this.#isBusy()) return refuse('refused', words.desktop.updates.busy);
    const url = new URL(file.url, build.feed);
    const ending = new AbortController();
    const fetching = { kind: 'fetching', offer, receivedBytes: 0, ending } as const;
    this.#go(fetching, undefined);
    const onProgress = (receivedBytes: number): void => {
      if (this.#isFetching(ending)) this.#go({ ...fetching, receivedBytes }, undefined);
    };
    installer.fetch({ version, file, url, isOlder: this.#isOlder(offer) }, onProgress, ending.signal).then(
      () => {
        if (this.#isFetching(ending)) this.#go({ kind: 'ready', offer }, undefined);
      },
      (error: unknown) => {
        if (this.#isFetching(ending))
          this.#go(this.#without(offer), error instanceof UpdateError ? error : new UpdateError(() => sayError(error)));
      },
    );
    return ok(this.view);
  }

  /** Ends the fetching. */
  cancel(): void {
    const step = this.#step;
    if (step.kind !== 'fetching') return;
    this.#go(this.#without(step.offer), undefined);
    step.ending.abort();
  }

  /**
   * Backs up the store and ends the application, which puts the version in place at its end. Refused during a night.
   */
  async install(version: string): Promise<Reply<UpdatesView>> {
    const { installer, isNightRunning, confirm, quit } = this.#options;
    const ready = this.#step;
    if (installer === undefined || ready.kind !== 'ready' || ready.offer.release.version !== version) {
      return refuse('refused', words.desktop.updates.notFetched(version));
    }
    if (await isNightRunning()) return refuse('refused', words.desktop.updates.inANight);
    const obstacle = installer.obstacle();
    if (obstacle !== undefined) return refuse('refused', obstacle);
    const { offer } = ready;
    if (this.#isOlder(offer) && !(await confirm(this.#questionOfWayBack(offer)))) return ok(this.view);
    // The user may have asked for it twice while the question was on screen.
    if (this.#step !== ready) return refuse('refused', words.desktop.updates.overtaken);
    this.#go({ kind: 'installing', offer }, undefined);
    const refused = await this.#prepare(offer);
    if (refused === undefined) {
      this.#prepared = version;
      quit();
      return ok(this.view);
    }
    this.#go(ready, undefined);
    return refuse('refused', refused);
  }

  /** To be called when everything has ended: puts in place what the user wanted. */
  async finish(): Promise<void> {
    const { installer, restart, log } = this.#options;
    if (this.#prepared === undefined || installer === undefined) return;
    try {
      await installer.install(this.#prepared);
    } catch (error) {
      log('error', `the update was not put in place: ${inEnglish(systemSays(error))}`);
      const { last } = this.#note;
      if (last !== undefined) this.#keep({ ...this.#note, last: { ...last, problem: inEnglish(systemSays(error)) } });
      restart();
    }
  }

  /** Does what must be done before anything is put in place. Returns why that cannot be done, as a sentence. */
  async #prepare(offer: Offer): Promise<string | undefined> {
    const { backUp, backupFolder, isNightRunning, version: from, now } = this.#options;
    const { version: to } = offer.release;
    const backup = join(backupFolder, `nocturne-${from}-before-${to}-${now()}.db`);
    try {
      mkdirSync(backupFolder, { recursive: true, mode: 0o700 });
    } catch (error) {
      return words.desktop.updates.notBackedUp(sayError(error));
    }
    const backedUp = await backUp(backup);
    if (!backedUp.ok) return words.desktop.updates.notBackedUpSo(backedUp.error.message);
    // A night may have begun while the store was copied.
    if (await isNightRunning()) {
      rmSync(backup, { force: true });
      return words.desktop.updates.inANight;
    }
    try {
      writeUpdateNote(this.#options.noteFile, {
        ...this.#note,
        last: { from, to, backup, isTold: false },
      });
    } catch (error) {
      return words.desktop.updates.notNoted(sayError(error));
    }
    this.#note = readUpdateNote(this.#options.noteFile);
    return undefined;
  }

  #questionOfWayBack({ release }: Offer): Question {
    const { version, build } = this.#options;
    const canOnlyRead = build !== undefined && release.schema < build.schema;
    const { onlyReads, continues, backQuestion, backedUpFirst, goBack } = words.desktop.updates;
    const what = canOnlyRead ? onlyReads(release.version, version) : continues(release.version);
    return {
      message: backQuestion(release.version),
      detail: `${what}\n\n${backedUpFirst}`,
      confirm: goBack,
      decline: words.common.cancel,
    };
  }

  async #tick(): Promise<void> {
    const { isAutomatic, isNightRunning, now, setTimer } = this.#options;
    setTimer(TICK_MS, () => void this.#tick());
    const { lookedAt } = this.#note;
    // A clock that was set back must not keep the application from looking.
    const isTime = lookedAt === undefined || Math.abs(now() - lookedAt) >= LOOK_EVERY_MS;
    if (isTime && isAutomatic() && !(await isNightRunning())) await this.look(false);
  }

  #tellOfNew({ release: { version } }: Offer): void {
    if (this.#note.told === version) return;
    this.#keep({ ...this.#note, told: version });
    const { isThere, isThereDetail } = words.desktop.updates;
    this.#options.onNotice({ level: 'info', title: isThere(version), message: isThereDetail });
  }

  #tellOfLast(): void {
    const { version, onNotice } = this.#options;
    const { last } = this.#note;
    if (last === undefined || last.isTold) return;
    this.#keep({ ...this.#note, last: { ...last, isTold: true } });
    const told = words.desktop.updates;
    if (last.to === version) {
      this.#prune(last.backup);
      const message = told.nowDetail(basename(dirname(last.backup)), last.from);
      onNotice({ level: 'info', title: told.now(version), message });
      return;
    }
    onNotice({
      level: 'warning',
      title: told.notInPlace(last.to),
      message: told.notInPlaceBut(last.problem, version),
    });
  }

  /** Older backups are removed once this one was needed: an update that was not put in place removes none. */
  #prune(newest: string): void {
    try {
      keepNewestSync(newest, BACKUP, BACKUPS_KEPT);
    } catch {
      this.#options.log('warning', 'older backups could not be removed');
    }
  }

  #shown(offer: Offer): ShownRelease {
    const { version, date, notes, page } = offer.release;
    return { version, date, notes, page, isOlder: this.#isOlder(offer), ...present({ bytes: offer.file?.size }) };
  }

  #isOlder({ release }: Offer): boolean {
    return compareVersions(release.version, this.#options.version) < 0;
  }

  /** The step before it was fetched. */
  #without(offer: Offer): Step {
    return this.#isOlder(offer) ? { kind: 'idle' } : { kind: 'found', offer };
  }

  #isBusy(): boolean {
    return ['looking', 'fetching', 'installing'].includes(this.#step.kind);
  }

  #isFetching(ending: AbortController): boolean {
    return this.#step.kind === 'fetching' && this.#step.ending === ending;
  }

  #installation(): Installation {
    const { version, platform, arch, installer } = this.#options;
    return { version, platform, arch, format: installer?.format, share: this.#note.share };
  }

  #go(step: Step, problem: UpdateError | undefined): void {
    this.#step = step;
    this.#problem = problem;
    if (problem !== undefined) this.#options.log('warning', `updates: ${problem.message}`);
    this.#options.onChanged(this.view);
  }

  #keep(note: UpdateNote): void {
    this.#note = note;
    try {
      writeUpdateNote(this.#options.noteFile, note);
    } catch {
      // In that case, an update is looked for or told about once more.
      this.#options.log('warning', 'what is known of updates could not be noted');
    }
  }
}

function isSameFile(a: Offer, b: Offer): boolean {
  return a.release.version === b.release.version && a.file?.sha512 === b.file?.sha512;
}
