/**
 * Sends the user messages about a night by the ways in the settings, keeps the secrets of these ways, and lets each be
 * tried.
 */
import { ok, present } from '../../shared/domain/base/result.ts';
import { exactText } from '../../shared/domain/base/text.ts';
import { messageOf, TEST_MESSAGE, type NightMessage } from '../../shared/domain/telling/night-message.ts';
import type { NightNews } from '../../shared/domain/telling/night-news.ts';
import {
  originOfAddress,
  tellingAddressProblem,
  tellingSecretProblem,
  tellingWays,
  type TellingSecrets,
  type TellingWays,
  type WayName,
} from '../../shared/domain/telling/ways.ts';
import { refuse, type Reply, type RouteInput } from '../../shared/ipc/contract.ts';
import type { PresenceView } from '../../shared/ipc/presence.ts';
import type { SettingsFile } from '../services/app-settings.ts';
import type { KeyVault } from '../services/key-vault.ts';
import type { Question } from '../shell/desktop.ts';
import { words } from '../../shared/words/words.ts';

type AddressWay = 'ntfy' | 'webhook';
type Outcome = NonNullable<PresenceView['telling']['ntfy']['last']>;

/** A text for the system's notification. */
export interface ScreenNotice {
  readonly title: string;
  readonly body: string;
  /** It is about the night: a user who clicks it wants to see what became of it. */
  readonly opensLedger?: true;
}

/** Sends a message by ways; loaded when there is something to send. */
export type SendByWays = (
  message: NightMessage,
  ways: TellingWays,
  secrets: TellingSecrets,
  test?: WayName,
) => Promise<readonly ({ readonly way: WayName } & Pick<Outcome, 'isOk' | 'text'>)[]>;

export interface TellingServiceOptions {
  readonly settings: SettingsFile;
  /** A token or secret by way and origin: it never goes elsewhere. */
  readonly vault: Pick<KeyVault, 'of' | 'set' | 'clear' | 'status'>;
  readonly send: SendByWays;
  /** The window has the focus: it says everything that a notification would. */
  readonly isLookedAt: () => boolean;
  /** Shows it if the system shows notifications; false if it does not. */
  readonly notify: (notice: ScreenNotice) => boolean;
  /** Asks the user in a way that no page can answer. */
  readonly confirm: (question: Question) => Promise<boolean>;
  readonly onChanged: () => void;
  /** A message did not arrive: for a user who looks at the window. */
  readonly onFailed: (notice: ScreenNotice) => void;
  readonly now: () => number;
}

export class TellingService {
  readonly #options: TellingServiceOptions;
  readonly #last = new Map<WayName, Outcome>();
  readonly #sending = new Set<Promise<unknown>>();

  constructor(options: TellingServiceOptions) {
    this.#options = options;
  }

