/** Everything that the window knows and can do, without how it looks: stores fed by the bridge's answers and events. */
import { createStore } from 'zustand/vanilla';
import { assertNever } from '../../shared/domain/base/result.ts';
import { BY_LINE, FILES_AT_ONCE } from '../../shared/domain/task/batch-view.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { StorePlaceView } from '../../shared/ipc/store.ts';
import type { Bridge, IpcError, RefusedField, Reply, RouteName, RouteOutput } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';
import { createIpcClient, EventSequence, type AppEvent, type IpcClient, type RouteArguments } from '../ipc-client.ts';
import { BringingIn } from './opening/bringing-in.ts';
import { currenciesFor } from './account-choices.ts';
import { type AppState, type BatchDialog, isSameScreen, isShared, isWithoutBatches, type Screen } from './app-state.ts';
import { Batches, isInUse, mostUrgentBatch } from './batches-store.ts';
import { BatchCommands } from './batch/batch-commands.ts';
import { BatchShelf } from './batch-shelf.ts';
import { LivingSheet } from './batch/living-sheet-view.ts';
import { DeliveriesView } from './under-way/deliveries-under-way.ts';
import { WorksUnderWay } from './under-way/works-under-way.ts';
import { type CarriedNotice, type NoticesPorts, Notices, noticeOf } from './notices-store.ts';
import { GalleryMode, type GalleryPorts } from './gallery/gallery-mode.ts';
import { VerdictLog } from './review/verdict-log.ts';
import { PlayThrough } from './review/play-through.ts';
import { ReviewMode } from './review/review-mode.ts';
import { RowDetailView } from './batch/row-detail-view.ts';
import { RowsView } from './batch/rows-view.ts';
import { SheetEditing } from './batch/sheet-editing.ts';
import { SheetPlaces } from './batch/sheet-places.ts';
import { WaysToRows } from './batch/ways-to-rows.ts';
import { LeftSheets } from './opening/left-sheets.ts';
import { KeptGateways } from './kept-gateways.ts';
import { KeptLists } from './kept-lists.ts';
import { type ProfileDraft, ProfileDrafts, type TypedFields } from './profile-draft.ts';
import { type StartAnswers, StartForms } from './opening/start-forms.ts';
import { NewBatches } from './opening/new-batches.ts';
import { Tour } from './tour.ts';

export interface AppModelPorts {
  readonly bridge: Bridge;
  /** Calls back once after a time; returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
  /** When a window was last open, in milliseconds since the epoch; absent if never. */
  readonly lastSeenAt?: number;
  /** By default, somebody is always at the window. */
  readonly notices?: NoticesPorts;
  /** What was last kept about the tour; undefined if nothing was. */
  readonly keptTour?: string | undefined;
  readonly keepTour?: (text: string) => void;
  /** What was last kept about sheets that were left; undefined if nothing was. */
  readonly keptLeft?: string | undefined;
  readonly keepLeft?: (text: string) => void;
  /** What the page that this one takes the place of has handed on. */
  readonly carried?: Carried | undefined;
}

/** Where the user is, what they have typed, and what they were told. */
export interface Carried {
  readonly screen: Screen | undefined;
  readonly drafts: Readonly<Record<string, ProfileDraft>>;
  readonly typed: Readonly<Record<string, TypedFields>>;
  readonly answers: Readonly<Record<string, StartAnswers>>;
  readonly notices: readonly CarriedNotice[];
}

