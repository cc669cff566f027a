/** What a build knows about updates: where the feed of releases is, and whose signature is valid. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MIGRATIONS } from '../../src/engine/store/open/migrations.ts';
import { updateKey } from '../../src/main/updates/release-feed.ts';
import type { UpdateBuild } from '../../src/main/updates/update-files.ts';

/** Public: the private keys are with the maintainers, in no repository. */
export const UPDATES_FILE = join(import.meta.dirname, '../../resources/package/updates.json');

export const updatesFile = z.strictObject({
  /** Empty, and no keys: the builds of this repository ask for no updates. */
  feed: z.union([z.literal(''), z.url({ protocol: /^https$/u })]),
  keys: z.array(updateKey).max(10),
});

/** The schema that this version brings a store to. */
export const STORE_SCHEMA = MIGRATIONS.length;

/** As it is written into the manifest of the program. */
export function updatesOfBuild(): { readonly updates?: UpdateBuild } {
  const { feed, keys } = updatesFile.parse(JSON.parse(readFileSync(UPDATES_FILE, 'utf8')));
  if (feed === '' || keys.length === 0) return {};
  return { updates: { feed, keys, schema: STORE_SCHEMA } };
}
