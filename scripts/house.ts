/**
 * Counts how far apart the parts of one rule are: `npm run house` (`--list` names what is counted). The limit of each
 * figure is its present value; a change that exceeds one fails the check. Lower a limit when you have made the figure
 * smaller.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { TypedCell } from './house/typed-cell.ts';
import { BESIDE_THE_DOOR, ENGINE_DOOR } from './import-rules.ts';
import { type SourceFile, findCircles, repeatedExports, sourceFile } from './house-rules.ts';

const ROOT = join(import.meta.dirname, '..');

interface Figure {
  readonly name: string;
  readonly value: number;
  /** The most that is allowed. Lines have none: a feature earns its own. */
  readonly limit?: number;
  /** Where we want to be, if that is not the limit. */
  readonly goal?: number;
  /** What is counted, item by item. */
  readonly items: readonly string[];
}

const paths = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => posix.relative(ROOT, `${entry.parentPath.replaceAll('\\', '/')}/${entry.name}`));
const files: readonly SourceFile[] = paths
  .filter((path) => /\.tsx?$/u.test(path) && !path.endsWith('.d.ts'))
  .map((path) => sourceFile(path, readFileSync(join(ROOT, path), 'utf8')));

function lineCount(path: string): number {
  return readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1;
}

function pastTheDoor(): readonly string[] {
  const found = files
    .filter(({ path }) => /^src\/(?:main|cli)\//u.test(path))
    .flatMap(({ imports }) => imports.filter((target) => target.startsWith('src/engine/')))
    .filter((target) => target !== ENGINE_DOOR && !Object.hasOwn(BESIDE_THE_DOOR, target));
  return [...new Set(found)].toSorted();
}

function fullFolders(): readonly string[] {
  const sizes = new Map<string, number>();
  for (const path of paths) sizes.set(posix.dirname(path), (sizes.get(posix.dirname(path)) ?? 0) + 1);
  return [...sizes].filter(([, size]) => size > 20).map(([folder, size]) => `${folder} (${size})`);
}

/** In a separate process, which it takes over for its measurement. */
function typeOneCell(): TypedCell {
  const script = join(import.meta.dirname, 'house/typed-cell.ts');
  return JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' })) as TypedCell;
}

const repeated = repeatedExports(files);
const circles = findCircles(files);
const beside = pastTheDoor();
const small = files.map(({ path }) => path).filter((path) => lineCount(path) <= 40);
const folders = fullFolders();
const lines = paths.map(lineCount).reduce((sum, count) => sum + count, 0);

const typedCell = typeOneCell();

const FIGURES: readonly Figure[] = [
  {
    name: 'exported names defined twice',
    value: repeated.length,
    limit: 0,
    items: repeated.map(({ name, definedIn }) => `${name}: ${definedIn.join(', ')}`),
  },
  {
    name: 'import circles, also of types',
    value: circles.length,
    limit: 0,
    items: circles.map((circle) => circle.join(' → ')),
  },
  { name: 'files of the engine imported beside its door', value: beside.length, limit: 0, items: beside },
  { name: 'files of 40 lines or less', value: small.length, limit: 20, items: small },
  { name: 'folders of more than 20 files', value: folders.length, limit: 0, items: folders },
  {
    name: 'files that a typed cell passes',
    value: typedCell.files.length,
    limit: 20,
    items: typedCell.files,
  },
  { name: 'round trips of a typed cell', value: typedCell.trips.length, limit: 1, items: typedCell.trips },
  { name: 'lines of src', value: lines, goal: 51_000, items: [] },
];

const isDetailed = process.argv.includes('--list');
for (const { name, value, limit, goal, items } of FIGURES) {
  const bounds = [limit === undefined ? '' : `at most ${limit}`, goal === undefined ? '' : `goal ${goal}`].filter(
    Boolean,
  );
  console.log(`${String(value).padStart(7)}  ${name} (${bounds.join(', ')})`);
  if (isDetailed || value > (limit ?? Infinity)) for (const item of items) console.log(`           ${item}`);
}
process.exitCode = FIGURES.every(({ value, limit = Infinity }) => value <= limit) ? 0 : 1;
