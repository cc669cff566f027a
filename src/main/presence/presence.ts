/**
 * Nocturne while nobody is watching: follows all batches, keeps the computer awake, shows progress, sends messages, and
 * ends the night.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { NightTeller } from '../../engine/telling/night-teller.ts';
import type { systemClock } from '../../engine/system-clock.ts';
import { writeNoteSync } from '../../engine/whole-file.ts';
import {
  awaitsFolder,
  isAtWork,
  onlyWaitsFor,
  takesOf,
  warningText,
  type AfterNight,
  type BatchFacts,
} from '../../shared/domain/telling/night-news.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { Reply, RouteInput } from '../../shared/ipc/contract.ts';
import type { PresenceView } from '../../shared/ipc/presence.ts';
import type { SettingsFile } from '../services/app-settings.ts';
import type { Log } from '../shell/log.ts';
import type { WakeKeeper } from '../shell/wake-keeper.ts';
import { EndOfNight } from './end-of-night.ts';
import type { LoginItem } from './login-item.ts';
import { nightProgress, type NightProgress } from './night-progress.ts';
import type { TellingService } from './telling-service.ts';
import { words } from '../../shared/words/words.ts';
import { inEnglish, say, type Reason } from '../../shared/domain/base/reason.ts';

export interface PresenceOptions {
  readonly clock: typeof systemClock;
  readonly settings: SettingsFile;
  /** The file that notes what was told, so that nothing is told twice after a restart. */
  readonly toldFile: string;
  readonly awake: WakeKeeper;
  readonly telling: TellingService;
  readonly login: LoginItem;
  /** Workers elsewhere render what runs: it does not keep this computer awake, and nothing is done after it. */
  readonly isWatcher?: () => boolean;
  readonly listBatches: () => Promise<Reply<readonly BatchView[]>>;
  /** For what somebody must see if no notification is shown. */
  readonly showWindow: () => void;
  readonly showProgress: (progress: NightProgress) => void;
  readonly quit: () => void;
  /** Puts the computer to sleep or shuts it down; resolves with the reason if that was refused. */
  readonly power: (action: 'sleep' | 'shutdown') => Promise<Reason | undefined>;
  readonly onChanged: (view: PresenceView) => void;
  readonly log: Log;
}

/**
 * A folder that cannot be used may be on a disk that comes back, but the computer is not kept on for it the whole
 * night.
 */
const FOLDER_PATIENCE_MS = 60 * 60_000;
/** What changes with time alone is checked this often: timers do not count while the computer sleeps. */
const LOOK_MS = 10 * 60_000;

const toldSchema = z.strictObject({
  night: z.array(z.string()),
  isOn: z.boolean(),
  ended: z.array(z.string()),
  needs: z.array(z.string()),
});

export class Presence {
  readonly #options: PresenceOptions;
  readonly #batches = new Map<string, BatchView>();
  readonly #cancelLooks = new Map<string, () => void>();
  /** Since when a batch has awaited its folder, by the clock that only goes forwards. */
  readonly #awaitsFolderSince = new Map<string, number>();
  /** Noted since the list of batches was asked for. */
  readonly #noted = new Set<string>();
  readonly #teller: NightTeller;
  readonly #end: EndOfNight;
  /** What is chosen for after the night, if the disk did not take that. */
  #unkeptChoice: AfterNight | undefined;
  #shown = '';

