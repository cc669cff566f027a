/**
 * The whole proof: sets up the machine, runs every check, every test without a window, the build, the tests in a real
 * window, and on Linux the packages. Continues after a failure, and ends with the totals of all runners. Each check
 * counts as one.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'test-results');
const VITEST_REPORT = join(RESULTS, 'vitest.json');
const PLAYWRIGHT_REPORT = join(RESULTS, 'playwright.json');
const PACKAGE_REPORT = join(RESULTS, 'package.json');
const CRASH_REPORT = join(RESULTS, 'crash.json');
/** How many lines of each message of a failed test to show at the end of the output. */
const LINES_SHOWN = 30;
const IS_LINUX = process.platform === 'linux';
/** Where Linux keeps files in memory, and how many bytes must be free there for those of the tests. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 8 * 2 ** 30;
const CHECKS = ['lint', 'format', 'imports', 'dead', 'docs', 'house'];

interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** The failed tests, as far as the runner names them. */
  readonly failures?: readonly Failed[];
}

/** A failed test, and how it failed: a reader who sees only the end of the output learns enough to run it again. */
interface Failed {
  readonly name: string;
  readonly messages: readonly string[];
}

interface Step {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** Where its failed tests leave what they are examined by, if that is not among the results. */
  readonly folder?: string | undefined;
  /** Reads what the step counted; a step without counts counts as one test that passed or failed. */
  readonly readCounts?: () => Counts;
}

const crashReport = z.object({ passed: z.number(), failed: z.number() });
const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).default([]) }),
      ),
    }),
  ),
});
const spec = z.object({
  title: z.string(),
  file: z.string(),
  ok: z.boolean(),
  tests: z.array(z.object({ results: z.array(z.object({ errors: z.array(z.object({ message: z.string() })) })) })),
});
/** Suites contain suites: files and groups. */
interface Suite {
  readonly specs?: readonly z.output<typeof spec>[] | undefined;
  readonly suites?: readonly Suite[] | undefined;
}
const suite: z.ZodType<Suite> = z.lazy(() =>
  z.object({ specs: z.array(spec).optional(), suites: z.array(suite).optional() }),
);
const playwrightReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
  suites: z.array(suite),
});

function readReport(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function vitestCounts(): Counts {
  const report = vitestReport.parse(readReport(VITEST_REPORT));
  const failures = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ fullName, status, failureMessages }) =>
      status === 'failed' ? { name: `${relative(ROOT, name)}: ${fullName}`, messages: failureMessages } : [],
    ),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests, failures };
}

function playwrightCounts(path: string): Counts {
  const { stats, suites } = playwrightReport.parse(readReport(path));
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, failures: suites.flatMap(failedIn) };
}

function failedIn({ specs = [], suites = [] }: Suite): readonly Failed[] {
  const own = specs.flatMap(({ title, file, ok, tests }) => {
    const messages = tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors.map((one) => one.message)));
    return ok ? [] : { name: `${file}: ${title}`, messages };
  });
  return [...own, ...suites.flatMap(failedIn)];
}

function crashCounts(): Counts {
  return crashReport.parse(readReport(CRASH_REPORT));
}

/**
 * The folder for temporary files of tests without a window: on a disk, tests would wait at each commit. As that of tests
 * with a window, its paths would be too long for the name of a socket.
 */
const IN_MEMORY = hasMemory() ? { TMPDIR: newFolderIn(MEMORY) } : {};

/** Other users may look for their own files in it, as in any folder for temporary files. */
function newFolderIn(parent: string): string {
  const folder = mkdtempSync(join(parent, 'nocturne-tests-'));
  chmodSync(folder, 0o755);
  return folder;
}

