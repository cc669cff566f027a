import { isDeepStrictEqual } from 'node:util';
import { ChangeFeed } from '../../src/engine/change-feed.ts';
import { LivingSheets } from '../../src/engine/edit/living/living-sheet.ts';
import { SheetEditor } from '../../src/engine/edit/sheet-editor.ts';
import { Engine } from '../../src/engine/engine.ts';
import { KeyOrigins } from '../../src/engine/gateway/key-origins.ts';
import { createMediaGateway } from '../../src/engine/gateway/undici-media-gateway.ts';
import type { KeyRing } from '../../src/engine/gateway/key-ring.ts';
import type { FileToMeasure } from '../../src/engine/ports/file-looks.ts';
import type { MeasuredFile } from '../../src/shared/domain/gates/measured-file.ts';
import { Scheduler } from '../../src/engine/night/scheduler.ts';
import { WordListFolder } from '../../src/engine/sheet-files/lists/word-lists.ts';
import { Sheets } from '../../src/engine/sheets.ts';
import { isRefusedByDisk } from '../../src/engine/store/open/store-problem.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { Coverage } from './coverage.ts';
import type { Machine } from './machine.ts';
import type { ModelGateway } from './model-gateway.ts';
import { Stream } from './random.ts';
import type { SimDisk } from './sim-disk.ts';
import { simFiling } from './sim-filing.ts';
import { SimFolder, type PlacedFiles } from './sim-folder.ts';
import { type RequestCounts, SimNetwork } from './sim-network.ts';
import { simStore, type AnswerPart } from './sim-store.ts';
import type { Watch } from './watch.ts';

/** How often a listener throws; the night goes on. */
const LISTENERS_BUG = 0.01;
class ListenersBug extends Error {}

/** What a process finds when it starts, and leaves behind when it dies. */
export interface Surroundings {
  readonly machine: Machine;
  readonly disk: SimDisk;
  readonly gateway: ModelGateway;
  readonly requests: RequestCounts;
  readonly files: PlacedFiles;
  readonly keys: KeyRing;
  readonly watch: Watch;
  readonly accountOf: (profile: Profile) => number;
  readonly coverage: Coverage;
  /** Changes the store's answers, for a store that lies. */
  readonly twist: (answer: AnswerPart) => AnswerPart;
}

/** One process: the engine of a night, from its start until it ends or dies. */
export class Life {
  readonly engine: Engine;
  /** The same at once, for those who only look. */
  readonly now: OpenStore;
  readonly #around: Surroundings;
  readonly #networks: SimNetwork[] = [];

