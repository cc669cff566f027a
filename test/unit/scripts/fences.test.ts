import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  DOMAIN_ROOMS,
  ENGINE_DOOR,
  findImportViolations,
  importsOf,
  loadedWith,
} from '../../../scripts/import-rules.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

function write(path: string, text: string): string {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}

function run(program: string, args: readonly string[]): { readonly status: number | null; readonly text: string } {
  const result = spawnSync(program, args, { encoding: 'utf8', cwd: ROOT });
  return { status: result.status, text: result.stdout + result.stderr };
}

function bin(name: string): string {
  return join(ROOT, 'node_modules', '.bin', name);
}

describe('the dependency rule', () => {
  const forbidden: readonly (readonly [from: string, statement: string])[] = [
    ['src/shared/domain/a.ts', `import { readFile } from 'node:fs/promises';`],
    ['src/shared/domain/a.ts', `import { join } from 'path';`],
    ['src/shared/domain/a.ts', `import { app } from 'electron';`],
    ['src/shared/domain/a.ts', `import { request } from 'undici';`],
    ['src/shared/domain/a.ts', `import type { TaskStore } from '../../engine/ports/task-store.ts';`],
    ['src/shared/domain/base/a.ts', `import type { Operation } from '../operations/operations.ts';`],
    ['src/shared/domain/operations/a.ts', `import { readBody } from '../sheet/row-body.ts';`],
    ['src/shared/domain/cells/a.ts', `import type { SheetProblem } from '../sheet/problems.ts';`],
    ['src/shared/domain/cells/a.ts', `import type { Task } from '../task/task.ts';`],
    ['src/shared/domain/sheet/a.ts', `import type { Profile } from '../gateway/profile.ts';`],
    ['src/shared/domain/gateway/a.ts', `import type { Task } from '../task/task.ts';`],
    ['src/shared/domain/gateway/a.ts', `import type { Row } from '../sheet/row.ts';`],
    ['src/shared/domain/task/a.ts', `import { mediaTypeOf } from '../files/media-type.ts';`],
    ['src/shared/domain/sheet/a.ts', `import '../../../../resources/gallery/gallery.ts';`],
    ['src/shared/domain/task/a.ts', `import type { RowView } from '../../ipc/rows.ts';`],
    ['src/shared/domain/places/a.ts', `import type { Task } from '../task/task.ts';`],
    ['src/engine/file-places/put.ts', `import { createMediaFolder } from '../media-folder/media-folder.ts';`],
    ['src/engine/night/tick.ts', `import { putFile } from '../file-places/put.ts';`],
    ['src/engine/night/tick.ts', `import { app } from 'electron';`],
    ['src/engine/night/tick.ts', `import { openStore } from '../store/open.ts';`],
    ['src/engine/night/tick.ts', `import { createEngine } from '../compose.ts';`],
    ['src/engine/night/tick.ts', `import { createEngine } from '../index.ts';`],
    ['src/engine/night/tick.ts', `import type { SheetEditor } from '../edit/sheet-editor.ts';`],
    ['src/engine/edit/plan.ts', `import { tick } from '../night/tick.ts';`],
    ['src/engine/edit/plan.ts', `import { openStore } from '../store/open.ts';`],
    ['src/engine/ports/base.ts', `import { app } from '../../main/index.ts';`],
    ['src/engine/ports/base.ts', `import type { Store } from '../store/open.ts';`],
    ['src/engine/ports/base.ts', `import { startGateway } from '../../gateway-sim/start-gateway.ts';`],
    ['src/engine/store/open.ts', `import { download } from '../media-folder/download.ts';`],
    ['src/engine/store/open.ts', `import { parse } from '../sheet-files/read.ts';`],
    ['src/engine/gateway/client.ts', `import type { Store } from '../store/open.ts';`],
    ['src/engine/media-folder/download.ts', `export * from '../gateway/client.ts';`],
    ['src/engine/media-folder/download.ts', `export { tick } from '../night/tick.ts';`],
    ['src/engine/media-folder/place.ts', `import { deliver } from '../delivery/deliver.ts';`],
    ['src/engine/delivery/deliver.ts', `import { openStore } from '../store/open.ts';`],
    ['src/engine/delivery/deliver.ts', `import type { Night } from '../night/night.ts';`],
    ['src/shared/domain/files/a.ts', `import type { Delivered } from '../delivery/data-package.ts';`],
    ['src/shared/domain/review/a.ts', `import type { Task } from '../task/task.ts';`],
    ['src/engine/sheet-files/read.ts', `const files = await import('../media-folder/name.ts');`],
    ['src/engine/sheet-files/read.ts', `type Files = typeof import('../media-folder/name.ts');`],
    ['src/engine/sheet-files/read.ts', `const files = require('../media-folder/name.ts');`],
    ['src/engine/sheet-files/read.ts', `const electron = await import('electron/main');`],
    ['src/engine/sheet-files/read.ts', `const any = await import(process.argv[2]);`],
    ['src/renderer/grid/Grid.tsx', `import type { TaskStore } from '../../engine/ports/task-store.ts';`],
    ['src/renderer/grid/Grid.tsx', `import { readFile } from 'fs';`],
    ['src/renderer/grid/Grid.tsx', `import { ipcRenderer } from 'electron';`],
    ['src/renderer/grid/Grid.tsx', `import { route } from '../../main/ipc.ts';`],
    ['src/preload/index.ts', `import { route } from '../main/ipc.ts';`],
    ['src/preload/index.ts', `import { readFile } from 'node:fs';`],
    ['src/gateway-sim/start.ts', `import { client } from '../engine/gateway/client.ts';`],
    ['src/cli/run.ts', `import { app } from 'electron';`],
    ['src/cli/run.ts', `import { createEngine } from '../engine/compose.ts';`],
    ['src/cli/run.ts', `import type { TaskStore } from '../engine/ports/task-store.ts';`],
    ['src/cli/run.ts', `import { sealOf } from '../engine/gateway/key-seal.ts';`],
    ['src/cli/run.ts', `import { route } from '../main/ipc.ts';`],
    ['src/main/index.ts', `import { openStore } from '../engine/store/open.ts';`],
    ['src/main/index.ts', `import { App } from '../renderer/App.tsx';`],
    ['src/main/index.ts', `import { server } from '../../test/support/server.ts';`],
  ];
  test.each(forbidden)('%s may not say: %s', (from, statement) => {
    expect(findImportViolations(from, `\n${statement}`)).toMatchObject([{ path: from, line: 2 }]);
  });

  const allowed: readonly (readonly [from: string, statement: string])[] = [
    ['src/shared/domain/task/a.ts', `import { z } from 'zod';`],
    ['src/shared/domain/task/a.ts', `import { ok } from '../base/result.ts';`],
    ['src/shared/domain/task/a.ts', `import type { Row } from '../sheet/row.ts';`],
    ['src/shared/domain/sheet/a.ts', `import words from '../../../../resources/tables/a.json' with { type: 'json' };`],
    ['src/shared/ipc/contract.ts', `import { OPERATIONS } from '../domain/operations.ts';`],
    ['src/engine/index.ts', `import { openStore } from './store/open.ts';`],
    ['src/engine/index.ts', `import { tick } from './night/tick.ts';`],
    ['src/engine/store/open.ts', `import type { TaskStore } from '../ports/task-store.ts';`],
    ['src/engine/store/open.ts', `import { migrate } from './migrate.ts';`],
    ['src/engine/gateway/client.ts', `import { request } from 'undici';`],
    ['src/engine/delivery/deliver.ts', `import { isTaken } from '../media-folder/place-file.ts';`],
    ['src/engine/night/tick.ts', `import { crashPoint } from '../crash-point.ts';`],
    ['src/cli/run.ts', `import { createEngine } from '../engine/index.ts';`],
    ['src/main/index.ts', `import type { Engine } from '../engine/index.ts';`],
    ['src/main/keys.ts', `import { sealOf } from '../engine/gateway/key-seal.ts';`],
    ['src/cli/demo.ts', `import { startGateway } from '../gateway-sim/start-gateway.ts';`],
    ['src/main/index.ts', `import { app } from 'electron/main';`],
    ['src/preload/index.ts', `import { contextBridge } from 'electron';`],
    ['src/renderer/App.tsx', `import '@fontsource-variable/inter';`],
  ];
  test.each(allowed)('%s may say: %s', (from, statement) => {
    expect(findImportViolations(from, statement)).toEqual([]);
  });

  test('a room of the domain knows only those before it', () => {
    const order = Object.keys(DOMAIN_ROOMS);
    const known = Object.entries(DOMAIN_ROOMS).flatMap(([room, others]) =>
      others.map((other) => [other, room] as const),
    );
    const late = known.filter(([other, room]) => !order.slice(0, order.indexOf(room)).includes(other));
    expect(late).toEqual([]);
  });

  test('the check fails and names the file, the line and the import', () => {
    write('src/engine/store/open.ts', `import { a } from './a.ts';\nimport { app } from 'electron';\n`);
    const { status, text } = run(process.execPath, ['scripts/check-imports.ts', folder]);
    expect(status).toBe(1);
    expect(text).toContain(`src/engine/store/open.ts:2 imports 'electron'`);
  });
});

