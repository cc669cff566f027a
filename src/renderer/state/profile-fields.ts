/**
 * The fields of a profile, as the settings show them beside its JSON: both change the same text. What is typed into a
 * field is in the text at once, right or wrong, so that one check covers both.
 */
import { DEFAULT_PROFILE, STATUS_MEANINGS, type StatusMeaning } from '../../shared/domain/gateway/profile.ts';
import { type ProfileProblem, memberAt } from '../../shared/domain/gateway/profile-problem.ts';
import { FAMILIES, FAMILY_NAMES, type Family } from '../../shared/domain/operations/operations.ts';
import { words } from '../../shared/words/words.ts';
import { readObject } from './profile-draft.ts';

type Path = readonly [string, ...string[]];

/** One value of a profile that is typed. */
export interface ProfileField {
  readonly path: Path;
  readonly label: string;
  readonly hint: string;
  /** `lines`: a list, one item in each line. */
  readonly kind: 'text' | 'number' | 'lines';
}

export interface ProfileFieldGroup {
  readonly title: string;
  readonly fields: readonly ProfileField[];
}

const { profile } = words.common;

const number = (path: Path, said: Pick<ProfileField, 'label' | 'hint'>): ProfileField => ({
  path,
  ...said,
  kind: 'number',
});

/** In the order in which a new gateway’s settings are asked for. */
export const PROFILE_FIELDS: readonly ProfileFieldGroup[] = [
  {
    title: profile.howMuch,
    fields: [
      number(['limits', 'requestsPerSecond'], profile.requestsPerSecond),
      ...FAMILIES.map((family) => number(['limits', 'activePerFamily', family], profile.atOnce(FAMILY_NAMES[family]))),
      number(['limits', 'downloads'], profile.downloads),
    ],
  },
  {
    title: profile.howLong,
    fields: [
      number(['deadlines', 'submitSeconds'], profile.submitSeconds),
      number(['deadlines', 'pollSeconds'], profile.pollSeconds),
      number(['deadlines', 'taskHours'], profile.taskHours),
    ],
  },
  {
    title: profile.files,
    fields: [
      { path: ['media', 'allowHosts'], ...profile.allowHosts, kind: 'lines' },
      number(['media', 'maxBytes'], profile.maxBytes),
    ],
  },
  {
    title: profile.howAsked,
    fields: [
      { path: ['taskCode', 'name'], ...profile.taskCode, kind: 'text' },
      { path: ['userAgent'], ...profile.userAgent, kind: 'text' },
    ],
  },
];

/** What a field shows from a profile’s text; empty if the text does not say it. */
export function fieldText(profileText: string, { path }: Pick<ProfileField, 'path'>): string {
  const value = memberAt(readObject(profileText), path);
  if (Array.isArray(value))
    return value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n');
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What applies if a field is left empty. */
export function defaultText(field: Pick<ProfileField, 'path'>): string {
  return fieldText(JSON.stringify(DEFAULT_PROFILE), field);
}

/** The profile’s text with what was typed into a field; undefined if the text is not a JSON object. */
export function withField(profileText: string, { path, kind }: ProfileField, typed: string): string | undefined {
  return withValue(profileText, path, typedValue(kind, typed));
}

/** What is wrong with the value at a place of a profile, or within it, in one line; undefined if nothing is. */
export function problemAt(problems: readonly ProfileProblem[], path: readonly string[]): string | undefined {
  const place = path.join('.');
  const found = problems.find((one) => one.path === place || one.path.startsWith(`${place}.`));
  return found && words.common.sentences([found.message, found.remedy]);
}

/** The table of a family’s statuses, as far as it is one; numbers come first, in order. */
export function statusesOf(profileText: string, family: Family): readonly (readonly [string, string])[] {
  const table = memberAt(readObject(profileText), ['status', family]);
  if (typeof table !== 'object' || table === null) return [];
  return Object.entries(table).map(([status, means]) => [status, String(means)] as const);
}

/** The profile’s text with another meaning for a status of a family; undefined removes the status from the table. */
export function withStatus(
  profileText: string,
  family: Family,
  status: string,
  means: StatusMeaning | undefined,
): string | undefined {
  return withValue(profileText, ['status', family, status], means);
}

export const MEANING_WORDS: Readonly<Record<StatusMeaning, string>> = profile.meanings;

/** What keeps a text from being a status in a table; undefined if nothing does. */
export function statusProblem(status: string, isThere: boolean): string | undefined {
  if (isThere) return profile.statusThere;
  // JSON allows this name, but no program that reads it into an object keeps it.
  return status === '__proto__' ? profile.noStatusName : undefined;
}

export function isMeaning(text: string): text is StatusMeaning {
  return STATUS_MEANINGS.some((meaning) => meaning === text);
}

/** A number only if the text is nothing else, with a comma or a point: what is half typed stays as it is. */
function typedValue(kind: ProfileField['kind'], typed: string): unknown {
  switch (kind) {
    case 'lines':
      return typed === '' ? undefined : typed.split('\n');
    case 'number':
      return typed === '' ? undefined : numberOf(typed);
    case 'text':
      return typed === '' ? undefined : typed;
  }
}

function numberOf(typed: string): number | string {
  const text = typed.trim().replace(',', '.');
  return JSON.stringify(Number(text)) === text ? Number(text) : typed;
}

function withValue(profileText: string, path: Path, value: unknown): string | undefined {
  const object = readObject(profileText);
  return object && JSON.stringify(put(object, path, value), null, 2);
}

function put(object: Readonly<Record<string, unknown>>, [key, ...rest]: Path, value: unknown): Record<string, unknown> {
  const [next, ...further] = rest;
  if (next !== undefined) return { ...object, [key]: put(objectAt(object, key), [next, ...further], value) };
  const { [key]: _, ...others } = object;
  // The key keeps its place if it already has one.
  return value === undefined ? others : { ...object, [key]: value };
}

function objectAt(object: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
