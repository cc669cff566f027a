/** Everything that can be read from a store without changing it: what the window sees, and copies for the user. */
import { say, systemSays } from '../../shared/domain/base/reason.ts';
import { listOf, ok, present } from '../../shared/domain/base/result.ts';
import { spokenFlag, uncheckedText } from '../../shared/domain/gates/ask-gates.ts';
import { formatBytes } from '../../shared/domain/base/text.ts';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  backupStore,
  createFileMeasurer,
  gatherEvidence,
  inspectBackup,
  previewGates,
  readDocument,
  storeFacts,
  systemClock,
  type PreviewedFile,
  type WorkWatch,
} from '../../engine/index.ts';
import { writeWhole } from '../../engine/whole-file.ts';
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import { shapeWords } from '../../shared/domain/gateway/learned/answer-look.ts';
import { learnedOf } from '../../shared/domain/gateway/learned/learned.ts';
import {
  measureWords,
  proposalsFor,
  typicalTimes,
  withProposal,
} from '../../shared/domain/gateway/learned/proposals.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { isProbeOf, proofAbout } from '../../shared/domain/task/key-probe.ts';
import { profileChanges } from '../../shared/domain/gateway/profile-difference.ts';
import type { KeyTrustView, LearnedView } from '../../shared/ipc/profiles.ts';
import { FLAGGED_NAMED, type GatePreviewView } from '../../shared/ipc/batches.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { MOST_DELETED } from '../../shared/ipc/rows.ts';
import { locateFile } from '../services/batch-files.ts';
import { answerText, toRowEvidence } from '../services/evidence-view.ts';
import { BatchReader, noSuchBatch, type BatchReaderOptions } from './batch-reader.ts';
import { Deliveries } from './deliveries.ts';
import type { EngineHandlers, EngineInput, EngineOutput } from './engine-protocol.ts';
import { ledgerHandlers, type LedgerReaderOptions } from './ledger-reader.ts';
import { toRowDetail } from './views/to-row-detail.ts';
import { songWords } from './song-words.ts';
import type { Works } from './works.ts';
import { words } from '../../shared/words/words.ts';

export interface StoreReaderOptions extends BatchReaderOptions, LedgerReaderOptions {
  /** The folder of the store, or of what stays on this computer if the store is on a server. */
  readonly storeFolder: string;
  /** Where the store is, if that is a server. */
  readonly server?: string;
  /** Removes the gateways' keys from a text, if they are known. */
  readonly withoutKeys?: (text: string) => string;
  /** Work that somebody waits for. */
  readonly works: Works;
}

/** In bytes: lyrics are shorter, and nobody reads a longer document at a glance. */
const LONGEST_WORDS = 64 << 10;

/** Answers from a store. */
export class StoreReader {
  readonly #options: StoreReaderOptions;
  readonly batches: BatchReader;
  /** The requests that change nothing in the store. */
  readonly handlers;
  readonly #measurer = createFileMeasurer({ clock: systemClock });
  /** The latest preview of what gates would say. */
  #previewing = new AbortController();

  constructor(options: StoreReaderOptions) {
    this.#options = options;
    this.batches = new BatchReader(options);
    this.handlers = {
      ...options.works.handlers,
      ...this.batches.handlers,
      ...ledgerHandlers(options),
      ...new Deliveries(options).handlers,
      ...this.#rest,
    };
  }

