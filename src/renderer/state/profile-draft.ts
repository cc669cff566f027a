import { createStore } from 'zustand/vanilla';
import { parseProfile, type Profile, type StatusMeaning } from '../../shared/domain/gateway/profile.ts';
import { profileChanges, type ProfileChange } from '../../shared/domain/gateway/profile-difference.ts';
import type { ProfileProblem } from '../../shared/domain/gateway/profile-problem.ts';
import { STATUS_PRESETS } from '../../shared/domain/gateway/profile-presets.ts';
import type { Family } from '../../shared/domain/operations/operations.ts';
import { words } from '../../shared/words/words.ts';

export type StatusPreset = keyof typeof STATUS_PRESETS;

/** The presets by their meanings, for a list. */
export const PRESET_TITLES: Readonly<Record<StatusPreset, string>> = words.common.profile.presets;

/** What is wrong with a profile while the user types it; if empty, it can be saved. */
export function checkProfileText(text: string): readonly ProfileProblem[] {
  const json = readJson(text);
  const { notJson, correctThere } = words.common.profile;
  if (!json.ok) return [{ path: '', message: notJson(json.problem), remedy: correctThere }];
  const parsed = parseProfile(json.value);
  return parsed.ok ? [] : parsed.error;
}

/** The profile's text with a preset put under a family; undefined if the text is not a JSON object. */
export function withPreset(text: string, family: Family, preset: StatusPreset): string | undefined {
  const profile = readObject(text);
  if (profile === undefined) return undefined;
  const before = profile['status'];
  const table: Readonly<Record<string, StatusMeaning>> = STATUS_PRESETS[preset];
  const status = { ...(isObject(before) ? before : {}), [family]: table };
  return JSON.stringify({ ...profile, status }, null, 2);
}

/** The profile's text while the user edits it. */
export interface ProfileDraft {
  /** The text in the editor. */
  readonly text: string;
  /** The text that is saved now. */
  readonly kept: string;
  /** The text that was saved when the typing began. */
  readonly base: string;
}

/** A draft without changes. */
export function freshDraft(kept: string): ProfileDraft {
  return { text: kept, kept, base: kept };
}

/** The draft after another profile was saved, for example with the connection: the typed text stays. */
export function withKept(draft: ProfileDraft, kept: string): ProfileDraft {
  return draft.text === draft.kept || draft.text === kept ? freshDraft(kept) : { ...draft, kept };
}

/** The draft with another name in place of its own: saving it must not bring the old name back. */
function renamedDraft({ text, kept, base }: ProfileDraft, from: string, to: string): ProfileDraft {
  const renamed = (profile: string): string => {
    const object = readObject(profile);
    return object?.['name'] === from ? JSON.stringify({ ...object, name: to }, null, 2) : profile;
  };
  return { text: renamed(text), kept: renamed(kept), base: renamed(base) };
}

/** The fields of a form that were typed into, by their names. */
export type TypedFields = Readonly<Record<string, string>>;

/** The forms about a gateway, named by it: they follow it when it is renamed. */
export const GATEWAY_FORMS = {
  connection: (gateway: string) => `connection of ${gateway}`,
  prices: (gateway: string) => `prices of ${gateway}`,
};

/** What was typed into forms and is not saved yet, by form, wherever the user goes meanwhile. */
export class TypedForms {
  readonly texts = createStore<Readonly<Record<string, TypedFields>>>(() => ({}));
  /** Keys, passwords and what may hold one: never handed on to another page, as they would be written down for it. */
  readonly secrets = createStore<Readonly<Record<string, TypedFields>>>(() => ({}));

  /** The typed fields of a gateway go with it to its new name; without one they are dropped. */
  moveGateway(from: string, to: string | undefined): void {
    for (const store of [this.texts, this.secrets])
      for (const form of Object.values(GATEWAY_FORMS)) {
        const { [form(from)]: typed, ...others } = store.getState();
        if (typed !== undefined) store.setState(to === undefined ? others : { ...others, [form(to)]: typed }, true);
      }
  }
}

/** What was typed into each profile, by its name, wherever the user goes meanwhile. */
export class ProfileDrafts {
  readonly store = createStore<Readonly<Record<string, ProfileDraft>>>(() => ({}));
  /** What was typed into the other forms. */
  readonly forms = new TypedForms();
  readonly #ids = new Map<string, number>();
  #lastId = 0;

  /** Identifies the profile with this name among all others, even one that gets its name later. */
  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#lastId += 1;
    this.#ids.set(name, this.#lastId);
    return this.#lastId;
  }

  set(name: string, draft: ProfileDraft): void {
    this.store.setState({ [name]: draft });
  }

  /** The profile as it is saved now: what is typed into it stays. */
  keep(name: string, kept: string): void {
    const before = this.store.getState()[name];
    this.set(name, before === undefined ? freshDraft(kept) : withKept(before, kept));
  }

  /** What was typed under one name now belongs to another. */
  rename(from: string, to: string): void {
    const id = this.idOf(from);
    this.#ids.delete(from);
    this.#ids.set(to, id);
    this.forms.moveGateway(from, to);
    const { [from]: draft, ...others } = this.store.getState();
    this.store.setState(draft === undefined ? others : { ...others, [to]: renamedDraft(draft, from, to) }, true);
  }

  /** The profile was saved: `sent` is kept as `text`, perhaps under another name. What was typed since stays. */
  saved(from: string, to: string, sent: string, text: string): void {
    const isAsSent = this.store.getState()[from]?.text === sent;
    if (from !== to) this.rename(from, to);
    if (isAsSent) this.set(to, freshDraft(text));
    else this.keep(to, text);
  }

  forget(name: string): void {
    this.#ids.delete(name);
    this.forms.moveGateway(name, undefined);
    const { [name]: _, ...others } = this.store.getState();
    this.store.setState(others, true);
  }
}

/** Changes saved since the typing began that saving the draft would undo: from the saved text to the typed one. */
export function undoneChanges({ text, kept, base }: ProfileDraft): readonly ProfileChange[] {
  const [typed, now, before] = [text, kept, base].map(profileOfText);
  if (typed === undefined || now === undefined || before === undefined) return [];
  const saved = new Set(profileChanges(before, now).map(({ path }) => path));
  return profileChanges(now, typed).filter(({ path }) => saved.has(path));
}

/** The profile that a text holds; undefined while it is not a valid one. */
export function profileOfText(text: string): Profile | undefined {
  const json = readJson(text);
  const parsed = json.ok ? parseProfile(json.value) : undefined;
  return parsed?.ok === true ? parsed.value : undefined;
}

/** The members of a profile's text; undefined if it is not a JSON object. */
export function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const json = readJson(text);
  return json.ok && isObject(json.value) ? json.value : undefined;
}

function readJson(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string } {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return {
      ok: false,
      problem: error instanceof Error ? error.message.replace(/\.$/, '') : words.common.profile.unreadable,
    };
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
