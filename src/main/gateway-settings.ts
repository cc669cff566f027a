/** The gateway's base URL, its profile and its key, which belong together: a key is for one origin and no other. */
import { baseUrlProblem, parseProfile, type Profile } from '../shared/domain/profile.ts';
import type { ProfileProblem } from '../shared/domain/profile-problem.ts';
import type { KeyStatus, Reply } from '../shared/ipc/contract.ts';
import type { SettingsFile } from './app-settings.ts';
import { keyProblem, type KeyVault } from './key-vault.ts';
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
    const { held } = this.#options.vault;
    return held !== undefined && held.origin === this.origin;
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

  setKey(text: string): Reply<KeyStatus> {
    const { vault, giveKey, onChanged } = this.#options;
    const { origin } = this;
    if (origin === undefined)
      return refuse('refused', 'Enter the base URL first: the key is kept for that address alone.');
    const key = text.trim();
    const problem = keyProblem(key);
    if (problem !== undefined) return refuse('invalid-input', problem);
    try {
      vault.set(origin, key);
    } catch {
      return refuse('refused', 'The key could not be kept: the data folder or the keyring cannot be written.');
    }
    giveKey(origin, key);
    onChanged();
    return { ok: true, value: vault.status() };
  }

  clearKey(): Reply<KeyStatus> {
    this.#forgetKey();
    this.#options.onChanged();
    return { ok: true, value: this.#options.vault.status() };
  }

  #setProfile(profile: Profile): Reply<undefined> {
    const { settings, vault, onChanged } = this.#options;
    settings.update({ profile });
    if (vault.held !== undefined && vault.held.origin !== originOf(profile)) this.#forgetKey();
    onChanged();
    return { ok: true, value: undefined };
  }

  #forgetKey(): void {
    const { vault, giveKey } = this.#options;
    if (vault.held !== undefined) giveKey(vault.held.origin, undefined);
    vault.clear();
  }
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
