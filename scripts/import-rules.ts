import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { Visitor, parseSync } from 'oxc-parser';

/** A part of the source tree and what its files may import. The zone with the longest matching path rules. */
export interface ImportZone {
  /** A folder, or one file, from the root of the repository. */
  readonly path: string;
  /** Folders or files that may be imported in addition to the zone itself. */
  readonly mayImport: readonly string[];
  /** Node's own modules. */
  readonly node: boolean;
  /** Packages that may be imported; `any` means all but Electron. */
  readonly packages: 'any' | readonly string[];
}

/** One import that a zone does not allow. `line` counts from 1. */
export interface ImportViolation {
  readonly path: string;
  readonly line: number;
  readonly specifier: string;
  readonly zone: string;
}

/** The one file of the engine that the application and the command line import. */
export const ENGINE_DOOR = 'src/engine/index.ts';

const STORE_PROBLEM = 'src/engine/store/open/store-problem.ts';
const MAKE_FOLDER = 'src/engine/make-folder.ts';
/** Files of the engine, besides its door, that the application may import, and why. */
export const BESIDE_THE_DOOR: Readonly<Record<string, string>> = {
  'src/engine/gateway/key-seal.ts': 'The window’s own process keeps the keys, and must start without the engine.',
  'src/engine/whole-file.ts': 'So it writes them, and whatever else it notes.',
  [MAKE_FOLDER]: 'It makes folders, as the command line does before it loads anything else.',
  'src/engine/system-clock.ts': 'It waits, too, for a minute’s warning before the computer sleeps.',
  'src/engine/telling/night-teller.ts': 'It tells the user of a night, also when the engine’s process has failed,',
  'src/engine/telling/tell.ts':
    'by the same ways as the command line, which are loaded when there is something to tell,',
  'src/engine/telling/power.ts': 'and puts the computer to sleep after the night.',
  'src/engine/store/postgres/store-address.ts':
    'It takes a password out of the address of a store before that goes anywhere.',
  [STORE_PROBLEM]: 'A command that ends by its store says so, whether or not it has loaded the engine.',
  'src/engine/system-facts.ts': 'It says what a helper needs, also when the engine’s process has failed.',
};

/** Common to all parts of the engine: ports, and the few things below them. */
const ENGINE_BASE = [
  'ports',
  'crash-point.ts',
  'inflate.ts',
  'make-folder.ts',
  'own-mark.ts',
  'own-thread.ts',
  'request-body.ts',
  'system-clock.ts',
  'whole-file.ts',
].map((name) => `src/engine/${name}`);
/** Parts of the engine that know nothing about each other: the files next to them wire them together. */
const ENGINE_PARTS = ['night', 'edit', 'gateway', 'media-folder', 'gates', 'sheet-files', 'store', 'telling'].map(
  (name) => `src/engine/${name}`,
);
/**
 * The rooms of the domain in order, and which of the earlier ones each may import besides the base: the gateway's
 * answers know nothing about sheets, and a sheet nothing about tasks and their files.
 */
export const DOMAIN_ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  operations: [],
  cells: ['operations'],
  sheet: ['operations', 'cells'],
  gateway: ['operations'],
  review: [],
  gates: ['operations'],
  places: ['operations', 'gateway'],
  task: ['operations', 'cells', 'sheet', 'gateway', 'review', 'gates', 'places'],
  files: ['operations', 'sheet', 'review', 'task'],
  delivery: ['operations', 'cells', 'sheet', 'review', 'task', 'files'],
  telling: ['operations', 'gateway', 'task'],
  ledger: ['operations', 'sheet', 'task'],
};
/** What the places of a user's own files share with the folders in buckets, and with the telling by a command. */
const FILE_PLACES_SHARE = [
  'src/engine/media-folder/s3',
  'src/engine/media-folder/containers',
  'src/engine/media-folder/checks/verify-media.ts',
  'src/engine/media-folder/disk-failure.ts',
  'src/engine/media-folder/plain-file.ts',
  'src/engine/media-folder/target.ts',
  'src/engine/telling/run-command.ts',
];
const DOMAIN = 'src/shared/domain';
/** Templates, and the words of headers: data, without code. */
const TABLES = 'resources/tables';
/** What users are told is in their language. */
const WORDS = 'src/shared/words';
const PURE = { node: false, packages: ['re2js', 'zod'] } as const;
const ON_NODE = { node: true, packages: 'any' } as const;

