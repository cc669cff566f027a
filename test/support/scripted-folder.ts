import { createHash } from 'node:crypto';
import type {
  FetchOutcome,
  FetchRequest,
  FolderNeeds,
  MediaFolder,
  OutputJournal,
  Placement,
} from '../../src/engine/ports/media-folder.ts';
import { failure, type Failure } from '../../src/shared/domain/base/failure.ts';
import { err, ok, type Result } from '../../src/shared/domain/base/result.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';

/** What is said about a folder that carries another identity. */
export const ANOTHER_FOLDER = failure('DISK_DENIED', 'It is another folder.', { replaced: true });

/** A media folder in memory: by default every file is fetched, verified and placed. */
export class ScriptedFolder implements MediaFolder {
  readonly fetched: FetchRequest[] = [];
  readonly placed = new Map<string, Placement>();
  problem: Failure | undefined;
  /** What the folder that is there now carries. */
  identity = 'the folder';
  /** Whether it was allowed to make the folder when it was last prepared. */
  mayMake: boolean | undefined;
  /** What was to be placed there then. */
  kinds: readonly string[] | undefined;
  /** Outputs whose part files are in the folder. */
  parts: string[] = [];
  /** What a file at this address holds: the same text, the same file. */
  contentOf: (url: string) => string = (url) => url;
  onFetch: (
    request: FetchRequest,
    nth: number,
    signal: AbortSignal,
  ) => FetchOutcome | Promise<FetchOutcome> | undefined = () => undefined;
  /** How long a download takes; one that is told to stop meanwhile stops. */
  fetching: (signal: AbortSignal) => Promise<void> | undefined = () => undefined;

  prepare(_folder: string, needs: FolderNeeds): Promise<Result<string, Failure>> {
    const { mayMake, mayReplace, kinds, identity } = needs;
    this.mayMake = mayMake;
    this.kinds = kinds;
    if (this.problem !== undefined) return Promise.resolve(err(this.problem));
    const isAnother = identity !== undefined && identity !== this.identity && !mayReplace;
    return Promise.resolve(isAnother ? err(ANOTHER_FOLDER) : ok(this.identity));
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
    await this.fetching(signal);
    if (signal.aborted) return { kind: 'interrupted' };
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