export class AppModel {
  readonly client: IpcClient;
  /** Without a screen until the first one is known. */
  readonly navigation = createStore<{ readonly screen: Screen | undefined }>(() => ({ screen: undefined }));
  /** Files are being dragged out of this window: what moves over it is not a sheet. */
  readonly dragging = createStore(() => ({ isOut: false }));
  /** What a shortcut has opened over the screen: the palette, or the list of shortcuts. */
  readonly overlay = createStore<{ readonly open: 'commands' | 'shortcuts' | undefined }>(() => ({ open: undefined }));
  /** The command that was chosen in the menu bar, until it is carried out. */
  readonly menuBar = createStore<{ readonly wanted: string | undefined }>(() => ({ wanted: undefined }));
  /** What is being changed about a batch, among the things in its menu “More”. */
  readonly batchDialog = createStore<{ readonly batchId?: string; readonly open?: BatchDialog | undefined }>(
    () => ({}),
  );
  readonly notices: Notices;
  readonly batches = new Batches();
  readonly app = createStore<AppState>(() => ({
    settings: undefined,
    key: undefined,
    presence: undefined,
    updates: undefined,
    info: undefined,
    store: undefined,
    engine: undefined,
  }));
  /** What the user typed about starting each sheet and batch. */
  readonly startForms = new StartForms();
  readonly bringIn: BringingIn;
  readonly newBatches: NewBatches;
  readonly lists: KeptLists;
  readonly profileDrafts = new ProfileDrafts();
  readonly gateways: KeptGateways;
  readonly rows: RowsView;
  readonly detail: RowDetailView;
  readonly verdicts: VerdictLog;
  readonly review: ReviewMode;
  readonly playThrough: PlayThrough;
  readonly gallery: GalleryMode;
  readonly editing: SheetEditing;
  readonly places: SheetPlaces;
  readonly ways: WaysToRows;
  readonly living: LivingSheet;
  readonly works: WorksUnderWay;
  readonly deliveries: DeliveriesView;
  readonly batchCommands: BatchCommands;
  readonly shelf: BatchShelf;
  readonly tour: Tour;
  readonly #leaving = new Set<() => void>();
  readonly #sequence = new EventSequence();
  readonly #lastSeenAt: number | undefined;
  readonly #carried: Carried | undefined;

