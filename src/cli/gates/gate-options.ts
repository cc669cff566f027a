/** Which gates look at files, as options of a command. */
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { readGate, readGateSettings, USUAL_GATES, type GateSettings } from '../../shared/domain/gates/gate-settings.ts';
import { wrongUsage } from '../ending.ts';
import { collect } from '../options.ts';
import { OFF } from '../spending-options.ts';

export interface GateOptions {
  readonly gates?: string;
  readonly gate?: readonly string[];
}

/** Adds the options for gates. */
export function withGateOptions(command: Command): Command {
  return command
    .option(
      '--gates <file>',
      'gates that look at each file: a JSON file of them, default for all with their usual values, or off',
    )
    .option('--gate <name>', 'this gate, such as black, or black=30 with a value of its own; can be repeated', collect);
}

/**
 * The gates that the options make of those before: `--gates` replaces them, `--gate` adds to them. Undefined for none.
 * Throws {@link CommandFailure} for what cannot be read.
 */
export function gatesOf({ gates, gate = [] }: GateOptions, before: GateSettings | undefined): GateSettings | undefined {
  const base = gates === undefined ? before : namedGates(gates);
  const on = gate.map((text) => {
    const read = readGate(text);
    if (!read.ok) throw wrongUsage(`--gate ${text}: ${read.error.message}`, read.error.remedy);
    return read.value;
  });
  const merged: GateSettings = { ...base, on: Object.assign({}, base?.on, ...on) as GateSettings['on'] };
  return Object.keys(merged.on).length === 0 ? undefined : merged;
}

function namedGates(named: string): GateSettings | undefined {
  if (named === OFF) return undefined;
  if (named === 'default') return USUAL_GATES;
  let text;
  try {
    text = readFileSync(named, 'utf8');
  } catch (error) {
    throw wrongUsage(
      `--gates ${named}: ${error instanceof Error ? error.message : String(error)}`,
      'Give a file, default or off.',
    );
  }
  const read = readGateSettings(text);
  if (!read.ok) throw wrongUsage(`--gates ${named}: ${read.error.message}`, read.error.remedy);
  return read.value;
}
