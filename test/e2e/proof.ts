/** Checks without asking the application: its folder, and the gateway's own log of what was paid for. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.object({
  rows: z.array(z.object({ row: z.string(), status: z.string() })),
  files: z.array(
    z.object({ path: z.string(), sha256: z.string(), bytes: z.number(), taskCode: z.string().optional() }),
  ),
});
const chargeSchema = z.object({ operation: z.string(), bodySha256: z.string(), taskCode: z.string() });

export type Manifest = z.infer<typeof manifestSchema>;

/**
 * Reads a media folder's manifest and compares every file with it; returns the manifest, or throws at the first
 * difference.
 */
export function readVerifiedManifest(folder: string): Manifest {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  for (const file of manifest.files) {
    const bytes = readFileSync(join(folder, file.path));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (sha256 !== file.sha256 || bytes.length !== file.bytes) throw new Error(`${file.path} is not what was recorded`);
  }
  return manifest;
}

/** How often each request was charged by the application's own built-in gateway. */
export function rehearsalCharges(dataFolder: string): ReadonlyMap<string, number> {
  const log = readFileSync(join(dataFolder, 'store', 'rehearsal', 'charges.jsonl'), 'utf8');
  const counts = new Map<string, number>();
  for (const line of log.split('\n').filter((text) => text !== '')) {
    const { operation, bodySha256 } = chargeSchema.parse(JSON.parse(line));
    const key = `${operation} ${bodySha256}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
