/** A batch whose file goes on living beside it. */
import { LivingSheets } from '../../src/engine/edit/living/living-sheet.ts';
import { checkSheet } from '../../src/shared/domain/sheet/check-sheet.ts';
import { PLAIN_SHEET, type SheetSettings } from '../../src/shared/domain/task/batch.ts';
import { err, ok } from '../../src/shared/domain/base/result.ts';
import type { RawSheet } from '../../src/shared/domain/sheet/sheet-raw.ts';
import { answeringLater } from './answering-later.ts';
import { NightHarness, profileWith } from './night-harness.ts';

export const FILE = '/home/ada/songs.csv';

/** A sheet as a reader hands it over; what is in it is its hash. */
export function sheet(...lines: readonly (readonly string[])[]): RawSheet {
  const [headers = [], ...records] = lines;
  const sha256 = JSON.stringify(lines);
  return {
    headers,
    records: records.map((cells, i) => ({ line: i + 2, cells })),
    problems: [],
    source: { format: 'csv', encoding: 'utf-8', delimiter: ',', bytes: 1, sha256 },
  };
}

/** A batch that was made of a file, and the file as a test changes it. */
export class Living {
  readonly night: NightHarness;
  readonly opened: NightHarness['opened'];
  readonly sheets: LivingSheets;
  batchId = '';
  file: RawSheet;

  private constructor(
    file: RawSheet,
    before: ((night: NightHarness) => Promise<void>) | undefined,
    isOnServer: boolean | undefined,
  ) {
    this.night = new NightHarness(isOnServer);
    this.opened = this.night.opened;
    this.file = file;
    this.sheets = new LivingSheets({
      store: this.night.store,
      sheets: answeringLater(
        this.opened.sheets,
        () => 0,
        () => before?.(this.night) ?? Promise.resolve(),
      ),
      views: this.opened.views,
      clock: this.night.clock,
      night: {
        stateStored: (id) => this.night.scheduler.stateStored(id),
        holdingSubmits: (id, work) => this.night.scheduler.holdingSubmits(id, work),
      },
      read: (path) =>
        Promise.resolve(
          path === FILE
            ? ok(this.file)
            : err({ severity: 'error', code: 'unreadable', message: `There is no file ${path}.`, remedy: 'Look.' }),
        ),
      checkOptions: (batch) => Promise.resolve(batch.sheet),
    });
  }

  static async of(
    file: RawSheet,
    understood: Partial<SheetSettings> = {},
    given: { before?: (night: NightHarness) => Promise<void>; limits?: object; isOnServer?: boolean } = {},
  ): Promise<Living> {
    const living = new Living(file, given.before, given.isOnServer);
    const { night } = living;
    const checked = checkSheet(file, understood);
    const batch = await night.store.createBatch({
      name: 'songs',
      sheetPath: FILE,
      headers: checked.headers,
      sheet: { ...PLAIN_SHEET, source: file.source, ...understood },
      settings: { folder: '/media', profile: profileWith(given.limits), filename: '{row}', rehearsal: false },
      createdAt: night.clock.now(),
      rows: checked.rows,
      problems: checked.problems,
    });
    living.batchId = batch.id;
    return living;
  }

  async run(): Promise<void> {
    await this.night.scheduler.start(this.batchId);
    await this.night.untilRest(this.batchId);
  }

  async compare() {
    const compared = await this.sheets.compare(this.batchId);
    if (!compared.ok) throw new Error(compared.error);
    return compared.value;
  }

  async apply(options: { removed?: 'keep' | 'remove'; withDependents?: boolean } = {}) {
    const { id } = await this.compare();
    return this.sheets.apply(id, { removed: 'keep', withDependents: false, ...options });
  }

  /** Id, status and label of every row, in order. */
  async rows(): Promise<readonly string[]> {
    const page = await this.opened.views.rowPage(this.batchId, { offset: 0, limit: 1_000 });
    return page.rows.map(({ row, status, label }) => `${row} ${status} ${label}`);
  }
}

export const SONGS = [
  ['row', 'operation', 'prompt', 'note'],
  ['a', 'music', 'owl', ''],
  ['b', 'music', 'fox', ''],
  ['c', 'music', 'elk', ''],
] as const;
