/** What headers were taken for before, kept by the headers themselves, so that it can be offered again. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { OPERATION_PATHS } from '../../shared/domain/operations/operations.ts';
import { corrections } from '../../shared/ipc/opening.ts';

export const keptMapping = z.strictObject({
  /** By header: an exact column, or `''` for one that is not sent. */
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

/** More are hardly in use; the oldest are forgotten. */
const MAPPINGS_KEPT = 200;

/** Tells the header lines of sheets apart, whatever the order of their columns. */
export function headerSignature(headers: readonly string[]): string {
  const names = headers.map((header) => header.trim()).toSorted();
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
}

/** The kept mappings with one more; a mapping that says nothing is forgotten instead. */
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