  constructor(around: Surroundings) {
    const { machine, disk, gateway, requests, files, keys, watch, accountOf, coverage, twist } = around;
    this.#around = around;
    this.now = disk.open();
    watch.processBegan();
    const { store, sheets, views, ledger } = simStore(this.now, {
      agenda: machine.agenda,
      wayMs: () => machine.storeWayMs(),
      isFull: () => machine.refusesStore(),
      twist,
    });
    const { clock } = machine;
    const random = new Stream(machine.plan.seed, `life at ${machine.agenda.nowMs}`);
    const onBug = (error: unknown): void => {
      if (error instanceof ListenersBug) return;
      watch.report('bug', error instanceof Error ? (error.stack ?? error.message) : String(error));
    };
    const folder = new SimFolder(machine, gateway, requests, files);
    const scheduler = new Scheduler({
      store,
      folder,
      clock,
      random,
      gatewayFor: (access) => {
        const { profile } = access;
        const account = accountOf(profile);
        const network = new SimNetwork({
          account,
          machine,
          gateway,
          requests,
          key: () => keys.of(access),
          report: (rule, detail) => watch.report(rule, detail),
          onRequest: () => watch.onRequest(account),
          onHandOver: (body) => watch.onHandOver(body),
          onSubmit: (body) => watch.onSubmit(body),
          onPoll: (code) => watch.onPoll(code),
          onAskedToWait: (account, forMs) => watch.onAskedToWait(account, forMs),
        });
        this.#networks.push(network);
        return createMediaGateway({
          profile,
          clock,
          key: () => keys.of(access) ?? '',
          keyFinder: () => keys.finder,
          network,
        });
      },
      keyFingerprint: (access) => keys.fingerprintOf(access),
      holdsKey: (text) => keys.finder.holds(text),
      onTaskChanged: (task, event) => {
        coverage.task(task, event);
        watch.finish.onTask(task);
        if (random.chance(LISTENERS_BUG)) throw new ListenersBug();
      },
      onBatchChanged: (batch) => {
        coverage.batch(batch);
        watch.onBatch(batch);
      },
      onBug,
      isRefusedByDisk,
      measurer: { measure: (file) => this.#measure(file) },
    });
    const lists = { current: () => Promise.resolve({}) };
    const changes = new ChangeFeed(onBug);
    const editor = new SheetEditor({ store, sheets, clock: scheduler.clock, keys, lists, night: scheduler, changes });
    const noFile = () => Promise.reject(new Error('No file is read in a simulated night.'));
    const reader = { read: noFile, resultsDocument: noFile };
    const living = new LivingSheets({
      store,
      sheets,
      views,
      clock: scheduler.clock,
      night: scheduler,
      read: (file) => machine.readSheet(file),
      checkOptions: () => Promise.resolve({}),
    });
    this.engine = new Engine({
      store,
      views,
      ledger,
      rows: sheets,
      sheets: new Sheets({
        store,
        views,
        rows: sheets,
        editor,
        living,
        reader,
        lists,
        clock,
        keyFinder: () => keys.finder,
      }),
      editor,
      living,
      lists: new WordListFolder('/nowhere'),
      scheduler,
      folder,
      files: {
        addressOf: noFile,
        noteUse: noFile,
        putFor: noFile,
        deleteUnneeded: () => undefined,
        deleted: () => Promise.resolve(),
        allow: noFile,
        close: () => Promise.resolve(),
      },
      filing: simFiling(machine, files),
      keys,
      keyOrigins: () => new KeyOrigins('/nowhere', (fingerprint) => store.originsOfKey(fingerprint)),
      paces: new Map(),
      changes,
      clock,
      onBug,
      closeStore: () => Promise.resolve(),
      storeWaitingMs: () => 0,
      isOlderCopy: false,
    });
  }

  /** Takes up what the previous process left, as the application does when it starts. */
  async takeUp(): Promise<void> {
    const { machine, watch } = this.#around;
    // In other nights nothing is ever deleted.
    if (machine.plan.deeds.some(({ deed }) => deed.kind === 'shelve')) {
      const paid = new Map(watch.batches.map(({ id }) => [id, paidBy(this.now, id)]));
      await this.engine.removeDeleted((ids) => {
        for (const id of ids) {
          this.#around.coverage.removed();
          watch.onRemoved(id, isDeepStrictEqual(paidBy(this.now, id), paid.get(id)));
        }
      });
    }
    await this.engine.editor.finishChecks();
    for (const { id, state } of await this.engine.store.batches()) {
      if (state !== 'ready') await this.engine.attach(id);
    }
  }

  /** What decoding a file shows: either all files of a charge are good, or none is. */
  async #measure({ path, sha256, bytes }: FileToMeasure): Promise<MeasuredFile> {
    const { machine, gateway, files } = this.#around;
    await machine.wait(300, `measure ${path}`);
    const isBlack = gateway.chargeOf(files.get(path)?.code ?? '')?.isBlack === true;
    return { kind: 'music', bytes, sha256, seconds: 100, decoded: { errors: 0, isBroken: isBlack } };
  }

  /** Nothing that it waits for happens any more. */
  die(): void {
    for (const network of this.#networks) network.isCut = true;
    this.#around.machine.agenda.forgetProcess();
  }
}

/** What a batch has paid, as the ledger has it. */
function paidBy({ ledger }: OpenStore, batchId: string): readonly unknown[] {
  return [...ledger.requests({ batchIds: [batchId] })];
}
