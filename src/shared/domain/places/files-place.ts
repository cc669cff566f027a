/**
 * Where files of this computer are put so that a gateway can read them: a store of the user's own, as described in a
 * file. That file contains no secret.
 */
import { z } from 'zod';
import { domainWords } from '../../words/domain-words.ts';
import { operationsWords } from '../../words/en/operations.ts';
import { plainHttpProblem } from '../gateway/hosts.ts';
import { reason, say, type Saying } from '../base/reason.ts';
import { assertNever } from '../base/result.ts';
import type { PlaceAddressRule } from '../../words/en/problems/places.ts';

const MEGABYTE = 1_000_000;
/** A week: no S3 server signs addresses for longer. */
const MOST_HOURS = 168;

const text = z
  .string()
  .min(1)
  .max(4000)
  .regex(/^[^\p{Cc}]*$/u, { error: () => domainWords.problems.must.noControls });

/** What is wrong with an address of a place: which rule it breaks; undefined if none. */
export function placeAddressProblem(url: string, allowPlainHttp: boolean): PlaceAddressRule | undefined {
  const authority = /^https?:\/\/([^/?#\\\s]+)[^?#\\\s]*$/iu.exec(url)?.[1];
  if (authority === undefined) return 'placeAddress';
  if (authority.includes('@')) return 'noUser';
  if (plainHttpProblem(url, allowPlainHttp) === undefined) return undefined;
  return 'httpsForFiles';
}

const address = text.superRefine((url, context) => {
  const broken = placeAddressProblem(url, false);
  if (broken !== undefined) context.addIssue({ code: 'custom', message: domainWords.problems.must[broken] });
});

const s3 = z.strictObject({
  /** `s3://BUCKET/PREFIX`. */
  bucket: text.regex(/^s3:\/\/./iu, { error: () => domainWords.problems.must.bucket }),
  /** The server, if it is not AWS; by default the one that AWS's own tools use. */
  endpoint: address.optional(),
  region: text.optional(),
  /** A profile in the credentials file, and that file. */
  profile: text.optional(),
  credentialsFile: text.optional(),
  /** Where everybody can read what is in the bucket; without this, addresses are signed. */
  publicUrl: address.optional(),
  /** How long a signed address is valid. */
  addressHours: z.number().int().min(1).max(MOST_HOURS).default(MOST_HOURS),
});

const webdav = z.strictObject({
  /** The folder that files are put into; it must exist. */
  url: address,
  user: text.optional(),
  passwordFile: text.optional(),
  /** Where everybody can read what is in that folder; by default, its own address. */
  publicUrl: address.optional(),
});

const command = z.strictObject({
  /** A program and its arguments; the file comes after them. No shell reads them. */
  argv: z.array(text).min(1).max(50),
  /** The same for what deletes a file again: its address comes after them. */
  delete: z.array(text).min(1).max(50).optional(),
  /** How long it may take for one file. */
  minutes: z.number().min(0.01).max(240).default(15),
});

export const filesPlace = z
  .strictObject({
    s3: s3.optional(),
    webdav: webdav.optional(),
    command: command.optional(),
    /** Larger files are refused. */
    maxMegabytes: z.number().min(0.001).max(5000).default(200),
    /** Only files in these folders and their subfolders; absent: any. */
    folders: z.array(text).min(1).max(50).optional(),
    /** What was put there for a batch is deleted once the batch is over. */
    deleteAfterBatch: z.boolean().optional(),
  })
  .superRefine((place, context) => {
    const ways = [place.s3, place.webdav, place.command].filter((way) => way !== undefined);
    if (ways.length !== 1) context.addIssue({ code: 'custom', message: domainWords.problems.must.oneWay });
    if (place.deleteAfterBatch !== true || place.command === undefined || place.command.delete !== undefined) return;
    context.addIssue({ code: 'custom', path: ['command', 'delete'], message: domainWords.problems.must.deleter });
  });
export type FilesPlace = z.output<typeof filesPlace>;

/** One of the ways to put a file. */
export type FilesWay =
  | { readonly kind: 's3'; readonly s3: z.output<typeof s3> }
  | { readonly kind: 'webdav'; readonly webdav: z.output<typeof webdav> }
  | { readonly kind: 'command'; readonly command: z.output<typeof command> };

/** The way of a place. */
export function wayOf({ s3: bucket, webdav: folder, command: program }: FilesPlace): FilesWay {
  if (bucket !== undefined) return { kind: 's3', s3: bucket };
  if (folder !== undefined) return { kind: 'webdav', webdav: folder };
  if (program !== undefined) return { kind: 'command', command: program };
  throw new Error('A place without a way.');
}

/** The place in a few words. */
export function placeText(place: FilesPlace): string {
  return say(placeReason(place));
}

/** The same, to be used within another text. */
export function placeReason(place: FilesPlace): Saying {
  const way = wayOf(place);
  switch (way.kind) {
    case 's3':
      return way.s3.bucket;
    case 'webdav':
      return way.webdav.url;
    case 'command':
      return reason('place.command', way.command.argv[0] ?? '');
    default:
      return assertNever(way);
  }
}

/** What distinguishes one place from another: the same content is put in each only once. */
export function placeKey(place: FilesPlace): string {
  const way = wayOf(place);
  switch (way.kind) {
    case 's3':
      return JSON.stringify(['s3', way.s3.endpoint ?? '', way.s3.bucket]);
    case 'webdav':
      return JSON.stringify(['webdav', way.webdav.url]);
    case 'command':
      return JSON.stringify(['command', way.command.argv]);
    default:
      return assertNever(way);
  }
}

/** Why a store on a server has no place, for the command line. */
export const NO_FILES_THERE = operationsWords.files.noneThere;

/** The largest file that is put, in bytes. */
export function mostBytes({ maxMegabytes }: Pick<FilesPlace, 'maxMegabytes'>): number {
  return Math.round(maxMegabytes * MEGABYTE);
}

/** What has become of the files that were put for a batch. */
export interface PutFiles {
  /** Put by this installation, and still there. */
  readonly left: number;
  readonly deleted: number;
  /**
   * They were there before they were to be put, or somebody has put something else in their place: they are left alone.
   */
  readonly notOurs: number;
  /** Why some were not deleted, each once, as sentences. */
  readonly problems: readonly string[];
}

export const NO_PUT_FILES: PutFiles = { left: 0, deleted: 0, notOurs: 0, problems: [] };

/** What was put for a batch, in words; undefined if nothing was, or if nothing is to be deleted. */
export function putFilesText(place: FilesPlace | undefined, files: PutFiles): string | undefined {
  if (place?.deleteAfterBatch !== true || files.left + files.deleted + files.notOurs === 0) return undefined;
  return domainWords.common.sentences([domainWords.operations.files.put(placeText(place), files), ...files.problems]);
}
