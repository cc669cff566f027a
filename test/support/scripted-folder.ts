import { createHash } from 'node:crypto';
import type { FetchOutcome, FetchRequest, MediaFolder, OutputJournal, Placement } from '../../src/engine/ports.ts';
import type { Failure } from '../../src/shared/domain/base/failure.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';

/** A media folder in memory: by default every file is fetched, verified and placed. */
export class ScriptedFolder implements MediaFolder {
  readonly fetched: FetchRequest[] = [];
  readonly placed = new Map<string, Placement>();
  problem: Failure | undefined;
  /** Whether the folder might be made when it was last prepared. */
  mayMake: boolean | undefined;
  /** What was going to be placed there then. */
  kinds: readonly string[] | undefined;
  /** Outputs whose part files lie in the folder. */
  parts: string[] = [];
  /** What a file at this address holds: the same text, the same file. */
  contentOf: (url: string) => string = (url) => url;
  onFetch: (
    request: FetchRequest,
    nth: number,
    signal: AbortSignal,
  ) => FetchOutcome | Promise<FetchOutcome> | undefined = () => undefined;

  prepare(_folder: string, { mayMake, kinds }: Parameters<MediaFolder['prepare']>[1]): Promise<Failure | undefined> {
    this.mayMake = mayMake;
    this.kinds = kinds;
    return Promise.resolve(this.problem);
  }

  async fetch(
    request: FetchRequest,
    _profile: Profile,
    journal: OutputJournal,
    signal: AbortSignal,
  ): Promise<FetchOutcome> {
    this.fetched.push(request);
    const outcome = await this.onFetch(request, this.fetched.length, signal);
    if (outcome !== undefined) return outcome;
    await journal.generationStarted(request.generation + 1, '"etag"');
    return this.#place(request, 'mp3', 'audio/mpeg', this.contentOf(request.url), journal);
  }

  async writeDocument(
    request: Omit<FetchRequest, 'url' | 'validator'> & { readonly document: string },
    journal: OutputJournal,
  ): Promise<FetchOutcome> {
    return this.#place(request, 'json', 'application/json', request.document, journal);
  }

  async sweep(_folder: string, isWanted: (outputId: string) => boolean | Promise<boolean>): Promise<void> {
    const wanted: string[] = [];
    for (const part of this.parts) if (await isWanted(part)) wanted.push(part);
    this.parts = wanted;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #place(
    request: Pick<FetchRequest, 'kind' | 'stem'>,
    extension: string,
    mediaType: string,
    content: string,
    journal: OutputJournal,
  ): Promise<FetchOutcome> {
    const sha256 = createHash('sha256').update(content).digest('hex');
    for (let n = 1; ; n++) {
      const path = `${request.kind}/${request.stem}${n === 1 ? '' : `-${n}`}.${extension}`;
      const placement: Placement = { path, sha256, bytes: 3, mediaType };
      if (!(await journal.placing(placement))) continue;
      this.placed.set(path, placement);
      return { kind: 'verified', placement };
    }
  }
}
