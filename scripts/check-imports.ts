/** Checks every file under src (here or in the given folder) against the dependency rule, and for import cycles. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findCircles, sourceFile } from './house-rules.ts';
import { findImportViolations } from './import-rules.ts';

const ROOT = process.argv[2] ?? join(import.meta.dirname, '..');

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((name) => /\.[cm]?tsx?$/.test(name))
  .map((path) => ({ path, source: readFileSync(join(ROOT, path), 'utf8') }));
const violations = sources.flatMap(({ path, source }) => findImportViolations(path, source));
const circles = findCircles(sources.map(({ path, source }) => sourceFile(path, source)));

for (const { path, line, specifier, zone } of violations) {
  console.error(`${path}:${line} imports '${specifier}', which ${zone} may not (scripts/import-rules.ts)`);
}
for (const circle of circles) console.error(`These import each other, even if only for types: ${circle.join(', ')}`);
console.log(`Imports: ${sources.length} files, ${violations.length} violations, ${circles.length} circles`);
process.exitCode = violations.length + circles.length === 0 ? 0 : 1;
