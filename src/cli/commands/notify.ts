/** The ways in which somebody is told about a night: reads them from a file, and tries them. */
import path from 'node:path';
import { z } from 'zod';
import { systemClock, tellByWays } from '../../engine/index.ts';
import { TEST_MESSAGE } from '../../shared/domain/telling/night-message.ts';
import { tellingSecretProblem, tellingWays } from '../../shared/domain/telling/ways.ts';
import type { Console } from '../console.ts';
import { EXIT, type ExitCode, wrongUsage } from '../ending.ts';
import { readJsonFile, readSecretFile } from '../given.ts';
import { sayOutcomes, type Telling } from '../telling.ts';

const FIELDS = 'Its fields are in the README, under “Being told”.';
/** Where a secret comes from, unless the environment has it. */
const SECRETS = [
  { way: 'ntfy', field: 'tokenFile', variable: 'NOCTURNE_NTFY_TOKEN', what: 'token' },
  { way: 'webhook', field: 'secretFile', variable: 'NOCTURNE_WEBHOOK_SECRET', what: 'secret' },
] as const;
const secretFiles = z.looseObject({
  ntfy: z.looseObject({ tokenFile: z.string().optional() }).optional(),
  webhook: z.looseObject({ secretFile: z.string().optional() }).optional(),
});

/** Reads a file of `--notify`. Throws {@link CommandFailure} with everything wrong in it. */
export function readTelling(named: string): Telling {
  const file = path.resolve(named);
  const json = readJsonFile(named, FIELDS);
  const files = secretFiles.safeParse(json);
  const secrets: { ntfy?: string; webhook?: string } = {};
  for (const { way, field, variable, what } of SECRETS) {
    const entry = files.data?.[way];
    if (entry === undefined) continue;
    const from = entry[field];
    // The secret is taken out: what remains is what the window's settings keep, too.
    delete entry[field];
    const secretFile = typeof from === 'string' ? path.resolve(path.dirname(file), from) : undefined;
    const text = process.env[variable] ?? (secretFile === undefined ? undefined : readSecretFile(what, secretFile));
    const secret = text?.trim();
    if (!secret) continue;
    const problem = tellingSecretProblem(way, secret);
    if (problem !== undefined)
      throw wrongUsage(problem, `It comes from ${variable}, or from the file named by ${way}.${field}.`);
    secrets[way] = secret;
  }
  const ways = tellingWays.safeParse(files.success ? files.data : json);
  if (!ways.success) {
    const lines = ways.error.issues.map((issue) => `  ${issue.path.join('.') || named}: ${issue.message}`);
    throw wrongUsage(`The file ${named} cannot be used:\n${lines.join('\n')}`, FIELDS);
  }
  if (ways.data.webhook !== undefined && secrets.webhook === undefined) {
    throw wrongUsage(
      `The webhook in ${named} has no signing secret.`,
      'Give it in NOCTURNE_WEBHOOK_SECRET, or name a file that holds it in webhook.secretFile.',
    );
  }
  return { ways: ways.data, secrets };
}

/** Sends a test by every way in a file, once, and says what came of it. */
export async function notifyCommand(console: Console, file: string): Promise<ExitCode> {
  const telling = readTelling(file);
  const outcomes = await tellByWays(TEST_MESSAGE, { ...telling, clock: systemClock, isOnce: true });
  if (outcomes.length === 0) {
    throw wrongUsage(`${file} names no way to tell you anything.`, 'Give ntfy, webhook or command in it.');
  }
  return sayOutcomes(console, outcomes) ? EXIT.done : EXIT.usage;
}
