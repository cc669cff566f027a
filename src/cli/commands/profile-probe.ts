import path from 'node:path';
import { moneyText } from '../../shared/domain/base/money.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { proofAbout, type Idempotency } from '../../shared/domain/gateway/charges/idempotency.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { OPERATION_PATHS, type OperationPath } from '../../shared/domain/operations/operations.ts';
import { priceOf, type CheckedSheet, type Row } from '../../shared/domain/sheet/row.ts';
import { systemClock } from '../../engine/index.ts';
import type { Console } from '../console.ts';
import { wrongUsage, type ExitCode } from '../ending.ts';
import { giveKey, requireKey } from '../gateway-key.ts';
import { profileOf } from '../given.ts';
import { refuseOlderCopy, withEngine } from '../open-engine.ts';
import type { KeyOptions, ProfileOptions } from '../options.ts';
import { bringInAndRun } from './run.ts';

export interface ProbeOptions extends ProfileOptions, KeyOptions {
  readonly out: string;
  readonly operation?: string;
  readonly prompt?: string;
  readonly yes?: true;
}

const CHEAP: OperationPath = 'musicgen/music/lyrics';
const PROMPT = 'a quiet harbour at night';

/**
 * Tries whether a gateway charges only once for one key, as its profile says: one paid request is sent twice under one
 * key. It is a batch of one row, so that what is paid for is fetched, whatever becomes of the probe.
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
  const operation = operationOf(options.operation ?? CHEAP);
  console.line(priceWords(profile, idempotency, operation));
  if (options.yes !== true) throw wrongUsage('Nothing was sent.', 'If you agree to that, add --yes.');
  const key = requireKey(options);
  const beganAt = systemClock.now();
  return withEngine(options, async (engine) => {
    refuseOlderCopy(engine, 'Nothing was sent.');
    await giveKey(console, engine, profile, key, options);
    const exit = await bringInAndRun(console, engine, {
      sheet: sheetOf(operation, options.prompt ?? PROMPT),
      name: `Probe of ${visibleLine(profile.name, 60)}`,
      folder: path.resolve(options.out),
      profile,
      maxSubmits: 1,
      probe: true,
      rehearsal: false,
    });
    const known = proofAbout(await engine.store.idempotencyProofs(), baseUrl, idempotency);
    // What an earlier probe has shown is not what this one has.
    const proof = known !== undefined && known.at >= beganAt ? known : undefined;
    console.event('probe', { header: idempotency.header, verdict: proof?.verdict ?? 'open' });
    const line = verdictWords(proof?.verdict, idempotency);
    if (proof?.verdict === 'passed') console.line(line);
    else console.problem(line);
    return exit;
  });
}

function operationOf(name: string): OperationPath {
  const found = OPERATION_PATHS.find((known) => known === name);
  if (found !== undefined) return found;
  throw wrongUsage(`There is no operation ${name}.`, `Write one of: ${OPERATION_PATHS.join(', ')}.`);
}

function priceWords({ prices }: Profile, { header }: Idempotency, operation: OperationPath): string {
  const price = priceOf(prices, operation);
  const [once, twice] =
    price === undefined
      ? ['one request', 'two; the profile has no price for it']
      : [moneyText(price), moneyText({ ...price, amount: price.amount * 2 })];
  return `This sends one paid request (${operation}) twice under one ${header}. A gateway that keeps its word charges ${once}, any other ${twice}.`;
}

function sheetOf(operation: OperationPath, prompt: string): CheckedSheet {
  const row: Row = {
    id: 'probe',
    line: 2,
    operation,
    body: { prompt },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: 'probe', operation, prompt },
  };
  return { headers: Object.keys(row.cells), rows: [row], problems: [] };
}

function verdictWords(verdict: 'passed' | 'refuted' | undefined, { header }: Idempotency): string {
  switch (verdict) {
    case 'passed':
      return `The second request was the same task: this gateway charges only once for one ${header}. From now on that is believed.`;
    case 'refuted':
      return `The second request was another task: this gateway charges twice for one ${header}. Nothing is sent again there under a key, whatever the profile says.`;
    case undefined:
      return `No answer has shown whether this gateway charges only once for one ${header}.`;
  }
}