function hasMemory(): boolean {
  if (!IS_LINUX || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_NEEDED && process.availableMemory() >= MEMORY_NEEDED;
}

const SET_UP: Step = { name: 'set-up', program: process.execPath, args: ['scripts/setup.ts'] };
const BUILD: Step = { name: 'build', program: 'npm', args: ['run', '--silent', 'build'] };
const WITHOUT_A_WINDOW: Step = {
  name: 'tests without a window',
  program: 'vitest',
  args: ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_REPORT}`],
  environment: IN_MEMORY,
  readCounts: vitestCounts,
};
const BY_KILL: Step = {
  name: 'proof by kill',
  program: process.execPath,
  args: ['scripts/test-crash.ts', '--lanes', '1', '--report', CRASH_REPORT],
  environment: IN_MEMORY,
  readCounts: crashCounts,
};
/** The same for the data and files of tests with a window, whose names there are shorter than beside the results. */
const WINDOWS_IN_MEMORY = IN_MEMORY.TMPDIR === undefined ? undefined : join(IN_MEMORY.TMPDIR, 'e2e');
const TO_MEMORY = WINDOWS_IN_MEMORY === undefined ? [] : ['--output', WINDOWS_IN_MEMORY];
const IN_A_WINDOW: Step = {
  name: 'tests in a window',
  program: process.execPath,
  args: ['scripts/with-desktop.ts', 'playwright', 'test', '--reporter=list,json', ...TO_MEMORY],
  environment: { PLAYWRIGHT_JSON_OUTPUT_FILE: PLAYWRIGHT_REPORT },
  folder: WINDOWS_IN_MEMORY,
  readCounts: () => playwrightCounts(PLAYWRIGHT_REPORT),
};
const INSTALLED: Step = {
  name: 'the package',
  program: process.execPath,
  args: ['scripts/test-package.ts', '--of-out', '--reporter=list,json'],
  environment: { PLAYWRIGHT_JSON_OUTPUT_FILE: PACKAGE_REPORT },
  readCounts: () => playwrightCounts(PACKAGE_REPORT),
};

/** New nights with each commit, but the same ones wherever this commit is tested. */
const NIGHTS: Step = {
  name: 'simulated nights',
  program: process.execPath,
  args: ['test/simulation/run.ts', '--seconds', '60', '--lanes', '1', '--seed', String(seedOfCommit())],
};

/** Seven hexadecimal digits of the commit; without one, of the time. */
function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  return /^[0-9a-f]{40}/u.test(stdout) ? Number.parseInt(stdout.slice(0, 7), 16) : Date.now() % 2 ** 28;
}

/** Steps that run one after the other, and others that do so beside them. */
interface Phase {
  readonly steps: readonly Step[];
  readonly beside: readonly Step[];
}

function check(name: string): Step {
  return { name: `check: ${name}`, program: 'npm', args: ['run', '--silent', `check:${name}`] };
}

const PHASES: readonly Phase[] = [
  // The check of types takes one processor, and about as long as all the other checks.
  { steps: CHECKS.map(check), beside: [SET_UP, check('types')] },
  // Tests that wait leave a processor to what runs beside them, even when the last of them runs alone. Beside those with a
  // window, too, they run out of their time on two processors.
  { steps: [BUILD, WITHOUT_A_WINDOW, IN_A_WINDOW, ...(IS_LINUX ? [INSTALLED] : [])], beside: [BY_KILL, NIGHTS] },
];

/** The output of the parallel steps is held back until nothing else writes. */
async function runPhase({ steps, beside }: Phase): Promise<readonly Counts[]> {
  const held: Uint8Array[] = [];
  const aside = runSteps(beside, (piece) => held.push(piece));
  const counts = await runSteps(steps, (piece) => process.stdout.write(piece));
  const besideCounts = await aside;
  for (const piece of held) process.stdout.write(piece);
  return [...counts, ...besideCounts];
}

async function runSteps(steps: readonly Step[], write: (piece: Uint8Array) => void): Promise<readonly Counts[]> {
  const counts: Counts[] = [];
  for (const step of steps) counts.push(await runStep(step, write));
  return counts;
}

async function runStep(
  { name, program, args, environment, folder, readCounts }: Step,
  write: (piece: Uint8Array) => void,
): Promise<Counts> {
  const tell = (line: string): void => write(Buffer.from(`${line}\n`));
  tell(`\n── ${name}`);
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    env: { ...process.env, ...environment },
  });
  child.stdout.on('data', write);
  child.stderr.on('data', write);
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  if (status !== 0 && folder !== undefined) {
    try {
      keepFailed(folder);
    } catch (error) {
      // What a process still writes or removes cannot be copied; the results are worth more.
      tell(`Not all that failed tests have left could be kept: ${String(error)}`);
    }
  }
  const counts = named(name, countsOf(status === 0, readCounts));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  tell(`── ${name}: ${counts.passed} passed, ${counts.failed} failed, ${seconds} s`);
  return counts;
}

/** Copies what failed tests with a window have left in memory to the results, where it is found later. */
function keepFailed(folder: string): void {
  for (const trace of globSync('*/trace.zip', { cwd: folder })) {
    const test = dirname(trace);
    cpSync(join(folder, test), join(RESULTS, 'e2e', test), { recursive: true, filter: isFileOrFolder });
  }
}

/** A socket or a link of Chromium's says nothing, and cannot be copied. */
function isFileOrFolder(path: string): boolean {
  const found = lstatSync(path);
  return found.isFile() || found.isDirectory();
}

/** A runner that failed without a failed test (it crashed, or wrote no report) still counts as one failure. */
function countsOf(isSuccess: boolean, readCounts?: () => Counts): Counts {
  const whole: Counts = isSuccess ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  if (readCounts === undefined) return whole;
  try {
    const counts = readCounts();
    return { ...counts, failed: isSuccess ? counts.failed : Math.max(counts.failed, 1) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

/** A step whose failure no test explains is itself listed as failed. */
function named(step: string, counts: Counts): Counts {
  const isNameless = counts.failed > 0 && (counts.failures ?? []).length === 0;
  return isNameless
    ? { ...counts, failures: [{ name: `the step "${step}": see its output above`, messages: [] }] }
    : counts;
}

process.on('exit', () => {
  if (IN_MEMORY.TMPDIR !== undefined) rmSync(IN_MEMORY.TMPDIR, { recursive: true, force: true });
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS, { recursive: true });
const counts: Counts[] = [];
for (const phase of PHASES) counts.push(...(await runPhase(phase)));
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
const summary = `${passed} passed, ${failed} failed`;
writeFileSync(join(RESULTS, 'summary.txt'), `${summary}\n`);
for (const { name, messages } of counts.flatMap(({ failures = [] }) => failures)) {
  console.log(`failed: ${name}`);
  for (const line of messages.flatMap((message) => message.split('\n').slice(0, LINES_SHOWN))) console.log(`  ${line}`);
}
console.log(`\n${summary}`);
process.exitCode = failed === 0 ? 0 : 1;
