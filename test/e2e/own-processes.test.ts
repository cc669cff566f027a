/** What the processes beside the window's are given, and what they can do with it. */
import { cpSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@playwright/test';
import { findElectron } from '../../scripts/electron-runtime.ts';
import { answerDialogs, launch, newFolder, REPOSITORY, test, type Launched } from './launch.ts';

const KEY = 'sk-canary-of-the-environment';
/** By which its engine is known from those of other tests. */
const ZONE = 'Antarctica/Troll';

let launched: Launched;

test.describe.configure({ mode: 'default' });

test.beforeAll(async () => {
  launched = await launch({
    dataFolder: newFolder('own-processes'),
    env: { NOCTURNE_AI_KEY: KEY, TZ: ZONE },
  });
});

test.afterAll(async () => {
  await launched.close();
});

interface SeenProcess {
  /** The names of the variables that it was started with. */
  readonly variables: readonly string[];
  readonly folder: string;
}

/** A process by what only it was given, as the system shows it; undefined if there is none. */
function processOf(...marks: readonly string[]): SeenProcess | undefined {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/u.test(name))) {
    const { variables, seen } = lookAt(pid) ?? {};
    if (marks.every((mark) => variables?.includes(mark) === true)) return seen;
  }
  return undefined;
}

/** A process as the system shows it; undefined if it has just ended, or is another user's. */
function lookAt(
  pid: number | string,
): { readonly variables: readonly string[]; readonly seen: SeenProcess } | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const names = variables.map((text) => text.split('=')[0] ?? '').filter((name) => name !== '');
    return { variables, seen: { variables: names.toSorted(), folder: readlinkSync(`/proc/${pid}/cwd`) } };
  } catch {
    return undefined;
  }
}

test('the engine’s process has of the environment only what it needs', async () => {
  test.skip(process.platform !== 'linux', 'Only Linux shows it.');
  await launched.ask('batch.list');
  const variables = processOf('NOCTURNE_PROCESS=engine', `TZ=${ZONE}`)?.variables;
  const needed = new Set(['LD_LIBRARY_PATH', 'NOCTURNE_PROCESS', 'TEMP', 'TMP', 'TMPDIR', 'TZ', 'TZDIR']);
  expect(variables?.filter((name) => !needed.has(name))).toEqual([]);
});

/** In place of the thread that reads a sheet: tries what no reader has to do. */
const PROBE = `
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parentPort, Worker, workerData } from 'node:worker_threads';
const tried = (work) => {
  try {
    work();
    return 'done';
  } catch (error) {
    return error.code ?? error.message;
  }
};
const { path } = workerData;
parentPort.postMessage({
  kind: 'refused',
  problem: { severity: 'error', code: 'unreadable', remedy: '', message: JSON.stringify({
    environment: Object.keys(process.env),
    readsItsSheet: tried(() => readFileSync(path)),
    readsAnother: tried(() => readFileSync(path + '.other')),
    writes: tried(() => writeFileSync(path, '')),
    startsAProgram: tried(() => spawnSync('true')),
    startsAThread: tried(() => new Worker('', { eval: true })),
    loadsNativeCode: tried(() => process.dlopen({ exports: {} }, path)),
    reachesInside: tried(() => process.binding('fs')),
    makesCodeOfText: tried(() => new Function('return 1')()),
  }) },
});
`;

test('the thread that reads a sheet can read it, and nothing else', async () => {
  const folder = newFolder('probe');
  cpSync(join(REPOSITORY, 'out/main'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'sheet-worker.js'), PROBE);
  const sheet = join(newFolder('sheet'), 'A sheet, of “mine”.csv');
  writeFileSync(sheet, 'operation,prompt\nlyrics,x\n');
  writeFileSync(`${sheet}.other`, 'not yours');
  // The next reader is the same program with another thread, and stays until it was looked at.
  await launched.app.evaluate(
    ({ utilityProcess }, program) => {
      const fork = utilityProcess.fork.bind(utilityProcess);
      utilityProcess.fork = (module, ...given) => {
        const isReader = module.endsWith('sheet-reader-process.js');
        const child = fork(isReader ? program : module, ...given);
        if (isReader) {
          utilityProcess.fork = fork;
          const post = child.postMessage.bind(child);
          child.postMessage = (message, ports) => {
            Object.assign(globalThis, { letReaderBegin: () => post(message, ports), readerPid: () => child.pid });
          };
        }
        return child;
      };
    },
    join(folder, 'sheet-reader-process.js'),
  );
  await answerDialogs(launched.app, [sheet]);
  const opening = launched.ask('sheet.choose');
  if (process.platform === 'linux') {
    // By its number: another window, of another test, may have a reader at this moment.
    const readerPid = (): Promise<number | undefined> =>
      launched.app.evaluate(() => (globalThis as unknown as { readerPid?(): number | undefined }).readerPid?.());
    await expect
      .poll(async () => lookAt((await readerPid()) ?? 0)?.variables)
      .toContain('NOCTURNE_PROCESS=sheet-reader');
    const reader = lookAt((await readerPid()) ?? 0)?.seen;
    expect(reader?.variables.filter((name) => name !== 'LD_LIBRARY_PATH')).toEqual(['NOCTURNE_PROCESS']);
    // Newer versions of Node let its thread read its folder: nothing of the user's is in this one.
    expect(reader?.folder).toBe(dirname(findElectron()?.executable ?? ''));
  }
  // Its process is there a moment before it is told what to read.
  const isToBegin = (): Promise<boolean> => launched.app.evaluate(() => 'letReaderBegin' in globalThis);
  await expect.poll(isToBegin).toBe(true);
  await launched.app.evaluate(() => (globalThis as unknown as { letReaderBegin(): void }).letReaderBegin());
  const [said] = (await opening)?.problems ?? [];
  expect(JSON.parse(said?.message ?? '{}')).toEqual({
    environment: [],
    readsItsSheet: 'done',
    readsAnother: 'ERR_ACCESS_DENIED',
    writes: 'ERR_ACCESS_DENIED',
    startsAProgram: 'ERR_ACCESS_DENIED',
    startsAThread: 'ERR_ACCESS_DENIED',
    loadsNativeCode: expect.stringMatching(/^ERR_(?:ACCESS_DENIED|DLOPEN_DISABLED)$/u) as unknown,
    reachesInside: 'ERR_ACCESS_DENIED',
    makesCodeOfText: 'Code generation from strings disallowed for this context',
  });
});
