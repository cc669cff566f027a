import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCampaign } from './campaign.ts';
import type { CampaignReport } from './campaign.ts';
import { loadTarget, TARGET_NAMES } from './targets.ts';

const SEED = 20_261_122;
const FOLDER = join(import.meta.dirname, '../../test-results/fuzz');

const TARGETS = (await Promise.all(TARGET_NAMES.map(loadTarget))).flatMap(({ name, seededCases }) =>
  seededCases === 0 ? [] : [{ name, count: seededCases }],
);

describe('inputs made up from a fixed seed', () => {
  let report: CampaignReport;

  beforeAll(async () => {
    const jobs = TARGETS.map(({ name, count }) => ({ target: name, seed: SEED, first: 0, count }));
    report = await runCampaign({ jobs, width: 2, folder: FOLDER });
  }, 600_000);

  test.each(TARGETS)(
    '$name: no hang, no exception, no excess of memory, and what must hold does',
    ({ name, count }) => {
      expect(report.findings.filter((finding) => finding.target === name)).toEqual([]);
      expect(report.cases.get(name)).toBe(count);
    },
  );
});
