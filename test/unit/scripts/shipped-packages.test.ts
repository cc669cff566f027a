import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { sbomOf } from '../../../scripts/sbom.ts';
import { licensedPackage, packageFolder, writeShipped } from '../../../scripts/shipped-packages.ts';
import { licensedPackages } from '../../../src/shared/ipc/app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const HASH = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
/** What is shipped beside every bundle. */
const BESIDE = { electron: 'MIT', '@photostructure/sqlite': 'MIT' };

let root: string;

beforeEach(() => {
  root = temporaryFolder();
  write('LICENSE', 'MIT License\n\nCopyright (c) us\n\nPermission is granted.\n');
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/** A repository with these packages and their licences. */
function install(packages: Readonly<Record<string, string | undefined>>): void {
  const installed = Object.entries({ ...BESIDE, ...packages });
  for (const [name, license] of installed) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', license, author: 'Ann' }));
  }
  const locked: readonly (readonly [string, object])[] = installed.map(([name, license]) => [
    `node_modules/${name}`,
    { version: '1.0.0', license, integrity: HASH },
  ]);
  const dependencies = Object.fromEntries(installed.map(([name]) => [name, '1.0.0']));
  write(
    'package-lock.json',
    JSON.stringify({
      name: 'ours',
      version: '2.0.0',
      packages: { '': { dependencies }, ...Object.fromEntries(locked) },
    }),
  );
}

describe('the package of a module', () => {
  test.each([
    ['/home/us/node_modules/react/index.js', 'node_modules/react'],
    ['/us/node_modules/@scope/name/dist/a.js?used', 'node_modules/@scope/name'],
    [String.raw`C:\us\node_modules\@scope\name\a.js`, 'node_modules/@scope/name'],
    ['/us/node_modules/conf/node_modules/env-paths/a.js', 'node_modules/conf/node_modules/env-paths'],
    ['\0rolldown/runtime.js', 'node_modules/rolldown'],
    ['/us/src/main/index.ts', undefined],
  ])('of %s is %s', (id, folder) => {
    expect(packageFolder(id)).toBe(folder);
  });
});

describe('a licence', () => {
  test.each([
    ['is not known', 'SSPL-1.0', /left-pad 1\.0\.0 is shipped under "SSPL-1.0", which nobody has accepted/],
    ['is missing', undefined, /left-pad 1\.0\.0 is shipped under no licence/],
    ['asks for more, and was accepted for another package', 'LGPL-3.0', /nobody has accepted/],
    ['has no text that is known', 'ISC', /comes without the text of its licence/],
  ])('that %s fails the build', (_what, licence, message) => {
    install({ 'left-pad': licence });
    expect(() => writeShipped(root, 'main', ['node_modules/left-pad'])).toThrow(message);
  });

  test('of MIT without a text gets it, with the author', () => {
    install({ 'left-pad': 'MIT' });
    expect(licensedPackage(root, 'node_modules/left-pad').text).toBe(
      'MIT License\n\nCopyright (c) Ann\n\nPermission is granted.',
    );
  });

  test('that is a book was read by nobody', () => {
    install({ 'left-pad': 'MIT' });
    write('node_modules/left-pad/LICENSE', 'x'.repeat(70_000));
    expect(() => licensedPackage(root, 'node_modules/left-pad')).toThrow('its licence has 70000 characters');
  });
});

test('what the parts of a build have taken is one list, whichever was built last', () => {
  install({ 'left-pad': 'MIT', 'right-pad': 'MIT', unused: 'SSPL-1.0' });
  writeShipped(root, 'main', ['node_modules/left-pad']);
  writeShipped(root, 'window', ['node_modules/right-pad', 'node_modules/left-pad']);
  const both = licensedPackages.parse(read('out/licences.json')).map(({ name }) => name);
  expect(both).toEqual(['@photostructure/sqlite', 'electron', 'left-pad', 'right-pad']);
  expect(read('out/sbom.cdx.json')).toMatchObject({
    components: both.map((name) => ({ purl: `pkg:npm/${name.replace('@', '%40')}@1.0.0` })),
  });

  install({ 'right-pad': 'MIT' });
  writeShipped(root, 'window', ['node_modules/right-pad']);
  expect(licensedPackages.parse(read('out/licences.json')).map(({ name }) => name)).not.toContain('left-pad');
});

test('the bill of materials names each package with its hash, and what it needs, by where Node finds it', () => {
  const bill = sbomOf(
    {
      name: 'ours',
      version: '2.0.0',
      packages: {
        '': { dependencies: { a: '1.0.0' }, devDependencies: { tool: '1.0.0' } },
        'node_modules/a': { version: '1.0.0', license: 'MIT', integrity: HASH, dependencies: { '@s/b': '^1', c: '1' } },
        'node_modules/a/node_modules/@s/b': {
          version: '1.5.0',
          license: 'ISC',
          integrity: HASH,
          dependencies: { c: '1' },
        },
        'node_modules/@s/b': { version: '2.0.0', license: 'ISC', integrity: HASH },
        'node_modules/c': { version: '1.0.0', license: 'MIT', integrity: HASH },
        'node_modules/tool': { version: '1.0.0', license: 'MIT', integrity: HASH },
      },
    },
    ['node_modules/a', 'node_modules/a/node_modules/@s/b', 'node_modules/c'],
  );
  expect(bill).toMatchObject({
    serialNumber: expect.stringMatching(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u,
    ) as unknown,
    components: [
      { name: 'a', hashes: [{ alg: 'SHA-512', content: '07'.repeat(64) }] },
      { group: '@s', name: 'b', version: '1.5.0', licenses: [{ license: { id: 'ISC' } }] },
      { name: 'c' },
    ],
    dependencies: [
      { ref: 'ours@2.0.0', dependsOn: ['pkg:npm/a@1.0.0'] },
      { ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/%40s/b@1.5.0', 'pkg:npm/c@1.0.0'] },
      { ref: 'pkg:npm/%40s/b@1.5.0', dependsOn: ['pkg:npm/c@1.0.0'] },
      { ref: 'pkg:npm/c@1.0.0', dependsOn: [] },
    ],
  });
});

test('the built command line names what it has taken, and nothing that only checks or builds it', () => {
  const shipped = JSON.parse(readFileSync(join(ROOT, 'out/shipped/command-line.json'), 'utf8')) as unknown;
  expect(shipped).toEqual(
    expect.arrayContaining(['commander', 'electron', 'undici', 'zod'].map((name) => `node_modules/${name}`)),
  );
  expect(shipped).not.toContain('node_modules/vitest');
  expect(shipped).not.toContain('node_modules/react');
});
