import { parseProfile, type StatusMeaning } from '../../shared/domain/profile.ts';
import type { ProfileProblem } from '../../shared/domain/profile-problem.ts';
import { STATUS_PRESETS } from '../../shared/domain/profile-presets.ts';
import type { Family } from '../../shared/domain/operations.ts';

export type PresetName = keyof typeof STATUS_PRESETS;

/** The presets by what they say, for a list. */
export const PRESET_TITLES: Readonly<Record<PresetName, string>> = {
  '0-running-1-succeeded': '0 running, 1 succeeded, 2 and 3 failed',
  '0-queued-1-succeeded-3-running': '0 queued, 1 succeeded, 2 failed, 3 running',
  '0-queued-1-running-2-succeeded': '0 queued, 1 running, 2 succeeded, 3 failed',
  words: 'words, such as queued, running, success, failed',
};

/** What is wrong with a profile as it is typed; an empty list: it can be kept. */
export function checkProfileText(text: string): readonly ProfileProblem[] {
  const json = readJson(text);
  if (!json.ok)
    return [{ path: '', message: `This is not JSON: ${json.problem}.`, remedy: 'Correct it at that place.' }];
  const parsed = parseProfile(json.value);
  return parsed.ok ? [] : parsed.error;
}

/** The profile's text with a preset laid under a family; undefined where the text is not a JSON object. */
export function withPreset(text: string, family: Family, preset: PresetName): string | undefined {
  const json = readJson(text);
  if (!json.ok || !isObject(json.value)) return undefined;
  const before = json.value['status'];
  const table: Readonly<Record<string, StatusMeaning>> = STATUS_PRESETS[preset];
  const status = { ...(isObject(before) ? before : {}), [family]: table };
  return JSON.stringify({ ...json.value, status }, null, 2);
}

function readJson(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string } {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be read' };
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
