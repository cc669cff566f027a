import type { MessagePortMain } from 'electron';
import { describe, expect, test } from 'vitest';
import { EngineHost, type EngineProcess } from '../../../src/main/engine-process/engine-host.ts';
import { words } from '../../../src/shared/words/words.ts';
import type { FromEngine, ToEngine } from '../../../src/main/engine-process/engine-protocol.ts';

/** A process that does what the test says. */
class ScriptedProcess implements EngineProcess {
  readonly posted: ToEngine[] = [];
  readonly ports: MessagePortMain[] = [];
  #onMessage: (message: unknown) => void = () => undefined;
  #onExit: (code: number) => void = () => undefined;
  post(message: ToEngine, ports: readonly MessagePortMain[] = []): void {
    this.posted.push(message);
    this.ports.push(...ports);
  }
  onMessage(listener: (message: unknown) => void): void {
    this.#onMessage = listener;
  }
  onExit(listener: (code: number) => void): void {
    this.#onExit = listener;
  }
  isKilled = false;
  kill(): void {
    this.isKilled = true;
  }
  say(message: FromEngine | Record<string, unknown>): void {
    this.#onMessage(message);
  }
  die(code: number): void {
    this.#onExit(code);
  }
  requestIds(): number[] {
    return this.posted.flatMap((message) => (message.kind === 'request' ? [message.id] : []));
  }
}

/** Answers the request to stop, as the engine does when it has ended. */
function reply(process: ScriptedProcess, unsaved: string[]): void {
  const id = process.requestIds().at(-1) ?? 0;
  process.say({ kind: 'reply', id, reply: { ok: true, value: { unsaved } } });
}

function setUp() {
  const processes: ScriptedProcess[] = [];
  const readers: { readonly port: MessagePortMain; readonly isKilled: boolean; kill(): void }[] = [];
  const states: string[] = [];
  const messages: string[] = [];
  const clock = { ms: 0 };
  let tick: () => void = () => undefined;
  const log: string[] = [];
  const server = { address: '' };
  const host = new EngineHost({
    storeFolder: '/data',
    server: () => (server.address === '' ? undefined : server),
    incarnationFile: '/incarnation.json',
    isRestoreTold: false,
    language: () => 'en',
    spawn: () => {
      const process = new ScriptedProcess();
      processes.push(process);
      return process;
    },
    spawnSheetReader: () => {
      const reader = { port: {} as MessagePortMain, isKilled: false, kill: () => (reader.isKilled = true) };
      readers.push(reader);
      return reader;
    },
    keys: () => [{ origin: 'https://gateway.example', key: 'sk-1' }],
    onState: (state, message) => {
      states.push(state);
      messages.push(message);
    },
    onEvent: () => undefined,
    monotonicMs: () => clock.ms,
    everyTick: (listener) => (tick = listener),
    log: (_level, message) => log.push(message),
  });
  const latest = (): ScriptedProcess => {
    const process = processes.at(-1);
    if (process === undefined) throw new Error('no process was started');
    return process;
  };
  /** Main's own time goes on, and nothing is heard of the engine. */
  const silence = (ticks: number): void => {
    for (let at = 0; at < ticks; at += 1) tick();
  };
  return { host, processes, readers, states, messages, clock, latest, log, silence, server };
}

