/**
 * Asks the registry what has become known about the dependencies, and compares it with `audit-policy.json`; then says
 * how old the pinned Electron is. Ends with 1 if something is to be done, and with 2 if the registry did not answer:
 * then nothing is known, and nothing is claimed. The age of Electron is only reported, and fails nothing.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { localDate } from '../src/shared/domain/base/text.ts';
import { auditPolicy, electronAge, judgeAudit } from './audit-rules.ts';

const ROOT = join(import.meta.dirname, '..');

/** What npm's own client answers, as JSON; undefined if it is not JSON. */
function askNpm(args: readonly string[]): unknown {
  const { stdout } = spawnSync('npm', [...args, '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 120_000,
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  try {
    return JSON.parse(stdout) as unknown;
  } catch {
    return undefined;
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as unknown;
}

function auditDependencies(): number {
  const policy = auditPolicy.parse(readJson('audit-policy.json'));
  const outcome = judgeAudit(askNpm(['audit']), policy, localDate(Date.now()));
  if (outcome.kind === 'unasked') {
    console.error(`Dependencies: the registry did not answer, so nothing is known (${outcome.why}).`);
    return 2;
  }
  for (const line of outcome.accepted) console.log(`accepted  ${line}`);
  for (const line of outcome.open) console.error(`to do     ${line}`);
  console.log(`Dependencies: ${outcome.open.length} to do, ${outcome.accepted.length} accepted`);
  return outcome.open.length === 0 ? 0 : 1;
}

function sayElectronAge(): void {
  const { devDependencies } = z
    .object({ devDependencies: z.object({ electron: z.string() }) })
    .parse(readJson('package.json'));
  const published = z.record(z.string(), z.string()).safeParse(askNpm(['view', 'electron', 'time']));
  if (!published.success) console.error('Electron: the registry did not answer, so its age is not known.');
  else for (const line of electronAge(devDependencies.electron, published.data, Date.now())) console.log(line);
}

process.exitCode = auditDependencies();
sayElectronAge();
