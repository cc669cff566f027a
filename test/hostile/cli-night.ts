import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import type { ObservedGateway } from '../support/observed-gateway.ts';
import { runCli } from '../support/run-cli.ts';
import type { CliEnd } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
const LIMITS = {
  requestsPerSecond: 200,
  activePerFamily: { musicgen: 8, 'videogen-a': 8, 'videogen-b': 8 },
  downloads: 4,
};

/** A gateway and the folders of a user, for runs of the command line as a process of its own. */
export interface CliNight {
  readonly gateway: ObservedGateway;
  readonly data: string;
  readonly out: string;
  /** A new file of the user's, somewhere apart from the others. */
  file(name: string, content: string | Uint8Array): string;
  /** A profile with the status table of the gateway. */
  profile(different?: object): string;
  run(sheet: string, more?: readonly string[], environment?: NodeJS.ProcessEnv): Promise<CliEnd>;
}

/** @param key The only key that the gateway takes. */
export async function openCliNight(key: string, behaviour: BehaviourInput = {}): Promise<CliNight> {
  const root = temporaryFolder();
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' }, ...behaviour },
    acceptKey: (given) => given === key,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  onTestFinished(() => gateway.close());
  const data = path.join(root, 'data');
  const out = path.join(root, 'out');
  const file = (name: string, content: string | Uint8Array): string => {
    const target = path.join(root, name);
    // For its user alone, as a key file must be.
    writeFileSync(target, content, { mode: 0o600 });
    return target;
  };
  const profile = (different: object = {}): string =>
    file(
      'profile.json',
      JSON.stringify({
        baseUrl: gateway.baseUrl,
        status: { musicgen: STATUS, 'videogen-a': STATUS, 'videogen-b': STATUS },
        limits: LIMITS,
        ...different,
      }),
    );
  return {
    gateway,
    data,
    out,
    file,
    profile,
    run: (sheet, more = [], environment = { NOCTURNE_AI_KEY: key }) =>
      runCli(['run', sheet, '--out', out, '--data', data, ...more], environment),
  };
}

/** Every file below a folder with its bytes. */
export function bytesBelow(folder: string): readonly { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => ({ path: file, bytes: readFileSync(file) }));
}
