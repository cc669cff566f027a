import { createHash } from 'node:crypto';
import type {
  FetchOutcome,
  FetchRequest,
  FolderNeeds,
  MediaFolder,
  OutputJournal,
  Placement,
  StartedGeneration,
} from '../../src/engine/ports/media-folder.ts';
import { err, ok, present, type Result } from '../../src/shared/domain/base/result.ts';
import { failure, type Failure } from '../../src/shared/domain/base/failure.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import { readAddress } from './gateway-bodies.ts';
import type { Machine } from './machine.ts';
import type { ModelGateway } from './model-gateway.ts';
import type { RequestCounts } from './sim-network.ts';

/** Files by their path: what a disk keeps when the process dies. */
export type PlacedFiles = Map<
  string,
  {
    readonly sha256: string;
    readonly outputId: string;
    /** The code of the task that gave it; undefined for a document. */
    readonly code?: string;
  }
>;

/** What the folder of all batches is known by, and one that is in its place for a while. */
export const OWN_FOLDER = 'the folder';
const OTHER_FOLDER = 'another folder';
const REPLACED = failure('DISK_DENIED', 'Another folder is in its place.', { replaced: true });

type Place = Pick<FetchRequest, 'kind' | 'stem' | 'outputId'>;
type Given = Pick<NonNullable<ReturnType<typeof readAddress>>, 'code'>;

/**
 * A media folder in memory that fetches from the model gateway, and fails as the plan has it. What a journal rejects
 * with is passed on: the engine recognises a lost commit, and counts anything else as a bug.
 */
export class SimFolder implements MediaFolder {
  readonly #machine: Machine;
  readonly #gateway: ModelGateway;
  readonly #requests: RequestCounts;
  readonly #files: PlacedFiles;
  /** The folder that was last found good. */
  #known: string | undefined;

  constructor(machine: Machine, gateway: ModelGateway, requests: RequestCounts, files: PlacedFiles) {
    this.#machine = machine;
    this.#gateway = gateway;
    this.#requests = requests;
    this.#files = files;
  }

  async prepare(
    _folder: string,
    { identity, mayReplace }: Pick<FolderNeeds, 'identity' | 'mayReplace'>,
  ): Promise<Result<string, Failure>> {
    await this.#machine.wait(1, 'folder: prepare');
    const present = this.#machine.isSpell('replaced') ? OTHER_FOLDER : OWN_FOLDER;
    // Where a process has found one folder good, another one is another folder for every batch.
    const known = identity ?? this.#known;
    if (known !== undefined && known !== present && !mayReplace) return err(REPLACED);
    const refusal = this.#refusal();
    if (refusal !== undefined) return err(refusal);
    this.#known = present;
    return ok(present);
  }

  /** Why the disk takes no file now. */
  #refusal(): Failure | undefined {
    if (this.#machine.isSpell('disk')) return failure('DISK_FULL', 'The simulated disk is full.');
    return this.#machine.isSpell('denied') ? failure('DISK_DENIED', 'The simulated disk denies it.') : undefined;
  }

  /** The same, for a file on its way: the folder may no longer be the one that was found good. */
  #refusedFile(): FetchOutcome | undefined {
    const isOther = this.#known !== (this.#machine.isSpell('replaced') ? OTHER_FOLDER : OWN_FOLDER);
    const why = isOther ? REPLACED : this.#refusal();
    return why === undefined ? undefined : { kind: 'disk-failed', failure: why };
  }

  async fetch(
    request: FetchRequest,
    _profile: Profile,
    journal: OutputJournal,
    signal: AbortSignal,
  ): Promise<FetchOutcome> {
    const known = this.#placedBefore(request);
    if (known !== undefined) return known;
    const address = readAddress(request.url);
    const charge = address === undefined ? undefined : this.#gateway.chargeOf(address.code);
    const fault = this.#requests.next('file', charge?.row);
    await this.#machine.wait(fault === 'slow' ? 90_000 : 200, `fetch ${charge?.row}`, signal);
    if (signal.aborted) return { kind: 'interrupted' };
    if (address === undefined) return failed('This is no address of the gateway.');
    if (this.#machine.isSpell('outage')) return failed('The host cannot be reached.');
    const { nowMs } = this.#machine.agenda;
    if (fault === 'expired' || nowMs > address.givenAtMs + this.#machine.plan.addressMs) {
      return { kind: 'url-expired', failure: failure('RESULT_EXPIRED', 'HTTP 403') };
    }
    if (fault === 'limited') return { ...failed('The host asks to slow down.'), retryAfterMs: 2 * 60_000 };
    if (fault === 'cut') return failed('The connection was cut.');
    if (fault === 'wrong') return { kind: 'unverifiable', failure: failure('OUTPUT_UNVERIFIABLE', 'It is no mp3.') };
    const refused = this.#refusedFile();
    if (refused !== undefined) return refused;
    await journal.generationStarted(request.generation + 1, undefined);
    await this.#machine.wait(50, `fetched ${charge?.row}`, signal);
    if (signal.aborted) return { kind: 'interrupted' };
    return this.#place(request, 'mp3', `${address.code}/${address.file}`, journal, { given: address });
  }

  async writeDocument(
    request: Omit<FetchRequest, 'url' | 'validator'> & { readonly document: string },
    journal: OutputJournal,
  ): Promise<FetchOutcome> {
    const known = this.#placedBefore(request);
    if (known !== undefined) return known;
    await this.#machine.wait(1, 'write a document');
    const refused = this.#refusedFile();
    if (refused !== undefined) return refused;
    return this.#place(request, 'json', request.document, journal, {
      started: { generation: request.generation + 1 },
    });
  }

  sweep(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** An earlier process died after it had placed the file. */
  #placedBefore({ placement, outputId }: Pick<FetchRequest, 'placement' | 'outputId'>): FetchOutcome | undefined {
    if (placement === undefined || this.#files.get(placement.path)?.outputId !== outputId) return undefined;
    return { kind: 'verified', placement };
  }

  async #place(
    { kind, stem, outputId }: Place,
    extension: string,
    content: string,
    journal: OutputJournal,
    { started, given }: { readonly started?: StartedGeneration; readonly given?: Given },
  ): Promise<FetchOutcome> {
    const sha256 = createHash('sha256').update(content).digest('hex');
    for (let n = 1; ; n += 1) {
      const path = `${kind}/${stem}${n === 1 ? '' : `-${n}`}.${extension}`;
      const mediaType = extension === 'json' ? 'application/json' : 'audio/mpeg';
      const placement: Placement = { path, sha256, bytes: content.length, mediaType };
      if (!(await journal.placing(placement, started))) continue;
      await this.#machine.wait(2, `place ${path}`);
      const refused = this.#refusedFile();
      if (refused !== undefined) return refused;
      if (this.#files.has(path)) continue;
      this.#files.set(path, { sha256, outputId, ...present({ code: given?.code }) });
      return { kind: 'verified', placement };
    }
  }
}

function failed(message: string): Extract<FetchOutcome, { kind: 'download-failed' }> {
  return { kind: 'download-failed', failure: failure('DOWNLOAD_CORRUPT', message) };
}
