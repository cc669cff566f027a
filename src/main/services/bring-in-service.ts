/** Answers main's requests to import sheets or to start with an empty one. Runs in the engine's process. */
import { freeName } from '../../shared/domain/base/text.ts';
import { ok, present, listOf } from '../../shared/domain/base/result.ts';
import { isDeepStrictEqual } from 'node:util';
import { itemsByName, type WorkWatch } from '../../engine/index.ts';
import {
  PLAIN_SHEET,
  type BatchRecord,
  type BatchSettings,
  type SheetSettings,
} from '../../shared/domain/task/batch.ts';
import { accountsOf, dearestPrices, withLimitsByName } from '../../shared/domain/task/accounts/account.ts';
import { DEFAULT_NAME_TEMPLATE } from '../../shared/domain/files/naming.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { isCanaryUsual } from '../../shared/domain/task/canary.ts';
import { cellTexts, isSheetRefused, runnableRows, type CheckedSheet, costsOf } from '../../shared/domain/sheet/row.ts';
import { unusedCellsOf } from '../../shared/domain/sheet/check-sheet.ts';
import { createSheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import { findTemplate } from '../../shared/domain/operations/templates.ts';
import {
  isProbeOf,
  PROBE_REQUESTS,
  PROBE_SETTINGS,
  probeName,
  probeSheet,
} from '../../shared/domain/task/key-probe.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { EngineHandlers, EngineInput, EngineOutput } from '../engine-process/engine-protocol.ts';
import { failureText } from '../../shared/domain/base/failure.ts';
import { forecastOf } from './forecast-service.ts';
import { OpenSheets } from './open-sheets.ts';
import { namePlace } from '../engine-process/files-place-service.ts';
import type { RehearsalGateway } from '../engine-process/rehearsal-gateway.ts';
import { limitOf } from '../engine-process/views/spending-views.ts';
import { noSuchBatch, type ServiceContext } from '../engine-process/batch-reader.ts';
import { words } from '../../shared/words/words.ts';

/** More problems than any sheet can have. */
const ALL_PROBLEMS = 10_000_000;
const sheetGone = () => refuse('not-found', words.desktop.sheet.gone);

export interface BringInServiceOptions extends ServiceContext {
  readonly rehearsal: RehearsalGateway;
  /** Called for every new batch. */
  readonly onCreated: (batchId: string) => void;
}

/** Imports sheets and makes batches from them. */
export class BringInService {
  readonly #options: BringInServiceOptions;
  readonly #sheets: OpenSheets;
  /** The sheets that are becoming batches, by id, and the gateways for which a probe is being made. */
  readonly #becoming = new Set<string>();

  constructor(options: BringInServiceOptions) {
    this.#options = options;
    const { engine, tell } = options;
    this.#sheets = new OpenSheets({ engine, tell, lists: () => this.#lists() });
  }

  readonly handlers = {
    'sheet.open': async ({ sheetId, isSample = false, path, name, ...context }) =>
      ok(await this.#sheets.openFile(sheetId, { kind: isSample ? 'sample' : 'file', path }, name, context)),
    'sheet.openTable': async ({ sheetId, name, html, text, ...context }) =>
      ok(await this.#sheets.openTable(sheetId, { name, html, text }, context)),
    'sheet.reread': async ({ sheetId, prices, ...reading }) => {
      const read = await this.#sheets.reread(sheetId, reading, prices);
      if (read === undefined) return sheetGone();
      return read.ok ? ok(read.value) : refuse('refused', read.error);
    },
    'sheet.close': ({ sheetId }) => {
      this.#sheets.forget(sheetId);
      return ok(undefined);
    },
    'sheet.interpret': async ({ sheetId, prices, ...understanding }) => {
      // A page that is loaded anew asks for what the one before it has a batch made of.
      if (this.#becoming.has(sheetId)) return sheetGone();
      const view = await this.#sheets.interpret(sheetId, understanding, prices);
      return view === undefined ? sheetGone() : ok(view);
    },
    'sheet.place': async ({ sheetId, path, prices }) => {
      const place = await namePlace(this.#options.engine, path);
      if (!place.ok) return place;
      const view = await this.#sheets.setPlace(sheetId, place.value, prices);
      return view === undefined ? sheetGone() : ok(view);
    },
    'start.forecast': (input) => {
      const sheet = input.of.kind === 'sheet' ? this.#sheets.find(input.of.sheetId)?.sheet : undefined;
      return forecastOf(this.#options.engine, sheet, input);
    },
    'batch.create': (input, watch) => this.#create(input, watch),
    'batch.new': (input, watch) => this.#new(input, watch),
    'batch.probe': (input) => this.#probe(input),
    'batch.configure': (input) => this.#configure(input),
    'batch.cost': async ({ batchId, prices }) => this.#costOf(batchId, prices),
    'lists.get': () => this.#listViews(),
    'lists.set': async ({ name, text }) => {
      const saved = await this.#options.engine.lists.save(name, text);
      return saved.ok ? this.#listViews() : refuse('refused', saved.error);
    },
    'lists.remove': async ({ name }) => {
      const problem = await this.#options.engine.lists.remove(name);
      return problem === undefined ? this.#listViews() : refuse('refused', problem);
    },
  } satisfies Partial<EngineHandlers>;

  async #create(input: EngineInput<'batch.create'>, watch?: WorkWatch): Promise<Reply<BatchView>> {
    const open = this.#sheets.find(input.sheetId);
    if (open === undefined) return sheetGone();
    if (isSheetRefused(open.sheet)) return refuse('refused', words.desktop.sheet.cannotRun);
    const { canary = isCanaryUsual(runnableRows(open.sheet).length, input.rehearsal) } = input;
    const names = input.accounts === undefined ? [] : accountsOf(input).map(({ name }) => name);
    if (!isDeepStrictEqual(open.accounts, names))
      return refuse('refused', words.desktop.sheet.accountsChecked, 'accounts');
    const settings = await this.#settingsOf({ ...input, canary });
    if (!settings.ok) return settings;
    // The folder and the rehearsal's gateway took a moment: a second click may have made a batch of the sheet
    // meanwhile.
    const now = this.#sheets.find(input.sheetId);
    if (now === undefined || this.#becoming.has(input.sheetId)) return sheetGone();
    if (now.sheet !== open.sheet) return refuse('refused', words.desktop.sheet.changed);
    const { sheet, sheetPath, sheetSettings, filesPlace } = open;
    const withPlace = { ...settings.value, ...present({ filesPlace }), sheetId: input.sheetId };
    const made = await this.#once(input.sheetId, () =>
      this.#make({ sheet, sheetPath, sheetSettings, name: input.name, settings: withPlace }, watch),
    );
    return input.start
      ? this.#options.run(made.id, this.#options.engine.pausesOf(made.id))
      : this.#options.batches.reply(made.id);
  }

  /** The sheet is gone once it is a batch; until then, a second click finds it in `#becoming`. */
  async #once<T>(sheetId: string, make: () => Promise<T>): Promise<T> {
    this.#becoming.add(sheetId);
    try {
      const made = await make();
      this.#sheets.forget(sheetId);
      return made;
    } finally {
      this.#becoming.delete(sheetId);
    }
  }

  async #new(input: EngineInput<'batch.new'>, watch?: WorkWatch): Promise<Reply<BatchView>> {
    const { from } = input;
    const begun =
      from.kind === 'template'
        ? this.#fromTemplate(from.template)
        : await this.#fromBatch(from.batchId, input.rehearsal);
    if (begun === undefined)
      return from.kind === 'template' ? refuse('not-found', words.desktop.sheet.noTemplate) : noSuchBatch();
    const settings = await this.#settingsOf({ ...input, ...(input.rehearsal ? {} : begun.gateways) });
    if (!settings.ok) return settings;
    const name = from.kind === 'template' ? from.name : await this.#nameOfCopy(begun.name);
    const withTags = { ...settings.value, ...present({ tags: begun.tags }) };
    const made = await this.#make({ ...begun, name, settings: withTags }, watch);
    return this.#options.batches.reply(made.id);
  }

  /** A name that no other batch has, as the folder of a copy has one that no other folder has. */
  async #nameOfCopy(name: string): Promise<string> {
    const batches = await this.#options.engine.store.batches();
    return freeName(
      words.desktop.copyOf(name),
      batches.map((batch) => batch.name),
    );
  }

  async #probe({ operation, prompt, submits, folder, profile }: EngineInput<'batch.probe'>): Promise<Reply<BatchView>> {
    const { engine } = this.#options;
    if (profile.idempotency === undefined) return refuse('refused', words.desktop.batch.noRequestKeys);
    if (submits < PROBE_REQUESTS) return refuse('refused', words.desktop.batch.probePaysTwice);
    // From here until the batch has its state, a second click finds one of the two.
    if (this.#becoming.has(profile.baseUrl)) return refuse('refused', words.desktop.batch.probeRuns);
    this.#becoming.add(profile.baseUrl);
    try {
      const problem = await engine.checkFolder(folder);
      if (problem !== undefined) return refuse('refused', failureText(problem));
      const batches = await engine.store.batches();
      if (batches.some((batch) => batch.state === 'running' && isProbeOf(batch, profile)))
        return refuse('refused', words.desktop.batch.probeRuns);
      const settings = { ...PROBE_SETTINGS, folder, profile, filename: DEFAULT_NAME_TEMPLATE };
      const sheet = probeSheet(operation, prompt);
      const made = await this.#make({
        name: probeName(profile),
        sheet,
        sheetPath: undefined,
        sheetSettings: PLAIN_SHEET,
        settings,
      });
      return await this.#options.run(made.id, engine.pausesOf(made.id));
    } finally {
      this.#becoming.delete(profile.baseUrl);
    }
  }

  #fromTemplate(name: string): BegunBatch | undefined {
    const template = findTemplate(name);
    if (template === undefined) return undefined;
    const { headers, rows, defaultOperation } = template;
    const understood = present({ defaultOperation });
    const records = rows.map((cells, index) => ({ line: index + 2, cells }));
    const source = { format: 'csv', bytes: 0, sha256: '' } as const;
    const sheet = this.#options.engine.sheets.check({ headers, records, problems: [], source }, understood);
    return { name, sheet, sheetPath: undefined, sheetSettings: { ...PLAIN_SHEET, ...understood } };
  }

  /** The rows as they are, with what is known about them: other rows refer to generated ids, so these stay. */
  async #fromBatch(batchId: string, rehearsal: boolean): Promise<BegunBatch | undefined> {
    const { store, rows: sheetRows } = this.#options.engine;
    const batch = await store.batch(batchId);
    if (batch === undefined) return undefined;
    const stored = await listOf(sheetRows.allRows(batchId));
    const keys = stored.map(({ key }) => key);
    const lines = await sheetRows.linesOf(batchId, keys);
    const { profile, accounts } = batch.settings;
    const hasSeveral = accounts !== undefined && !rehearsal;
    const rows = stored.map(({ key, row: { account, ...row } }) => ({
      ...row,
      // In a batch with one account, no row names one.
      ...(hasSeveral ? present({ account }) : {}),
      line: lines.get(key) ?? row.line,
    }));
    const { headers, sheet: sheetSettings } = batch;
    const { mapping, defaultOperation } = sheetSettings;
    const checker = createSheetChecker(headers, present({ mapping, defaultOperation }));
    // The store names only the first rows of each column.
    const unusedCells = unusedCellsOf(
      rows.map(({ id, line, cells }) => checker.checkRecord({ line, cells: cellTexts(cells, headers) }, id)),
    );
    const all = (await sheetRows.problems(batchId, ALL_PROBLEMS)).map(({ problem }) => problem);
    const problems = hasSeveral ? all : all.filter(({ code }) => code !== 'account-unknown');
    return {
      ...(hasSeveral ? { gateways: { profile, accounts } } : {}),
      name: batch.name,
      ...present({ tags: batch.settings.tags }),
      sheet: { headers, rows, problems, unusedCells },
      sheetPath: batch.sheetPath,
      sheetSettings: { ...sheetSettings, isWatched: false },
    };
  }

  async #lists(): Promise<Readonly<Record<string, readonly string[]>>> {
    const read = await this.#options.engine.lists.read();
    // A folder that cannot be read has no lists for now: the cells that name one report that.
    return itemsByName(read.ok ? read.value.lists : []);
  }

  async #listViews(): Promise<Reply<EngineOutput<'lists.get'>>> {
    const read = await this.#options.engine.lists.read();
    if (!read.ok) return refuse('refused', read.error);
    return ok(read.value.lists.map(({ name, items, text }) => ({ name, items: items.length, text })));
  }

  async #make(batch: BegunBatch & { readonly settings: BatchSettings }, watch?: WorkWatch): Promise<BatchRecord> {
    const created = await this.#options.engine.createBatch(present(batch), watch);
    this.#options.onCreated(created.id);
    return created;
  }

  async #configure(input: EngineInput<'batch.configure'>): Promise<Reply<BatchView>> {
    const { engine, batches } = this.#options;
    const batch = await engine.store.batch(input.batchId);
    if (batch === undefined) return noSuchBatch();
    const { settings } = batch;
    if (batch.state !== 'ready') return this.#changeCap(batch, input);
    const keepsOwn = input.accounts === undefined && settings.accounts !== undefined;
    if (keepsOwn && input.rehearsal === true) return refuse('refused', words.desktop.batch.ownAccounts, 'accounts');
    const accounts = keepsOwn ? settings.accounts : input.accounts;
    const saysNoGateway = input.accounts === undefined && input.rehearsal === undefined;
    const { maxSubmits = settings.maxSubmits ?? 0, maxCost = settings.maxCost, fuse = settings.fuse } = input;
    const wanted = await this.#settingsOf({
      folder: input.folder ?? settings.folder,
      rehearsal: input.rehearsal ?? settings.rehearsal,
      // If no gateway is named, it stays as it is.
      profile: keepsOwn || saysNoGateway ? settings.profile : input.profile,
      ...present({ accounts }),
      maxSubmits: maxSubmits === 0 ? undefined : maxSubmits,
      maxCost: maxCost ?? undefined,
      fuse,
      canary: input.canary ?? settings.canary !== undefined,
      picks: input.picks ?? settings.picks === true,
      schedule: input.schedule ?? undefined,
    });
    if (!wanted.ok) return wanted;
    // The rehearsal's gateway and the folder took a moment: the batch may have been started or changed in the meantime.
    let found: 'as read' | 'changed' | 'started' = 'started';
    const change = (now: BatchRecord): BatchSettings | undefined => {
      const isAsRead = isDeepStrictEqual(now.settings, settings);
      found = now.state !== 'ready' ? 'started' : isAsRead ? 'as read' : 'changed';
      if (found !== 'as read') return undefined;
      const { schedule: given, ...others } = wanted.value;
      // null: at any time.
      const schedule = input.schedule === undefined ? settings.schedule : given;
      const { filename, priority, filesPlace, probe, shelf, tags, sheetId } = settings;
      // null: none.
      const gates = input.gates === undefined ? settings.gates : (input.gates ?? undefined);
      const kept = { filename, ...present({ schedule, priority, gates, filesPlace, probe, shelf, tags, sheetId }) };
      return withLimitsByName({ ...others, ...kept }, limitsByName(input.accountLimits));
    };
    const configure = (): Promise<void> => engine.config.configure(input.batchId, change, input.name);
    // The cells of its rows may name accounts.
    if (isDeepStrictEqual(namesIn(wanted.value), namesIn(settings))) await configure();
    else await engine.editor.checkAfter(input.batchId, configure);
    if (found === 'started') return refuse('refused', words.desktop.batch.started);
    return found === 'changed' ? this.#configure(input) : batches.reply(input.batchId);
  }

  /**
   * Only the name, limits and gates of a started batch may change: what was rendered belongs to its gateway and its
   * folder.
   */
  async #changeCap(batch: BatchRecord, input: EngineInput<'batch.configure'>): Promise<Reply<BatchView>> {
    const {
      name,
      rehearsal,
      folder,
      maxSubmits,
      maxCost,
      fuse,
      canary,
      picks,
      schedule,
      accountLimits,
      accounts,
      gates,
    } = input;
    const { engine } = this.#options;
    const isCapAlone = [rehearsal, folder, canary, picks, schedule, accounts].every((other) => other === undefined);
    const isCap = [name, maxSubmits, maxCost, fuse, accountLimits, gates].some((one) => one !== undefined);
    if (!isCap || !isCapAlone) {
      return refuse('refused', words.desktop.batch.onlyLimits(batch.name));
    }
    if (name !== undefined) await engine.config.rename(batch.id, name);
    if (maxSubmits !== undefined) await engine.config.setCap(batch.id, maxSubmits === 0 ? undefined : maxSubmits);
    if (maxCost !== undefined) await engine.config.setCostCap(batch.id, maxCost ?? undefined);
    if (fuse !== undefined) await engine.config.setFuse(batch.id, fuse);
    if (gates !== undefined) {
      await engine.config.configure(batch.id, ({ settings: { gates: _before, ...others } }) => ({
        ...others,
        ...present({ gates: gates ?? undefined }),
      }));
    }
    if (accountLimits !== undefined) await engine.config.setAccountLimits(batch.id, limitsByName(accountLimits));
    return this.#options.batches.reply(batch.id);
  }

  async #costOf(batchId: string, prices: Profile['prices'] | undefined): Promise<Reply<EngineOutput<'batch.cost'>>> {
    const { store } = this.#options.engine;
    const settings = (await store.batch(batchId))?.settings;
    if (settings === undefined) return noSuchBatch();
    const ofBatch = settings.accounts === undefined ? prices : dearestPrices(accountsOf(settings));
    const waiting: { operation: OperationPath; takes: number }[] = [];
    for await (const { operation } of store.tasksByStatus(['queued'], batchId)) waiting.push({ operation, takes: 1 });
    const { costs, takesWithoutPrice } = costsOf(waiting, ofBatch);
    return ok({
      submits: waiting.length,
      cost: costs,
      submitsWithoutPrice: takesWithoutPrice,
    });
  }

  async #settingsOf(
    input: Pick<
      EngineInput<'batch.create'>,
      'folder' | 'rehearsal' | 'profile' | 'maxSubmits' | 'maxCost' | 'fuse' | 'canary'
    > &
      Partial<Pick<EngineInput<'batch.create'>, 'schedule' | 'gates' | 'accounts' | 'picks'>>,
  ): Promise<Reply<BatchSettings>> {
    const { engine, rehearsal: gateway } = this.#options;
    const { folder, rehearsal, maxSubmits, maxCost, fuse, canary, picks, schedule, gates, accounts } = input;
    const folderProblem = await engine.checkFolder(folder);
    if (folderProblem !== undefined) return refuse('refused', failureText(folderProblem), 'folder');
    const first = {
      ...(canary === true ? ({ canary: 'first' } as const) : {}),
      ...(picks === true ? ({ picks } as const) : {}),
    };
    const chosen = present({ maxSubmits, maxCost, fuse, schedule, gates });
    const settings = { folder, filename: DEFAULT_NAME_TEMPLATE, rehearsal, ...chosen, ...first };
    if (!rehearsal) return ok({ ...settings, profile: input.profile, ...present({ accounts }) });
    const access = await gateway.ensure();
    if (!access.ok) return refuse('refused', access.error, 'gateway');
    engine.setRehearsalKey(access.value.origin, access.value.key);
    return ok({ ...settings, profile: access.value.profile });
  }
}

/** What a batch is made from, except its name and settings. */
interface BegunBatch {
  /** Its accounts, if it begins with those of another batch. */
  readonly gateways?: Pick<BatchSettings, 'profile' | 'accounts'>;
  readonly name: string;
  /** The tags of the batch that it is a copy of. */
  readonly tags?: readonly string[];
  readonly sheet: CheckedSheet;
  readonly sheetPath: string | undefined;
  readonly sheetSettings: SheetSettings;
}

/** The accounts that cells of its rows may name. */
function namesIn({ accounts, profile }: BatchSettings): readonly string[] {
  return accounts === undefined ? [] : accountsOf({ accounts, profile }).map(({ name }) => name);
}

function limitsByName(limits: EngineInput<'batch.configure'>['accountLimits'] = []) {
  return new Map(limits.map(({ name, limit }) => [name, limitOf(limit)]));
}
