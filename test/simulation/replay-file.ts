/** A night as a file: what it breaks, and its plan, a line for each row, fault and deed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { NightPlan } from './plan.ts';
import type { Violation } from './watch.ts';

interface Replay {
  /** What it broke when it was found. */
  readonly breaks?: Violation;
  readonly plan: NightPlan;
}

/** Like JSON, but short lists and objects stay on one line. */
export function nightText(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (flat.length + indent.length <= 100 || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((one) => inner + nightText(one, inner))
    : Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${nightText(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}

export function writeReplay(file: string, replay: Replay): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${nightText(replay)}\n`);
}

export function readReplay(file: string): NightPlan {
  return (JSON.parse(readFileSync(file, 'utf8')) as Replay).plan;
}