  constructor(options: PresenceOptions) {
    this.#options = options;
    const { clock, settings, toldFile, awake, telling, showWindow, log } = options;
    awake.allow(settings.current.night.keepAwake);
    this.#teller = new NightTeller({
      clock,
      told: readTold(toldFile),
      keep: (told) => {
        try {
          writeNoteSync(toldFile, JSON.stringify(told));
        } catch {
          // It may then be told again after a restart, which is better than not at all.
          log('warning', 'what was told of the night could not be noted');
        }
      },
      tell: (news) => telling.tell(news),
    });
    this.#end = new EndOfNight({
      chosen: () => this.#night.afterNight,
      unchoose: () => this.#choose('nothing'),
      act: (action) => this.#act(action),
      onWarning: (action, seconds) => {
        // Messages have until the end of the warning: the action then waits for nothing.
        this.#teller.lookNow();
        const body = words.desktop.telling.openToStop(warningText(action, seconds));
        if (!telling.showOnScreen({ title: words.desktop.telling.nightOver, body })) showWindow();
      },
      onChanged: () => this.#changed(),
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    });
  }

  get view(): PresenceView {
    const { login, telling } = this.#options;
    const { keepAwake, afterNight } = this.#night;
    const { warning } = this.#end;
    return {
      keepAwake,
      atLogin: login.isOn(),
      afterNight,
      ...(warning === undefined ? {} : { warning }),
      telling: telling.view,
    };
  }

  /**
   * Begins to watch an engine that is ready; resolves to whether a night is under way, or undefined if that is not
   * known.
   */
  async begin(): Promise<boolean | undefined> {
    this.#noted.clear();
    const listed = await this.#options.listBatches();
    if (!listed.ok) return undefined;
    const batches = listed.value.map((batch) => (this.#noted.has(batch.id) && this.#batches.get(batch.id)) || batch);
    const facts = batches.map((batch) => this.#take(batch));
    this.#teller.begin(facts);
    if (this.#isWatcher) return false;
    this.#end.begin(facts);
    return batches.some(({ state }) => state === 'running') || facts.some(isAtWork);
  }

  /** Takes the newest view of a batch. */
  note(batch: BatchView): void {
    this.#noted.add(batch.id);
    this.#follow(batch);
  }

  #follow(batch: BatchView): void {
    const facts = this.#take(batch);
    this.#teller.note(facts);
    if (!this.#isWatcher) this.#end.note(facts);
  }

  /** Another store is used: nothing from this one goes on here. */
  forget(): void {
    for (const id of this.#batches.keys()) this.#lookAgain(id, undefined);
    this.#batches.clear();
    this.#options.awake.noteNoneRuns();
    this.#showProgress();
  }

  get #isWatcher(): boolean {
    return this.#options.isWatcher?.() === true;
  }

  /** The engine was given up: nothing more happens until somebody comes. */
  engineFailed(message: string): void {
    const { awake, telling } = this.#options;
    const wasRunning = awake.isRunning;
    awake.noteNoneRuns();
    if (!wasRunning) return;
    const takes = { all: 0, done: 0, failed: 0, cancelled: 0, unknown: 0 };
    telling.tellMessage({
      kind: 'needs-you',
      title: words.desktop.telling.hasStopped,
      body: message,
      data: { batches: 0, takes, needs: ['INTERNAL'] },
    });
  }

  set({ keepAwake, atLogin, afterNight }: RouteInput<'presence.set'>): void {
    const { settings, awake, login } = this.#options;
    if (keepAwake !== undefined) {
      settings.update({ night: { ...this.#night, keepAwake } });
      awake.allow(keepAwake);
    }
    if (atLogin !== undefined) login.set(atLogin);
    if (afterNight !== undefined) {
      this.#end.noteChoice();
      settings.update({ night: { ...this.#night, afterNight } });
      this.#unkeptChoice = undefined;
    }
    this.#changed();
  }

  /** The user is doing something, so nothing is done unasked. */
  userActs(): void {
    this.#end.callOff();
  }

  #take(batch: BatchView): BatchFacts {
    this.#batches.set(batch.id, batch);
    const facts = this.#factsOf(batch);
    const goesOn = batch.state === 'running' || (isAtWork(facts) && batch.pause?.by !== 'user');
    if (!this.#isWatcher) this.#options.awake.note(batch.id, goesOn, isAtWork(facts));
    this.#showProgress();
    return facts;
  }

  #showProgress(): void {
    const progress = nightProgress([...this.#batches.values()]);
    const shown = JSON.stringify(progress);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#options.showProgress(progress);
  }

  /** What the rules look at, including what changes with time alone, which is noted again when it changes. */
  #factsOf(batch: BatchView): BatchFacts {
    const { clock } = this.#options;
    const { id, name, state, pause, counts, settling } = batch;
    const facts = { id, name, state, pause, takes: takesOf(counts), settling };
    const waitMs = onlyWaitsFor(facts, batch.waitsUntil, clock.now());
    if (waitMs !== undefined) {
      this.#lookAgain(id, waitMs);
      return { ...facts, waits: true };
    }
    if (!awaitsFolder(facts)) {
      this.#lookAgain(id, undefined);
      return facts;
    }
    const since = this.#awaitsFolderSince.get(id) ?? clock.monotonic();
    const patienceMs = since + FOLDER_PATIENCE_MS - clock.monotonic();
    this.#lookAgain(id, patienceMs > 0 ? patienceMs : undefined);
    this.#awaitsFolderSince.set(id, since);
    return patienceMs > 0 ? facts : { ...facts, isFolderGivenUp: true };
  }

  #lookAgain(id: string, inMs: number | undefined): void {
    this.#cancelLooks.get(id)?.();
    this.#cancelLooks.delete(id);
    this.#awaitsFolderSince.delete(id);
    if (inMs === undefined) return;
    const look = (): void => {
      const batch = this.#batches.get(id);
      if (batch !== undefined) this.#follow(batch);
    };
    this.#cancelLooks.set(id, this.#options.clock.setTimer(Math.min(inMs, LOOK_MS), look));
  }

  /** The settings of the night, with the choice that holds. */
  get #night() {
    const { night } = this.#options.settings.current;
    return { ...night, afterNight: this.#unkeptChoice ?? night.afterNight };
  }

  /** Nobody may be there, and files of the night may have filled the disk: the choice then holds in this process. */
  #choose(afterNight: AfterNight): void {
    const { settings, log } = this.#options;
    if (this.#night.afterNight === afterNight) return;
    try {
      settings.update({ night: { ...this.#night, afterNight } });
      this.#unkeptChoice = undefined;
    } catch {
      this.#unkeptChoice = afterNight;
      log('warning', 'what is done after the night could not be noted');
    }
    this.#changed();
  }

  async #act(action: Exclude<AfterNight, 'nothing'>): Promise<void> {
    const { telling, quit, power, log } = this.#options;
    if (action === 'quit') {
      quit();
      return;
    }
    log('info', `after the night: ${action}`);
    const problem = await power(action);
    if (problem === undefined) return;
    log('warning', inEnglish(problem));
    telling.fail({ title: words.desktop.telling.stillOn, body: say(problem) });
  }

  #changed(): void {
    this.#options.onChanged(this.view);
  }
}

function readTold(file: string): z.output<typeof toldSchema> | undefined {
  try {
    return toldSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // There is no note yet, or none that can be understood: only what happens from now on is told.
    return undefined;
  }
}
