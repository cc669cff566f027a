import { spawn, type ChildProcess } from 'node:child_process';
import { CLI_ENTRY, CLI_EPOCH } from './built-cli.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** So that the user's own configuration is not touched. */
const CONFIGURATION = temporaryFolder();

const HURRY = new URL('./hurry.ts', import.meta.url).href;
/** All processes of a test file share one wall time. */
const EPOCH = String(Date.now());

export interface CliEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly process: ChildProcess;
  readonly ended: Promise<CliEnd>;
  /** Standard error so far. */
  problems(): string;
  /** Resolves with the first line of standard output that has `text`; rejects when the process ends before. */
  lineWith(text: string): Promise<string>;
}

/**
 * Starts the built command line as a user would, in a process of its own; only the engine's clock is faster, and
 * `imports` come first.
 */
export function startCli(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  imports: readonly string[] = [],
): RunningCli {
  const imported = [...imports, HURRY].flatMap((url) => ['--import', url]);
  const child = spawn(process.execPath, [...imported, CLI_ENTRY, ...args], {
    env: {
      ...process.env,
      XDG_CONFIG_HOME: CONFIGURATION,
      [CLI_EPOCH]: EPOCH,
      NOCTURNE_AI_KEY: undefined,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    for (const watch of watchers) watch();
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<CliEnd>((resolve) => {
    child.on('close', (exitCode) => {
      resolve({ exitCode, stdout, stderr });
      for (const watch of watchers) watch();
    });
  });
  return {
    process: child,
    ended,
    problems: () => stderr,
    lineWith: (text) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          const line = stdout
            .split('\n')
            .slice(0, -1)
            .find((candidate) => candidate.includes(text));
          if (line !== undefined) resolve(line);
          else if (child.exitCode !== null) reject(new Error(`Ended without ${text}: ${stdout}\n${stderr}`));
          else return;
          watchers.delete(watch);
        };
        watchers.add(watch);
        watch();
      }),
  };
}

/** Runs the command line to its end. */
export function runCli(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<CliEnd> {
  return startCli(args, environment).ended;
}
