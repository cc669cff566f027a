/** The gateway's base URL, its profile and the keys, each of which is for one origin and no other. */
import { KeyFinder, keyProblem } from '../shared/domain/key-finder.ts';
import { baseUrlProblem, parseProfile, type Profile } from '../shared/domain/profile.ts';
import type { ProfileProblem } from '../shared/domain/profile-problem.ts';
import type { KeyStatus, Reply } from '../shared/ipc/contract.ts';
import type { SettingsFile } from './app-settings.ts';
import type { KeyVault } from './key-vault.ts';
import { refuse } from './reply.ts';

const PROBLEMS_SAID = 8;

export interface GatewaySettingsOptions {
  readonly settings: SettingsFile;
  readonly vault: KeyVault;
  /** Hands a key to the engine, or takes it away. */
  readonly giveKey: (origin: string, key: string | undefined) => void;
  /** Called after every change. */
  readonly onChanged: () => void;
}

/** Changes what is known of the user's gateway. */
export class GatewaySettings {
  readonly #options: GatewaySettingsOptions;

  constructor(options: GatewaySettingsOptions) {
    this.#options = options;
  }

  /** Origin that the key is for; undefined until there is a base URL. */
  get origin(): string | undefined {
    return originOf(this.#options.settings.current.profile);
  }

  /** True when there is a base URL and the key that was entered for it. */
  get isConnected(): boolean {
    return this.#options.vault.of(this.origin) !== undefined;
  }

  /** What may be told of the keys. */
  get keyStatus(): KeyStatus {
    return this.#options.vault.status(this.origin);
  }

  setBaseUrl(baseUrl: string): Reply<undefined> {
    const wanted = baseUrl.trim();
    const problem = wanted === '' ? undefined : baseUrlProblem(wanted);
    if (problem !== undefined) return refuse('invalid-input', `The base URL ${problem}.`);
    const parsed = parseProfile({ ...this.#options.settings.current.profile, baseUrl: wanted });
    return parsed.ok ? this.#setProfile(parsed.value) : refuse('invalid-input', describeProblems(parsed.error));
  }

  /** Takes a whole profile from its JSON text. */
  setProfileText(text: string): Reply<undefined> {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (error) {
      return refuse('invalid-input', `This is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
    const parsed = parseProfile(json);
    return parsed.ok ? this.#setProfile(parsed.value) : refuse('invalid-input', describeProblems(parsed.error));
  }

  /** Keeps a key for an origin: that of the base URL where none is named. */
  setKey(text: string, forOrigin?: string): Reply<KeyStatus> {
    const { settings, vault, giveKey, onChanged } = this.#options;
    const origin = forOrigin ?? this.origin;
    if (origin === undefined) {
      return refuse('refused', 'Enter the base URL first: the key is kept for that address alone.');
    }
    if (!isOrigin(origin)) return refuse('invalid-input', 'This is not the address of a gateway.');
    const key = text.trim();
    const problem = keyProblem(key);
    if (problem !== undefined) return refuse('invalid-input', problem);
    if (holdsKey(settings.current.profile, [key])) return refuse('refused', KEY_IN_PROFILE);
    try {
      vault.set(origin, key);
    } catch {
      return refuse('refused', 'The key could not be kept: the data folder or the keyring cannot be written.');
    }
    giveKey(origin, key);
    onChanged();
    return { ok: true, value: this.keyStatus };
  }

  /** Forgets the key for an origin: that of the base URL where none is named. */
  clearKey(forOrigin?: string): Reply<KeyStatus> {
    const { vault, giveKey, onChanged } = this.#options;
    const origin = forOrigin ?? this.origin;
    if (origin !== undefined && vault.of(origin) !== undefined) {
      giveKey(origin, undefined);
      vault.clear(origin);
    }
    onChanged();
    return { ok: true, value: this.keyStatus };
  }

  /** Keys of other gateways stay: batches go on with the gateway that they were started with. */
  #setProfile(profile: Profile): Reply<undefined> {
    const { settings, vault, onChanged } = this.#options;
    const keys = vault.keys.map(({ key }) => key);
    if (holdsKey(profile, keys)) return refuse('refused', KEY_IN_PROFILE);
    settings.update({ profile });
    onChanged();
    return { ok: true, value: undefined };
  }
}

const KEY_IN_PROFILE =
  'The profile or the base URL contains the key. Remove it there: the key is sent as a header, and profiles are shared.';

function holdsKey(profile: Profile, keys: readonly string[]): boolean {
  return new KeyFinder(keys).finds(JSON.stringify(profile));
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function originOf(profile: Profile): string | undefined {
  return URL.canParse(profile.baseUrl) ? new URL(profile.baseUrl).origin : undefined;
}

function describeProblems(problems: readonly ProfileProblem[]): string {
  const lines = problems
    .slice(0, PROBLEMS_SAID)
    .map(({ path, message, remedy }) => `${path === '' ? 'The profile' : path}: ${message} ${remedy}`);
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [`And ${more} more.`] : [])].join('\n');
}
