import { readFileSync } from 'node:fs';
import { licensedPackages, type LicensedPackage } from '../../shared/ipc/app.ts';
import type { Console } from '../console.ts';
import { EXIT, type ExitCode, wrongUsage } from '../ending.ts';

/** The same path from this module and from the built parts: both are three folders below that of the program. */
const LICENCES = new URL('../../../out/licences.json', import.meta.url);

/**
 * Lists the packages by others that are shipped, with their licences, or the text of one licence. Throws {@link
 * CommandFailure}.
 */
export function licencesCommand(console: Console, named: string | undefined): ExitCode {
  const shipped = readLicences();
  if (named === undefined) {
    console.document(shipped);
    const width = Math.max(...shipped.map(({ name, version }) => name.length + version.length + 1));
    for (const { name, version, licence } of shipped) console.line(`${`${name} ${version}`.padEnd(width)}  ${licence}`);
    console.line();
    console.line('The text of one: nocturne licences NAME');
    console.line('What is in Electron and in Node: LICENSES.chromium.html and LICENSE, beside their programs');
    return EXIT.done;
  }
  const found = shipped.filter(({ name }) => name === named);
  if (found.length === 0) {
    throw wrongUsage(`No package ${named} is shipped.`, 'List them with: nocturne licences');
  }
  console.document(found);
  for (const { name, version, licence, text } of found) {
    console.line(`${name} ${version}, ${licence}`);
    console.line();
    for (const line of text.split('\n')) console.line(line);
  }
  return EXIT.done;
}

function readLicences(): readonly LicensedPackage[] {
  let text: string;
  try {
    text = readFileSync(LICENCES, 'utf8');
  } catch {
    throw wrongUsage('This checkout has not been built.', 'Build it with: npm run build');
  }
  return licensedPackages.parse(JSON.parse(text));
}
