/** Nocturne while nobody looks: follows all batches, and keeps awake, shows progress, tells, and ends the night. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { NightTeller } from '../../engine/telling/night-teller.ts';
import { systemClock } from '../../engine/system-clock.ts';
import { writeNoteSync } from '../../engine/whole-file.ts';
import {
  isAtWork,
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

export interface PresenceOptions {
  readonly settings: SettingsFile;
  /** Notes what was told, so that a restart tells nothing twice. */
  readonly toldFile: string;
  readonly awake: WakeKeeper;
  readonly telling: TellingService;
  readonly login: LoginItem;
  readonly listBatches: () => Promise<Reply<readonly BatchView[]>>;
  readonly showProgress: (progress: NightProgress) => void;
  readonly quit: () => void;
  /** Puts the computer to sleep or shuts it down; resolves with why not, if it was refused. */
  readonly power: (action: 'sleep' | 'shutdown') => Promise<string | undefined>;
  readonly onChanged: (view: PresenceView) => void;
  readonly log: Log;
}

/** A batch that waits longer than this lets the computer sleep; it is kept awake from then on. */
const AWAKE_BEFORE_MS = 30 * 60_000;

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
  readonly #teller: NightTeller;
  readonly #end: EndOfNight;
  #shown = '';

  constructor(options: PresenceOptions) {
    this.#options = options;
    const { settings, toldFile, awake, telling, log } = options;
    awake.allow(settings.current.night.keepAwake);
    this.#teller = new NightTeller({
      clock: systemClock,
      told: readTold(toldFile),
      keep: (told) => {
        try {
          writeNoteSync(toldFile, JSON.stringify(told));
        } catch {
          // Then a restart may tell it again: better than not at all.
          log('warning', 'what was told of the night could not be noted');
        }
      },
      tell: (news) => telling.tell(news),
    });
    this.#end = new EndOfNight({
      chosen: () => settings.current.night.afterNight,
      unchoose: () => this.#choose('nothing'),
      act: (action) => this.#act(action),
      onWarning: (action, seconds) =>
        telling.showOnScreen({
          title: 'The night is over',
          body: `${warningText(action, seconds)} Open Nocturne to stop it.`,
        }),
      onChanged: () => this.#changed(),
      setTimer: (delayMs, callback) => systemClock.setTimer(delayMs, callback),
    });
  }

  get view(): PresenceView {
    const { settings, login, telling } = this.#options;
    const { keepAwake, afterNight } = settings.current.night;
    const { warning } = this.#end;
    return {
      keepAwake,
      atLogin: login.isOn(),
      afterNight,
      ...(warning === undefined ? {} : { warning }),
      telling: telling.view,
    };
  }

  /** Begins to watch an engine that is ready; resolves to whether a night goes on, undefined if that is not known. */
  async begin(): Promise<boolean | undefined> {
    const batches = await this.#options.listBatches();
    if (!batches.ok) return undefined;
    for (const batch of batches.value) this.#take(batch);
    const facts = batches.value.map(factsOf);
    this.#teller.begin(facts);
    this.#end.begin(facts);
    return this.#options.awake.isRunning;
  }

  /** Takes the newest view of a batch. */
  note(batch: BatchView): void {
    this.#take(batch);
    const facts = factsOf(batch);
    this.#teller.note(facts);
    this.#end.note(facts);
  }

  /** The engine was given up: nothing happens any more until somebody comes. */
  engineFailed(message: string): void {
    const { awake, telling } = this.#options;
    const wasRunning = awake.isRunning;
    awake.noteNoneRuns();
    if (!wasRunning) return;
    const takes = { all: 0, done: 0, failed: 0, cancelled: 0, unknown: 0 };
    telling.tellMessage({
      kind: 'needs-you',
      title: 'Nocturne has stopped rendering',
      body: message,
      data: { batches: 0, takes, needs: ['INTERNAL'] },
    });
  }

  set({ keepAwake, atLogin, afterNight }: RouteInput<'presence.set'>): void {
    const { settings, awake, login } = this.#options;
    if (keepAwake !== undefined) {
      settings.update({ night: { ...settings.current.night, keepAwake } });
      awake.allow(keepAwake);
    }
    if (atLogin !== undefined) login.set(atLogin);
    if (afterNight !== undefined) {
      this.#end.callOff();
      settings.update({ night: { ...settings.current.night, afterNight } });
    }
    this.#changed();
  }

  /** The user does something, so nothing is done unasked. */
  userActs(): void {
    this.#end.callOff();
  }

  #take(batch: BatchView): void {
    this.#batches.set(batch.id, batch);
    this.#keepAwakeFor(batch);
    const progress = nightProgress([...this.#batches.values()]);
    const shown = JSON.stringify(progress);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#options.showProgress(progress);
  }

  /** A batch that waits for its hours needs nobody awake, until shortly before them. */
  #keepAwakeFor(batch: BatchView): void {
    const facts = factsOf(batch);
    const { takes } = facts;
    const waitMs = (batch.waitsUntil ?? 0) - Date.now();
    const onlyWaits = waitMs > AWAKE_BEFORE_MS && takes.submitting + takes.rendering + takes.downloading === 0;
    this.#options.awake.note(batch.id, batch.state === 'running', isAtWork(facts) && !onlyWaits);
    this.#cancelLooks.get(batch.id)?.();
    this.#cancelLooks.delete(batch.id);
    if (!onlyWaits) return;
    const look = (): void => this.#keepAwakeFor(this.#batches.get(batch.id) ?? batch);
    this.#cancelLooks.set(batch.id, systemClock.setTimer(waitMs - AWAKE_BEFORE_MS, look));
  }

  #choose(afterNight: AfterNight): void {
    const { settings } = this.#options;
    if (settings.current.night.afterNight === afterNight) return;
    settings.update({ night: { ...settings.current.night, afterNight } });
    this.#changed();
  }

  async #act(action: Exclude<AfterNight, 'nothing'>): Promise<void> {
    const { telling, quit, power, log } = this.#options;
    this.#teller.lookNow();
    await telling.settled();
    if (this.#options.awake.isRunning) return;
    if (action === 'quit') {
      quit();
      return;
    }
    log('info', `after the night: ${action}`);
    const problem = await power(action);
    if (problem === undefined) return;
    log('warning', problem);
    telling.fail({ title: 'The night is over, but the computer is still on', body: problem });
  }

  #changed(): void {
    this.#options.onChanged(this.view);
  }
}

function factsOf(batch: BatchView): BatchFacts {
  const { id, name, state, pause, counts, settling } = batch;
  return { id, name, state, pause, takes: takesOf(counts), settling };
}

function readTold(file: string): z.output<typeof toldSchema> | undefined {
  try {
    return toldSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // None yet, or none that can be understood: only what happens from now on is told.
    return undefined;
  }
}
