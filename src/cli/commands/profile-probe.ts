import { OPERATION_PATHS, type OperationPath } from '../../shared/domain/operations/operations.ts';
import {
  PROBE_OPERATION,
  PROBE_PROMPT,
  PROBE_SETTINGS,
  probeName,
  probePriceWords,
  probeSheet,
  proofAbout,
  verdictWords,
} from '../../shared/domain/task/key-probe.ts';
import { systemClock } from '../../engine/index.ts';
import type { Console } from '../console.ts';
import { wrongUsage, type ExitCode } from '../ending.ts';
import { giveKey, requireKey } from '../gateway-key.ts';
import { localFolderOf, profileOf } from '../given.ts';
import { refuseOlderCopy, withEngine } from '../open-engine.ts';
import type { KeyOptions, ProfileOptions } from '../options/common-options.ts';
import { bringInAndRun } from './run.ts';

export interface ProbeOptions extends ProfileOptions, KeyOptions {
  readonly out: string;
  readonly operation?: string;
  readonly prompt?: string;
  readonly yes?: true;
}

/**
 * Tries whether a gateway charges only once for one key, as its profile says: one paid request is sent twice under one
 * key. It is a batch of one row, so that what is paid for is fetched, whatever the probe shows.
 */
export async function profileProbeCommand(console: Console, options: ProbeOptions): Promise<ExitCode> {
  const profile = profileOf(options);
  const { idempotency, baseUrl } = profile;
  if (idempotency === undefined) {
    throw wrongUsage(
      'The profile does not say that this gateway takes keys of requests.',
      'Add "idempotency": { "header": "Idempotency-Key" } to it, with the header that the gateway names.',
    );
  }
  if (baseUrl === '') throw wrongUsage('No gateway given.', 'Name it in the profile, or with --base-url.');
  const operation = operationNamed(options.operation ?? PROBE_OPERATION);
  console.line(probePriceWords(profile.prices, idempotency, operation));
  if (options.yes !== true) throw wrongUsage('Nothing was sent.', 'If you agree to that, add --yes.');
  const key = requireKey(options);
  const beganAt = systemClock.now();
  return withEngine(options, async (engine) => {
    refuseOlderCopy(engine, 'Nothing was sent.');
    await giveKey(console, engine, { profile }, key, options);
    const exit = await bringInAndRun(console, engine, {
      sheet: probeSheet(operation, options.prompt ?? PROBE_PROMPT),
      name: probeName(profile),
      folder: localFolderOf('--out', options.out),
      profile,
      ...PROBE_SETTINGS,
    });
    const known = proofAbout(await engine.store.idempotencyProofs(), baseUrl, idempotency);
    // What an earlier probe has shown does not count for this one.
    const proof = known !== undefined && known.at >= beganAt ? known : undefined;
    console.event('probe', { header: idempotency.header, verdict: proof?.verdict ?? 'open' });
    const line = verdictWords(proof?.verdict, idempotency);
    if (proof?.verdict === 'passed') console.line(line);
    else console.problem(line);
    return exit;
  });
}

function operationNamed(name: string): OperationPath {
  const found = OPERATION_PATHS.find((known) => known === name);
  if (found !== undefined) return found;
  throw wrongUsage(`There is no operation ${name}.`, `Write one of: ${OPERATION_PATHS.join(', ')}.`);
}
