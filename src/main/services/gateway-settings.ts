/**
 * The gateways of the settings: their base URLs, their profiles, and the keys, each of which belongs to a single
 * origin.
 */
import { sayError } from '../../shared/domain/base/reason.ts';
import { ok, present } from '../../shared/domain/base/result.ts';
import { KeyFinder, keyProblem } from '../../shared/domain/base/key-finder.ts';
import { baseUrlProblem, DEFAULT_PROFILE, parseProfile, type Profile } from '../../shared/domain/gateway/profile.ts';
import { profileChanges } from '../../shared/domain/gateway/profile-difference.ts';
import { type ProfileProposal, withProposal } from '../../shared/domain/gateway/learned/proposals.ts';
import type { Family } from '../../shared/domain/operations/operations.ts';
import type { ProfileProblem } from '../../shared/domain/gateway/profile-problem.ts';
import { withStatusMeaning, type StatusAnswer } from '../../shared/domain/gateway/seen-status.ts';
import type { KeyPlace, KeyStatus } from '../../shared/ipc/app.ts';
import type { StatusQuestionView } from '../../shared/ipc/batches.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { Question } from '../shell/desktop.ts';
import {
  keysProblem,
  type KeptProfilesOptions,
  nameTaken,
  noSuchGateway,
  profileNamed,
  profilesOf,
  tooManyProfiles,
  withAnother,
  withProfile,
} from './kept-profiles.ts';
import type { KeyVault } from './key-vault.ts';
import { newGatewayQuestion, profileQuestion, statusFailureQuestion } from '../shell/profile-question.ts';
import { words } from '../../shared/words/words.ts';

const PROBLEMS_SAID = 8;

export interface GatewaySettingsOptions extends KeptProfilesOptions {
  readonly vault: KeyVault;
  /** Sets or removes a key in the engine. */
  readonly giveKey: (place: KeyPlace, key: string | undefined) => void;
}

/** Whether a change took effect; false: the user was asked and said no. */
export interface Applied {
  readonly applied: boolean;
}

/** The same, with the name of the gateway for which it took effect. */
export interface Saved extends Applied {
  readonly name: string;
}

/**
 * Changes what is known about the user's gateways. A change that a page or a file asks for, and that leads elsewhere or
 * settles outcomes, takes effect only after the user has seen what differs and has agreed.
 */
export class GatewaySettings {
  readonly #options: GatewaySettingsOptions;
  #isAsking = false;

  constructor(options: GatewaySettingsOptions) {
    this.#options = options;
  }

