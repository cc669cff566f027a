import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditPolicy, electronAge, judgeAudit, type AuditPolicy } from '../../../scripts/audit-rules.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TODAY = '2026-11-23';
const NOW = Date.parse(TODAY);

/** As npm prints it: the advisory for the package itself, its name alone for what leads to it. */
const REPORT = {
  auditReportVersion: 2,
  vulnerabilities: {
    lodash: {
      name: 'lodash',
      severity: 'high',
      via: [
        {
          source: 1,
          name: 'lodash',
          dependency: 'lodash',
          title: 'Prototype pollution',
          url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
          severity: 'high',
          range: '<4.17.21',
        },
      ],
    },
    tool: { name: 'tool', severity: 'high', via: ['lodash'] },
  },
};

function accepting(until: string, id = 'GHSA-aaaa-bbbb-cccc'): AuditPolicy {
  const reason = 'the function is called by no code of ours';
  return auditPolicy.parse({ accepted: [{ id, package: 'lodash', reason, until }] });
}

describe('an audit', () => {
  test('says once what is to be done about a finding that nobody accepted', () => {
    expect(judgeAudit(REPORT, { accepted: [] }, TODAY)).toEqual({
      kind: 'asked',
      accepted: [],
      open: ['lodash <4.17.21, high: Prototype pollution (GHSA-aaaa-bbbb-cccc)'],
    });
  });

  test('passes a finding that is accepted, with its reason, until its last day and no longer', () => {
    expect(judgeAudit(REPORT, accepting(TODAY), TODAY)).toMatchObject({
      open: [],
      accepted: [expect.stringContaining('because the function is called by no code of ours')],
    });
    expect(judgeAudit(REPORT, accepting('2026-11-22'), TODAY)).toMatchObject({
      accepted: [],
      open: [expect.stringContaining('was accepted until 2026-11-22')],
    });
  });

  test('wants an acceptance gone that nothing needs any more', () => {
    expect(judgeAudit({ vulnerabilities: {} }, accepting(TODAY), TODAY)).toMatchObject({
      open: [expect.stringContaining('no longer found')],
    });
  });

  test.each([
    [undefined, 'npm gave no report'],
    [{ message: 'request failed, reason: getaddrinfo ENOTFOUND' }, 'request failed, reason: getaddrinfo ENOTFOUND'],
    ['nonsense', 'npm gave no report'],
  ])('that got no answer claims nothing: %o', (report, why) => {
    expect(judgeAudit(report, { accepted: [] }, TODAY)).toEqual({ kind: 'unasked', why });
  });

  test('takes only acceptances with a reason and a day; ours are such', () => {
    expect(auditPolicy.safeParse({ accepted: [{ id: 'x', package: 'y', reason: 'fine', until: TODAY }] }).success).toBe(
      false,
    );
    const ours: unknown = JSON.parse(readFileSync(join(ROOT, 'audit-policy.json'), 'utf8'));
    expect(auditPolicy.safeParse(ours).success).toBe(true);
  });
});

describe('the age of Electron', () => {
  const PUBLISHED = {
    created: '2013-01-01T00:00:00Z',
    '45.4.1': '2026-11-03T00:00:00Z',
    '45.10.0': '2026-11-20T00:00:00Z',
    '46.0.0-beta.1': '2026-11-21T00:00:00Z',
  };

  test('is said in days, with what its line has had since: by numbers, not by letters, and no trial releases', () => {
    expect(electronAge('45.4.1', PUBLISHED, NOW)).toEqual([
      'Electron 45.4.1 was released 20 days ago.',
      '1 later of its line; the first has been out for 3 of 14 days.',
    ]);
    expect(electronAge('45.4.1', { ...PUBLISHED, '45.4.2': '2026-11-05T00:00:00Z' }, NOW)[1]).toBe(
      '2 later of its line; the first has been out for 18 of 14 days: it is time to release one.',
    );
  });

  test('is worse if its line is no longer mended', () => {
    const newest = (version: string): string | undefined =>
      electronAge('45.10.0', { ...PUBLISHED, [version]: TODAY }, NOW).at(-1);
    expect(newest('46.0.0')).toBe('The newest line is 46; ours is mended until 48.');
    expect(newest('48.0.0')).toBe('Its line is no longer mended: the newest is 48.');
    expect(electronAge('1.0.0', PUBLISHED, NOW)).toEqual(['Electron 1.0.0: its release is not known.']);
  });
});
