import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { signFeed, type ReleaseFeed, UpdateError } from '../../../../src/main/updates/release-feed.ts';
import { Updates, type UpdateInstaller, type UpdatesOptions } from '../../../../src/main/updates/updates.ts';
import { err, ok, type Result } from '../../../../src/shared/domain/base/result.ts';
import { refuse } from '../../../../src/shared/ipc/contract.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { makeRelease, makeUpdateKey } from '../../../support/releases.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const { privateKey, key } = makeUpdateKey();
const HOUR_MS = 3_600_000;

/** The program as version 0.1.0, with a feed that a test may change, and an installer that does what it is told. */
function setUp(changes: Partial<UpdatesOptions> = {}, folder = temporaryFolder()) {
  const clock = new FakeClock();
  const done: string[] = [];
  const notices: string[] = [];
  const world = {
    feed: { at: 10, releases: [makeRelease()] } as ReleaseFeed,
    answer: undefined as Result<Uint8Array, UpdateError> | undefined,
    isNight: false,
    isAutomatic: true,
    confirms: true,
    obstacle: undefined as string | undefined,
    beforeBackUp: (): void => undefined,
    backUpRefuses: false,
    endFetch: (_error?: Error): void => undefined,
    installFails: false,
  };
  const installer: UpdateInstaller = {
    fetch: ({ version, url }, onProgress, signal) => {
      done.push(`fetch ${version} from ${url.href}`);
      onProgress(3);
      return new Promise((resolve, reject) => {
        world.endFetch = (error) => (error === undefined ? resolve() : reject(error));
        signal.addEventListener('abort', () => reject(new Error('cancelled')));
      });
    },
    obstacle: () => world.obstacle,
    install: () => {
      if (world.installFails) return Promise.reject(new Error('The disk is full.'));
      done.push('install');
      return Promise.resolve();
    },
  };
  const updates = new Updates({
    build: { feed: 'https://nocturne.example/releases/releases.json', keys: [key], schema: 2 },
    version: '0.1.0',
    platform: 'linux',
    arch: 'x64',
    installer: { ...installer, format: 'AppImage' },
    ask: () => {
      done.push('ask');
      return Promise.resolve(world.answer ?? ok(new TextEncoder().encode(signFeed(world.feed, privateKey))));
    },
    noteFile: join(folder, 'updates.json'),
    backupFolder: join(folder, 'backups'),
    isAutomatic: () => world.isAutomatic,
    isNightRunning: () => world.isNight,
    backUp: (file) => {
      world.beforeBackUp();
      if (world.backUpRefuses) return Promise.resolve(refuse('refused', 'The disk is full.'));
      done.push('back up');
      writeFileSync(file, 'a store');
      return Promise.resolve(ok(undefined));
    },
    confirm: ({ detail }) => {
      done.push(`confirm: ${detail}`);
      return Promise.resolve(world.confirms);
    },
    quit: () => void done.push('quit'),
    restart: () => void done.push('restart'),
    onChanged: () => undefined,
    onNotice: ({ title, message }) => void notices.push(`${title}: ${message}`),
    now: () => clock.now(),
    setTimer: (ms, ring) => clock.setTimer(ms, ring),
    log: () => undefined,
    ...changes,
  });
  const settle = (): Promise<void> => clock.advance(0);
  const makeReady = async (version = '0.2.0'): Promise<void> => {
    await updates.look(true);
    updates.fetch(version);
    world.endFetch();
    await settle();
    done.length = 0;
  };
  return { clock, done, folder, notices, settle, makeReady, updates, world };
}

