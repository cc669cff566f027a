import { readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { startCli, type RunningCli } from './run-cli.ts';

export interface Served {
  readonly url: string;
  readonly token: string;
  readonly cli: RunningCli;
  ask(command: string, input?: object): Promise<{ readonly status: number; readonly body: Body }>;
  end(): Promise<number | null>;
}

export interface Body {
  readonly batch: Record<string, unknown> & { readonly id: string };
  readonly [field: string]: unknown;
}

/** Starts `nocturne serve` with its store and its output in a folder; it is killed when the test ends. */
export async function serveIn(
  dir: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Served> {
  const data = path.join(dir, 'data');
  const cli = startCli(
    ['serve', '--data', data, '--port', '0', '--out', path.join(dir, 'out'), '--json', ...args],
    environment,
  );
  onTestFinished(async () => {
    cli.process.kill('SIGKILL');
    await cli.ended;
  });
  const { url, tokenFile } = JSON.parse(await cli.lineWith('listening')) as Record<'url' | 'tokenFile', string>;
  const token = readFileSync(tokenFile, 'utf8').trim();
  return {
    url,
    token,
    cli,
    ask: async (command, input = {}) => {
      const answer = await fetch(`${url}/v1/${command}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      return { status: answer.status, body: (await answer.json()) as Body };
    },
    end: async () => {
      cli.process.kill('SIGTERM');
      return (await cli.ended).exitCode;
    },
  };
}

/** Rows of a sheet, each an image. */
export function images(count: number, prefix = 'r'): readonly Record<string, string>[] {
  return Array.from({ length: count }, (_, i) => ({
    row: `${prefix}${i}`,
    operation: 'image',
    prompt: `${prefix} ${i}`,
  }));
}
