/** What a build knows of updates; it is in the manifest of the program, and so in its archive. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { updateKey } from './release-feed.ts';

const manifest = z.object({
  updates: z
    .strictObject({
      /** Where the feed is. Nobody can change what it says, but over plain http everybody on the way could withhold it. */
      feed: z.url({ protocol: /^https?$/u }).refine(isPrivateOrOwn, 'must be https'),
      /** One of them has signed it. */
      keys: z.array(updateKey).min(1).max(10),
      /** The schema that this version brings its store to. */
      schema: z.int().min(1),
    })
    .optional(),
});
export type UpdateBuild = Readonly<NonNullable<z.output<typeof manifest>['updates']>>;

/** Reads it from the program's folder or archive; undefined if this copy was made without a feed. Throws if it is broken. */
export function readUpdateBuild(appFolder: string): UpdateBuild | undefined {
  return manifest.parse(JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8'))).updates;
}

function isPrivateOrOwn(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
