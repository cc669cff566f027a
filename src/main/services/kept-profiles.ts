/** The profiles that the settings keep by name: one of them is the present one, with which batches start. */
import { ok } from '../../shared/domain/base/result.ts';
import { freeName } from '../../shared/domain/base/text.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { profileRemovalQuestion } from '../shell/profile-question.ts';
import type { AppSettings, SettingsFile } from './app-settings.ts';
import type { Question } from '../shell/desktop.ts';

/** More would make a list that nobody looks through. */
const MOST = 50;

export interface KeptProfilesOptions {
  readonly settings: SettingsFile;
  /** Asks the user in a way that no page can answer. */
  readonly confirm: (question: Question) => Promise<boolean>;
  /** Called after every change. */
  readonly onChanged: () => void;
}

/** Chooses among the profiles of the settings, and adds and removes some. What a profile says is for `GatewaySettings`. */
export class KeptProfiles {
  readonly #options: KeptProfilesOptions;
  #isAsking = false;

  constructor(options: KeptProfilesOptions) {
    this.#options = options;
  }

  /** Makes another profile the present one. */
  use(name: string): Reply<undefined> {
    const { profile, otherProfiles } = this.#settings;
    const wanted = otherProfiles.find((other) => other.name === name);
    if (profile.name === name) return ok(undefined);
    if (wanted === undefined) return refuse('not-found', 'There is no such profile any more.');
    return this.#change(wanted, [...otherProfiles.filter((other) => other !== wanted), profile]);
  }

  /** Copies the present profile under a name of its own, and makes the copy the present one. */
  duplicate(): Reply<undefined> {
    const { profile, otherProfiles } = this.#settings;
    if (otherProfiles.length + 1 >= MOST) return refuse('refused', `There are ${MOST} profiles. Delete one first.`);
    const names = [profile, ...otherProfiles].map((one) => one.name);
    return this.#change({ ...profile, name: freeName(`${profile.name} copy`, names) }, [...otherProfiles, profile]);
  }

  rename(name: string): Reply<undefined> {
    const { profile, otherProfiles } = this.#settings;
    const trimmed = name.trim();
    if (trimmed === '') return refuse('invalid-input', 'A profile needs a name.');
    if (otherProfiles.some((other) => other.name === trimmed)) return refuse('refused', nameTaken(trimmed));
    return this.#change({ ...profile, name: trimmed }, otherProfiles);
  }

  /** Removes the present profile after asking; the one that was used before it becomes the present one. */
  async remove(): Promise<Reply<{ readonly applied: boolean }>> {
    const { profile } = this.#settings;
    if (this.#settings.otherProfiles.length === 0) return refuse('refused', 'There is no other profile to go on with.');
    if (this.#isAsking) return refuse('refused', 'Answer the open question first.');
    this.#isAsking = true;
    const isAgreed = await this.#options.confirm(profileRemovalQuestion(profile)).finally(() => {
      this.#isAsking = false;
    });
    if (!isAgreed) return ok({ applied: false });
    const { otherProfiles } = this.#settings;
    const next = otherProfiles.at(-1);
    if (this.#settings.profile !== profile || next === undefined) {
      return refuse('refused', 'The profiles have changed in the meantime. Look at them, then delete again.');
    }
    this.#change(next, otherProfiles.slice(0, -1));
    return ok({ applied: true });
  }

  get #settings(): SettingsFile['current'] {
    return this.#options.settings.current;
  }

  #change(profile: Profile, otherProfiles: readonly Profile[]): Reply<undefined> {
    this.#options.settings.update({ profile, otherProfiles: [...otherProfiles] });
    this.#options.onChanged();
    return ok(undefined);
  }
}

/** Every profile that is kept, the present one first. */
export function profilesOf({ profile, otherProfiles }: AppSettings): AppSettings['otherProfiles'] {
  return [profile, ...otherProfiles];
}

/** Why a profile may not have this name. */
export function nameTaken(name: string): string {
  return `Another profile is already called “${name}”. Give this one another name.`;
}