describe('looking', () => {
  test('finds what the feed has, and says so', async () => {
    const { updates, clock } = setUp();
    await updates.look(true);
    expect(updates.view).toMatchObject({
      by: 'program',
      host: 'nocturne.example',
      lookedAt: clock.now(),
      step: { kind: 'found', release: { version: '0.2.0', bytes: 7, isOlder: false } },
    });
  });

  test('a feed that is not signed by a key of this build changes nothing', async () => {
    const { updates, world } = setUp();
    const forged = signFeed(world.feed, makeUpdateKey().privateKey);
    world.answer = ok(new TextEncoder().encode(forged));
    await updates.look(true);
    expect(updates.view).toMatchObject({
      step: { kind: 'idle' },
      problem: expect.stringContaining('not signed') as string,
    });
    expect(updates.view.lookedAt).toBeUndefined();
  });

  test('an older feed than one that was seen is refused, also after a restart', async () => {
    const first = setUp();
    await first.updates.look(true);
    const second = setUp({}, first.folder);
    second.world.feed = { at: 9, releases: [makeRelease({ version: '0.3.0' })] };
    await second.updates.look(true);
    expect(second.updates.view).toMatchObject({
      step: { kind: 'idle' },
      problem: expect.stringContaining('holding updates back') as string,
    });
  });

  test('a feed that was signed by a clock far ahead does not keep the next one out', async () => {
    const { updates, world, clock } = setUp();
    world.feed = { at: clock.now() + 365 * 24 * HOUR_MS, releases: [] };
    await updates.look(true);
    await clock.advance(25 * HOUR_MS);
    world.feed = { at: clock.now(), releases: [makeRelease()] };
    await updates.look(true);
    expect(updates.view.step.kind).toBe('found');
  });

  test('what was fetched stays until the user looks again', async () => {
    const { updates, world, makeReady } = setUp();
    await makeReady();
    world.feed = { at: 11, releases: [] };
    await updates.look(false);
    expect(updates.view.step.kind).toBe('ready');
    await updates.look(true);
    expect(updates.view.step.kind).toBe('idle');
  });

  test('what was found goes when the release is withdrawn', async () => {
    const { updates, world } = setUp();
    await updates.look(true);
    world.feed = { at: 11, releases: [] };
    await updates.look(false);
    expect(updates.view.step).toEqual({ kind: 'idle' });
  });

  test('happens once a day, never in a night, and not where the user does not want it', async () => {
    const { updates, world, clock, done } = setUp();
    updates.start();
    await clock.advance(HOUR_MS);
    expect(done).toEqual(['ask']);
    await clock.advance(22 * HOUR_MS);
    expect(done).toHaveLength(1);
    world.isNight = true;
    await clock.advance(24 * HOUR_MS);
    expect(done).toHaveLength(1);
    world.isNight = false;
    await clock.advance(2 * HOUR_MS);
    expect(done).toHaveLength(2);
    world.isAutomatic = false;
    await clock.advance(72 * HOUR_MS);
    expect(done).toHaveLength(2);
  });

  test('once a day also where the clock was set back by a year', async () => {
    const { updates, clock, done, folder } = setUp();
    const ahead = clock.now() + 365 * 24 * HOUR_MS;
    writeFileSync(join(folder, 'updates.json'), JSON.stringify({ share: 0, seenAt: 0, lookedAt: ahead }));
    const later = setUp({}, folder);
    later.updates.start();
    await later.clock.advance(HOUR_MS);
    expect(later.done).toEqual(['ask']);
    expect(updates.view.lookedAt).toBeUndefined();
    expect(done).toEqual([]);
  });

  test('tells of a new version once, and only when nobody asked', async () => {
    const { updates, notices, world } = setUp();
    await updates.look(true);
    expect(notices).toEqual([]);
    await updates.look(false);
    await updates.look(false);
    expect(notices).toEqual([expect.stringContaining('Nocturne 0.2.0 is available')]);
    world.feed = { at: 20, releases: [makeRelease({ version: '0.3.0' })] };
    await updates.look(false);
    expect(notices).toHaveLength(2);
  });

  test('without an answer, says who could not be reached', async () => {
    const { updates, world } = setUp();
    world.answer = err(new UpdateError((told) => told.unreachable('nocturne.example', 'no network')));
    await updates.look(true);
    expect(updates.view).toMatchObject({
      step: { kind: 'idle' },
      problem: expect.stringContaining('no network') as string,
    });
  });

  test('a build without a feed asks nobody', async () => {
    const { updates, clock, done } = setUp({ build: undefined });
    updates.start();
    await clock.advance(48 * HOUR_MS);
    await updates.look(true);
    expect(updates.view.by).toBe('nobody');
    expect(done).toEqual([]);
  });

  test('a package of the system is told, and fetches nothing', async () => {
    const { updates, done } = setUp({ installer: undefined });
    await updates.look(true);
    expect(updates.view).toMatchObject({ by: 'user', step: { kind: 'found' } });
    expect(updates.fetch('0.2.0')).toMatchObject({ ok: false });
    expect(done).toEqual(['ask']);
  });
});