  /** The origin that the key is for; undefined until there is a base URL. */
  get origin(): string | undefined {
    return originOf(this.#options.settings.current.profile);
  }

  /**
   * Whether there is a base URL and a key that was entered for it; by default, for the gateway that new batches use.
   */
  isConnected(profile = this.#options.settings.current.profile): boolean {
    return this.#options.vault.of(originOf(profile)) !== undefined;
  }

  /** Why nothing may be sent with these accounts yet; undefined if it may. */
  problemOfKeys(accounts: Parameters<typeof keysProblem>[0]): string | undefined {
    return keysProblem(accounts, this.#options.vault);
  }

  /** What the window may know about the keys. */
  get keyStatus(): KeyStatus {
    return this.#options.vault.status(this.origin);
  }

  /**
   * Sets the address of the gateway with this name, by default of the one that new batches use. The very first address
   * is the one that the user has just typed; every other one, including that of a further gateway, needs a
   * confirmation.
   */
  async setBaseUrl(baseUrl: string, name?: string): Promise<Reply<Applied>> {
    const { current } = this.#options.settings;
    const profile = profileNamed(current, name);
    if (profile === undefined) return noSuchGateway(name ?? '');
    const wanted = baseUrl.trim();
    const problem = wanted === '' ? undefined : baseUrlProblem(wanted);
    if (problem !== undefined) return refuse('invalid-input', words.desktop.profile.badBaseUrl(problem));
    const parsed = parseProfile({ ...profile, baseUrl: wanted });
    if (!parsed.ok) return refuse('invalid-input', describeProblems(parsed.error));
    const isFirst = profilesOf(current).every((one) => one.baseUrl === '');
    return this.#setProfile(profile, parsed.value, isFirst ? 'never' : 'weighty');
  }

  /** Sets the whole profile of the gateway with this name from its JSON text; what matters needs a confirmation. */
  async setProfileText(text: string, name?: string): Promise<Reply<Saved>> {
    const profile = profileNamed(this.#options.settings.current, name);
    if (profile === undefined) return noSuchGateway(name ?? '');
    const parsed = readProfile(text);
    if (!parsed.ok) return parsed;
    return withName(await this.#setProfile(profile, parsed.value, 'weighty'), parsed.value);
  }

  /**
   * Sets a whole profile from its JSON text, and shows all of it. It changes the gateway of its name; if there is none,
   * it is kept beside the others, or in place of one that leads nowhere and that new batches would use.
   */
  async importProfileText(text: string): Promise<Reply<Saved>> {
    const parsed = readProfile(text);
    if (!parsed.ok) return parsed;
    const { current } = this.#options.settings;
    const sameName = profileNamed(current, parsed.value.name);
    // Nothing would be lost with a gateway that leads nowhere.
    const before = sameName ?? (current.profile.baseUrl === '' ? current.profile : undefined);
    const applied = before === undefined ? this.#add(parsed.value) : this.#setProfile(before, parsed.value, 'any');
    return withName(await applied, parsed.value);
  }

  /** Accepts one setting that nights have shown; the user confirms it if it matters. */
  async takeProposal(proposal: Pick<ProfileProposal, 'path' | 'value'>, name?: string): Promise<Reply<Applied>> {
    const profile = profileNamed(this.#options.settings.current, name);
    if (profile === undefined) return noSuchGateway(name ?? '');
    const taken = withProposal(profile, proposal);
    if (!taken.ok) return refuse('invalid-input', describeProblems(taken.error));
    return this.#setProfile(profile, taken.value, 'weighty');
  }

  /**
   * Notes what a status of the gateway at `origin` means, if the settings have that gateway: later batches know it. The
   * user must confirm that a status means a failure; no answer turns a status that the profile knows into a failure.
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

  /**
   * Keeps a key for an origin, by default that of the base URL; with a name, beside that gateway's key without a name.
   */
  setKey(text: string, forOrigin?: string, name?: string): Reply<KeyStatus> {
    const { settings, vault, giveKey, onChanged } = this.#options;
    const origin = forOrigin ?? this.origin;
    if (origin === undefined) {
      return refuse('refused', words.desktop.key.baseUrlFirst);
    }
    if (!isOrigin(origin)) return refuse('invalid-input', words.desktop.key.noGateway);
    const key = text.trim();
    const problem = keyProblem(key);
    if (problem !== undefined) return refuse('invalid-input', problem, 'key');
    const { profile, otherProfiles } = settings.current;
    if ([profile, ...otherProfiles].some((one) => holdsKey(one, [key])))
      return refuse('refused', words.desktop.key.inProfile, 'key');
    try {
      vault.set(origin, key, name);
    } catch {
      return refuse('refused', words.desktop.key.notKept, 'key');
    }
    // Among them are keys that the keyring has only now given back.
    for (const { key: kept, ...place } of vault.keys) giveKey(place, kept);
    onChanged();
    return ok(this.keyStatus);
  }

  /** Forgets the key for an origin, by default that of the base URL, or the key with a name there. */
  clearKey(forOrigin?: string, name?: string): Reply<KeyStatus> {
    const { vault, giveKey, onChanged } = this.#options;
    const origin = forOrigin ?? this.origin;
    if (origin === undefined || vault.of(origin, name) === undefined) return ok(this.keyStatus);
    giveKey({ origin, ...present({ name }) }, undefined);
    let isGone = false;
    try {
      isGone = vault.clear(origin, name);
    } catch {
      // Reported below.
    }
    onChanged();
    return isGone ? ok(this.keyStatus) : refuse('refused', words.desktop.key.maybeKept);
  }

  /** Keeps one more gateway beside the others, after the user has seen everything that its profile says. */
  async #add(profile: Profile): Promise<Reply<Applied>> {
    const { settings, onChanged } = this.#options;
    const obstacle = (): Reply<never> | undefined => {
      if (this.#holdsAKey(profile)) return refuse('refused', words.desktop.key.inProfile);
      if (profileNamed(settings.current, profile.name) !== undefined) return refuse('refused', nameTaken(profile.name));
      const problem = tooManyProfiles(settings.current);
      return problem === undefined ? undefined : refuse('refused', problem);
    };
    const before = obstacle();
    if (before !== undefined) return before;
    const changes = profileChanges({ ...DEFAULT_PROFILE, name: profile.name }, profile);
    if (changes.length > 0) {
      const agreed = await this.#agreesTo(newGatewayQuestion(changes, profile.name));
      if (!agreed.ok || !agreed.value.applied) return agreed;
      const after = obstacle();
      if (after !== undefined) return after;
    }
    settings.update(withAnother(settings.current, profile));
    onChanged();
    return ok({ applied: true });
  }

  /** Keys of other gateways stay: batches continue with the gateway that they were started with. */
  async #setProfile(before: Profile, profile: Profile, askAbout: 'any' | 'weighty' | 'never'): Promise<Reply<Applied>> {
    const { settings, onChanged } = this.#options;
    const unasked = this.#obstacle(before, profile);
    if (unasked !== undefined) return unasked;
    const changes = profileChanges(before, profile);
    const isAskedAbout = { any: true, weighty: changes.some(({ isWeighty }) => isWeighty), never: false }[askAbout];
    if (isAskedAbout && changes.length > 0) {
      const agreed = await this.#agreesTo(profileQuestion(changes, keptFrom(before, profile)));
      if (!agreed.ok || !agreed.value.applied) return agreed;
      const asked = this.#obstacle(before, profile);
      if (asked !== undefined) return asked;
    }
    settings.update(withProfile(settings.current, before.name, profile));
    onChanged();
    return ok({ applied: true });
  }

  /** Why a profile can no longer take the place of another one; undefined if it can. */
  #obstacle(before: Profile, profile: Profile): Reply<never> | undefined {
    const { current } = this.#options.settings;
    const there = profileNamed(current, before.name);
    if (there === undefined) return noSuchGateway(before.name);
    if (profileChanges(before, there).length > 0) {
      return refuse('refused', words.desktop.profile.changed);
    }
    if (this.#holdsAKey(profile)) return refuse('refused', words.desktop.key.inProfile);
    const isTaken = profile.name !== before.name && profileNamed(current, profile.name) !== undefined;
    return isTaken ? refuse('refused', nameTaken(profile.name)) : undefined;
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

function readProfile(text: string): Reply<Profile> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return refuse('invalid-input', words.desktop.profile.notJson(sayError(error)));
  }
  const parsed = parseProfile(json);
  return parsed.ok ? parsed : refuse('invalid-input', describeProblems(parsed.error));
}

function withName(reply: Reply<Applied>, { name }: Profile): Reply<Saved> {
  return reply.ok ? ok({ ...reply.value, name }) : reply;
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