/** The dependency rule: shared ← engine ← {main, cli}; shared ← {preload, renderer, gateway-sim}. */
export const IMPORT_ZONES: readonly ImportZone[] = [
  { path: 'src/shared', mayImport: ['src/shared'], ...PURE },
  ...Object.entries(DOMAIN_ROOMS).map(([room, others]) => ({
    path: `${DOMAIN}/${room}`,
    mayImport: [TABLES, WORDS, ...['base', ...others].map((other) => `${DOMAIN}/${other}`)],
    ...PURE,
  })),
  { path: 'src/engine', mayImport: ['src/shared', 'src/engine'], ...ON_NODE },
  ...ENGINE_PARTS.map((path) => ({ path, mayImport: ['src/shared', ...ENGINE_BASE], ...ON_NODE })),
  // They say what the user wants from a night, and from what it made.
  {
    path: 'src/engine/commands',
    mayImport: ['src/shared', 'src/engine/night', 'src/engine/review', 'src/engine/change-feed.ts', ...ENGINE_BASE],
    ...ON_NODE,
  },
  // It hands on what is in a media folder, wherever that is, and reads containers as the media folder does.
  { path: 'src/engine/delivery', mayImport: ['src/shared', 'src/engine/media-folder', ...ENGINE_BASE], ...ON_NODE },
  {
    path: 'src/engine/file-places',
    mayImport: ['src/shared', ...ENGINE_BASE, ...FILE_PLACES_SHARE],
    ...ON_NODE,
  },
  ...ENGINE_BASE.map((path) => ({ path, mayImport: ['src/shared', ...ENGINE_BASE], ...ON_NODE })),
  {
    path: 'src/main',
    mayImport: ['src/shared', 'src/gateway-sim', ENGINE_DOOR, ...Object.keys(BESIDE_THE_DOOR)],
    ...ON_NODE,
  },
  {
    path: 'src/cli',
    mayImport: ['src/shared', 'src/gateway-sim', ENGINE_DOOR, STORE_PROBLEM, MAKE_FOLDER],
    ...ON_NODE,
  },
  { path: 'src/gateway-sim', mayImport: ['src/shared'], ...ON_NODE },
  { path: 'src/preload', mayImport: ['src/shared'], node: false, packages: ['electron', 'zod'] },
  { path: 'src/renderer', mayImport: ['src/shared'], node: false, packages: 'any' },
];

/** Zones that belong to Electron: only their own files may import it. */
const ELECTRON_ZONES = new Set(['src/main', 'src/preload']);

/** Every import of a file that its zone forbids; a file outside all zones may import anything. */
export function findImportViolations(path: string, source: string): readonly ImportViolation[] {
  const zone = zoneOf(path);
  if (zone === undefined) return [];
  return importsOf(path, source)
    .filter(({ specifier }) => !isAllowed(zone, path, specifier))
    .map(({ specifier, offset }) => ({ path, specifier, zone: zone.path, line: lineAt(source, offset) }));
}

function isAllowed(zone: ImportZone, path: string, specifier: string): boolean {
  if (specifier === COMPUTED) return false;
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier);
    const isOwn = isWithin(target, zone.path) && zoneOf(target) === zone;
    return isOwn || zone.mayImport.some((folder) => isWithin(target, folder));
  }
  if (isBuiltin(specifier)) return zone.node;
  const name = packageOf(specifier);
  if (name === 'electron') return ELECTRON_ZONES.has(zone.path);
  return zone.packages === 'any' || zone.packages.includes(name);
}

function zoneOf(path: string): ImportZone | undefined {
  return IMPORT_ZONES.filter((zone) => isWithin(path, zone.path)).toSorted((a, b) => b.path.length - a.path.length)[0];
}

function isWithin(path: string, folderOrFile: string): boolean {
  return path === folderOrFile || path.startsWith(`${folderOrFile}/`);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Stands for a specifier known only at run time: it cannot be judged, so no zone allows it. */
const COMPUTED = '(computed)';

export interface FoundImport {
  readonly specifier: string;
  readonly offset: number;
  /** The module is loaded together with the file that names it: not only for types, and not later. */
  readonly isLoaded: boolean;
}

/** Everything that names another module: imports, re-exports, dynamic and type imports, `require`. */
export function importsOf(path: string, source: string): readonly FoundImport[] {
  const found: FoundImport[] = [];
  const add = (
    node: { readonly start: number; readonly value?: unknown } | null | undefined,
    isLoaded = false,
  ): void => {
    if (!node) return;
    found.push({ specifier: typeof node.value === 'string' ? node.value : COMPUTED, offset: node.start, isLoaded });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source, node.importKind !== 'type'),
    ExportNamedDeclaration: (node) => add(node.source, node.exportKind !== 'type'),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind !== 'type'),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    TSExternalModuleReference: (node) => add(node.expression),
    CallExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'require') add(node.arguments[0], true);
    },
  }).visit(parseSync(path, source).program);
  return found;
}

/** The files that are loaded with an entry before it does anything: its imports, their imports, and so on. */
export function loadedWith(entry: string, read: (path: string) => string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { specifier, isLoaded } of importsOf(path, read(path))) {
      if (isLoaded && /^\..*\.tsx?$/u.test(specifier)) load(posix.join(posix.dirname(path), specifier));
    }
  };
  load(entry);
  return loaded;
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}
