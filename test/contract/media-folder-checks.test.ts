import { execFileSync, fork } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { rememberChecks } from '../../src/engine/media-folder/checks/remembered-checks.ts';
import type { CheckedPart } from '../../src/engine/media-folder/checks/remembered-checks.ts';
import { checkedPart } from '../../src/engine/media-folder/fetch/received-part.ts';
import type { FetchOutcome } from '../../src/engine/ports/media-folder.ts';
import { reason } from '../../src/shared/domain/base/reason.ts';
import { watchCrashPoints } from '../../src/engine/crash-point.ts';
import { longerPng, setUpMediaRig, sha256 } from '../support/media-rig.ts';
import { serveHonestly } from '../support/media-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CHILD = fileURLToPath(new URL('../support/fetch-child.ts', import.meta.url));
const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
const MP4 = readFileSync(new URL('../fixtures/media/clip.mp4', import.meta.url));
const NOTE = '7-1.0.part';

const rig = setUpMediaRig();

/** What the processes of a test commit. */
let store: string;
beforeEach(() => (store = join(temporaryFolder(), 'generation')));

/** Fetches in a process of its own; gives what came of it, or the signal that it died of. */
function fetchApart(body: Buffer, dieAt = ''): Promise<FetchOutcome | string | null> {
  const child = fork(CHILD, [rig.folder, rig.server.url('/a.bin'), store, dieAt]);
  rig.server.answer((request, response) => serveHonestly(request, response, body));
  return new Promise((resolve) => {
    let outcome: FetchOutcome | undefined;
    child.once('message', (message: FetchOutcome) => (outcome = message));
    child.once('exit', (_, signal) => resolve(outcome ?? signal));
  });
}

describe('a file whose check ends the engine', () => {
  test('twice is put aside without a third check, however often it is fetched, and another one is checked', async () => {
    expect(await fetchApart(PNG, 'check.noted')).toBe('SIGKILL');
    expect(await fetchApart(PNG, 'check.noted')).toBe('SIGKILL');
    for (const name of ['r1.bin', 'r1-2.bin']) {
      expect(await fetchApart(PNG, 'check.noted')).toMatchObject({
        kind: 'unverifiable',
        failure: {
          code: 'OUTPUT_UNVERIFIABLE',
          message: `The file could not be checked: the engine stopped twice while checking it. It was kept as set-aside/${name}.`,
        },
      });
      expect(await rig.bytesOf(`set-aside/${name}`)).toEqual(PNG);
    }
    expect(await fetchApart(MP4)).toMatchObject({ kind: 'verified' });
    expect(await rig.filesIn('image')).toEqual(['r1.mp4']);
  });

  test('twice is put aside without a third check where it streams, too', async () => {
    const long = longerPng(PNG, 100_000);
    for (const _ of [1, 2]) expect(await fetchApart(long, 'check.noted')).toBe('SIGKILL');
    expect(await fetchApart(long, 'check.noted')).toMatchObject({ kind: 'unverifiable', path: 'set-aside/r1.bin' });
  });

  test('once is checked again, and what was noted of it is gone', async () => {
    expect(await fetchApart(PNG, 'check.noted')).toBe('SIGKILL');
    expect(await rig.filesIn('image')).toContain(NOTE);
    expect(await fetchApart(PNG)).toMatchObject({ kind: 'verified' });
    expect(await rig.filesIn('image')).toEqual(['r1.png']);
  });

  test('leaves a note that is swept with the parts of what is not wanted any more', async () => {
    await fetchApart(PNG, 'check.noted');
    await rig.media.sweep(rig.folder, () => true);
    expect(await rig.filesIn('image')).toContain(NOTE);
    await rig.media.sweep(rig.folder, () => false);
    expect(await rig.filesIn('image')).toEqual([]);
  });
});

test.skipIf(process.platform === 'win32')('a pipe under the name of a note is not waited for', async () => {
  mkdirSync(join(rig.folder, 'image'));
  execFileSync('mkfifo', [join(rig.folder, 'image', NOTE)]);
  rig.server.answer((request, response) => serveHonestly(request, response, PNG));
  expect(await rig.fetchIt(rig.requestFor('/a.bin', { generation: 1 }))).toMatchObject({ kind: 'verified' });
});

