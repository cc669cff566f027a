/** Nocturne while nobody looks: what it does after the night, shows in little room, and how it starts with a session. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EndOfNight } from '../../../src/main/presence/end-of-night.ts';
import { desktopEntry, loginItem } from '../../../src/main/presence/login-item.ts';
import { Presence } from '../../../src/main/presence/presence.ts';
import { nightProgress } from '../../../src/main/presence/night-progress.ts';
import { TellingService, type ScreenNotice } from '../../../src/main/presence/telling-service.ts';
import type { AppSettings } from '../../../src/main/services/app-settings.ts';
import { WakeKeeper } from '../../../src/main/shell/wake-keeper.ts';
import { takesOf, type AfterNight, type NightNews } from '../../../src/shared/domain/telling/night-news.ts';
import { messageOf, type NightMessage } from '../../../src/shared/domain/telling/night-message.ts';
import type { TellingSecrets } from '../../../src/shared/domain/telling/ways.ts';
import type { BatchView } from '../../../src/shared/ipc/batches.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeBatch, makeCounts } from '../renderer/make-view.ts';

const facts = (batch: BatchView) => ({ ...batch, takes: takesOf(batch.counts) });
const running = facts(makeBatch());
const finished = facts(makeBatch({ state: 'finished', counts: makeCounts({ done: 2, failed: 1 }) }));

describe('after the night', () => {
  function setUp(chosen: AfterNight) {
    const clock = new FakeClock();
    const done: string[] = [];
    const state = { chosen };
    const end = new EndOfNight({
      chosen: () => state.chosen,
      unchoose: () => (state.chosen = 'nothing'),
      act: (action) => {
        done.push(action);
        return Promise.resolve();
      },
      onWarning: (action, seconds) => void done.push(`${action} in ${seconds} s`),
      onChanged: () => undefined,
      setTimer: (ms, ring) => clock.setTimer(ms, ring),
    });
    return { clock, done, state, end };
  }

  test('what was chosen is done a minute after the last batch, once, also where rows failed', async () => {
    const { clock, done, end, state } = setUp('shutdown');
    const other = facts(makeBatch({ id: 'batch-2' }));
    end.begin([running, other]);
    end.note(finished);
    await clock.advance(120_000);
    expect(done).toEqual([]);
    end.note({ ...finished, id: 'batch-2' });
    await clock.advance(33_000);
    expect(done).toEqual(['shutdown in 60 s']);
    expect(end.warning).toEqual({ action: 'shutdown', seconds: 30 });
    await clock.advance(40_000);
    expect(done).toEqual(['shutdown in 60 s', 'shutdown']);
    expect(state.chosen).toBe('nothing');
    await clock.advance(600_000);
    expect(done).toHaveLength(2);
  });

  test('the user calls it off, and so does a batch that runs again', async () => {
    const { clock, done, end, state } = setUp('sleep');
    end.begin([running]);
    end.note(finished);
    await clock.advance(20_000);
    end.note(running);
    expect(end.warning).toBeUndefined();
    await clock.advance(120_000);
    end.note(finished);
    await clock.advance(20_000);
    end.callOff();
    await clock.advance(120_000);
    expect(done).toEqual(['sleep in 60 s', 'sleep in 60 s']);
    expect(state.chosen).toBe('nothing');
  });

  test('nothing, where the user paused the night or it was over before the start', async () => {
    const { clock, done, end, state } = setUp('quit');
    end.begin([running]);
    end.note(facts(makeBatch({ state: 'paused', pause: { by: 'user' } })));
    await clock.advance(120_000);
    expect([done, state.chosen]).toEqual([[], 'quit']);
    const late = setUp('quit');
    late.end.begin([finished]);
    await late.clock.advance(120_000);
    expect([late.done, late.state.chosen]).toEqual([[], 'nothing']);
  });
});

describe('a whole night while nobody looks', () => {
  const HOUR = 3_600_000;
  const NO_DISK = { by: 'failure', failure: { code: 'DISK_DENIED', message: '' } } as const;

  function setUp(
    listed: readonly BatchView[],
    {
      night = {},
      list = () => Promise.resolve(listed),
      isWatcher = false,
    }: { night?: object; list?: () => Promise<readonly BatchView[]>; isWatcher?: boolean } = {},
  ) {
    const clock = new FakeClock();
    let current = { night: { keepAwake: true, system: true, afterNight: 'shutdown', ...night } } as AppSettings;
    const done: string[] = [];
    const state = { isAwake: false, isDiskFull: false };
    const presence = new Presence({
      clock,
      settings: {
        get current() {
          return current;
        },
        update: (change: Partial<AppSettings>) => {
          if (state.isDiskFull) throw new Error('ENOSPC: no space left on device');
          current = { ...current, ...change };
        },
      } as never,
      toldFile: join(temporaryFolder(), 'told.json'),
      awake: new WakeKeeper({ start: () => Number((state.isAwake = true)), stop: () => !(state.isAwake = false) }),
      telling: {
        view: {},
        tell: (news: NightNews) => void done.push(`told: ${messageOf(news, true).title}`),
        tellMessage: () => undefined,
        showOnScreen: () => current.night.system,
        // A webhook that never answers.
        settled: () => new Promise(() => undefined),
        fail: () => undefined,
      } as never,
      login: { isOn: () => false, set: () => undefined },
      isWatcher: () => isWatcher,
      listBatches: async () => ({ ok: true, value: await list() }),
      showWindow: () => void done.push('window shown'),
      showProgress: () => undefined,
      quit: () => void done.push('quit'),
      power: (action) => {
        done.push(action);
        return Promise.resolve(undefined);
      },
      onChanged: () => undefined,
      log: () => undefined,
    });
    return { clock, presence, done, state, chosen: () => current.night.afterNight };
  }

  test('of workers elsewhere keeps nothing awake here, asks nothing at the end, and is told all the same', async () => {
    const { clock, presence, done, state } = setUp([makeBatch()], { isWatcher: true });
    expect(await presence.begin()).toBe(false);
    expect(state.isAwake).toBe(false);
    presence.note(makeBatch());
    presence.note(makeBatch({ state: 'finished' }));
    await clock.advance(HOUR);
    expect([state.isAwake, done]).toEqual([false, ['told: “A night” is finished']]);
  });

  test('is ended when its warning is over, whatever message is still under way', async () => {
    const { clock, presence, done } = setUp([makeBatch()]);
    await presence.begin();
    presence.note(makeBatch({ state: 'finished' }));
    await clock.advance(62_000);
    expect([presence.view.warning?.seconds, done]).toEqual([1, ['told: “A night” is finished']]);
    await clock.advance(2_000);
    expect(done.at(-1)).toBe('shutdown');
  });

  test('is ended once, also where its files have filled the disk and the choice cannot be taken back there', async () => {
    const { clock, presence, done, state } = setUp([makeBatch()]);
    await presence.begin();
    state.isDiskFull = true;
    presence.note(makeBatch({ state: 'finished' }));
    await clock.advance(64_000);
    expect([done.at(-1), presence.view.afterNight]).toEqual(['shutdown', 'nothing']);
    presence.note(makeBatch({ id: 'batch-2' }));
    presence.note(makeBatch({ id: 'batch-2', state: 'finished' }));
    await clock.advance(HOUR);
    expect(done.filter((one) => one === 'shutdown')).toHaveLength(1);
    state.isDiskFull = false;
    presence.set({ keepAwake: false });
    expect(presence.view).toMatchObject({ keepAwake: false, afterNight: 'nothing' });
    presence.set({ afterNight: 'sleep' });
    expect(presence.view.afterNight).toBe('sleep');
  });

  test('is called off on a full disk, too, and what the user does is done', async () => {
    const { clock, presence, done, state } = setUp([makeBatch()]);
    await presence.begin();
    presence.note(makeBatch({ state: 'finished' }));
    await clock.advance(30_000);
    state.isDiskFull = true;
    expect(() => presence.userActs()).not.toThrow();
    await clock.advance(HOUR);
    expect([done.includes('shutdown'), presence.view.afterNight]).toEqual([false, 'nothing']);
  });

  test('is called off up to the last moment, and a batch that begins in it leaves the choice', async () => {
    const { clock, presence, done, chosen } = setUp([makeBatch()]);
    await presence.begin();
    presence.note(makeBatch({ state: 'finished' }));
    await clock.advance(62_500);
    presence.note(makeBatch());
    expect([presence.view.warning, chosen()]).toEqual([undefined, 'shutdown']);
    presence.note(makeBatch({ state: 'finished' }));
    await clock.advance(62_500);
    presence.userActs();
    await clock.advance(HOUR);
    expect([done.includes('shutdown'), chosen()]).toEqual([false, 'nothing']);
  });

  test('warns in the window where no notification may be shown', async () => {
    const { clock, presence, done } = setUp([makeBatch()], { night: { system: false } });
    await presence.begin();
    presence.note(makeBatch({ state: 'finished' }));
    await clock.advance(4_000);
    expect(done).toContain('window shown');
  });

  test('waits for a disk that comes back, awake, but not the whole night', async () => {
    const { clock, presence, done, state } = setUp([makeBatch()]);
    await presence.begin();
    presence.note(makeBatch({ state: 'paused', pause: NO_DISK }));
    await clock.advance(HOUR - 60_000);
    expect([state.isAwake, presence.view.warning, done.includes('shutdown')]).toEqual([true, undefined, false]);
    presence.note(makeBatch());
    presence.note(makeBatch({ state: 'paused', pause: NO_DISK }));
    await clock.advance(HOUR - 60_000);
    expect(done).not.toContain('shutdown');
    await clock.advance(5 * 60_000);
    expect([state.isAwake, done.at(-1)]).toEqual([false, 'shutdown']);
  });

  test('has ended while a batch only waits for its hours, and begins again with them', async () => {
    const { clock, presence, done, state } = setUp([makeBatch()]);
    const later = clock.now() + 10 * HOUR;
    const waiting = makeBatch({ counts: makeCounts({ done: 1, queued: 2 }), waitsUntil: later });
    await presence.begin();
    presence.note({ ...waiting, counts: makeCounts({ rendering: 1 }) });
    await clock.advance(10_000);
    expect([state.isAwake, done]).toEqual([true, []]);
    presence.note(waiting);
    await clock.advance(70_000);
    expect([state.isAwake, done]).toEqual([false, ['told: “A night” waits for its next hours', 'shutdown']]);
    await clock.advance(later - clock.now() - 20 * 60_000);
    expect(state.isAwake).toBe(true);
  });

  test('goes on with the session where something still happens by itself, and only there', async () => {
    const goesOn = (batch: BatchView) => setUp([batch]).presence.begin();
    const cap = { by: 'failure', failure: { code: 'CAP_REACHED', message: '' } } as const;
    expect(await goesOn(makeBatch({ state: 'paused', pause: NO_DISK }))).toBe(true);
    expect(await goesOn(makeBatch({ state: 'paused', pause: cap, counts: makeCounts({ rendering: 1 }) }))).toBe(true);
    expect(await goesOn(makeBatch({ waitsUntil: Date.UTC(2030, 0, 1) }))).toBe(true);
    expect(await goesOn(makeBatch({ state: 'paused', pause: cap }))).toBe(false);
    const failure = { ...NO_DISK.failure, isReplaced: true } as const;
    expect(await goesOn(makeBatch({ state: 'paused', pause: { by: 'failure', failure } }))).toBe(false);
  });

  test('takes the list of an engine that was started again, but for what was noted since it was asked for', async () => {
    const lists: ((batches: readonly BatchView[]) => void)[] = [];
    const { clock, presence, done } = setUp([], { list: () => new Promise((resolve) => void lists.push(resolve)) });
    const both = [makeBatch(), makeBatch({ id: 'batch-2' })];
    const first = presence.begin();
    lists[0]?.(both);
    await first;
    const again = presence.begin();
    presence.note(makeBatch({ state: 'finished' }));
    lists[1]?.([makeBatch(), makeBatch({ id: 'batch-2', state: 'finished' })]);
    await again;
    await clock.advance(5_000);
    expect(done).toEqual(['told: The night is finished']);
  });

  test('leaves its choice to no other one: the user paused it, and another batch is started days later', async () => {
    const { clock, presence, done, chosen } = setUp([makeBatch()]);
    await presence.begin();
    presence.note(makeBatch({ state: 'paused', pause: { by: 'user' } }));
    await clock.advance(48 * HOUR);
    presence.note(makeBatch({ id: 'batch-2' }));
    expect(chosen()).toBe('nothing');
    presence.note(makeBatch({ id: 'batch-2', state: 'finished' }));
    await clock.advance(HOUR);
    expect(done).not.toContain('shutdown');
  });
});

describe('progress in little room', () => {
  test('counts what runs or is paused, and says that somebody is needed', () => {
    const counts = makeCounts({ done: 34, queued: 26 });
    expect(nightProgress([makeBatch({ counts }), makeBatch({ id: 'old', state: 'finished' })])).toMatchObject({
      mode: 'normal',
      left: 26,
      text: 'Rendering: 34 of 60 takes',
      running: ['batch-1'],
    });
    const pause = { by: 'failure', failure: { code: 'AUTH_REJECTED', message: '' } } as const;
    expect(nightProgress([makeBatch({ counts, state: 'paused', pause })])).toMatchObject({
      mode: 'error',
      text: 'Paused: 34 of 60 takes. Needs you',
      paused: [],
    });
    const byUser = makeBatch({ counts: makeCounts({ rendering: 1 }), state: 'paused', pause: { by: 'user' } });
    expect(nightProgress([byUser])).toMatchObject({
      mode: 'paused',
      text: 'Paused, finishing what was sent: 0 of 1 takes',
      paused: ['batch-1'],
    });
    const waiting = makeBatch({ counts, waitsUntil: new Date(2026, 10, 24, 22, 0).getTime() });
    expect(nightProgress([waiting]).text).toBe('Waits until 22:00: 34 of 60 takes');
    expect(nightProgress([])).toMatchObject({ mode: 'none', left: 0 });
  });
});

describe('keeping awake', () => {
  test('only while there is work, and while the user wants it', () => {
    const calls: string[] = [];
    const awake = new WakeKeeper({
      start: () => calls.push('start'),
      stop: () => calls.push('stop') > 0,
    });
    awake.note('a', true);
    awake.allow(false);
    awake.note('b', true);
    expect([calls, awake.isRunning]).toEqual([['start', 'stop'], true]);
    awake.allow(true);
    awake.note('a', false);
    awake.note('b', false);
    expect(calls).toEqual(['start', 'stop', 'start', 'stop']);
    // It runs, but only waits for its hours.
    awake.note('c', true, false);
    expect([calls.length, awake.isRunning]).toEqual([4, true]);
  });
});

describe('starting with the session', () => {
  /** Reads a line of `Exec` as the Desktop Entry Specification says: the value first, then the command line. */
  function argumentsIn(entry: string): readonly string[] {
    const value = /^Exec=(.*)$/mu.exec(entry)?.[1] ?? '';
    const unescaped = value.replaceAll(
      /\\(?<c>.)/gu,
      (_, c: string) => ({ n: '\n', t: '\t', r: '\r', s: ' ' })[c] ?? c,
    );
    const words = unescaped.matchAll(/"(?<word>(?:[^"\\]|\\.)*)"/gsu);
    return Array.from(words, ({ groups }) =>
      (groups?.['word'] ?? '').replaceAll(/\\(?<c>["`$\\])/gu, '$<c>').replaceAll('%%', '%'),
    );
  }

  test.each([
    [['/opt/Nocturne/nocturne', '--background']],
    [['/home/ada lovelace/Noc"turne', '--user-data-dir=/tmp/$HOME `id` 100% \\ back\\\\slash', 'two\nlines', '%f']],
  ])('a file starts exactly these arguments: %j', (command) => {
    expect(argumentsIn(desktopEntry(command))).toEqual(command);
  });

  test('the file is written, recognised and removed; one of another program is not ours', () => {
    const home = temporaryFolder();
    const list = { getLoginItemSettings: () => ({ openAtLogin: false }), setLoginItemSettings: () => undefined };
    const item = loginItem('linux', ['/opt/nocturne'], list, { XDG_CONFIG_HOME: home });
    expect(item.isOn()).toBe(false);
    item.set(true);
    expect(item.isOn()).toBe(true);
    expect(readFileSync(join(home, 'autostart/nocturne.desktop'), 'utf8')).toContain(
      'Exec="/opt/nocturne" "--background"',
    );
    expect(loginItem('linux', ['/opt/other'], list, { XDG_CONFIG_HOME: home }).isOn()).toBe(false);
    item.set(false);
    item.set(false);
    expect(item.isOn()).toBe(false);
  });

  test('Windows gets its arguments, macOS none', () => {
    const asked: unknown[] = [];
    const list = {
      getLoginItemSettings: () => ({ openAtLogin: true }),
      setLoginItemSettings: (settings: object) => void asked.push(settings),
    };
    loginItem('win32', ['C:\\n.exe', '--user-data-dir=C:\\a b'], list, {}).set(true);
    loginItem('darwin', ['/Applications/Nocturne'], list, {}).set(false);
    expect(asked).toEqual([
      { openAtLogin: true, path: 'C:\\n.exe', args: ['"--user-data-dir=C:\\a b"', '"--background"'] },
      { openAtLogin: false },
    ]);
  });
});

