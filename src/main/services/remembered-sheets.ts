/** What the application remembers about sheets: the last files, and the mappings of their headers. */
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import type { RouteOutput } from '../../shared/ipc/contract.ts';
import { corrections } from '../../shared/ipc/opening.ts';
import { OPERATION_PATHS } from '../../shared/domain/operations/operations.ts';

export const recentSheets = z.array(
  z.strictObject({
    path: z.string(),
    /** Milliseconds since the epoch. */
    openedAt: z.number(),
  }),
);
export type RecentSheets = z.infer<typeof recentSheets>;

const SHEETS_KEPT = 10;

/** The recent sheets and one more, newest first. */
export function withSheet(recent: RecentSheets, path: string, openedAt: number): RecentSheets {
  return [{ path, openedAt }, ...recent.filter((sheet) => sheet.path !== path)].slice(0, SHEETS_KEPT);
}

export function withoutSheet(recent: RecentSheets, recentId: string): RecentSheets {
  return recent.filter(({ path }) => placeIdOf(path) !== recentId);
}

/** The path for an id; undefined if the id is no longer known. */
export function pathOf(recent: RecentSheets, recentId: string): string | undefined {
  return recent.find(({ path }) => placeIdOf(path) === recentId)?.path;
}

/** The recent sheets as the window may see them. */
export function recentViews(recent: RecentSheets): Promise<RouteOutput<'sheet.recent'>> {
  return Promise.all(
    recent.map(async ({ path, openedAt }) => ({
      recentId: placeIdOf(path),
      name: basename(path),
      folder: dirname(path),
      openedAt,
      isThere: await access(path).then(
        () => true,
        () => false,
      ),
    })),
  );
}

/** The id under which the window knows a file or a folder of the user's. */
export function placeIdOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 24);
}

/** Folders that the user chose for batches, newest first; an id that the window has kept may be older than this start. */
export const chosenFolders = z.array(z.string());

const FOLDERS_KEPT = 20;

export function withFolder(folders: readonly string[], folder: string): string[] {
  return [folder, ...folders.filter((other) => other !== folder)].slice(0, FOLDERS_KEPT);
}

export const keptMapping = z.strictObject({
  /** By header: an exact column, or `''` for a header that is not sent. */
  mapping: z.record(z.string(), z.string()),
  defaultOperation: z.enum(OPERATION_PATHS).optional(),
  corrections: corrections.optional(),
  /** Milliseconds since the epoch. */
  keptAt: z.number(),
});
export type KeptMapping = z.infer<typeof keptMapping>;

/** By {@link headerSignature}. */
export const keptMappings = z.record(z.string(), keptMapping);
export type KeptMappings = z.infer<typeof keptMappings>;

/** More than these are hardly in use; the oldest are forgotten. */
const MAPPINGS_KEPT = 200;

/** Identifies the header lines of sheets, whatever the order of their columns. */
export function headerSignature(headers: readonly string[]): string {
  const names = headers.map((header) => header.trim()).toSorted();
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
}

/** The stored mappings and one more; an empty mapping is forgotten instead. */
export function withMapping(kept: KeptMappings, headers: readonly string[], mapping: KeptMapping): KeptMappings {
  const signature = headerSignature(headers);
  const others = Object.entries(kept).filter(([known]) => known !== signature);
  const { defaultOperation, corrections: corrected = {} } = mapping;
  const saysNothing =
    Object.keys(mapping.mapping).length === 0 && defaultOperation === undefined && Object.keys(corrected).length === 0;
  if (saysNothing) return Object.fromEntries(others);
  const newest = others.toSorted(([, a], [, b]) => b.keptAt - a.keptAt).slice(0, MAPPINGS_KEPT - 1);
  return Object.fromEntries([...newest, [signature, mapping]]);
}