  constructor({
    bridge,
    schedule,
    lastSeenAt,
    notices = { now: Date.now, isLooking: () => true },
    keptTour,
    keepTour = () => undefined,
    keptLeft,
    keepLeft = () => undefined,
    carried,
  }: AppModelPorts) {
    this.notices = new Notices(notices, carried?.notices);
    this.#lastSeenAt = lastSeenAt;
    this.tour = new Tour(keptTour, keepTour);
    this.#carried = carried;
    this.profileDrafts.store.setState(carried?.drafts ?? {});
    this.profileDrafts.forms.texts.setState(carried?.typed ?? {});
    this.client = createIpcClient(bridge);
    this.rows = new RowsView({
      schedule,
      fetchPage: async (query, offset, limit) => {
        const reply = await this.ask('rows.page', { ...query, offset, limit, withCells: true });
        return reply.ok ? reply.value : undefined;
      },
      fetchRows: async (batchId, keys) => {
        const reply = await this.ask('rows.get', { batchId, keys: [...keys] });
        return reply.ok ? reply.value : undefined;
      },
    });
    this.detail = new RowDetailView({ schedule, fetchDetail: (ref) => this.client.request('row.detail', ref) });
    const log = (this.verdicts = new VerdictLog(({ fileId, change }) =>
      this.client.request('file.review', { fileId, ...change }),
    ));
    const tellRefused = (name: string, message: string): void =>
      void this.notices.show({ level: 'warning', title: words.notices.staysAsItWas(name), message });
    this.review = new ReviewMode({
      schedule,
      fetchPage: (batchId, offset, limit) =>
        this.client.request('rows.page', { batchId, filter: {}, sort: BY_LINE, offset, limit }),
      fetchDetail: (batchId, key) => this.client.request('row.detail', { batchId, key }),
      log,
      setTakes: (batchId, key, takes) => this.editing.setTakes(batchId, [{ key, takes }]),
      tellRefused,
    });
    const ofFiles: Pick<GalleryPorts, 'schedule' | 'fetchFound' | 'fetchFiles'> = {
      schedule,
      fetchFound: (batchId, filter) => this.client.request('files.found', { batchId, filter }),
      fetchFiles: (batchId, fileIds) => this.client.request('files.get', { batchId, fileIds }),
    };
    this.playThrough = new PlayThrough({
      ...ofFiles,
      review: this.review,
      tellNothing: (message) => this.notices.show({ level: 'info', title: words.notices.nothingToPlay, message }),
    });
    this.gallery = new GalleryMode({
      ...ofFiles,
      log,
      tellRefused,
      tellInSight: (fileIds) => void this.client.request('files.inSight', { fileIds }),
    });
    const ask: IpcClient['request'] = (route, ...input) => this.ask(route, ...input);
    const request: IpcClient['request'] = (route, ...input) => this.client.request(route, ...input);
    this.editing = new SheetEditing({ ask, request, rows: this.rows, notices: this.notices });
    this.places = new SheetPlaces({ ask, rows: this.rows });
    this.ways = new WaysToRows({
      ask,
      go: (batchId) => this.go({ kind: 'batch', batchId }),
      isShown: (batchId) => {
        const { screen } = this.navigation.getState();
        return screen?.kind === 'batch' && screen.batchId === batchId;
      },
      here: () => this.here(),
      rows: this.rows,
      editing: this.editing,
      places: this.places,
      notices: this.notices,
    });
    const onBatch = (batch: BatchView): void => this.batches.put(batch);
    this.batchCommands = new BatchCommands({ ask, request, notices: this.notices, onBatch });
    this.works = new WorksUnderWay({ request });
    this.deliveries = new DeliveriesView({ ask, notices: this.notices, works: this.works });
    this.shelf = new BatchShelf({
      ask,
      notices: this.notices,
      batches: this.batches,
      onAway: (batchId) => {
        const { screen } = this.navigation.getState();
        if ((screen?.kind === 'batch' || screen?.kind === 'gallery') && screen.batchId === batchId) this.#goHome();
      },
    });
    this.living = new LivingSheet({ ask, notices: this.notices, onBatch });
    const lacksGateway = (): boolean => this.#lacksGateway();
    const batchNames = (): readonly string[] => this.batches.store.getState().batches.map(({ name }) => name);
    this.newBatches = new NewBatches({
      ask,
      askFrom: (fields, route, ...input) => this.askFrom(fields, route, ...input),
      notices: this.notices,
      forms: this.startForms,
      openSheet: () => this.bringIn.store.getState().open,
      onImporting: () => this.bringIn.keeping.importing(),
      onRefused: () => this.bringIn.keeping.note(),
      onImported: (sheetId) => this.bringIn.imported(sheetId),
      lacksGateway,
      currencies: (accounts) => currenciesFor(this.app.getState().settings, accounts),
      batchNames,
      onBatch,
      here: () => this.here(),
      onMade: (batch) => {
        this.tour.follow(batch, this.batches.store.getState().batches);
        onBatch(batch);
      },
      showBatch: (batchId) => this.go({ kind: 'batch', batchId }),
      showProblems: (batchId) => {
        this.go({ kind: 'batch', batchId });
        this.places.showProblems(true);
      },
      showCell: (batchId, key, header) => this.ways.openCell(batchId, key, header),
    });
    this.bringIn = new BringingIn({
      request,
      ask,
      askFrom: (fields, route, ...input) => this.askFrom(fields, route, ...input),
      notices: this.notices,
      left: new LeftSheets(keptLeft, keepLeft),
      forms: this.startForms,
      lacksGateway,
      batchNames,
      importing: (sheetId) => this.newBatches.importing(sheetId),
      isShown: () => this.navigation.getState().screen?.kind === 'sheet',
      schedule,
      importUnstarted: (open, answers) => this.newBatches.importUnstarted(open, answers),
      showSheet: () => this.go({ kind: 'sheet' }),
      goHome: () => this.#goHome(),
    });
    this.startForms.store.setState(carried?.answers ?? {});
    this.gateways = new KeptGateways({
      ask,
      notices: this.notices,
      app: this.app,
      drafts: this.profileDrafts,
      screen: () => this.navigation.getState().screen,
      go: (screen) => this.go(screen),
    });
    this.lists = new KeptLists({ ask, onChanged: () => void this.bringIn.interpret({}) });
  }

  /** Listens to the application, reads its state, and goes to the first screen. Returns a way to stop listening. */
  start(): () => void {
    const stop = this.client.subscribe(
      (event) => this.#receive(event),
      () => void this.refreshAll(),
    );
    void this.#begin();
    return stop;
  }

