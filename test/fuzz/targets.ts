import { BROKEN_TARGETS } from './broken-targets.ts';
import type { FuzzTarget } from './target.ts';

/** Every reader of foreign bytes that is fuzzed, by what loads it: a process loads only what its cases need. */
const GROUPS: Readonly<Record<string, () => Promise<readonly FuzzTarget[]>>> = {
  'mp4 webm ogg mp3 flac riff gif png jpeg': async () => (await import('./targets/containers.ts')).CONTAINER_TARGETS,
  'xlsx ods zip': async () => (await import('./targets/workbooks.ts')).WORKBOOK_TARGETS,
  'csv csv-table csv-write clipboard clipboard-table': async () => (await import('./targets/texts.ts')).TEXT_TARGETS,
  'gateway-answer gateway-wire headers': async () => (await import('./targets/gateway.ts')).GATEWAY_TARGETS,
  'profile preview manifest': async () => (await import('./targets/documents.ts')).DOCUMENT_TARGETS,
  'cells cell-escape names results-xlsx results-csv': async () => (await import('./targets/sheets.ts')).SHEET_TARGETS,
};

/** The names of all of them. */
export const TARGET_NAMES: readonly string[] = Object.keys(GROUPS).flatMap((names) => names.split(' '));

/** A target by its name, those among them that are broken on purpose. */
export async function loadTarget(name: string): Promise<FuzzTarget> {
  const load = Object.entries(GROUPS).find(([names]) => names.split(' ').includes(name))?.[1];
  const target = (load === undefined ? BROKEN_TARGETS : await load()).find((candidate) => candidate.name === name);
  if (target === undefined) throw new Error(`There is no target ${name}`);
  return target;
}