describe('another store', () => {
  test('is opened by a new process once the one before has ended in good order, and not after a crash', async () => {
    const { host, latest, processes, states, server } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const [former] = processes;
    const asked = host.request('batch.list', undefined);
    const moved = host.moveTo(() => (server.address = 'postgres://db.example/nights'));
    expect(former?.requestIds()).toHaveLength(2);
    expect(await host.request('batch.list', undefined)).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(processes).toHaveLength(1);
    reply(latest(), ['the gallery is old']);
    expect(await moved).toEqual(['the gallery is old']);
    expect(await asked).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect([former?.isKilled, processes.length]).toEqual([true, 2]);
    expect(latest().posted[1]).toMatchObject({ server: { address: 'postgres://db.example/nights' } });
    latest().say({ kind: 'started' });
    expect(states).toEqual(['ready', 'starting', 'starting', 'ready']);
  });

  test('is chosen once at a time, and no engine is started for it once the application ends', async () => {
    const { host, latest, processes, server } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const moved = host.moveTo(() => (server.address = 'postgres://db.example/nights'));
    expect(await host.moveTo(() => (server.address = 'postgres://other.example/nights'))).toBeUndefined();
    const stopped = host.stop();
    reply(latest(), ['the gallery is old']);
    expect(await stopped).toEqual(['the gallery is old']);
    expect(await moved).toBeUndefined();
    expect([processes.length, server.address]).toEqual([1, '']);
  });

  test('is opened at once where the one before could not be, and a server is no crash by being away', async () => {
    const { host, latest, processes, messages, server } = setUp();
    server.address = 'postgres://db.example/nights';
    host.start();
    latest().say({ kind: 'refused', message: 'The server does not answer.' });
    expect(messages).toEqual(['The server does not answer.']);
    expect(await host.moveTo(() => (server.address = ''))).toEqual([]);
    expect([processes[0]?.isKilled, processes.length]).toEqual([true, 2]);
    expect(latest().posted[1]).not.toHaveProperty('server');
    expect(latest().posted[1]).toMatchObject({ kind: 'start', storeFolder: '/data' });
  });
});

