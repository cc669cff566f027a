/** The S3 server that tests need: moto, in the machine's own Python or in an environment beside the packages. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const ENVIRONMENT = join(ROOT, 'node_modules/.cache/s3-server');
const REQUIREMENTS = join(ROOT, 'scripts/s3-server-requirements.txt');
const OWN = join(ENVIRONMENT, 'bin/python');
const INSTALL_TIMEOUT_MS = 300_000;

/** The Python that has the server, if there is one. */
export function s3ServerPython(): string {
  return existsSync(OWN) ? OWN : 'python3';
}

/** Whether this machine has the server. */
export function hasS3Server(): boolean {
  return run(s3ServerPython(), ['-c', 'import moto.server']);
}

/** Installs the server, unless it is there. False: it could not be installed. */
export function ensureS3Server(): boolean {
  if (hasS3Server()) return true;
  rmSync(ENVIRONMENT, { recursive: true, force: true });
  // Exactly these versions, and none of their programs run while they are installed.
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--requirement',
    REQUIREMENTS,
  ];
  if (run('python3', ['-m', 'venv', ENVIRONMENT], 'inherit') && existsSync(OWN) && run(OWN, install, 'inherit'))
    return true;
  rmSync(ENVIRONMENT, { recursive: true, force: true });
  return false;
}

function run(program: string, args: readonly string[], stderr: 'ignore' | 'inherit' = 'ignore'): boolean {
  const done = spawnSync(program, args, { stdio: ['ignore', 'ignore', stderr], timeout: INSTALL_TIMEOUT_MS });
  return done.status === 0;
}
