import { checkSheet } from '../../src/shared/domain/sheet/check-sheet.ts';
import type { CheckedSheet } from '../../src/shared/domain/sheet/row.ts';
import { profileSchema, type Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { BatchPlan, RowPlan } from './plan.ts';

const HEADERS = ['row', 'operation', 'prompt', 'takes'];

/** The sheet of a batch, checked as an import checks it. */
export function sheetOf({ rows }: Pick<BatchPlan, 'rows'>): CheckedSheet {
  const records = rows.map((row, i) => ({
    line: i + 2,
    cells: [row.id, operationOf(row), promptOf(row, 0), String(row.takes)],
  }));
  return checkSheet({
    headers: HEADERS,
    records,
    problems: [],
    source: { format: 'csv', bytes: 0, sha256: '' },
  });
}

/** Each third row gives data instead of files. */
function operationOf({ id }: RowPlan): string {
  return id.endsWith('2') || id.endsWith('5') ? 'lyrics' : 'music';
}

/** Begins with what tells a charge’s row and version. */
export function promptOf({ id, after }: RowPlan, version: number): string {
  return `${id} v${version}${after === undefined ? '' : ` after {{${after}.taskId}}`}`;
}

const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };

export function originOfAccount(account: number): string {
  return `https://account${account}.example`;
}

const profiles = new Map<string, Profile>();

/** The profile of a batch with these limits; the same one for the same words. */
export function profileOf(
  { account, isStated, downloads }: Pick<BatchPlan, 'account' | 'isStated' | 'downloads'>,
  { places, perSecond }: Pick<BatchPlan, 'places' | 'perSecond'>,
): Profile {
  const name = JSON.stringify([account, isStated, downloads, places, perSecond]);
  const known = profiles.get(name);
  if (known !== undefined) return known;
  const made = profileSchema.parse({
    baseUrl: `${originOfAccount(account)}/api`,
    ...(isStated ? { status: { musicgen: STATUS } } : {}),
    limits: { requestsPerSecond: perSecond, downloads, activePerFamily: { musicgen: places } },
    deadlines: { submitSeconds: 15, pollSeconds: 10, taskHours: 6 },
  });
  profiles.set(name, made);
  return made;
}
