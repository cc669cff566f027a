/**
 * The built-in gateway of this application: started when a rehearsal needs it, on a port that it keeps. It forgets its
 * tasks when it ends, so it is given every charge in its log when it is started again: the same submits give the same
 * task codes and the same files, and a rehearsal goes on where it was. Nothing is ever removed from the log: a
 * rehearsal that has ended can be edited and run again, and a repeated submit must not get the task code of the first.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeNoteSync } from '../../engine/whole-file.ts';
import type { BuiltInGatewayOptions, RunningGateway, StartFailure } from '../../gateway-sim/start-gateway.ts';
import { OPERATION_PATHS } from '../../shared/domain/operations/operations.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { rehearsalProfile } from '../../shared/domain/gateway/profile-presets.ts';
import { assertNever, err, ok, type Result } from '../../shared/domain/base/result.ts';
import { words } from '../../shared/words/words.ts';

const SEED = 20_407;

const stateSchema = z.strictObject({ port: z.int().min(1).max(65_535) });
const chargeSchema = z.object({
  taskCode: z.string(),
  operation: z.enum(OPERATION_PATHS),
  bodySha256: z.string(),
  body: z.record(z.string(), z.json()),
  at: z.number(),
  keyLast4: z.string(),
});
type KeptCharge = z.infer<typeof chargeSchema>;

/** A listening gateway, and the only key that it accepts. */
export interface RehearsalAccess {
  readonly origin: string;
  readonly key: string;
  /** The settings that a rehearsal batch runs with. */
  readonly profile: Profile;
}

/** The built-in gateway and its files, in a folder of its own. */
export class RehearsalGateway {
  readonly #folder: string;
  readonly #isOfWorkers: boolean;
  #starting: Promise<Result<RehearsalAccess, string>> | undefined;
  #running: RunningGateway | undefined;

  /** @param isOfWorkers Workers render the store: this process has no built-in gateway. */
  constructor(folder: string, isOfWorkers = false) {
    this.#folder = folder;
    this.#isOfWorkers = isOfWorkers;
  }

  /** Starts it if it is not running. The error says in the user's words why it cannot start. */
  async ensure(): Promise<Result<RehearsalAccess, string>> {
    if (this.#isOfWorkers) return err(words.desktop.batch.noRehearsalOfWorkers);
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

  get #chargesPath(): string {
    return join(this.#folder, 'charges.jsonl');
  }

  get #statePath(): string {
    return join(this.#folder, 'gateway.json');
  }

  async #start(): Promise<Result<RehearsalAccess, string>> {
    // Loaded when a rehearsal begins: it is as large as the rest of the engine's process, and most nights do not need
    // it.
    const { startGateway } = await import('../../gateway-sim/start-gateway.ts');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const key = randomBytes(24).toString('base64url');
    const newLog = `${this.#chargesPath}.new`;
    rmSync(newLog, { force: true });
    const options: BuiltInGatewayOptions = {
      seed: SEED,
      chargeLogFile: newLog,
      acceptKey: (offered) => offered === key,
      chargedBefore: this.#readCharges(),
    };
    const wanted = await startGateway({ ...options, port: this.#readPort() });
    // Another program has the former port: a batch that needs this gateway gets the new one.
    const isPortTaken = !wanted.ok && wanted.error.kind === 'port-unavailable';
    const started = isPortTaken ? await startGateway({ ...options, port: 0 }) : wanted;
    if (!started.ok) return err(words.desktop.batch.noRehearsal(describeStartFailure(started.error)));
    const gateway = started.value;
    // The open log keeps its handle: whatever happens next, either the old or the new one is whole.
    renameSync(newLog, this.#chargesPath);
    this.#running = gateway;
    const { origin, port } = new URL(gateway.baseUrl);
    writeNoteSync(this.#statePath, JSON.stringify({ port: Number(port) }));
    return ok({ origin, key, profile: rehearsalProfile(gateway.baseUrl) });
  }

  /** The former port, so that the addresses of a rehearsal stay valid; 0 takes a free one. */
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

/** A line that a kill cut short is not a charge: it was never answered. */
function parseCharge(line: string): KeptCharge[] {
  if (line === '') return [];
  try {
    return [chargeSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
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
