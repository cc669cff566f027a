/**
 * `npm run test:faults -- [--downloads N] [--seed N]`: every fault of a network, a clock and a disk against the whole
 * engine, and as many downloads through a storm of them as are asked for.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { downloads: { type: 'string' }, seed: { type: 'string' } } });
for (const [name, value] of Object.entries(values)) {
  if (/^\d{1,9}$/u.test(value)) continue;
  console.error(`--${name} must be a whole number, and is ${value}`);
  process.exit(2);
}
const { status } = spawnSync('vitest', ['run', 'test/faults'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: {
    ...process.env,
    ...(values.downloads === undefined ? {} : { FAULTS_DOWNLOADS: values.downloads }),
    ...(values.seed === undefined ? {} : { FAULTS_SEED: values.seed }),
  },
});
process.exitCode = status ?? 1;
