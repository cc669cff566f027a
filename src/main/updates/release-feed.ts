/**
 * The feed of releases: one small document that says which versions there are and what their files must be, signed with
 * a key of the maintainers. Whoever serves the feed and the files can withhold them, but not change them.
 */
import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { ENGLISH, type Words } from '../../shared/words/words.ts';

/** No feed is longer: one with a hundred releases of six files each has about 100 kB. */
export const FEED_MAX_BYTES = 1_048_576;

/** What is signed begins with this, so that no signature made for something else is valid here. */
const SIGNED_AS = 'nocturne releases 1\n';

/** A public Ed25519 key (RFC 8032): its 32 bytes in base64. */
export const updateKey = z.base64().refine((text) => Buffer.from(text, 'base64').length === 32, 'is no Ed25519 key');

/** What installs a file, which is how it was installed: an AppImage is replaced by an AppImage. */
export const SELF_UPDATING = ['AppImage', 'nsis', 'zip'] as const;
export type SelfUpdating = (typeof SELF_UPDATING)[number];

const releasedFile = z.strictObject({
  format: z.enum(SELF_UPDATING),
  /** As Node names them. */
  platform: z.enum(['linux', 'darwin', 'win32']),
  arch: z.string().regex(/^[a-z0-9_]{1,20}$/u),
  /** Relative to the feed, or absolute. */
  url: z.string().min(1).max(2000).refine(isOfTheWeb, 'must be an address of the web'),
  size: z.int().positive(),
  /** The digest of the file, in base64. */
  sha512: z.base64().length(88),
});
export type ReleasedFile = Readonly<z.output<typeof releasedFile>>;

const release = z.strictObject({
  version: z.string().regex(/^(?:0|[1-9]\d{0,5})(?:\.(?:0|[1-9]\d{0,5})){2}$/u),
  /** When it was released, such as `2026-11-23`. */
  date: z.iso.date(),
  /** The schema that it brings its store to: an earlier version can only read a later one. */
  schema: z.int().min(1),
  /** It is offered to this percentage of all installations, and to users who ask; with 0, to nobody. */
  rollout: z.int().min(0).max(100),
  /** What changes, in Markdown. */
  notes: z.string().max(20_000),
  /** The page from which the user can get it. */
  page: z.url({ protocol: /^https$/u }).max(2000),
  files: z.array(releasedFile).max(50),
});
export type Release = Readonly<Omit<z.output<typeof release>, 'files'>> & { readonly files: readonly ReleasedFile[] };

/** The document as it is signed: exactly what is known here. */
const releases = z.strictObject({
  product: z.literal('nocturne'),
  /**
   * When it was signed, in milliseconds since the epoch: a feed that is earlier than one already seen is not accepted.
   */
  at: z.int().min(0),
  releases: z.array(release).max(200),
});
/** The document as it is read: what later versions add is ignored, otherwise nobody could ever be told about them. */
const readReleases = z.object({
  product: z.literal('nocturne'),
  at: z.int().min(0),
  releases: z.array(z.unknown()).max(200),
});
const readRelease = z.object({ ...release.shape, files: z.array(z.unknown()).max(50) });
const readFile = z.object(releasedFile.shape);

export interface ReleaseFeed {
  readonly at: number;
  readonly releases: readonly Release[];
}

const signedFeed = z.strictObject({
  /** The releases, as JSON. */
  signed: z.string(),
  /** The signature of exactly the text in `signed`, in base64. */
  signature: z.base64(),
});

type SaidOfUpdate = (told: Words['desktop']['updates']) => string;

/** What is wrong with an update, or with looking for one: `said` in the window’s language, the message in English. */
export class UpdateError extends Error {
  readonly said: SaidOfUpdate;

  constructor(said: SaidOfUpdate, options?: ErrorOptions) {
    super(said(ENGLISH.desktop.updates), options);
    this.said = said;
  }
}

/**
 * Reads a feed. It is valid if one of the keys has signed its very bytes; the error says what is wrong with it.
 * @param keys as {@link updateKey}
 */
