/** Checks every file under src (of the folder given, else of this repository) against the dependency rule. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findImportViolations } from './import-rules.ts';

const ROOT = process.argv[2] ?? join(import.meta.dirname, '..');

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((name) => /\.[cm]?tsx?$/.test(name));
const violations = files.flatMap((path) => findImportViolations(path, readFileSync(join(ROOT, path), 'utf8')));

for (const { path, line, specifier, zone } of violations) {
  console.error(`${path}:${line} imports '${specifier}', which ${zone} may not (scripts/import-rules.ts)`);
}
console.log(`Imports: ${files.length} files, ${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
