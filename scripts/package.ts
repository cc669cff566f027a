/**
 * Makes what users install. On Linux: the unpacked program, and a `.deb` and an `.rpm` of it if the distribution's
 * tools are there. On macOS and Windows the unpacked program. With `-- --formats` also the formats of this system that
 * electron-builder makes: AppImage, DMG and ZIP, or an installer; for them it downloads tools of its own. With `--
 * --of-out`, what is already in `out` is packaged.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { findElectron, electronVersion, outdatedElectronProblem } from './electron-runtime.ts';
import { buildProgram, DIST, ROOT } from './package/program.ts';
import { makeDeb } from './package/deb.ts';
import { makeRpm } from './package/rpm.ts';

function has(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

function buildOut(): boolean {
  const options = { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' } as const;
  return spawnSync('npm', ['run', '--silent', 'build'], options).status === 0;
}

async function makePackages(): Promise<number> {
  const electron = findElectron();
  if (electron === undefined) {
    console.error('There is no Electron yet: run `npm run setup`.');
    return 1;
  }
  if (!process.argv.includes('--of-out') && !buildOut()) return 1;
  rmSync(DIST, { recursive: true, force: true });
  const made: string[] = [];
  const program = await buildProgram(electron, process.argv.includes('--formats'));
  made.push(program.folder, ...program.files);
  if (process.platform === 'linux') {
    if (has('dpkg-deb')) made.push(makeDeb(program));
    else console.log('No .deb: there is no dpkg-deb here.');
    if (has('rpmbuild')) made.push(makeRpm(program));
    else console.log('No .rpm: there is no rpmbuild here.');
  }
  for (const path of made) console.log(path);
  const outdated = outdatedElectronProblem(electronVersion(electron));
  if (outdated !== undefined)
    console.log(`For tests only, do not pass it on: this is built of Electron ${electronVersion(electron)}.`);
  return 0;
}

process.exitCode = await makePackages();