describe('the engine’s process', () => {
  test('is told the language, then the store and the key', () => {
    const { host, latest } = setUp();
    host.start();
    expect(latest().posted).toEqual([
      { kind: 'speak', language: 'en' },
      {
        kind: 'start',
        storeFolder: '/data',
        incarnationFile: '/incarnation.json',
        keys: [{ origin: 'https://gateway.example', key: 'sk-1' }],
        isRestoreTold: false,
      },
    ]);
  });

  test('is asked only when it is ready, and its answers reach who asked', async () => {
    const { host, latest, states } = setUp();
    host.start();
    const first = host.request('batch.list', undefined);
    const second = host.request('file.locate', { fileId: '1-1' });
    expect(latest().requestIds()).toEqual([]);
    latest().say({ kind: 'started' });
    const [firstId = 0, secondId = 0] = latest().requestIds();
    latest().say({ kind: 'reply', id: secondId, reply: { ok: false, error: { code: 'not-found', message: 'gone' } } });
    latest().say({ kind: 'reply', id: firstId, reply: { ok: true, value: [] } });
    expect(await first).toEqual({ ok: true, value: [] });
    expect(await second).toMatchObject({ ok: false, error: { code: 'not-found' } });
    expect(states).toEqual(['ready']);
  });

  test('that answers nonsense is not believed', async () => {
    const { host, latest, log } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const reply = host.request('batch.list', undefined);
    latest().say({ kind: 'reply', id: latest().requestIds()[0] ?? 0, reply: { ok: true, value: [{ id: 7 }] } });
    expect(await reply).toMatchObject({ ok: false, error: { code: 'internal' } });
    latest().say({ kind: 'what' });
    expect(log).toHaveLength(2);
  });

  test('that dies is started again with the key; what it was asked is answered, what waits is asked again', async () => {
    const { host, processes, latest, states } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const asked = host.request('batch.start', { batchId: 'b' });
    latest().die(9);
    expect(await asked).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(processes).toHaveLength(2);
    expect(latest().posted[1]).toMatchObject({ kind: 'start', keys: [{ key: 'sk-1' }] });
    const waiting = host.request('batch.list', undefined);
    latest().say({ kind: 'started' });
    latest().say({ kind: 'reply', id: latest().requestIds()[0] ?? 0, reply: { ok: true, value: [] } });
    expect(await waiting).toEqual({ ok: true, value: [] });
    expect(states).toEqual(['ready', 'starting', 'restarted']);
  });

  test('that dies twice within a minute is not started a third time, and everything is refused with the reason', async () => {
    const { host, processes, latest, clock, states } = setUp();
    host.start();
    const waiting = host.request('batch.list', undefined);
    latest().die(1);
    clock.ms = 59_000;
    latest().die(1);
    expect(processes).toHaveLength(2);
    expect(states).toEqual(['starting', 'failed']);
    expect(await waiting).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(await host.request('batch.list', undefined)).toMatchObject({
      error: { code: 'unavailable', message: expect.stringContaining('twice within a minute') as string },
    });
    expect(host.state.state).toBe('failed');
  });

  test('that dies again after a minute is started again', () => {
    const { host, processes, latest, clock } = setUp();
    host.start();
    latest().die(1);
    clock.ms = 61_000;
    latest().die(1);
    expect(processes).toHaveLength(3);
  });

  test('that was not started any more is started when the user says so', async () => {
    const { host, processes, latest, states } = setUp();
    host.start();
    latest().die(1);
    latest().die(1);
    expect(host.state.state).toBe('failed');
    host.retry();
    latest().say({ kind: 'started' });
    expect(processes).toHaveLength(3);
    expect(states).toEqual(['starting', 'failed', 'starting', 'ready']);
    host.retry();
    expect(processes).toHaveLength(3);
  });

  test('that can only look at its store is asked all the same, and replaced when the user tries again', async () => {
    const { host, processes, latest, states } = setUp();
    host.start();
    latest().say({ kind: 'started', readOnly: 'The store is damaged.' });
    expect(host.state).toEqual({ state: 'read-only', message: 'The store is damaged.' });
    const asked = host.request('batch.list', undefined);
    latest().say({ kind: 'reply', id: latest().requestIds()[0] ?? 0, reply: { ok: true, value: [] } });
    expect(await asked).toEqual({ ok: true, value: [] });
    const [former] = processes;
    host.retry();
    former?.die(0);
    latest().say({ kind: 'started' });
    expect(former?.isKilled).toBe(true);
    expect(processes).toHaveLength(2);
    expect(states).toEqual(['read-only', 'starting', 'ready']);
  });

  test('that refuses its store is not started again', async () => {
    const { host, processes, latest, states } = setUp();
    host.start();
    latest().say({ kind: 'refused', message: 'The store is newer.' });
    latest().die(0);
    expect(processes).toHaveLength(1);
    expect(states).toEqual(['failed']);
    expect(await host.request('batch.list', undefined)).toMatchObject({ error: { message: 'The store is newer.' } });
    await host.stop();
  });

  test('a dead process that speaks late is not listened to', () => {
    const { host, processes, latest, states } = setUp();
    host.start();
    const [first] = processes;
    latest().die(1);
    first?.say({ kind: 'started' });
    expect(states).toEqual(['starting']);
  });

  test('is told to stop, waited for, and not started again', async () => {
    const { host, processes, latest } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const stopped = host.stop();
    expect(latest().posted.at(-1)).toMatchObject({ kind: 'request', name: 'engine.stop' });
    expect(await host.request('batch.list', undefined)).toMatchObject({ ok: false });
    reply(latest(), []);
    expect(await stopped).toEqual([]);
    // It does not exit by itself: its reply could be lost with it, and be taken for a bad end.
    expect(latest().isKilled).toBe(true);
    expect(processes).toHaveLength(1);
  });

  test('says what could not be saved when it was stopped', async () => {
    const { host, latest } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const stopped = host.stop();
    reply(latest(), ['Row k3 is not saved.']);
    expect(await stopped).toEqual(['Row k3 is not saved.']);
  });

  test('is waited for while it comes further, however long that takes in all', async () => {
    const { host, latest, silence } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const stopped = host.stop();
    for (let step = 0; step < 20; step += 1) {
      for (let at = 0; at < 100; at += 1) {
        silence(1);
        latest().say({ kind: 'alive' });
      }
      latest().say({ kind: 'stopping', leftUndone: [`${step}`] });
    }
    expect(latest().isKilled).toBe(false);
    reply(latest(), []);
    expect(await stopped).toEqual([]);
  });

  test('and neither ends nor comes further is cut off, with what it said would be left undone', async () => {
    const { host, latest, silence } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const stopped = host.stop();
    latest().say({ kind: 'stopping', leftUndone: ['The gallery is older.'] });
    for (let at = 0; at < 120; at += 1) {
      latest().say({ kind: 'alive' });
      silence(1);
    }
    expect(await stopped).toEqual(['The gallery is older.']);
    expect(latest().isKilled).toBe(true);
  });

  test('that hangs or dies while it ends is not said to have ended well', async () => {
    const hung = setUp();
    hung.host.start();
    hung.latest().say({ kind: 'started' });
    const silent = hung.host.stop();
    hung.silence(30);
    expect(await silent).toEqual([words.desktop.engine.cutOff]);

    const { host, latest } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const stopped = host.stop();
    latest().die(9);
    expect(await stopped).toEqual([words.desktop.engine.cutOff]);
  });

  test('that could only look at its store had nothing under way', async () => {
    const { host, latest } = setUp();
    host.start();
    latest().say({ kind: 'started', readOnly: 'The store is damaged.' });
    const stopped = host.stop();
    latest().die(9);
    expect(await stopped).toEqual([]);
  });
});

