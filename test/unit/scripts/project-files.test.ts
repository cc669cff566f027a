import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { changelogProblems, releaseNotes } from '../../../scripts/changelog.ts';

const ROOT = join(import.meta.dirname, '../../..');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

test('every place that SECURITY.md names is there', () => {
  const places = [
    ...read('SECURITY.md').matchAll(/`((?:\.github|src|test|scripts|resources)\/[^`]+|[\w.-]+\.(?:ts|json))`/gu),
  ];
  expect(places.length).toBeGreaterThan(30);
  // Made by the build, and in the packages.
  const named = places.map(([, place = '']) => place).filter((place) => place !== 'sbom.cdx.json');
  expect(named.filter((place) => !existsSync(join(ROOT, place)))).toEqual([]);
});

describe('the changelog', () => {
  test('is one, and knows the version of the manifest', () => {
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));
    expect(changelogProblems(read('CHANGELOG.md'))).toEqual([]);
    expect(releaseNotes(read('CHANGELOG.md'), version)).toContain('### Added');
  });

  test.each([
    ['without what is unreleased', '## 1.0.0\n### Added\n- a\n', 'It begins with what is unreleased.'],
    ['with a kind of its own', '## [Unreleased]\n### News\n- a\n', 'Unreleased: “News” is no kind of change.'],
    ['with a version that says nothing', '## [Unreleased]\n## [1.0.0] - 2026-11-23\n', '1.0.0: it says nothing.'],
    ['with a name for a version', '## [Unreleased]\n## soon\n### Added\n', '“soon” is no version.'],
    [
      'out of order',
      '## [Unreleased]\n## 1.9.0\n### Added\n## 1.10.0\n### Added\n',
      'Its versions are not each there once, newest first.',
    ],
  ])('%s is called wrong', (_what, text, problem) => {
    expect(changelogProblems(text)).toEqual([problem]);
  });

  test('gives no notes to a tag of another version', () => {
    const noted = (tag: string): number | null =>
      spawnSync(process.execPath, ['scripts/release-notes.ts'], {
        cwd: ROOT,
        env: { ...process.env, GITHUB_REF_NAME: tag },
      }).status;
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));
    expect([noted(`v${version}`), noted('v99.0.0')]).toEqual([0, 1]);
  });
});

/** A form for an issue, as far as we use it. */
const issueForm = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
      z.strictObject({
        type: z.enum(['input', 'textarea', 'dropdown']),
        id: z.string(),
        attributes: z.strictObject({
          label: z.string(),
          description: z.string().optional(),
          options: z.array(z.string()).optional(),
          render: z.string().optional(),
        }),
        validations: z.strictObject({ required: z.boolean() }).optional(),
      }),
    ]),
  ),
});

test('the forms for issues are forms, and say where a weakness is to be reported', () => {
  const folder = '.github/ISSUE_TEMPLATE';
  const forms = readdirSync(join(ROOT, folder)).filter((name) => name !== 'config.yml');
  for (const name of forms) expect(issueForm.safeParse(parse(read(`${folder}/${name}`))).error).toBeUndefined();
  expect(read(`${folder}/bug.yml`)).toContain('SECURITY.md');
});

test('proposals for dependencies come for what there is, and the container starts as the README says', () => {
  expect(parse(read('.github/dependabot.yml'))).toMatchObject({
    version: 2,
    updates: [{ 'package-ecosystem': 'npm' }, { 'package-ecosystem': 'github-actions' }],
  });
  const container: unknown = JSON.parse(read('.devcontainer/devcontainer.json').replaceAll(/^\s*\/\/.*$/gmu, ''));
  expect(container).toMatchObject({ onCreateCommand: 'npm ci && npm run setup -- --sudo' });
});