  /** What the page hands on to the one that takes its place in this window. */
  carried(): Carried {
    return {
      screen: this.navigation.getState().screen,
      drafts: this.profileDrafts.store.getState(),
      typed: this.profileDrafts.forms.texts.getState(),
      answers: this.startForms.store.getState(),
      notices: this.notices.carried(),
    };
  }

  /** Asks the application, and shows a notice if it fails. */
  ask<R extends RouteName>(route: R, ...input: RouteArguments<R>): Promise<Reply<RouteOutput<R>>> {
    return this.askFrom([], route, ...input);
  }

  /** The same from a form, which itself shows what is refused about these fields. */
  async askFrom<R extends RouteName>(
    fields: readonly RefusedField[],
    route: R,
    ...input: RouteArguments<R>
  ): Promise<Reply<RouteOutput<R>>> {
    const reply = await this.client.request(route, ...input);
    const isAtField = !reply.ok && fields.some((field) => field === reply.error.field);
    if (!reply.ok && !isAtField && !this.#isSaid(reply.error.code)) this.notices.show(noticeOf(reply.error, route));
    return reply;
  }

  /** Opens the dialog for the files place of a batch; returns what is wrong with the place, for its field. */
  async choosePlace(batchId: string): Promise<IpcError | undefined> {
    const reply = await this.askFrom(['place'], 'batch.choosePlace', { batchId });
    return reply.ok ? undefined : reply.error;
  }

  /** A banner already says why nothing can be shown, and since when. */
  #isSaid(code: IpcError['code']): boolean {
    const { store } = this.app.getState();
    return code === 'unavailable' && store?.kind === 'server' && store.awaySince !== undefined;
  }

  /** Calls back before another screen takes the place of the one that is shown; returns a way to stop listening. */
  beforeLeaving(listener: () => void): () => void {
    this.#leaving.add(listener);
    return () => void this.#leaving.delete(listener);
  }

  /** For later: whether the user is still on the screen that they are on now. */
  here(): () => boolean {
    const { screen } = this.navigation.getState();
    return () => screen === undefined || isSameScreen(screen, this.navigation.getState().screen);
  }

