import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mayBeRead } from '../../engine/index.ts';
import { parseBehaviour, type BehaviourInput } from '../../gateway-sim/faults/behaviour.ts';
import { findPreset, PRESETS } from '../../gateway-sim/faults/presets.ts';
import { startGateway, type StartFailure } from '../../gateway-sim/start-gateway.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import { print, type Console } from '../console.ts';
import { CommandFailure, EXIT, type ExitCode, wrongUsage } from '../ending.ts';
import { seedOf } from '../given.ts';
import { wholeNumber } from '../options/common-options.ts';

export interface GatewayCommandOptions {
  readonly port?: string;
  readonly seed?: string;
  readonly behaviour?: string;
  readonly chargeLog?: string;
}

/** Runs the built-in gateway alone until it is interrupted; prints one line of JSON with its base URL. */
export async function gatewayCommand(console: Console, options: GatewayCommandOptions): Promise<ExitCode> {
  const port = wholeNumber('--port', options.port, 0, 65_535) ?? 0;
  const seed = seedOf(options);
  const behaviour = options.behaviour === undefined ? {} : readBehaviour(options.behaviour);
  const chargeLog = options.chargeLog === undefined ? {} : { chargeLogFile: path.resolve(options.chargeLog) };
  const started = await startGateway({ port, seed, behaviour, ...chargeLog });
  if (!started.ok) throw gatewayFailure(started.error);
  const gateway = started.value;
  // One line of JSON whatever the options: scripts wait for it.
  print(process.stdout, `${JSON.stringify({ baseUrl: gateway.baseUrl })}\n`);
  if (!console.json && !console.quiet && process.stderr.isTTY) {
    console.problem('The built-in gateway is listening and accepts any key. Stop it with Ctrl-C.');
  }
  await ended();
  await gateway.close();
  return EXIT.done;
}

function ended(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => {
      resolve();
    });
    process.once('SIGTERM', () => {
      resolve();
    });
  });
}

/** The behaviour from a file, or a preset by its name. */
function readBehaviour(named: string): BehaviourInput {
  const preset = findPreset(named);
  if (preset !== undefined) return preset;
  const parsed = parseBehaviour(readJson(named));
  if (!parsed.ok) throw gatewayFailure({ kind: 'behaviour-invalid', problems: parsed.error });
  return parsed.value;
}

function readJson(file: string): unknown {
  try {
    if (!mayBeRead(file)) throw new Error('This is not a regular file.');
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw wrongUsage(
      `The behaviour file ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      `Name a JSON file ({} is the default behaviour) or a preset: ${Object.keys(PRESETS).join(', ')}.`,
    );
  }
}

/** Why the built-in gateway did not start, as the end of the command. */
export function gatewayFailure(problem: StartFailure): CommandFailure {
  switch (problem.kind) {
    case 'behaviour-invalid':
      return wrongUsage(
        `The behaviour file is not valid:\n${problem.problems.map((p) => `  ${p.path}: ${p.message}`).join('\n')}`,
        'Correct these keys; every key has a default.',
      );
    case 'port-unavailable':
      return wrongUsage(problem.message, 'Choose another --port, or leave it out to use a free one.');
    case 'charge-log-unwritable':
      return wrongUsage(problem.message, 'Name a file in a writable folder.');
    default:
      return assertNever(problem);
  }
}
