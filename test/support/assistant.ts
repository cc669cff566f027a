import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, vi } from 'vitest';
import { CLI_ENTRY, CLI_EPOCH } from './built-cli.ts';

const HURRY = new URL('./hurry.ts', import.meta.url).href;
const EPOCH = String(Date.now());

export interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly value: Record<string, unknown> & { readonly batch: Record<string, unknown> };
}

export interface Assistant {
  readonly client: Client;
  readonly stderr: () => string;
  tell(name: string, given?: Record<string, unknown>): Promise<Told>;
}

/**
 * An assistant's side: the SDK's own client, which starts the command line with its store in a folder, and checks what
 * it answers.
 */
export async function assistantIn(
  dir: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Assistant> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', HURRY, CLI_ENTRY, 'mcp', '--data', path.join(dir, 'data'), ...args],
    env: {
      ...(process.env as Record<string, string>),
      XDG_CONFIG_HOME: path.join(dir, 'config'),
      [CLI_EPOCH]: EPOCH,
      ...(environment as Record<string, string>),
    },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: 'test', version: '1' });
  const broken: Error[] = [];
  Object.assign(client, { onerror: (error: Error) => broken.push(error) });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    // Anything but the protocol on standard output is an error here.
    expect(broken).toEqual([]);
  });
  return {
    client,
    stderr: () => stderr,
    tell: async (name, given = {}) => {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: given });
      const [first] = content as readonly { readonly text: string }[];
      return { isError: isError === true, text: first?.text ?? '', value: structuredContent as Told['value'] };
    },
  };
}

/** Waits until a batch is in a state, and returns it. */
export async function untilState(told: Assistant, batchId: string, state: string): Promise<Told> {
  return vi.waitFor(
    async () => {
      const found = await told.tell('get_batch', { batchId });
      expect(found.value.batch['state']).toBe(state);
      return found;
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** Every call that pays for something, for a batch and one of its rows. */
export function whatPays(
  batchId: string,
  row: string,
): readonly (readonly [name: string, given: Record<string, unknown>])[] {
  return [
    ['start_batch', { batchId }],
    ['retry_rows', { batchId }],
    ['resolve_row', { batchId, row, decision: 'resubmit' }],
  ];
}
