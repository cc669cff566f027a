/** Which work of others is shipped, and under which licence: noted by each build, from what is really in its files. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import type { LicensedPackage } from '../src/shared/ipc/app.ts';
import { nodePackage } from './package/command-line.ts';
import { type Lock, packagesUnder, sbomOf } from './sbom.ts';

const MODULES = 'node_modules/';
/** What the bundler itself puts into a bundle, by the names that it gives to such modules. */
const BUNDLERS: readonly (readonly [prefix: string, folder: string])[] = [
  ['\0rolldown/', `${MODULES}rolldown`],
  ['\0vite/', `${MODULES}vite`],
];
/** The runtimes: shipped without their packages, whose dependencies only install them. Node is this machine's. */
const RUNTIMES = [`${MODULES}electron`, MODULES + nodePackage(process.platform, process.arch)];
/** Not bundled either: native code, with what loads it. */
const NATIVE = `${MODULES}@photostructure/sqlite`;

/** Licences that ask for their notice and nothing else, which the program and its packages carry. */
const ACCEPTED = new Set([
  '0BSD',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'OFL-1.1',
  'Python-2.0',
]);
/** Licences that ask for more, for one package each: with the texts that must accompany them. */
const ACCEPTED_FOR: Readonly<Record<string, { readonly licence: string; readonly texts: readonly string[] }>> = {
  // Its source and all of ours are public: anybody who changes it can build the program with it, and is told how.
  '@breezystack/lamejs': {
    licence: 'LGPL-3.0',
    texts: ['resources/licences/LAME.txt', 'resources/licences/LGPL-3.0.txt', 'resources/licences/GPL-3.0.txt'],
  },
  // Shipped as published; its source, which the licence asks for, is in the npm package of this name and version.
  mediabunny: { licence: 'MPL-2.0', texts: [] },
  // It contains the whole text itself, and no notices of others. The queue of the workers is built with it.
  '@opentelemetry/api': { licence: 'Apache-2.0', texts: [] },
};
/** Where a package's licence ends and those of its contents begin: Node's are shipped beside it, Vite's stay there. */
const OF_OTHERS = /\n(?:# Licenses of bundled dependencies|The externally maintained libraries used by Node\.js are:)/u;
/** Nobody has read a licence that is longer than this. */
const TEXT_MAX = 60_000;

/**
 * Notes the packages from which a build has taken code, styles or fonts, and writes `out/licences.json` and the bill of
 * materials `out/sbom.cdx.json` of all parts that have been built. Fails the build if a licence is not known. `part` is
 * the name of the build, `root` the repository: a configuration that was bundled does not know where this module was.
 * What the bundler left out is not shipped, whatever the manifest says.
 */
export function shippedPackages(part: string, root: string): Plugin {
  const folders = new Set<string>();
  return {
    name: 'shipped-packages',
    generateBundle(_options, bundle): void {
      for (const output of Object.values(bundle)) {
        const ids = output.type === 'chunk' ? output.moduleIds : output.originalFileNames;
        for (const folder of ids.map(packageFolder)) if (folder !== undefined) folders.add(folder);
      }
    },
    writeBundle(): void {
      writeShipped(root, part, [...folders]);
    },
  };
}

/** The folder of the package that a module belongs to, from the repository; undefined for one of our own. */
export function packageFolder(id: string): string | undefined {
  const made = BUNDLERS.find(([prefix]) => id.startsWith(prefix));
  if (made !== undefined) return made[1];
  const path = id.replaceAll('\\', '/').replaceAll('\0', '');
  const last = /^.*node_modules\/(?:@[^/]+\/)?[^/?]+/u.exec(path)?.[0];
  return last?.slice(last.indexOf(MODULES));
}

/** Writes what a build has taken, and the lists for the whole program. Throws with a package of unknown licence. */
export function writeShipped(root: string, part: string, folders: readonly string[]): void {
  const lock = readJson(join(root, 'package-lock.json')) as Lock;
  const notBundled = [...RUNTIMES, ...packagesUnder(lock, NATIVE)];
  const parts = join(root, 'out', 'shipped');
  mkdirSync(parts, { recursive: true });
  writeJson(join(parts, `${part}.json`), [...new Set([...folders, ...notBundled])].toSorted());
  const all = readdirSync(parts).flatMap((file) => readJson(join(parts, file)) as readonly string[]);
  // A part that was built earlier may name a package that has since been removed; and not every system has a Node here.
  const shipped = [...new Set(all)].filter((folder) => lock.packages[folder] !== undefined).toSorted();
  writeJson(
    join(root, 'out', 'licences.json'),
    shipped.map((folder) => licensedPackage(root, folder)),
  );
  writeJson(join(root, 'out', 'sbom.cdx.json'), sbomOf(lock, shipped));
}

/**
 * A package with the text of its licence. Throws if its licence is not known, or is not one that we can comply with.
 */
export function licensedPackage(root: string, folder: string): LicensedPackage {
  const manifest = readJson(join(root, folder, 'package.json')) as Manifest;
  const { name, version, license } = manifest;
  const given = ACCEPTED_FOR[name];
  if (typeof license !== 'string' || !(ACCEPTED.has(license) || given?.licence === license)) {
    const what = license === undefined ? 'no licence' : JSON.stringify(license);
    throw new Error(
      `${name} ${version} is shipped under ${what}, which nobody has accepted (scripts/shipped-packages.ts).`,
    );
  }
  const texts = (given?.texts ?? []).map((file) => readFileSync(join(root, file), 'utf8'));
  const text = [ownText(root, folder, manifest), ...texts].join('\n\n').trim();
  if (text === '' || text.length > TEXT_MAX)
    throw new Error(`${name} ${version}: its licence has ${text.length} characters.`);
  return { name, version, licence: license, text };
}

/** Some packages name the licence but forget its text; for MIT, ours has the same text. */
function ownText(root: string, folder: string, { name, version, license, author }: Manifest): string {
  const file = readdirSync(join(root, folder)).find((entry) => /^(?:licen[cs]e|copying)(?:$|[.-])/iu.test(entry));
  if (file !== undefined) {
    const [own = ''] = readFileSync(join(root, folder, file), 'utf8').split(OF_OTHERS, 1);
    return own;
  }
  if (license !== 'MIT') throw new Error(`${name} ${version} comes without the text of its licence.`);
  const who = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  return readFileSync(join(root, 'LICENSE'), 'utf8').replace(/^Copyright .*$/mu, `Copyright (c) ${who}`);
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
  readonly author?: string | { readonly name?: string };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 1)}\n`);
}