  go(screen: Screen): void {
    const isAnother = !isSameScreen(screen, this.navigation.getState().screen);
    if (isAnother) for (const listener of this.#leaving) listener();
    this.review.close();
    if (screen.kind === 'batch') {
      this.rows.open(screen.batchId);
      this.editing.open(screen.batchId);
      this.places.open(screen.batchId);
    }
    if (screen.kind === 'gallery') this.gallery.open(screen.batchId);
    else this.gallery.leave();
    if (isAnother) this.notices.leave();
    this.navigation.setState({ screen });
  }

  /** Has the system drag files out of the window; says why, if it cannot. */
  async dragOut(batchId: string, fileIds: readonly string[]): Promise<void> {
    if (fileIds.length > FILES_AT_ONCE) {
      const title = words.notices.tooManyToDrag(FILES_AT_ONCE);
      this.notices.show({ level: 'info', title, message: words.notices.selectFewer });
      return;
    }
    this.dragging.setState({ isOut: true });
    await this.ask('files.drag', { batchId, fileIds: [...fileIds] });
  }

  /** Copies the store to a file that the user chooses. */
  async backUpStore(): Promise<void> {
    const reply = await this.ask('store.backup');
    if (!reply.ok || reply.value === undefined) return;
    this.notices.show({ level: 'info', title: words.notices.backedUp, message: reply.value.file });
  }

  /** Lets the user choose a backup; the application restarts with it. */
  async restoreBackup(): Promise<void> {
    await this.ask('store.restore');
  }

  /** Reads everything again: events were missed, or there is a new engine. */
  async refreshAll(): Promise<void> {
    this.rows.pages.refresh();
    this.review.refresh();
    if (this.navigation.getState().screen?.kind === 'gallery') this.gallery.refresh();
    void this.editing.read();
    await Promise.all([this.#readBatches(), this.#readSettings(), this.works.read(), this.detail.reload()]);
  }

  async #begin(): Promise<void> {
    const before = this.#carried?.screen;
    // The keys come last: the application is blocked while it asks the system's keyring.
    await Promise.all([
      this.#readBatches(),
      Promise.all([this.#readInfo(), this.#readSettings()]).then(() => {
        // Needs no batch, and the store may be busy with something long.
        if (before !== undefined && isWithoutBatches(before))
          this.navigation.setState((now) => ({ screen: now.screen ?? before }));
      }),
      this.works.read(),
    ]);
    const night = await this.#nightUnseen();
    await this.bringIn.keeping.takeUp(before !== undefined || night === undefined);
    if (this.navigation.getState().screen !== undefined) return;
    // An open sheet may be gone by now, and the first screen is chosen again.
    if (before !== undefined && before.kind !== 'sheet' && before.kind !== 'welcome') return this.go(before);
    if (night === undefined) this.#goHome();
    else this.go({ kind: 'ledger', night });
  }

  /** The last night, if it ended while no window was open, and nothing has begun since: the user comes to see it. */
  async #nightUnseen(): Promise<number | undefined> {
    const batches = this.batches.store.getState().batches.filter(isInUse);
    const isRunning = batches.some(({ state }) => state === 'running');
    // A restored batch comes first: it says what to do before anything else.
    const isRestored = batches.some(({ pause }) => pause?.by === 'failure' && pause.failure.code === 'STORE_RESTORED');
    if (this.#lastSeenAt === undefined || isRunning || isRestored) return undefined;
    const reply = await this.client.request('ledger.nights');
    const last = reply.ok ? reply.value[0] : undefined;
    return last?.endedAt !== undefined && last.endedAt > this.#lastSeenAt ? last.id : undefined;
  }

  async #readBatches(): Promise<void> {
    const reply = await this.client.request('batch.list');
    if (reply.ok) this.batches.replaceAll(reply.value);
    // A banner above every screen already says why there is no engine.
    else if (reply.error.code !== 'unavailable') this.notices.show(noticeOf(reply.error));
  }

  async #readSettings(): Promise<void> {
    const [settings, key] = await Promise.all([this.ask('settings.get'), this.ask('key.status')]);
    if (settings.ok) this.app.setState({ settings: settings.value });
    if (key.ok) this.app.setState({ key: key.value });
  }

