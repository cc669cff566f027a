/** The gateway's base URL, its profile and the keys, each of which belongs to a single origin. */
import { ok, present } from '../../shared/domain/base/result.ts';
import { KeyFinder, keyProblem } from '../../shared/domain/base/key-finder.ts';
import { baseUrlProblem, parseProfile, type Profile } from '../../shared/domain/gateway/profile.ts';
import { profileChanges } from '../../shared/domain/gateway/profile-difference.ts';
import { type ProfileProposal, withProposal } from '../../shared/domain/gateway/learned/proposals.ts';
import type { Family } from '../../shared/domain/operations/operations.ts';
import type { ProfileProblem } from '../../shared/domain/gateway/profile-problem.ts';
import { withStatusMeaning, type StatusAnswer } from '../../shared/domain/gateway/seen-status.ts';
import type { KeyPlace, KeyStatus } from '../../shared/ipc/app.ts';
import type { StatusQuestionView } from '../../shared/ipc/batches.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { Question } from '../shell/desktop.ts';
import { freeName } from '../../shared/domain/base/text.ts';
import { keysProblem, type KeptProfilesOptions, nameTaken } from './kept-profiles.ts';
import type { KeyVault } from './key-vault.ts';
import { profileQuestion, statusFailureQuestion } from '../shell/profile-question.ts';
import { words } from '../../shared/words/words.ts';

const PROBLEMS_SAID = 8;

export interface GatewaySettingsOptions extends KeptProfilesOptions {
  readonly vault: KeyVault;
  /** Sets or removes a key in the engine. */
  readonly giveKey: (place: KeyPlace, key: string | undefined) => void;
}

/** Whether a change took effect; false: the user was asked, and said no. */
export interface Applied {
  readonly applied: boolean;
}

/**
 * Changes what is known about the user's gateway. A change that a page or a file asks for, and that leads elsewhere or
 * settles outcomes, takes effect only after the user has seen it as a difference and agreed.
 */
export class GatewaySettings {
  readonly #options: GatewaySettingsOptions;
  #isAsking = false;

  constructor(options: GatewaySettingsOptions) {
    this.#options = options;
  }