  readonly #rest = {
    'row.detail': async ({ batchId, key }) => {
      const { store, views, withoutKeys = (text) => text } = this.#options;
      const [detail, batch] = await Promise.all([views.rowDetail(batchId, key), store.batch(batchId)]);
      if (detail === undefined || batch === undefined) return refuse('not-found', words.desktop.row.unknown);
      return ok(await toRowDetail(detail, batch, withoutKeys, (taskId) => this.#lastAnswer(taskId)));
    },
    'row.evidence': async ({ batchId, key }) => {
      const { store, views } = this.#options;
      if ((await store.batch(batchId)) === undefined) return noSuchBatch();
      const tasks = await views.tasksEverOfKeys(batchId, [key]);
      return ok(toRowEvidence(await gatherEvidence(store, batchId, tasks)));
    },
    'files.rejected': async ({ batchId }) => {
      const filed = await this.#options.views.filedFiles(batchId);
      const files = filed.filter(({ isRejected }) => isRejected).slice(0, MOST_DELETED);
      return ok({
        fileIds: files.map(({ outputId }) => outputId),
        earlier: files.filter(({ isEarlier }) => isEarlier).length,
        bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      });
    },
    'gates.preview': async ({ batchId, gates }, watch) => {
      const { store, views, server } = this.#options;
      const batch = await store.batch(batchId);
      if (batch === undefined) return noSuchBatch();
      if (server !== undefined) return refuse('refused', words.desktop.batch.gatesAtWorkers);
      this.#previewing.abort();
      this.#previewing = new AbortController();
      const { signal: another } = this.#previewing;
      const signal = watch?.signal === undefined ? another : AbortSignal.any([another, watch.signal]);
      if (Object.keys(gates.on).length === 0) return ok(gatePreviewOf([]));
      const { folder } = batch.settings;
      const look = { folder, rows: views.exportRows(batchId), on: gates.on, measurer: this.#measurer, signal };
      const looked = await listOf(previewGates(look));
      // A preview that is ended early returns what it has found so far.
      watch?.signal?.throwIfAborted();
      return ok(gatePreviewOf(looked));
    },
    'file.locate': ({ fileId }) => this.#locate(fileId),
    'file.words': async ({ fileId }) => {
      const located = await this.#locate(fileId);
      if (!located.ok) return ok({ words: '', problem: located.error.message });
      const { mediaType, path, bytes } = located.value;
      if (mediaType !== 'application/json') return ok({ words: '', problem: words.desktop.row.noDocument });
      if (bytes > LONGEST_WORDS) return ok({ words: '', problem: words.desktop.row.tooLong(formatBytes(bytes)) });
      const document = readDocument(await readFile(path, 'utf8').catch(() => ''));
      if (document === undefined || (document.text === '' && document.title === undefined))
        return ok({ words: '', problem: words.desktop.row.nothingToRead });
      return ok({ words: document.text, ...present({ title: document.title }) });
    },
    'song.words': async (input) => ok(await songWords(this.#options, input)),
    'profile.keyTrust': async ({ batchId, profile }) => {
      const batch = batchId === undefined ? undefined : await this.#options.store.batch(batchId);
      if (batchId !== undefined && batch === undefined) return noSuchBatch();
      const needsNone = batch?.settings.rehearsal === true || batch?.settings.probe === true;
      return ok(needsNone ? undefined : await keyTrustOf(this.#options.store, batch?.settings.profile ?? profile));
    },
    'profile.learned': async ({ profile }) => ok(await learnedViewOf(this.#options.store, profile)),
    'evidence.write': (input) => this.#writeEvidence(input),
    'store.backup': ({ file }, watch) => this.#backup(file, watch),
    'store.inspect': ({ file }) => {
      const found = inspectBackup(file);
      return found.ok ? ok(found.value) : refuse('refused', words.desktop.withRemedy(found.error));
    },
    'store.facts': () =>
      this.#options.server === undefined
        ? ok(storeFacts(this.#options.storeFolder))
        : refuse('refused', words.desktop.store.onServer),
  } satisfies Partial<EngineHandlers>;

  async #locate(fileId: string): Promise<Reply<EngineOutput<'file.locate'>>> {
    const file = await this.#options.views.outputFile(fileId);
    if (file !== undefined && isBucketAddress(file.folder)) {
      return refuse('not-found', words.desktop.row.fileElsewhere(`${file.folder}/${file.path}`));
    }
    const located = file === undefined ? undefined : await locateFile(file);
    return located === undefined ? refuse('not-found', this.#whyNotThere(file?.folder)) : ok(located);
  }

  #whyNotThere(folder: string | undefined): string {
    const { server } = this.#options;
    if (server === undefined || folder === undefined || existsSync(folder)) return words.desktop.row.fileGone;
    return words.desktop.row.fileAtWorkers(folder);
  }

  async #lastAnswer(taskId: number): Promise<string | undefined> {
    const { store } = this.#options;
    const raw =
      (await store.pollAnswer(taskId)) ??
      (await store.attempts(taskId)).findLast((attempt) => attempt.raw !== undefined)?.raw;
    return raw === undefined ? undefined : answerText(raw);
  }

  async #writeEvidence({
    batchId,
    rows,
    file,
  }: EngineInput<'evidence.write'>): Promise<Reply<EngineOutput<'evidence.write'>>> {
    const { store, views } = this.#options;
    const batch = await store.batch(batchId);
    if (batch === undefined) return noSuchBatch();
    const tasks = rows === undefined ? undefined : await views.tasksEverOfKeys(batchId, rows);
    const evidence = await gatherEvidence(store, batchId, tasks);
    const document = { batch: batch.id, name: batch.name, gatheredAt: new Date().toISOString(), evidence };
    const problem = this.#whyNotInto(file) ?? (await replaceFile(file, `${JSON.stringify(document, undefined, 2)}\n`));
    return problem === undefined ? ok({ takes: evidence.length }) : refuse('refused', problem);
  }

  async #backup(file: string, watch?: WorkWatch): Promise<Reply<undefined>> {
    const { server } = this.#options;
    if (server !== undefined) {
      return refuse('refused', words.desktop.store.backUpThere(server));
    }
    const problem = this.#whyNotInto(file);
    if (problem !== undefined) return refuse('refused', problem);
    const copied = await backupStore(this.#options.storeFolder, file, true, watch);
    return copied.ok ? ok(undefined) : refuse('refused', words.desktop.withRemedy(copied.error));
  }

  /** Never into the store's own folder, where a file with another name could become part of it. */
  #whyNotInto(file: string): string | undefined {
    const { storeFolder } = this.#options;
    const isInStore = dirname(resolve(file)) === resolve(storeFolder);
    return isInStore ? words.desktop.store.isTheStore(storeFolder) : undefined;
  }
}

/** What is known about request keys at a profile's gateway; undefined if it does not say that it keeps them. */
async function keyTrustOf(store: BatchReaderOptions['store'], profile: Profile): Promise<KeyTrustView | undefined> {
  const { idempotency, baseUrl, prices } = profile;
  if (idempotency === undefined || baseUrl === '') return undefined;
  const [proofs, batches] = await Promise.all([store.idempotencyProofs(), store.batches()]);
  const proof = proofAbout(proofs, baseUrl, idempotency);
  return {
    header: idempotency.header,
    proof: proof && { verdict: proof.verdict, at: proof.at },
    prices,
    lastProbe: batches.findLast((batch) => isProbeOf(batch, profile))?.id,
  };
}

/** What was seen at a profile's gateway, in tables, and what the profile could say. */
async function learnedViewOf(store: BatchReaderOptions['store'], profile: Profile): Promise<LearnedView> {
  const [seen, all] = await Promise.all([store.seenStatuses(), store.learned()]);
  const statuses = seen.filter(({ gateway }) => gateway === profile.baseUrl);
  const learned = learnedOf(all, profile.baseUrl);
  return {
    statuses: statuses.map(({ operation, status, hasUrl, hasEnded, hasMessage, became, tasks }) => ({
      operation,
      status,
      hasUrl,
      hasEnded,
      hasMessage,
      became,
      tasks,
    })),
    answers: learned.shapes.map(({ shape, answers }) => ({
      operation: shape.operation,
      words: shapeWords(shape),
      fields: shape.fields,
      answers,
    })),
    measures: learned.measures.map((one) => ({
      operation: one.operation,
      words: measureWords(one),
      answers: one.count,
    })),
    times: [...typicalTimes(learned)],
    proposals: proposalsFor(profile, learned, statuses).flatMap((proposal) => {
      const { path, value, evidence } = proposal;
      const taken = withProposal(profile, proposal);
      if (!taken.ok) return [];
      const changes = profileChanges(profile, taken.value).map(({ path: at, before, after }) => ({
        path: at,
        ...present({ before, after }),
      }));
      return [{ path: [...path], value: JSON.stringify(value), evidence, changes }];
    }),
  };
}

/**
 * Writes a file that the user chose, for this user alone. Returns what keeps it from being written, if anything does.
 */
export async function replaceFile(file: string, text: string): Promise<string | undefined> {
  try {
    await writeWhole(file, text, 0o600);
    return undefined;
  } catch (error) {
    return words.desktop.cannotWrite(file, say(systemSays(error)));
  }
}

function gatePreviewOf(files: readonly PreviewedFile[]): GatePreviewView {
  const flagged = files.filter(({ flags }) => flags.length > 0);
  const reasons = new Set(files.flatMap(({ why }) => why ?? []));
  return {
    files: files.length,
    flagged: flagged.length,
    named: flagged
      .slice(0, FLAGGED_NAMED)
      .map(({ row, take, path, flags }) => ({ row, take, path, flags: flags.map(spokenFlag) })),
    unchecked: [...reasons].map((why) => ({
      files: files.filter((file) => file.why === why).length,
      why: uncheckedText(why),
    })),
  };
}
