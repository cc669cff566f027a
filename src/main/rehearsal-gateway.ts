/**
 * The built-in gateway of this application: started when a rehearsal needs it, on a port that it keeps. It forgets its
 * tasks when it ends, so it is told again of every charge in its log when it is next started: the same submits give
 * the same task codes and the same files, and a rehearsal goes on where it was.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import {
  startGateway,
  type GatewayOptions,
  type RunningGateway,
  type StartFailure,
} from '../gateway-sim/start-gateway.ts';
import { OPERATION_PATHS } from '../shared/domain/operations.ts';
import type { Profile } from '../shared/domain/profile.ts';
import { rehearsalProfile } from '../shared/domain/rehearsal.ts';
import { assertNever, err, ok, type Result } from '../shared/domain/result.ts';

const SEED = 20_407;

const stateSchema = z.strictObject({ port: z.int().min(1).max(65_535) });
const chargeSchema = z.object({
  operation: z.enum(OPERATION_PATHS),
  body: z.record(z.string(), z.unknown()),
  at: z.number(),
});
type KeptCharge = z.infer<typeof chargeSchema>;

/** A gateway that is listening, and the only key that it takes. */
export interface RehearsalAccess {
  readonly origin: string;
  readonly key: string;
  /** What a rehearsal batch runs with. */
  readonly profile: Profile;
}

/** The built-in gateway and its files, in a folder of its own. */
export class RehearsalGateway {
  readonly #folder: string;
  #starting: Promise<Result<RehearsalAccess, string>> | undefined;
  #running: RunningGateway | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** True when an earlier rehearsal left charges, so that it may have to go on. */
  hasCharges(): boolean {
    return this.#readCharges().length > 0;
  }

  /** Starts it where it is not running. The error says in the user's words why it cannot. */
  async ensure(): Promise<Result<RehearsalAccess, string>> {
    this.#starting ??= this.#start();
    const access = await this.#starting;
    if (!access.ok) this.#starting = undefined;
    return access;
  }

  /** Ends it. */
  async close(): Promise<void> {
    await this.#starting;
    this.#starting = undefined;
    await this.#running?.close();
    this.#running = undefined;
  }

  /** Forgets what earlier rehearsals were charged: none of them goes on. Only while it is not running. */
  forgetCharges(): void {
    rmSync(this.#chargesPath, { force: true });
  }

  get #chargesPath(): string {
    return join(this.#folder, 'charges.jsonl');
  }

  get #statePath(): string {
    return join(this.#folder, 'gateway.json');
  }

  async #start(): Promise<Result<RehearsalAccess, string>> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const charges = this.#readCharges();
    const key = randomBytes(24).toString('base64url');
    const clock = { replayedAt: charges[0]?.at };
    const newLog = `${this.#chargesPath}.new`;
    rmSync(newLog, { force: true });
    const options: GatewayOptions = {
      seed: SEED,
      chargeLogFile: newLog,
      acceptKey: (offered) => offered === key,
      now: () => clock.replayedAt ?? Date.now(),
    };
    const wanted = await startGateway({ ...options, port: this.#readPort() });
    // Another program has the port of last time: a batch that needs this gateway is told of the new one.
    const isPortTaken = !wanted.ok && wanted.error.kind === 'port-unavailable';
    const started = isPortTaken ? await startGateway({ ...options, port: 0 }) : wanted;
    if (!started.ok) return err(`The built-in gateway could not start: ${describeStartFailure(started.error)}`);
    const gateway = started.value;
    for (const charge of charges) {
      clock.replayedAt = charge.at;
      await submitAgain(gateway.baseUrl, key, charge);
    }
    clock.replayedAt = undefined;
    // The open log keeps its handle: whatever happens next, either the old or the new one is whole.
    renameSync(newLog, this.#chargesPath);
    this.#running = gateway;
    const { origin, port } = new URL(gateway.baseUrl);
    writeFileSync(this.#statePath, JSON.stringify({ port: Number(port) }), { mode: 0o600 });
    return ok({ origin, key, profile: rehearsalProfile(gateway.baseUrl) });
  }

  /** The port of last time, so that the addresses of a rehearsal hold; 0 takes a free one. */
  #readPort(): number {
    try {
      return stateSchema.parse(JSON.parse(readFileSync(this.#statePath, 'utf8'))).port;
    } catch {
      return 0;
    }
  }

  #readCharges(): readonly KeptCharge[] {
    try {
      return readFileSync(this.#chargesPath, 'utf8').split('\n').flatMap(parseCharge);
    } catch {
      return [];
    }
  }
}

/** A line that a kill cut short is no charge: it was never answered. */
function parseCharge(line: string): KeptCharge[] {
  if (line === '') return [];
  try {
    return [chargeSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}

async function submitAgain(baseUrl: string, key: string, charge: KeptCharge): Promise<void> {
  const { body } = await request(`${baseUrl}/${charge.operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', aiKey: key },
    body: JSON.stringify(charge.body),
    reset: true,
  });
  await body.dump();
}

function describeStartFailure(failure: StartFailure): string {
  switch (failure.kind) {
    case 'behaviour-invalid':
      return failure.problems.map((problem) => `${problem.path}: ${problem.message}`).join('; ');
    case 'port-unavailable':
    case 'charge-log-unwritable':
      return failure.message;
    default:
      return assertNever(failure);
  }
}