describe('an engine that says nothing', () => {
  test('for half a minute is replaced; what it was asked is answered', async () => {
    const { host, processes, latest, states, messages, silence } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    const asked = host.request('batch.list', undefined);
    silence(3);
    const askedLate = host.request('batch.cancel', { batchId: 'b' });
    silence(11);
    expect(processes).toHaveLength(1);
    silence(1);
    expect(processes.map(({ isKilled }) => isKilled)).toEqual([true, false]);
    expect(await asked).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(await askedLate).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    processes[0]?.die(9);
    latest().say({ kind: 'started' });
    expect(states).toEqual(['ready', 'starting', 'restarted']);
    expect(messages.at(-1)).toBe(
      'The engine did not answer for 30 seconds and was restarted. Rendering continued where it stopped.',
    );
  });

  test('is left alone as long as it says now and then that it is alive', () => {
    const { host, processes, latest, silence } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    for (let round = 0; round < 5; round += 1) {
      silence(14);
      latest().say({ kind: 'alive' });
    }
    expect(processes).toHaveLength(1);
  });

  test('because it is at what the user asked for, or reads its store, has five minutes', () => {
    const { host, processes, latest, silence } = setUp();
    host.start();
    silence(149);
    latest().say({ kind: 'started' });
    void host.request('batch.cancel', { batchId: 'b' });
    silence(149);
    expect(processes).toHaveLength(1);
    silence(1);
    expect(processes).toHaveLength(2);
  });

  test('is not replaced while the application ends', () => {
    const { host, processes, latest, silence } = setUp();
    host.start();
    latest().say({ kind: 'started' });
    void host.stop();
    silence(1_000);
    expect(processes).toHaveLength(1);
  });

  test('three times within half an hour is not started a fourth time before the user says so', async () => {
    const { host, processes, latest, clock, states, silence } = setUp();
    const hang = (): void => {
      latest().say({ kind: 'started' });
      silence(15);
      clock.ms += 14 * 60_000;
    };
    host.start();
    hang();
    hang();
    hang();
    expect(processes).toHaveLength(3);
    expect(latest().isKilled).toBe(true);
    expect(host.state.state).toBe('failed');
    expect(await host.request('batch.list', undefined)).toMatchObject({
      error: { message: expect.stringContaining('Try again. If it happens again, pause your batches') as string },
    });
    silence(1_000);
    host.retry();
    hang();
    latest().say({ kind: 'started' });
    expect(processes).toHaveLength(5);
    expect(states.slice(-4)).toEqual(['starting', 'ready', 'starting', 'restarted']);
  });

  test('now and then is started again each time', () => {
    const { host, processes, latest, clock, silence } = setUp();
    host.start();
    for (let night = 0; night < 5; night += 1) {
      latest().say({ kind: 'started' });
      silence(15);
      clock.ms += 16 * 60_000;
    }
    expect(processes).toHaveLength(6);
  });
});

describe('readers of sheets', () => {
  test('are started when the engine asks, connected to it, and ended when it is done', () => {
    const { host, latest, readers } = setUp();
    host.start();
    latest().say({ kind: 'sheetReaderWanted', id: 7 });
    expect(latest().posted.at(-1)).toEqual({ kind: 'sheetReader', id: 7 });
    expect(latest().ports).toEqual([readers[0]?.port]);
    expect(readers[0]?.isKilled).toBe(false);
    latest().say({ kind: 'sheetReaderDone', id: 7 });
    expect(readers[0]?.isKilled).toBe(true);
  });

  test('end with the engine that asked for them', () => {
    const { host, latest, readers } = setUp();
    host.start();
    latest().say({ kind: 'sheetReaderWanted', id: 1 });
    latest().die(1);
    expect(readers[0]?.isKilled).toBe(true);
  });
});
