/**
 * `datapackage.json`: what a delivery holds, and what it was made from. Source: Frictionless Data Package, v1 and v2.
 */
import { z } from 'zod';
import { present } from '../base/result.ts';
import type { DeliveryItem } from './delivery-item.ts';

/** Its name in the folder of a delivery. */
export const DATA_PACKAGE = 'datapackage.json';

const hash = z.string().regex(/^sha256:[0-9a-f]{64}$/u);

/** A path with `/` that stays inside the folder, also on systems that have drives and treat `\\` as `/`. */
const inside = z
  .string()
  .regex(/^(?![A-Za-z]:)[^/\\\0][^\\\0]*$/u)
  .refine((path) => !path.split('/').includes('..'));

/** One delivered file. Keys of other programs stay as they are. */
const resource = z.looseObject({
  name: z.string(),
  path: inside,
  bytes: z.number().int().nonnegative(),
  /** The hash of the file as it is delivered. */
  hash,
  mediatype: z.string(),
  row: z.string(),
  take: z.number(),
  index: z.number(),
  /** Which output of which batch it is. */
  output: z.string(),
  /** The verified file that it is a copy of: the same as `hash` unless tags were written into it. */
  original: hash,
  /** It carries content credentials (C2PA), and is the original byte for byte. */
  contentCredentials: z.literal(true).optional(),
  /** The XMP file beside it. */
  sidecar: inside.optional(),
  /** Seconds, and pictures or samples of sound in a second; known if a timeline was asked for. */
  length: z.object({ seconds: z.number(), rate: z.number() }).optional(),
});

const dataPackage = z.looseObject({
  name: z.string(),
  resources: z.array(resource),
  /** Nocturne's own part: without it, the package is another program's. */
  nocturne: z.looseObject({
    version: z.literal(1),
    /** The timeline as it was written: if somebody has changed it since, it is not replaced. */
    timeline: z.object({ path: z.string().regex(/^timeline(?:-\d+)?\.otio$/u), hash }).optional(),
  }),
});

/** A delivered file, as the package lists it. */
export type Delivered = z.output<typeof resource>;
/** The whole package. */
export type DataPackage = z.output<typeof dataPackage>;

/** The package in a text; undefined if Nocturne did not write it, or if it names a file outside its folder. */
export function readDataPackage(text: string): DataPackage | undefined {
  try {
    const read: unknown = JSON.parse(text);
    // As it was written: a schema returns the keys in another order.
    return dataPackage.safeParse(read).success ? (read as DataPackage) : undefined;
  } catch {
    return undefined;
  }
}

/** What was written for an item. */
export type WrittenFile = Pick<Delivered, 'path' | 'bytes' | 'hash' | 'contentCredentials' | 'sidecar' | 'length'>;

/** The entry of a file that has just been delivered. */
export function deliveredOf({ output, file, about, verdict }: DeliveryItem, written: WrittenFile): Delivered {
  const { title, prompt, model } = about;
  const { rating, note, kept } = verdict ?? {};
  return {
    name: resourceName(written.path),
    ...present({ title }),
    path: written.path,
    mediatype: file.mediaType,
    bytes: written.bytes,
    hash: written.hash,
    row: file.row,
    take: file.take,
    index: file.index,
    operation: file.operation,
    ...present({ prompt, model, kept, rating, note }),
    output,
    original: `sha256:${file.sha256}`,
    ...present({
      contentCredentials: written.contentCredentials,
      sidecar: written.sidecar,
      length: written.length,
    }),
  };
}

/** In lower case, with only the characters that the name of a resource may have. */
function resourceName(path: string): string {
  const plain = path.toLowerCase().replaceAll(/[^a-z0-9._-]+/gu, '-');
  return plain.replaceAll(/^[-.]+|[-.]+$/gu, '') || 'file';
}

/**
 * The package with what it lists now. Everything that it had before stays unless it is delivered again; no two
 * resources have the same name, as the standard requires.
 */
export function dataPackageOf(
  batch: { readonly id: string; readonly name: string },
  earlier: DataPackage | undefined,
  added: readonly Delivered[],
  createdAt: number,
): DataPackage {
  const again = new Set(added.map(({ output }) => output));
  const stays = (earlier?.resources ?? []).filter(({ output }) => !again.has(output));
  return {
    ...(earlier ?? {
      name: `nocturne-${batch.id.toLowerCase().replaceAll(/[^a-z0-9._-]/gu, '-')}`,
      title: batch.name,
      created: new Date(createdAt).toISOString(),
      nocturne: { version: 1 },
    }),
    resources: withOwnNames([...stays, ...added]),
  };
}

function withOwnNames(resources: readonly Delivered[]): Delivered[] {
  const taken = new Set<string>();
  return resources.map((listed) => {
    let name = listed.name;
    for (let number = 2; taken.has(name); number += 1) name = `${listed.name}-${number}`;
    taken.add(name);
    return { ...listed, name };
  });
}

/** The package as it is written. */
export function dataPackageText(written: DataPackage): string {
  return `${JSON.stringify({ profile: 'data-package', ...written }, undefined, 1)}\n`;
}