describe('fetching', () => {
  test('brings the very file of the feed, and says how far it is', async () => {
    const { updates, done, world, settle } = setUp();
    await updates.look(true);
    expect(updates.fetch('0.2.0').ok).toBe(true);
    expect(done.at(-1)).toBe('fetch 0.2.0 from https://nocturne.example/releases/new.AppImage');
    expect(updates.view.step).toMatchObject({ kind: 'fetching', receivedBytes: 3 });
    world.endFetch();
    await settle();
    expect(updates.view.step).toMatchObject({ kind: 'ready', release: { version: '0.2.0' } });
  });

  test('a version that is not in the feed is not fetched', async () => {
    const { updates } = setUp();
    await updates.look(true);
    expect(updates.fetch('0.9.0')).toMatchObject({ ok: false });
    expect(updates.view.step.kind).toBe('found');
  });

  test('that fails leaves the version to be fetched again, with the reason', async () => {
    const { updates, world, settle } = setUp();
    await updates.look(true);
    updates.fetch('0.2.0');
    world.endFetch(new Error('The file that came is not the one that was released.'));
    await settle();
    expect(updates.view).toMatchObject({
      step: { kind: 'found' },
      problem: 'The file that came is not the one that was released.',
    });
    expect(updates.fetch('0.2.0').ok).toBe(true);
  });

  test('that was cancelled says nothing of it, and a look meanwhile changes nothing', async () => {
    const { updates, settle, done } = setUp();
    await updates.look(true);
    updates.fetch('0.2.0');
    await updates.look(true);
    expect(done.filter((what) => what === 'ask')).toHaveLength(1);
    updates.cancel();
    await settle();
    expect(updates.view).toMatchObject({ step: { kind: 'found' } });
    expect(updates.view.problem).toBeUndefined();
  });
});

