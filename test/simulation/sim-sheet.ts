import { checkSheet } from '../../src/shared/domain/sheet/check-sheet.ts';
import type { Money } from '../../src/shared/domain/base/money.ts';
import type { CheckedSheet, Prices } from '../../src/shared/domain/sheet/row.ts';
import { profileSchema, type Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { RawSheet } from '../../src/shared/domain/sheet/sheet-raw.ts';
import type { Charge } from './gateway-bodies.ts';
import type { BatchPlan, FilePlan, KEYS, PATHS, RowPlan } from './plan.ts';
import { hashOf } from './random.ts';

const HEADERS = ['row', 'operation', 'prompt', 'takes', 'pick'];
/** Only rows of music use it. */
export const TITLE = 'title';

/** The file of a batch as it is read: at first, or as the user has changed it since. */
export function fileOf({ rows, isTitled }: Pick<BatchPlan, 'rows' | 'isTitled'>, changed?: FilePlan): RawSheet {
  const changes = new Map(changed?.rows.map((one) => [one.row, one]));
  const isInIt = ({ id, isLate }: RowPlan): boolean =>
    changes.has(id) || (isLate !== true && changed?.gone.includes(id) !== true);
  const inIt = rows.filter(isInIt);
  const records = (changed?.isTurned === true ? inIt.toReversed() : inIt).map((row, i) => {
    const { version, takes } = changes.get(row.id) ?? { version: 0, takes: row.takes };
    const cells = [row.id, operationOf(row), promptOf(row, version), String(takes), row.pick === true ? 'yes' : ''];
    return { line: i + 2, cells: isTitled === true ? [...cells, `About ${row.id}`] : cells };
  });
  // The hash only has to depend on what is in the file.
  const sha256 = String(hashOf(JSON.stringify(records)));
  const source = { format: 'csv', encoding: 'utf-8', delimiter: ',', bytes: records.length, sha256 } as const;
  return { headers: isTitled === true ? [...HEADERS, TITLE] : HEADERS, records, problems: [], source };
}

/** The sheet in a file, checked as an import checks it. */
export function sheetOf(file: RawSheet): CheckedSheet {
  return checkSheet(file);
}

/** Whether a row has a title that its operation does not use. */
export function hasUnusedTitle(cells: Readonly<Record<string, string>>): boolean {
  return cells[TITLE] !== undefined && cells['operation'] !== 'music';
}

/** Some rows give data instead of files, and some are of another family. */
function operationOf({ id }: RowPlan): string {
  if (/[37]$/u.test(id)) return 'image';
  return /[25]$/u.test(id) ? 'lyrics' : 'music';
}

/** Begins with words that say a charge’s row and version. */
export function promptOf({ id, after }: RowPlan, version: number): string {
  return `${id} v${version}${after === undefined ? '' : ` after {{${after}.taskId}}`}`;
}

/** The name of the row with these cells: its id in the plan. */
export function nameIn(cells: Readonly<Record<string, string>>): string {
  return cells['prompt']?.split(' ')[0] ?? '';
}

/** The id of the row that the words of a row refer to. */
export function sourceIn(cells: Readonly<Record<string, string>>): string | undefined {
  return /\{\{(\S+)\.taskId\}\}/u.exec(cells['prompt'] ?? '')?.[1];
}

/** The status of a task that has failed. */
export const FAILED = '3';
const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', [FAILED]: 'failed' };

export function originOfAccount(account: number): string {
  return `https://account${account}.example`;
}

/** A key that the user may have for an account; undefined if there is none. */
export function keyOfAccount(account: number, key: (typeof KEYS)[number]): string | undefined {
  return key === 'none' ? undefined : `sk-simulated-${key}-key-${account}`;
}

/** What a request costs, in millionths of a euro: odd enough that sums of them hardly ever end at a limit. */
const MICROS = { music: 310_000, lyrics: 70_000, image: 110_000 };

/** What the gateway takes for a charge, in millionths. */
export function microsOfCharge({ isData, isImage }: Pick<Charge, 'isData' | 'isImage'>): number {
  if (isData) return MICROS.lyrics;
  return isImage ? MICROS.image : MICROS.music;
}

/** The one in which everything has a price. */
export const CURRENCY = 'EUR';

const inEuros = (micros: number): Money => ({ amount: micros / 1e6, currency: CURRENCY });
const PRICES: Prices = {
  'musicgen/music/generate': inEuros(MICROS.music),
  'musicgen/music/lyrics': inEuros(MICROS.lyrics),
  'videogen-b/image/generate': inEuros(MICROS.image),
};

/** Where the key of a paid request is. */
export const KEY_HEADER = 'Idempotency-Key';

const profiles = new Map<string, Profile>();

/** What the user says about the gateway of a batch. */
export interface ProfileWords extends Pick<
  BatchPlan,
  'account' | 'isStated' | 'downloads' | 'places' | 'perSecond' | 'keys'
> {
  readonly path: (typeof PATHS)[number];
}

/** The accounts of a batch, the first one first. */
export function accountsOfPlan({ account, isShared }: Pick<BatchPlan, 'account' | 'isShared'>): readonly number[] {
  return isShared === undefined ? [account] : [account, 1 - account];
}

/** The name under which an account's requests are known, in a batch with several. */
export function nameOfAccount(account: number): string {
  return `account ${account}`;
}

/** The profile with these words; the same one for the same words. */
export function profileOf({ account, path, isStated, downloads, places, perSecond, keys }: ProfileWords): Profile {
  const name = JSON.stringify([account, path, isStated, downloads, places, perSecond, keys]);
  const known = profiles.get(name);
  if (known !== undefined) return known;
  const made = profileSchema.parse({
    baseUrl: `${originOfAccount(account)}${path}`,
    ...(isStated ? { status: { musicgen: STATUS, 'videogen-b': STATUS } } : {}),
    limits: { requestsPerSecond: perSecond, downloads, activePerFamily: { musicgen: places, 'videogen-b': places } },
    prices: PRICES,
    ...(keys === undefined ? {} : { idempotency: { header: KEY_HEADER, keepHours: keys === 'forgotten' ? 1 : 24 } }),
    deadlines: { submitSeconds: 15, pollSeconds: 10, taskHours: 6 },
  });
  profiles.set(name, made);
  return made;
}