test('the check fails for files that import each other, if only for types', () => {
  write('src/engine/night/a.ts', `import type { B } from './b.ts';\n`);
  write('src/engine/night/b.ts', `import type { A } from './a.ts';\n`);
  const { status, text } = run(process.execPath, ['scripts/check-imports.ts', folder]);
  expect(status).toBe(1);
  expect(text).toContain('src/engine/night/a.ts, src/engine/night/b.ts');
});

describe('what is loaded at the start', () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

  test.each(['src/main/index.ts', 'src/cli/program.ts'])('%s loads no engine before one is asked for', (entry) => {
    expect([...loadedWith(entry, read)]).not.toContain(ENGINE_DOOR);
  });

  test.each([
    'src/main/index.ts',
    'src/main/engine-process/engine-process.ts',
    'src/engine/store/thread/store-worker.ts',
  ])('%s loads no driver of a server before a store is on one', (entry) => {
    const loaded = loadedWith(entry, read);
    const ofStores = [...loaded].filter((path) => path.startsWith('src/engine/store/'));
    const drivers = ofStores.filter((path) =>
      importsOf(path, read(path)).some(({ specifier, isLoaded }) => isLoaded && /^pg(?:\/|$)/u.test(specifier)),
    );
    expect([drivers, loaded.has('src/engine/store/postgres/postgres-worker.ts')]).toEqual([[], false]);
  });

  test('the process that reads a sheet loads nothing of the store and the gateway', () => {
    const loaded = loadedWith('src/engine/sheet-files/reader-process/sheet-reader-process.ts', read);
    expect([...loaded].filter((path) => !/^src\/(?:engine\/sheet-files|shared)\//u.test(path))).toEqual([]);
  });

  test('what is imported as a type alone, or later, does not count', () => {
    const files: Readonly<Record<string, string>> = {
      'a.ts': `import type { T } from './t.ts'; import { b } from './b.ts'; const later = () => import('./c.ts');`,
      'b.ts': `export { d } from './d.ts';`,
      'd.ts': `import './a.ts';`,
    };
    expect([...loadedWith('a.ts', (path) => files[path] ?? '')]).toEqual(['a.ts', 'b.ts', 'd.ts']);
  });
});

describe('the compiler fence of src/shared', () => {
  function compile(source: string): { readonly status: number | null; readonly text: string } {
    write('tsconfig.json', JSON.stringify({ extends: join(ROOT, 'src/shared/tsconfig.json'), include: ['*.ts'] }));
    write('package.json', JSON.stringify({ type: 'module' }));
    write('trial.ts', source);
    return run(bin('tsc'), ['-p', folder]);
  }

  test('pure code compiles', () => {
    expect(compile('export const words: readonly string[] = ["a"].toSorted();')).toMatchObject({ status: 0 });
  });

  test.each([
    'process.pid',
    'document.title',
    'setTimeout(() => {}, 1)',
    'console.log(1)',
    'fetch("/")',
    'Buffer.from("")',
  ])('%s does not compile', (expression) => {
    const { status, text } = compile(`export const value = ${expression};`);
    expect(status).not.toBe(0);
    expect(text).toContain('Cannot find name');
  });
});

describe('the linter', () => {
  test.each([
    ['no-explicit-any', 'export const value: any = 1;'],
    ['switch-exhaustiveness-check', `export function f(x: 'a' | 'b'): void { switch (x) { case 'a': } }`],
    ['no-floating-promises', 'export function f(): void { Promise.resolve(1); }'],
    ['ban-ts-comment', '// @ts-ignore\nexport const value: string = 1;'],
    ['no-default-export', 'export default 1;'],
  ])('%s is an error', (rule, source) => {
    const file = write('trial.ts', source);
    write('tsconfig.json', JSON.stringify({ extends: join(ROOT, 'tsconfig.base.json'), include: ['*.ts'] }));
    const { status, text } = run(bin('oxlint'), ['--config', join(ROOT, '.oxlintrc.json'), file]);
    expect(status).not.toBe(0);
    expect(text).toContain(rule);
  });
});