  /** Origin that the key is for; undefined until there is a base URL. */
  get origin(): string | undefined {
    return originOf(this.#options.settings.current.profile);
  }

  /** True if there is a base URL and a key that was entered for it. */
  get isConnected(): boolean {
    return this.#options.vault.of(this.origin) !== undefined;
  }

  /** Why nothing may be sent with these accounts yet; undefined if it may. */
  problemOfKeys(accounts: Parameters<typeof keysProblem>[0]): string | undefined {
    return keysProblem(accounts, this.#options.vault);
  }

  /** What the window may know about the keys. */
  get keyStatus(): KeyStatus {
    return this.#options.vault.status(this.origin);
  }

  /** The user has just typed the first address; a change to another one needs a confirmation. */
  async setBaseUrl(baseUrl: string): Promise<Reply<Applied>> {
    const { profile } = this.#options.settings.current;
    const wanted = baseUrl.trim();
    const problem = wanted === '' ? undefined : baseUrlProblem(wanted);
    if (problem !== undefined) return refuse('invalid-input', words.desktop.profile.badBaseUrl(problem));
    const parsed = parseProfile({ ...profile, baseUrl: wanted });
    if (!parsed.ok) return refuse('invalid-input', describeProblems(parsed.error));
    return this.#setProfile(parsed.value, profile.baseUrl === '' ? 'never' : 'weighty');
  }

  /** Takes a whole profile from its JSON text: typed, and confirmed where it matters, or imported, and shown whole. */
  async setProfileText(text: string, source: 'typed' | 'imported'): Promise<Reply<Applied>> {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (error) {
      return refuse(
        'invalid-input',
        words.desktop.profile.notJson(error instanceof Error ? error.message : String(error)),
      );
    }
    const parsed = parseProfile(json);
    if (!parsed.ok) return refuse('invalid-input', describeProblems(parsed.error));
    return source === 'imported' ? this.#import(parsed.value) : this.#setProfile(parsed.value, 'weighty');
  }

  /** Takes one setting that nights have shown; the user confirms it where it matters. */
  async takeProposal(proposal: Pick<ProfileProposal, 'path' | 'value'>): Promise<Reply<Applied>> {
    const taken = withProposal(this.#options.settings.current.profile, proposal);
    if (!taken.ok) return refuse('invalid-input', describeProblems(taken.error));
    return this.#setProfile(taken.value, 'weighty');
  }

  /**
   * Notes what a status of the gateway at `origin` means, if the settings have that gateway: later batches know it. The
   * user must confirm that it means a failure; no answer makes a failure of a status that the profile knows.
   */
  async answerStatus(origin: string, question: StatusQuestionView, answer: StatusAnswer): Promise<Reply<Applied>> {
    const { settings, onChanged } = this.#options;
    if (answer === 'failed') {
      const agreed = await this.#agreesTo(statusFailureQuestion(question, origin));
      if (!agreed.ok || !agreed.value.applied) return agreed;
    }
    const answered = (profile: Profile): Profile =>
      originOf(profile) === origin ? withStatusMeaning(profile, question, answer) : profile;
    const { profile, otherProfiles } = settings.current;
    if ([profile, ...otherProfiles].some((one) => originOf(one) === origin)) {
      settings.update({ profile: answered(profile), otherProfiles: otherProfiles.map(answered) });
      onChanged();
    }
    return ok({ applied: true });
  }

  /** Keeps a key for an origin, by default that of the base URL; with a name, beside the one key of that gateway. */
  setKey(text: string, forOrigin?: string, name?: string): Reply<KeyStatus> {
    const { settings, vault, giveKey, onChanged } = this.#options;
    const origin = forOrigin ?? this.origin;
    if (origin === undefined) {
      return refuse('refused', words.desktop.key.baseUrlFirst);
    }
    if (!isOrigin(origin)) return refuse('invalid-input', words.desktop.key.noGateway);
    const key = text.trim();
    const problem = keyProblem(key);
    if (problem !== undefined) return refuse('invalid-input', problem);
    const { profile, otherProfiles } = settings.current;
    if ([profile, ...otherProfiles].some((one) => holdsKey(one, [key])))
      return refuse('refused', words.desktop.key.inProfile);
    try {
      vault.set(origin, key, name);
    } catch {
      return refuse('refused', words.desktop.key.notKept);
    }
    // Keys that the keyring gives back only now are among them.
    for (const { key: kept, ...place } of vault.keys) giveKey(place, kept);
    onChanged();
    return ok(this.keyStatus);
  }

  /** Forgets the key for an origin, by default that of the base URL, or the one with a name there. */
  clearKey(forOrigin?: string, name?: string): Reply<KeyStatus> {
    const { vault, giveKey, onChanged } = this.#options;
    const origin = forOrigin ?? this.origin;
    if (origin === undefined || vault.of(origin, name) === undefined) return ok(this.keyStatus);
    giveKey({ origin, ...present({ name }) }, undefined);
    let isGone = false;
    try {
      isGone = vault.clear(origin, name);
    } catch {
      // Said below.
    }
    onChanged();
    return isGone ? ok(this.keyStatus) : refuse('refused', words.desktop.key.maybeKept);
  }

  /** A profile of another name is kept beside those that are there, and becomes the present one. */
  #import(imported: Profile): Promise<Reply<Applied>> {
    const { profile, otherProfiles } = this.#options.settings.current;
    // Nothing would be lost with one that leads nowhere.
    if (imported.name === profile.name || profile.baseUrl === '') return this.#setProfile(imported, 'any');
    const names = otherProfiles.map(({ name }) => name);
    return this.#setProfile({ ...imported, name: freeName(imported.name, names) }, 'any', [...otherProfiles, profile]);
  }

  /** Keys of other gateways stay: batches continue with the gateway that they were started with. */
  async #setProfile(
    profile: Profile,
    askAbout: 'any' | 'weighty' | 'never',
    otherProfiles?: readonly Profile[],
  ): Promise<Reply<Applied>> {
    const { settings, onChanged } = this.#options;
    if (this.#holdsAKey(profile)) return refuse('refused', words.desktop.key.inProfile);
    const { profile: before, otherProfiles: othersBefore } = settings.current;
    if (othersBefore.some(({ name }) => name === profile.name)) return refuse('refused', nameTaken(profile.name));
    const changes = profileChanges(before, profile);
    const isAskedAbout = { any: true, weighty: changes.some(({ isWeighty }) => isWeighty), never: false }[askAbout];
    if (isAskedAbout && changes.length > 0) {
      const agreed = await this.#agreesTo(profileQuestion(changes, keptFrom(before, profile)));
      if (!agreed.ok || !agreed.value.applied) return agreed;
      if (
        profileChanges(before, settings.current.profile).length > 0 ||
        settings.current.otherProfiles !== othersBefore
      ) {
        return refuse('refused', words.desktop.profile.changed);
      }
      if (this.#holdsAKey(profile)) return refuse('refused', words.desktop.key.inProfile);
    }
    settings.update({ profile, ...(otherProfiles === undefined ? {} : { otherProfiles: [...otherProfiles] }) });
    onChanged();
    return ok({ applied: true });
  }

  /** One box at a time: a page that asks endlessly would bury the desktop under them. */
  async #agreesTo(question: Question): Promise<Reply<Applied>> {
    if (this.#isAsking) return refuse('refused', words.desktop.answerFirst);
    this.#isAsking = true;
    const isAgreed = await this.#options.confirm(question).finally(() => {
      this.#isAsking = false;
    });
    return ok({ applied: isAgreed });
  }

  #holdsAKey(profile: Profile): boolean {
    return holdsKey(
      profile,
      this.#options.vault.keys.map(({ key }) => key),
    );
  }
}

function holdsKey(profile: Profile, keys: readonly string[]): boolean {
  return new KeyFinder(keys).finds(JSON.stringify(profile));
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function originOf(profile: Profile): string | undefined {
  return URL.canParse(profile.baseUrl) ? new URL(profile.baseUrl).origin : undefined;
}

/** The origin whose statuses a profile keeps for another one; undefined if the gateway or the table changes. */
function keptFrom(before: Profile, after: Profile): string | undefined {
  const origin = originOf(before);
  const isKept = Object.entries(before.status).some(([family, table]) => {
    const then: Readonly<Record<string, unknown>> = after.status[family as Family] ?? {};
    return Object.entries(table).some(([status, meaning]) => then[status] === meaning);
  });
  return isKept && origin !== originOf(after) ? origin : undefined;
}

function describeProblems(problems: readonly ProfileProblem[]): string {
  const lines = problems
    .slice(0, PROBLEMS_SAID)
    .map(({ path, message, remedy }) =>
      words.desktop.profile.problem(path === '' ? words.desktop.profile.whole : path, message, remedy),
    );
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [words.desktop.andMore(more)] : [])].join('\n');
}
