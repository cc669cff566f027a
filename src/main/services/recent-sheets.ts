/** The files that were brought in last: offered again, by an id that stands for the path, which the window never has. */
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import type { RouteOutput } from '../../shared/ipc/contract.ts';

export const recentSheets = z.array(
  z.strictObject({
    path: z.string(),
    /** Milliseconds since the epoch. */
    openedAt: z.number(),
  }),
);
export type RecentSheets = z.infer<typeof recentSheets>;

const SHEETS_KEPT = 10;

/** The recent sheets with one more, the newest first. */
export function withSheet(recent: RecentSheets, path: string, openedAt: number): RecentSheets {
  return [{ path, openedAt }, ...recent.filter((sheet) => sheet.path !== path)].slice(0, SHEETS_KEPT);
}

export function withoutSheet(recent: RecentSheets, recentId: string): RecentSheets {
  return recent.filter(({ path }) => recentIdOf(path) !== recentId);
}

/** The path that an id stands for; undefined for one that is not known any more. */
export function pathOf(recent: RecentSheets, recentId: string): string | undefined {
  return recent.find(({ path }) => recentIdOf(path) === recentId)?.path;
}

/** The recent sheets as the window may see them. */
export function recentViews(recent: RecentSheets): Promise<RouteOutput<'sheet.recent'>> {
  return Promise.all(
    recent.map(async ({ path, openedAt }) => ({
      recentId: recentIdOf(path),
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

function recentIdOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 24);
}