export function readFeed(bytes: Uint8Array, keys: readonly string[]): Result<ReleaseFeed, UpdateError> {
  const envelope = signedFeed.safeParse(jsonOf(new TextDecoder().decode(bytes)));
  if (!envelope.success) return err(new UpdateError((told) => told.noList));
  const { signed, signature } = envelope.data;
  const content = Buffer.from(SIGNED_AS + signed);
  const isSigned = keys.some((key) => verify(null, content, publicKeyOf(key), Buffer.from(signature, 'base64')));
  if (!isSigned) return err(new UpdateError((told) => told.notSigned));
  const feed = readReleases.safeParse(jsonOf(signed));
  if (!feed.success) return err(new UpdateError((told) => told.notUnderstood));
  const known = whatHolds(readRelease, feed.data.releases).map((each) => ({
    ...each,
    files: whatHolds(readFile, each.files),
  }));
  return ok({ at: feed.data.at, releases: known });
}

/**
 * Writes a feed, signed with a private key (PEM). Throws if that is not a private key, or if the feed is not what it
 * should be.
 */
export function signFeed(feed: ReleaseFeed, privateKey: string): string {
  const signed = JSON.stringify(releases.parse({ product: 'nocturne', ...feed }));
  const signature = sign(null, Buffer.from(SIGNED_AS + signed), createPrivateKey(privateKey));
  return `${JSON.stringify({ signed, signature: signature.toString('base64') }, undefined, 2)}\n`;
}

/** The public key of a private one (PEM), as the program carries it. */
export function updateKeyOf(privateKey: string): string {
  const { x = '' } = createPublicKey(createPrivateKey(privateKey)).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('base64');
}

function publicKeyOf(key: string): KeyObject {
  const x = Buffer.from(key, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** Below zero if the first version is the earlier one. Both are as in a feed. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const differences = (left ?? []).map((part, index) => part - (right?.[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** What a release is chosen for. */
export interface Installation {
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
  /** Undefined: a package of the system, which the system replaces. */
  readonly format: SelfUpdating | undefined;
  /** Its place among all installations, from 0 to 1: it gets what is offered to a larger share of them. */
  readonly share: number;
}

/** A release with its file for one installation; without a file, only the news that the release exists. */
export interface Offer {
  readonly release: Release;
  readonly file: ReleasedFile | undefined;
}

/**
 * The newest release that is for this installation; undefined if this installation already has it. `isAsked`: the user
 * wants whatever there is.
 */
export function newestFor({ releases: all }: ReleaseFeed, to: Installation, isAsked: boolean): Offer | undefined {
  return offersOf(all, to).find(
    ({ release: { version, rollout } }) =>
      compareVersions(version, to.version) > 0 && rollout > 0 && (isAsked || to.share * 100 < rollout),
  );
}

/** The newest release before this one: the way back. */
export function previousFor({ releases: all }: ReleaseFeed, to: Installation): Offer | undefined {
  return offersOf(all, to).find(
    ({ release: { version }, file }) => compareVersions(version, to.version) < 0 && file !== undefined,
  );
}

/** Newest first; for an installation that updates itself, only those with a file for it. */
function offersOf(all: readonly Release[], { platform, arch, format }: Installation): readonly Offer[] {
  return all
    .map((each) => ({
      release: each,
      file: each.files.find((file) => file.format === format && file.platform === platform && file.arch === arch),
    }))
    .filter(({ file }) => format === undefined || file !== undefined)
    .toSorted((a, b) => compareVersions(b.release.version, a.release.version));
}

/** The digest of a file, as it is written in a feed. */
export function digestOf(content: Uint8Array): string {
  return createHash('sha512').update(content).digest('base64');
}

/** Whether an absolute or relative address is one of the web, without a user name and password. */
function isOfTheWeb(address: string): boolean {
  if (!URL.canParse(address, 'https://feed.invalid/')) return false;
  const { protocol, username, password } = new URL(address, 'https://feed.invalid/');
  return /^https?:$/u.test(protocol) && username === '' && password === '';
}

function whatHolds<S extends z.ZodType>(schema: S, values: readonly unknown[]): z.output<S>[] {
  return values.flatMap((value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