describe('what is noted', () => {
  function partIn(folder: string, outputId: string): CheckedPart {
    const path = join(folder, `${outputId}.1.part`);
    writeFileSync(path, outputId);
    return { path, outputId, bytes: outputId.length, sha256: sha256(Buffer.from(outputId)) };
  }

  test('is the file that is looked into, not those that wait', async ({ signal }) => {
    const folder = temporaryFolder();
    const notes: string[][] = [];
    const checks = rememberChecks(
      {
        check: async (path, _bytes, _content, onBegin) => {
          onBegin?.();
          while (!signal.aborted && !readdirSync(folder).some((name) => name.endsWith('.0.part'))) {
            await new Promise((resolve) => setImmediate(resolve));
          }
          notes.push([path, ...readdirSync(folder).filter((name) => name.endsWith('.0.part'))]);
          return { kind: 'unchecked', reason: reason('media.notChecked') };
        },
        close: () => Promise.resolve(),
      },
      0,
    );
    const parts = ['1-1', '2-1', '3-1'].map((outputId) => partIn(folder, outputId));
    await Promise.all(parts.map((part) => checks.check(part)));
    // The order in which three files are begun is the disk's affair.
    const wanted = parts.map(({ path, outputId }) => [path, `${outputId}.0.part`]);
    expect(notes).toHaveLength(parts.length);
    expect(notes).toEqual(expect.arrayContaining(wanted));
    expect(readdirSync(folder).toSorted()).toEqual(['1-1.1.part', '2-1.1.part', '3-1.1.part']);
  });

  test('is nothing while the thread for the check only starts, however long it takes', async () => {
    const folder = temporaryFolder();
    const checks = rememberChecks(
      {
        check: async () => {
          // Behind the note's timer, if there were one: timers of the same length ring in order.
          await new Promise((resolve) => setTimeout(resolve));
          return { kind: 'unchecked', reason: reason('media.notChecked') };
        },
        close: () => Promise.resolve(),
      },
      1,
    );
    const points: string[] = [];
    onTestFinished(watchCrashPoints((point) => points.push(point)));
    await checks.check(partIn(folder, '1-1'));
    expect(points).toEqual([]);
  });

  test('is not waited for while nothing is committed of its part', async () => {
    const folder = temporaryFolder();
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    const checks = rememberChecks(
      {
        check: async (_path, _bytes, _content, onBegin) => {
          onBegin?.();
          await stopped;
          return { kind: 'unchecked', reason: reason('media.notChecked') };
        },
        close: () => Promise.resolve(stop()),
      },
      0,
    );
    let commit = (): void => undefined;
    const committed = new Promise<void>((resolve) => (commit = resolve));
    const checked = checks.check({ ...partIn(folder, '1-1'), beforeNoted: () => committed });
    await new Promise((resolve) => setImmediate(resolve));
    await checks.close();
    expect(await checked).toMatchObject({ kind: 'unchecked' });
    commit();
    await new Promise((resolve) => setImmediate(resolve));
    expect(readdirSync(folder)).toEqual(['1-1.1.part']);
  });

  test('commits nothing of a download that has been given up', async () => {
    const given = new AbortController();
    let begun = 0;
    const start = {
      number: 1,
      validator: undefined,
      begin: () => Promise.resolve(void (begun += 1)),
      hasBegun: false,
    };
    const held = { outputId: '1-1', generation: 1, content: Buffer.from('ours'), start };
    const about = { generation: 1, bytes: 4, sha256: '', keysKnown: 0, holdsKey: false, isFirst: true };
    const { beforeNoted } = checkedPart({ ...about, path: '', isEncoded: false, held }, '1-1', given.signal);
    await beforeNoted?.();
    given.abort();
    await beforeNoted?.();
    expect(begun).toBe(1);
  });

  test('is nothing where the check is soon over', async () => {
    const folder = temporaryFolder();
    const seen: string[] = [];
    const checks = rememberChecks({
      check: (_path, _bytes, _content, onBegin) => {
        onBegin?.();
        seen.push(...readdirSync(folder));
        return Promise.resolve({ kind: 'unchecked', reason: reason('media.notChecked') });
      },
      close: () => Promise.resolve(),
    });
    await checks.check(partIn(folder, '1-1'));
    expect([...seen, ...readdirSync(folder)]).toEqual(['1-1.1.part', '1-1.1.part']);
  });

  test('of another content does not count', async () => {
    const folder = temporaryFolder();
    const part = partIn(folder, '1-1');
    writeFileSync(join(folder, '1-1.0.part'), `${sha256(Buffer.from('other'))} 2`);
    const checks = rememberChecks({
      check: () => Promise.resolve({ kind: 'unknown', reason: reason('media.notChecked'), isText: false }),
      close: () => Promise.resolve(),
    });
    expect(await checks.check(part)).toMatchObject({ kind: 'unknown' });
  });
});
