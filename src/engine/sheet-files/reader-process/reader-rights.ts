/** What a reader of sheets may do: a stranger's file may be made to attack its reader. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Node's flags that leave a process or a thread the right to read one sheet and its own program: it can write nothing,
 * start no program or thread, and load no native code. A process of Electron ignores them; a thread in it does not.
 * Newer versions of Node also allow the current folder of the process, which should therefore contain nothing private.
 * On Windows, everything may be read: it names some files in ways that these flags do not understand.
 */
export function rightsToRead(sheet: string, programFolder: string): readonly string[] {
  const readable = process.platform === 'win32' ? ['*'] : [resolve(sheet), join(programFolder, '*')];
  return [...permissionFlags(), ...readable.map((path) => `--allow-fs-read=${path}`)];
}

function permissionFlags(): readonly string[] {
  if (process.allowedNodeEnvironmentFlags.has('--permission')) return ['--permission'];
  // Node 20 may then not see the package.json that says that its files are modules.
  return ['--experimental-permission', '--experimental-detect-module'];
}

interface MeansOfReader {
  readonly execArgv: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/**
 * What Node's `fork` gives to a process that reads a sheet, with a heap in MiB; its program is beside the module with
 * this `import.meta.url`.
 */
export function meansOfReader(sheet: string, memoryMb: number, moduleUrl: string): MeansOfReader {
  const cwd = programFolderOf(moduleUrl);
  // Windows starts nothing without the name of its own folder. The rest of the environment may contain the key.
  const systemRoot = process.env['SystemRoot'];
  return {
    execArgv: [`--max-old-space-size=${memoryMb}`, ...rightsToRead(sheet, cwd), '--allow-worker'],
    env: systemRoot === undefined ? {} : { SystemRoot: systemRoot },
    cwd,
  };
}

/** The package that a module belongs to, given its `import.meta.url`; without a package, the folder that it is in. */
export function programFolderOf(moduleUrl: string): string {
  const own = dirname(fileURLToPath(moduleUrl));
  for (let folder = own; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return own;
  }
}
