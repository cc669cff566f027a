/**
 * `npm run fuzz -- [--minutes N] [--seed N] [--target NAME]… [--case N] [--input FILE]`: made-up inputs against every
 * reader of foreign bytes. A finding is a hang, an exception, too much memory, or something that does not hold; its
 * input is kept. The same seed makes the same inputs.
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { FUZZ_LIMITS } from './run-jobs.ts';
import type { FuzzJob } from './run-jobs.ts';
import { TARGET_NAMES } from './targets.ts';

const FOLDER = join(import.meta.dirname, '../../test-results/fuzz');
const MOST_WIDTH = 4;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    target: { type: 'string', multiple: true },
    case: { type: 'string' },
    input: { type: 'string' },
  },
});

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/u.test(text)) return Number(text);
  return refuse(`--${name} must be a whole number, and is ${text}`);
}

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

const seed = values.seed === undefined ? randomInt(1_000_000_000) : wholeNumber('seed', values.seed);
const names = values.target ?? TARGET_NAMES;
const unknown = names.find((name) => !TARGET_NAMES.includes(name));
if (unknown !== undefined) refuse(`There is no target ${unknown}. They are: ${TARGET_NAMES.join(', ')}`);
const isSingle = values.case !== undefined || values.input !== undefined;
if (isSingle && names.length !== 1) refuse('--case and --input need one --target');
const width = isSingle ? 1 : Math.min(availableParallelism(), names.length, MOST_WIDTH);
const forMs = (wholeNumber('minutes', values.minutes) * 60_000 * width) / names.length;
const first = values.case === undefined ? 0 : wholeNumber('case', values.case);

const jobs = names.map((target): FuzzJob => {
  if (!isSingle) return { target, seed, first: 0, count: 1_000_000_000, forMs };
  return { target, seed, first, count: 1, ...(values.input === undefined ? {} : { file: values.input }) };
});

console.log(`Seed ${seed}, ${names.length} targets, ${width} at a time.`);
const { cases, findings, passing } = await runCampaign({ jobs, width, folder: FOLDER });
for (const [target, count] of cases) console.log(`${String(count).padStart(9)}  ${target}`);
for (const { target, index, kind, detail, file, seed: from } of findings) {
  console.log(`\n${kind} in ${target}: ${detail}\n  input: ${file}`);
  console.log(`  again: npm run fuzz -- --target ${target} --seed ${from} --case ${index}`);
}
for (const { target, index, kind } of passing) {
  console.log(`\n${kind} in ${target}, case ${index}, did not come again when the case ran alone.`);
}
const all = [...cases.values()].reduce((sum, count) => sum + count, 0);
const { hangMs, memoryMb } = FUZZ_LIMITS;
console.log(
  `\n${all} inputs, ${findings.length} findings (a hang over ${hangMs / 1000} s, an exception, memory over ${memoryMb} MB, or a rule that does not hold).`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
