/** The bill of materials of what is shipped (CycloneDX 1.6), from the lock file: the same bytes for the same commit. */
import { createHash } from 'node:crypto';

/** What the lock file says, as far as it matters here. */
export interface Lock {
  readonly name: string;
  readonly version: string;
  /** By folder, from the repository; that of the repository itself is empty. */
  readonly packages: Readonly<Record<string, LockedPackage | undefined>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  /** As in an `integrity` attribute: `sha512-` and the hash in base64. */
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Component {
  readonly type: 'library' | 'framework';
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
  readonly hashes: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
}

/** The bill of the packages in these folders, each with those of the others that it needs. */
export function sbomOf(lock: Lock, folders: readonly string[]): object {
  const shipped = new Set(folders);
  const own = `${lock.name}@${lock.version}`;
  const needs = (folder: string): readonly string[] =>
    dependenciesOf(lock, folder)
      .filter((found) => shipped.has(found))
      .map((found) => purlOf(lock, found))
      .toSorted();
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name: lock.name,
        version: lock.version,
        licenses: [{ license: { id: 'MIT' } }],
      },
    },
    components: folders.map((folder) => componentOf(lock, folder)),
    dependencies: [
      { ref: own, dependsOn: needs('') },
      ...folders.map((folder) => ({ ref: purlOf(lock, folder), dependsOn: needs(folder) })),
    ],
  };
  return { ...bill, serialNumber: serialNumberOf(bill) };
}

/**
 * A UUID of what the bill says (version 8, RFC 9562): attesting requires one, and a random one would be new each time.
 */
function serialNumberOf(bill: object): string {
  const hash = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  const variant = ((Number.parseInt(hash.charAt(16), 16) % 4) + 8).toString(16);
  return `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** A package and everything that it needs, by folder. */
export function packagesUnder(lock: Lock, folder: string, found = new Set<string>()): readonly string[] {
  if (found.has(folder)) return [...found];
  found.add(folder);
  for (const needed of dependenciesOf(lock, folder)) packagesUnder(lock, needed, found);
  return [...found];
}

/** Where Node finds the packages that a package names: in its own folder, or in one above it. */
function dependenciesOf(lock: Lock, folder: string): readonly string[] {
  const { dependencies, devDependencies } = locked(lock, folder);
  return Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => {
    for (let at = folder; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
      const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      if (lock.packages[place] !== undefined) return [place];
      if (at === '') return [];
    }
  });
}

function componentOf(lock: Lock, folder: string): Component {
  const { version = '', license = '', integrity = '' } = locked(lock, folder);
  const [group, name] = namesOf(folder);
  const purl = purlOf(lock, folder);
  const [algorithm, hash = ''] = integrity.split('-');
  if (algorithm !== 'sha512') throw new Error(`${folder} has no SHA-512 in the lock file.`);
  return {
    type: folder === 'node_modules/electron' ? 'framework' : 'library',
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name,
    version,
    purl,
    licenses: [{ license: { id: license } }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
  };
}

function purlOf(lock: Lock, folder: string): string {
  const [group, name] = namesOf(folder);
  const scope = group === undefined ? '' : `${encodeURIComponent(group)}/`;
  return `pkg:npm/${scope}${name}@${locked(lock, folder).version ?? ''}`;
}

function namesOf(folder: string): readonly [group: string | undefined, name: string] {
  const [first = '', second] = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length).split('/');
  return second === undefined ? [undefined, first] : [first, second];
}

function locked(lock: Lock, folder: string): LockedPackage {
  const found = lock.packages[folder];
  if (found === undefined) throw new Error(`${folder} is not in the lock file.`);
  return found;
}
