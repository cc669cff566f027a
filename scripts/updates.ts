/**
 * The feed of releases, for the maintainers.
 *
 *     npm run updates -- key FILE --feed URL     makes a key: FILE gets the private half, the repository the public one
 *     npm run updates -- sign FOLDER --base URL --page URL  writes FOLDER/releases.json: the packages there are this version
 *         [--previous FILE]                      the feed before, whose releases stay in it
 *         [--rollout PERCENT]                    to whom it is offered; 10 unless told
 *     npm run updates -- rollout FILE PERCENT    offers the newest release in a feed to more, or with 0 to nobody
 *     npm run updates -- withdraw FILE VERSION   takes a release out of a feed
 *
 * What signs reads the private key (PEM) from NOCTURNE_UPDATE_KEY.
 */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import {
  compareVersions,
  digestOf,
  readFeed,
  signFeed,
  updateKeyOf,
  type Release,
  type ReleasedFile,
  type ReleaseFeed,
} from '../src/main/updates/release-feed.ts';
import { releaseNotes } from './changelog.ts';
import builder from '../electron-builder.config.ts';
import { STORE_SCHEMA, UPDATES_FILE, updatesFile } from './package/updates-of-build.ts';

const ROOT = join(import.meta.dirname, '..');
/** Enough to go back, and the feed stays small. */
const RELEASES_KEPT = 20;
const FIRST_ROLLOUT = 10;

/** The packages that update themselves, by the names that electron-builder.config.ts gives them. */
const FORMATS: readonly (Pick<ReleasedFile, 'format' | 'platform'> & { readonly name: string })[] = [
  { format: 'AppImage', platform: 'linux', name: builder.appImage.artifactName },
  { format: 'nsis', platform: 'win32', name: builder.nsis.artifactName },
  { format: 'zip', platform: 'darwin', name: builder.mac.artifactName },
];
const EXTENSIONS: Readonly<Record<ReleasedFile['format'], string>> = { AppImage: 'AppImage', nsis: 'exe', zip: 'zip' };
/** Processors as electron-builder names them, and as Node does. */
const ARCHS: Readonly<Record<string, string>> = { x64: 'x64', arm64: 'arm64', x86_64: 'x64' };

class Refused extends Error {}

function run(): void {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      feed: { type: 'string' },
      base: { type: 'string' },
      page: { type: 'string' },
      previous: { type: 'string' },
      rollout: { type: 'string' },
    },
  });
  const [command, path = '', given = ''] = positionals;
  switch (command) {
    case 'key':
      makeKey(path, values.feed ?? '');
      return;
    case 'sign':
      sign(path, values);
      return;
    case 'rollout':
      change(path, (releases) =>
        releases.map((each, index) => (index === 0 ? { ...each, rollout: percent(given) } : each)),
      );
      return;
    case 'withdraw':
      change(path, (releases) => {
        const left = releases.filter(({ version }) => version !== given);
        if (left.length === releases.length) throw new Refused(`${path} has no release ${given}.`);
        return left;
      });
      return;
    default:
      throw new Refused('Say what to do: key, sign, rollout or withdraw.');
  }
}

function makeKey(file: string, feed: string): void {
  if (file === '' || !relative(ROOT, file).startsWith('..'))
    throw new Refused('Name the file for the private key, outside of the repository.');
  const known = readKnown();
  const privateKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const next = updatesFile.safeParse({ feed: feed || known.feed, keys: [...known.keys, updateKeyOf(privateKey)] });
  if (!next.success || next.data.feed === '') throw new Refused('Say where the feed will be: --feed https://…');
  // Never replaces another key: releases are signed with it.
  writeFileSync(file, privateKey, { mode: 0o600, flag: 'wx' });
  writeFileSync(UPDATES_FILE, `${JSON.stringify(next.data, undefined, 2)}\n`);
  console.log(
    `${file} is the private key: put it where only the releases can read it. ${UPDATES_FILE} has its public half.`,
  );
}

function sign(folder: string, options: { base?: string; page?: string; previous?: string; rollout?: string }): void {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const notes = releaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  if (notes === undefined) throw new Refused(`CHANGELOG.md says nothing of ${version}.`);
  if (options.base?.endsWith('/') !== true) throw new Refused('Say where the files will be: --base https://…/');
  const { base } = options;
  if (options.page === undefined) throw new Refused('Say where people get them: --page https://…/');
  const files = readdirSync(folder).flatMap((name) => releasedFile(join(folder, name), base, version));
  if (files.length === 0) throw new Refused(`${folder} has no package that updates itself.`);
  const { releases: earlier, at } =
    options.previous === undefined ? { releases: [], at: 0 } : readSigned(options.previous);
  if (earlier.some((each) => compareVersions(each.version, version) >= 0))
    throw new Refused(`${options.previous ?? ''} has ${version} already, or a later one.`);
  const release: Release = {
    version,
    date: new Date().toISOString().slice(0, 10),
    schema: STORE_SCHEMA,
    rollout: options.rollout === undefined ? FIRST_ROLLOUT : percent(options.rollout),
    notes,
    page: options.page,
    files,
  };
  writeSigned(join(folder, 'releases.json'), [release, ...earlier], at);
}

function releasedFile(path: string, base: string, version: string): readonly ReleasedFile[] {
  const name = basename(path);
  return FORMATS.flatMap(({ format, platform, name: template }) =>
    Object.entries(ARCHS).flatMap(([named, arch]) => {
      const own = template
        .replace('${version}', version)
        .replace('${arch}', named)
        .replace('${ext}', EXTENSIONS[format]);
      if (name !== own) return [];
      const url = new URL(encodeURIComponent(name), base).href;
      return { format, platform, arch, url, size: statSync(path).size, sha512: digestOf(readFileSync(path)) };
    }),
  );
}

function change(file: string, to: (releases: readonly Release[]) => readonly Release[]): void {
  const { releases, at } = readSigned(file);
  writeSigned(file, to(releases), at);
}

function readSigned(file: string): ReleaseFeed {
  if (!existsSync(file)) throw new Refused(`${file} is not there.`);
  const feed = readFeed(readFileSync(file), readKnown().keys);
  if (!feed.ok) throw new Refused(`${file}: ${feed.error.message}`);
  return feed.value;
}

function writeSigned(file: string, releases: readonly Release[], before: number): void {
  const key = process.env['NOCTURNE_UPDATE_KEY'];
  if (key === undefined) throw new Refused('NOCTURNE_UPDATE_KEY holds no private key.');
  if (!readKnown().keys.includes(updateKeyOf(key))) throw new Refused(`${UPDATES_FILE} does not have its public half.`);
  const newestFirst = releases.toSorted((a, b) => compareVersions(b.version, a.version)).slice(0, RELEASES_KEPT);
  // A clock that was ahead when the previous feed was signed must not make this one the older.
  writeFileSync(file, signFeed({ at: Math.max(Date.now(), before + 1), releases: newestFirst }, key));
  for (const { version, rollout, files } of newestFirst) {
    console.log(`${version}, offered to ${rollout} %: ${files.map(({ url }) => basename(url)).join(', ')}`);
  }
  console.log(`Signed: ${file}`);
}

function readKnown() {
  return updatesFile.parse(JSON.parse(readFileSync(UPDATES_FILE, 'utf8')));
}

function percent(text: string): number {
  const number = Number(text);
  if (!/^\d{1,3}$/u.test(text) || number > 100) throw new Refused(`${text} is no percentage.`);
  return number;
}

try {
  run();
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