  get #ways(): TellingWays {
    return this.#options.settings.current.telling;
  }

  /** What the window may know: no secret. */
  get view(): PresenceView['telling'] {
    const { settings, vault } = this.#options;
    const { names, command } = this.#ways;
    const address = (way: AddressWay): PresenceView['telling']['ntfy'] => ({
      url: this.#ways[way]?.url ?? '',
      allowPlainHttp: this.#ways[way]?.allowPlainHttp ?? false,
      hasSecret: this.#secretOf(way) !== undefined,
      ...present({ last: this.#last.get(way) }),
    });
    return {
      system: settings.current.night.system,
      names,
      ntfy: address('ntfy'),
      webhook: address('webhook'),
      command: { argv: command?.argv ?? [], ...present({ last: this.#last.get('command') }) },
      storage: vault.status(undefined).storage,
    };
  }

  /** Tells news: with names on this machine's own screen, and without them elsewhere unless they are wanted. */
  tell(news: NightNews): void {
    const { title, body } = messageOf(news, true);
    this.tellMessage(messageOf(news, this.#ways.names), { title, body, opensLedger: true });
  }

  tellMessage(message: NightMessage, onScreen: ScreenNotice = message): void {
    this.showOnScreen(onScreen);
    const sent = this.#send(message).finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
  }

  /**
   * For this machine's own screen alone. False if nobody can see it: nobody looks at the window, and no notification is
   * shown.
   */
  showOnScreen(notice: ScreenNotice): boolean {
    const { settings, isLookedAt, notify } = this.#options;
    return isLookedAt() || (settings.current.night.system && notify(notice));
  }

  /** Something that was promised did not happen: on the screen, and in the window for later. */
  fail(notice: ScreenNotice): void {
    this.showOnScreen(notice);
    this.#options.onFailed(notice);
  }

  /** Resolves when every message under way has arrived or was given up. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#sending);
  }

  setGeneral({ system, names }: RouteInput<'telling.set'>): void {
    const { settings, onChanged } = this.#options;
    if (system !== undefined) settings.update({ night: { ...settings.current.night, system } });
    if (names !== undefined) settings.update({ telling: { ...this.#ways, names } });
    onChanged();
  }

  setAddress({ way, url, allowPlainHttp, secret: typed }: RouteInput<'telling.setAddress'>): Reply<undefined> {
    const { settings, vault, onChanged } = this.#options;
    const { [way]: before, ...others } = this.#ways;
    const wanted = url.trim();
    const secret = typed?.trim() === '' ? undefined : typed?.trim();
    if (wanted === '') {
      settings.update({ telling: others });
      this.#forget(way, before?.url);
      onChanged();
      return ok(undefined);
    }
    const problem = tellingAddressProblem(wanted, allowPlainHttp);
    if (problem !== undefined) return refuse('invalid-input', words.desktop.telling.badAddress(problem));
    const wrong = secret === undefined ? undefined : tellingSecretProblem(way, secret);
    if (wrong !== undefined) return refuse('invalid-input', wrong);
    const id = secretId(way, wanted);
    if (way === 'webhook' && secret === undefined && vault.of(id) === undefined) {
      return refuse('invalid-input', words.desktop.telling.secretFirst);
    }
    try {
      if (secret !== undefined) vault.set(id, secret);
    } catch {
      return refuse('refused', words.desktop.telling.secretNotKept);
    }
    settings.update({ telling: tellingWays.parse({ ...others, [way]: { url: wanted, allowPlainHttp } }) });
    // Not before: if the settings cannot be written, messages still go to the former address.
    if (before !== undefined && secretId(way, before.url) !== id) this.#forget(way, before.url);
    this.#last.delete(way);
    onChanged();
    return ok(undefined);
  }

  /** A program runs with the user's rights: a page alone cannot choose one. Resolves to false if the user said no. */
  async setCommand(argv: readonly string[]): Promise<Reply<boolean>> {
    const { settings, confirm, onChanged } = this.#options;
    const wanted = tellingWays.safeParse(argv.length === 0 ? {} : { command: { argv } });
    if (!wanted.success) return refuse('invalid-input', words.desktop.telling.noProgram);
    if (JSON.stringify(argv) === JSON.stringify(this.#ways.command?.argv ?? [])) return ok(true);
    const shown = argv.map(exactText);
    if (shown.join('').length > SHOWN_CHARACTERS) return refuse('invalid-input', words.desktop.telling.programTooLong);
    if (argv.length > 0 && !(await confirm(commandQuestion(shown)))) return ok(false);
    const { command: _, ...others } = this.#ways;
    settings.update({ telling: { ...others, ...present({ command: wanted.data.command }) } });
    this.#last.delete('command');
    onChanged();
    return ok(true);
  }

  async test(way: WayName | 'system'): Promise<Pick<Outcome, 'isOk' | 'text'>> {
    const { notify } = this.#options;
    if (way !== 'system')
      return (await this.#send(TEST_MESSAGE, way)) ?? { isOk: false, text: words.desktop.telling.notSet };
    return notify(TEST_MESSAGE)
      ? { isOk: true, text: words.desktop.telling.shown }
      : { isOk: false, text: words.desktop.telling.notShown };
  }

  async #send(message: NightMessage, test?: WayName): Promise<Outcome | undefined> {
    const { send, onChanged, onFailed, now } = this.#options;
    const secrets = { ntfy: this.#secretOf('ntfy'), webhook: this.#secretOf('webhook') };
    let first: Outcome | undefined;
    for (const { way, isOk, text } of await send(message, this.#ways, secrets, test)) {
      const outcome = { at: now(), isOk, text };
      first ??= outcome;
      this.#last.set(way, outcome);
      if (!isOk && test === undefined) {
        const { failed, failedDetail } = words.desktop.telling;
        onFailed({ title: failed(way), body: failedDetail(way, text) });
      }
    }
    onChanged();
    return first;
  }

  #secretOf(way: AddressWay): string | undefined {
    const url = this.#ways[way]?.url;
    return url === undefined ? undefined : this.#options.vault.of(secretId(way, url));
  }

  #forget(way: AddressWay, url: string | undefined): void {
    if (url === undefined) return;
    try {
      this.#options.vault.clear(secretId(way, url));
    } catch {
      // The secret is no longer used, and only ever goes to its own origin.
    }
  }
}

function secretId(way: AddressWay, url: string): string {
  return `${way} ${originOfAddress(url) ?? ''}`;
}

/** Nobody would read a longer text, and a box of the system may not show all of it. */
const SHOWN_CHARACTERS = 1_000;

/** @param shown Each argument as it is shown, whole: the user allows nothing else. */
function commandQuestion(shown: readonly string[]): Question {
  const { runQuestion, runWarning, runIt } = words.desktop.telling;
  return {
    message: runQuestion,
    detail: [...shown, '', runWarning].join('\n'),
    confirm: runIt,
    decline: words.common.cancel,
  };
}