describe('putting in place', () => {
  test('backs the store up, ends, and installs at the very end', async () => {
    const { updates, done, makeReady, folder } = setUp();
    await makeReady();
    expect(await updates.install('0.2.0')).toMatchObject({ ok: true });
    expect(done).toEqual(['back up', 'quit']);
    await updates.finish();
    expect(done).toEqual(['back up', 'quit', 'install']);
    expect(readdirSync(join(folder, 'backups'))).toEqual([
      expect.stringMatching(/^nocturne-0\.1\.0-before-0\.2\.0-\d+\.db$/u),
    ]);
  });

  test('nothing is installed at an end that nobody wanted it at', async () => {
    const { updates, done, makeReady } = setUp();
    await makeReady();
    await updates.finish();
    expect(done).toEqual([]);
  });

  test.each([
    ['in a night', { isNight: true }, /A batch is at work/u],
    ['where the program cannot be replaced', { obstacle: 'Nobody may write there.' }, /Nobody may write there/u],
    ['without a backup', { backUpRefuses: true }, /could not be backed up, so nothing was changed. The disk is full/u],
  ])('is refused %s', async (_when, state, reason) => {
    const { updates, done, makeReady, world } = setUp();
    await makeReady();
    Object.assign(world, state);
    const refused = await updates.install('0.2.0');
    expect(refused).toMatchObject({ ok: false, error: { message: expect.stringMatching(reason) as string } });
    await updates.finish();
    expect(done).toEqual([]);
    expect(updates.view.step.kind).toBe('ready');
  });

  test('is refused when a night begins while the store is copied', async () => {
    const { updates, done, makeReady, world } = setUp();
    await makeReady();
    world.beforeBackUp = () => (world.isNight = true);
    expect(await updates.install('0.2.0')).toMatchObject({ ok: false });
    expect(done).toEqual(['back up']);
  });

  test('is refused where it cannot be noted', async () => {
    const { updates, done, makeReady, folder } = setUp({
      noteFile: join(temporaryFolder(), 'missing', 'updates.json'),
    });
    await makeReady();
    expect(await updates.install('0.2.0')).toMatchObject({ ok: false });
    expect(done).toEqual(['back up']);
    expect(existsSync(join(folder, 'updates.json'))).toBe(false);
  });

  test('happens once, however often it is asked for', async () => {
    const { updates, done, makeReady } = setUp();
    await makeReady();
    const both = await Promise.all([updates.install('0.2.0'), updates.install('0.2.0')]);
    expect(both.map(({ ok: isOk }) => isOk)).toEqual([true, false]);
    expect(done).toEqual(['back up', 'quit']);
  });

  test('the next start says what it is, once', async () => {
    const before = setUp();
    await before.makeReady();
    await before.updates.install('0.2.0');
    const after = setUp({ version: '0.2.0' }, before.folder);
    after.updates.start();
    expect(after.notices).toEqual([
      expect.stringMatching(/^Nocturne is now version 0\.2\.0: .* in backups in the data folder/u),
    ]);
    const again = setUp({ version: '0.2.0' }, before.folder);
    again.updates.start();
    expect(again.notices).toEqual([]);
  });

  test('that fails starts this version again, which says why', async () => {
    const { updates, done, makeReady, folder, world } = setUp();
    await makeReady();
    await updates.install('0.2.0');
    world.installFails = true;
    await updates.finish();
    expect(done).toEqual(['back up', 'quit', 'restart']);
    const again = setUp({}, folder);
    again.updates.start();
    expect(again.notices).toEqual([
      'Nocturne 0.2.0 was not installed: The disk is full. Version 0.1.0 works as before.',
    ]);
  });

  test('an end while the store is still being copied installs nothing', async () => {
    const { updates, done, makeReady, world } = setUp();
    await makeReady();
    const finished: Promise<void>[] = [];
    world.beforeBackUp = () => void finished.push(updates.finish());
    world.backUpRefuses = true;
    expect(await updates.install('0.2.0')).toMatchObject({ ok: false });
    await Promise.all(finished);
    await updates.finish();
    expect(done).toEqual([]);
  });

  test('is refused where there is no place for the backup, and may be asked for again', async () => {
    const { updates, done, makeReady, folder } = setUp();
    await makeReady();
    writeFileSync(join(folder, 'backups'), 'a file');
    expect(await updates.install('0.2.0')).toMatchObject({ ok: false });
    await updates.finish();
    expect(done).toEqual([]);
    rmSync(join(folder, 'backups'));
    expect(await updates.install('0.2.0')).toMatchObject({ ok: true });
  });

  test('a night that began while the store was copied leaves no backup behind', async () => {
    const { updates, makeReady, world, folder } = setUp();
    await makeReady();
    world.beforeBackUp = () => (world.isNight = true);
    await updates.install('0.2.0');
    expect(readdirSync(join(folder, 'backups'))).toEqual([]);
  });

  test('the newest two backups stay once an update has taken its place, and failed tries take none away', async () => {
    const folder = temporaryFolder();
    for (let time = 0; time < 3; time += 1) {
      const { updates, makeReady, clock } = setUp({}, folder);
      await clock.advance(time * 1000);
      await makeReady();
      await updates.install('0.2.0');
    }
    expect(readdirSync(join(folder, 'backups'))).toHaveLength(3);
    setUp({ version: '0.2.0' }, folder).updates.start();
    expect(readdirSync(join(folder, 'backups'))).toHaveLength(2);
  });
});

describe('the way back', () => {
  const both = { at: 10, releases: [makeRelease(), makeRelease({ version: '0.0.9', schema: 1 })] };

  test('is fetched by its name, and the user is told what it means for the store', async () => {
    const { updates, done, makeReady, world } = setUp();
    world.feed = both;
    await makeReady('0.0.9');
    expect(updates.view.step).toMatchObject({ kind: 'ready', release: { version: '0.0.9', isOlder: true } });
    expect(await updates.install('0.0.9')).toMatchObject({ ok: true });
    expect(done).toEqual([
      expect.stringMatching(/^confirm: Version 0\.0\.9 can only read the store/u),
      'back up',
      'quit',
    ]);
  });

  test('is not taken if the user says no', async () => {
    const { updates, done, makeReady, world } = setUp();
    world.feed = both;
    world.confirms = false;
    await makeReady('0.0.9');
    expect(await updates.install('0.0.9')).toMatchObject({ ok: true });
    await updates.finish();
    expect(done).toEqual([expect.stringMatching(/^confirm/u)]);
  });

  test('says so where the earlier version continues with the store', async () => {
    const { updates, done, makeReady, world } = setUp();
    world.feed = { at: 10, releases: [makeRelease({ version: '0.0.9', schema: 2 })] };
    await makeReady('0.0.9');
    await updates.install('0.0.9');
    expect(done[0]).toContain('continues with the store as it is');
  });
});
