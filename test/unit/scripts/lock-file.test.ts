import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../..', name), 'utf8'));
}

const { '': _root, ...packages } = (readJson('package-lock.json') as { packages: Record<string, Locked> }).packages;

test('every package that is installed is pinned by its hash, the Node that runs everything among them', () => {
  const unpinned = Object.entries(packages).filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'));
  expect(unpinned.map(([path]) => path)).toEqual([]);
  const nodes = Object.entries(packages).filter(([path]) =>
    /^node_modules\/node-(?:bin-)?(?:linux|darwin|win)-/u.test(path),
  );
  expect(nodes.map(([, { os, cpu }]) => `${String(os)}-${String(cpu)}`).sort()).toEqual([
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64',
    'linux-x64',
    'win32-x64',
  ]);
  expect(nodes.filter(([, { version = '' }]) => !version.startsWith('24.'))).toEqual([]);
});

test('no package fetches something else while it is installed', () => {
  const { allowScripts } = readJson('package.json') as { readonly allowScripts: Readonly<Record<string, boolean>> };
  expect(Object.keys(allowScripts).sort()).toEqual(['@photostructure/sqlite', 'electron']);
});