describe('telling, as the settings have it', () => {
  const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

  function setUp(agrees = true) {
    let current = {
      night: { keepAwake: true, system: true, afterNight: 'nothing' },
      telling: { names: false },
    } as Pick<AppSettings, 'night' | 'telling'>;
    const kept = new Map<string, string>();
    const notices: ScreenNotice[] = [];
    const failed: ScreenNotice[] = [];
    const questions: string[] = [];
    const disk = { isFull: false };
    const sent: { message: NightMessage; secrets: TellingSecrets }[] = [];
    const telling = new TellingService({
      settings: {
        get current() {
          return current;
        },
        update: (change: Partial<AppSettings>) => {
          if (disk.isFull) throw new Error('ENOSPC: no space left on device');
          current = { ...current, ...change };
        },
      } as never,
      vault: {
        of: (id) => (id === undefined ? undefined : kept.get(id)),
        set: (id, secret) => void kept.set(id, secret),
        clear: (id) => kept.delete(id),
        status: () => ({ present: false, last4: '', storage: 'keyring', origin: '', kept: [] }),
      },
      send: (message, _ways, secrets) => {
        sent.push({ message, secrets });
        return Promise.resolve([{ way: 'ntfy', isOk: false, text: 'refused with HTTP 403' }]);
      },
      isLookedAt: () => false,
      notify: (notice) => notices.push(notice) > 0,
      confirm: ({ detail }) => {
        questions.push(detail);
        return Promise.resolve(agrees);
      },
      onChanged: () => undefined,
      onFailed: (notice) => void failed.push(notice),
      now: () => 5,
    });
    return { telling, kept, notices, failed, questions, sent, disk, settings: () => JSON.stringify(current) };
  }

  test('a secret is kept for its origin alone, and stands in no settings', () => {
    const { telling, kept, settings } = setUp();
    const set = (url: string, secret?: string) =>
      telling.setAddress({ way: 'webhook', url, allowPlainHttp: false, ...(secret === undefined ? {} : { secret }) })
        .ok;
    expect(set('https://a.example/hook')).toBe(false);
    expect(set('https://a.example/hook', 'short')).toBe(false);
    expect(set('https://a.example/hook', SECRET)).toBe(true);
    expect(set('https://a.example/other')).toBe(true);
    expect(set('https://thief.example/hook')).toBe(false);
    expect(telling.view.webhook).toMatchObject({ url: 'https://a.example/other', hasSecret: true });
    expect(settings() + JSON.stringify(telling.view)).not.toContain('whsec_');
    expect(set('')).toBe(true);
    expect([kept.size, telling.view.webhook.url]).toEqual([0, '']);
  });

  test('a secret stays with its address where the settings do not take another one', () => {
    const { telling, disk } = setUp();
    const hook = { way: 'webhook', url: 'https://a.example/hook', allowPlainHttp: false, secret: SECRET } as const;
    expect(telling.setAddress(hook).ok).toBe(true);
    disk.isFull = true;
    expect(() => telling.setAddress({ ...hook, url: 'https://b.example/hook' })).toThrow('ENOSPC');
    expect(() => telling.setAddress({ ...hook, url: '' })).toThrow('ENOSPC');
    expect(telling.view.webhook).toMatchObject({ url: 'https://a.example/hook', hasSecret: true });
  });

  test('a program is chosen by the user’s own hand only', async () => {
    const asked = setUp(false);
    expect(await asked.telling.setCommand(['/bin/rm', '-rf\u202E'])).toEqual({ ok: true, value: false });
    expect(asked.questions[0]).toContain('/bin/rm\n-rf\\u202e');
    expect(asked.telling.view.command.argv).toEqual([]);
    await asked.telling.setCommand(['/bin/sh', '-c', ' true  \n; false', '', 'a\\u00ad\u00ad']);
    expect(asked.questions[1]).toContain('/bin/sh\n-c\n" true  \\n; false"\n""\n"a\\\\u00ad\\u00ad"\n\nIt runs');
    const long = await asked.telling.setCommand(['/bin/sh', '-c', `${' '.repeat(1_000)}; curl thief.example`]);
    expect([long.ok, asked.questions.length]).toEqual([false, 2]);
    const agreed = setUp();
    await agreed.telling.setCommand(['/bin/true']);
    await agreed.telling.setCommand(['/bin/true']);
    await agreed.telling.setCommand([]);
    expect([agreed.questions.length, agreed.telling.view.command.argv]).toEqual([1, []]);
  });

  test('names stay on this screen, and what did not arrive is said', async () => {
    const { telling, notices, failed, sent } = setUp();
    telling.tell({ kind: 'ended', batches: [finished], needs: [] });
    await telling.settled();
    expect(notices).toEqual([expect.objectContaining({ title: '“A night” is finished', opensLedger: true })]);
    expect(sent.map(({ message }) => message.title)).toEqual(['A batch is finished']);
    expect(failed.map(({ body }) => body)).toEqual(['ntfy: refused with HTTP 403. Try it in the settings.']);
    expect(telling.view.ntfy.last).toEqual({ at: 5, isOk: false, text: 'refused with HTTP 403' });
    expect(await telling.test('ntfy')).toMatchObject({ isOk: false });
    expect(failed).toHaveLength(1);
  });
});