  async #readInfo(): Promise<void> {
    const [info, store, presence, updates] = await Promise.all([
      this.ask('app.info'),
      this.client.request('store.get'),
      this.client.request('presence.get'),
      this.client.request('updates.get'),
    ]);
    if (info.ok) this.app.setState({ info: info.value });
    if (store.ok) this.app.setState({ store: store.value });
    if (presence.ok) this.app.setState({ presence: presence.value });
    if (updates.ok) this.app.setState({ updates: updates.value });
  }

  #goHome(): void {
    const batch = mostUrgentBatch(this.batches.store.getState().batches);
    this.go(batch === undefined ? { kind: 'welcome', page: 'choice' } : { kind: 'batch', batchId: batch.id });
  }

  #lacksGateway(): boolean {
    const state = this.app.getState();
    return state.settings?.baseUrl === '' || (state.key?.present !== true && !isShared(state));
  }

  #receive(event: AppEvent): void {
    if (!this.#sequence.follows(event.payload.sequence)) void this.refreshAll();
    switch (event.name) {
      case 'batch.changed':
        this.#batchChanged(event.payload);
        return;
      case 'batch.listChanged':
        void this.#readBatches();
        return;
      case 'sheet.changed':
        this.#sheetChanged(event.payload);
        return;
      case 'sheet.fileChanged':
        this.living.fileChanged(event.payload.batchId, event.payload.name);
        return;
      case 'sheet.progress':
        this.bringIn.readSoFar(event.payload.sheetId, event.payload.rows);
        return;
      case 'sheet.beginning':
        this.bringIn.showBeginning(event.payload.sheet);
        return;
      case 'sheet.opened':
        this.bringIn.show(event.payload.sheet);
        return;
      case 'ledger.wanted':
        this.go({ kind: 'ledger' });
        return;
      case 'diagnostics.wanted':
        this.go({ kind: 'help', part: 'support' });
        return;
      case 'batch.wanted':
        this.go({ kind: 'batch', batchId: event.payload.batchId });
        return;
      case 'command.wanted':
        this.menuBar.setState({ wanted: event.payload.id });
        return;
      case 'about.wanted':
        this.go({ kind: 'settings', part: 'about' });
        return;
      case 'engine.stateChanged':
        this.#engineChanged(event.payload);
        return;
      case 'store.changed':
        this.#storeChanged(event.payload.store);
        return;
      case 'settings.changed':
        this.app.setState({ settings: event.payload.settings, key: event.payload.key });
        return;
      case 'updates.changed': {
        const { sequence: _, ...updates } = event.payload;
        this.app.setState({ updates });
        return;
      }
      case 'presence.changed': {
        const { sequence: _, ...presence } = event.payload;
        this.app.setState({ presence });
        return;
      }
      case 'work.changed':
        this.works.told(event.payload.works);
        return;
      case 'notice': {
        const { done, ...notice } = event.payload;
        if (done === undefined) this.notices.show(notice);
        else this.notices.settle(notice, done);
        return;
      }
      default:
        assertNever(event);
    }
  }

  #engineChanged({ state, message }: Extract<AppEvent, { name: 'engine.stateChanged' }>['payload']): void {
    const wasAtWork = this.app.getState().engine === undefined;
    this.app.setState({ engine: state === 'ready' ? undefined : { state, message } });
    const isAnother = state === 'restarted' || state === 'read-only' || (state === 'ready' && !wasAtWork);
    // What was under way has ended with the process.
    if (state !== 'ready') this.works.told([]);
    if (state === 'restarted') this.editing.endHistory();
    if (!isAnother) return;
    void this.bringIn.openAnew();
    void this.refreshAll();
  }

  #storeChanged(store: StorePlaceView): void {
    const { store: before } = this.app.getState();
    this.app.setState({ store });
    const isAnother = placeOf(before) !== placeOf(store);
    if (isAnother && before !== undefined) {
      this.batches.replaceAll([]);
      this.editing.endHistory();
      this.go({ kind: 'welcome', page: 'choice' });
    } else if (awayIn(before) && !awayIn(store)) void this.refreshAll();
  }

  #batchChanged(payload: Extract<AppEvent, { name: 'batch.changed' }>['payload']): void {
    this.batches.put(payload.batch);
    const batchId = payload.batch.id;
    if (batchId === this.rows.store.getState().batchId) this.rows.pages.applyChanges(payload, payload.rowsStale);
    if (batchId === this.review.store.getState().batchId) this.review.changed(payload.rows, payload.rowsStale);
    const { screen } = this.navigation.getState();
    if (screen?.kind === 'gallery' && screen.batchId === batchId) this.gallery.changed(payload.rows, payload.rowsStale);
    if (payload.rowsStale) this.#detailChanged(batchId, this.detail.store.getState().ref?.key);
    for (const { key } of payload.rows) this.#detailChanged(batchId, key);
  }

  #sheetChanged({ batchId, sequence, sheet, rows }: Extract<AppEvent, { name: 'sheet.changed' }>['payload']): void {
    if (batchId === this.rows.store.getState().batchId) {
      this.rows.pages.applyEdit(rows && { sequence, rows });
      this.rows.keepTo(sheet.columns.map(({ header }) => header));
    }
    this.editing.changed(batchId, sheet);
    this.#detailChanged(batchId, this.detail.store.getState().ref?.key);
  }

  #detailChanged(batchId: string, key: number | undefined): void {
    if (key !== undefined) this.detail.changed({ batchId, key });
  }
}

function placeOf(store: StorePlaceView | undefined): string | undefined {
  return store?.kind === 'server' ? store.address : store?.kind;
}

function awayIn(store: StorePlaceView | undefined): boolean {
  return store?.kind === 'server' && store.awaySince !== undefined;
}
