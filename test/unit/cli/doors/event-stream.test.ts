import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EventStream } from '../../../../src/cli/doors/http/event-stream.ts';
import type { EngineChange } from '../../../../src/engine/change-feed.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

interface Rig {
  readonly clock: FakeClock;
  readonly events: EventStream;
  readonly described: () => number;
  readonly change: (batchId: string, row: string) => void;
  /** A reader over a real connection, which may not read. */
  readonly reader: (lastEventId?: string) => Promise<{ readonly socket: Socket; readonly response: ServerResponse }>;
}

async function rig(size = 100): Promise<Rig> {
  const clock = new FakeClock();
  let listener: ((change: EngineChange) => void) | undefined;
  let described = 0;
  const events = new EventStream({
    clock,
    changes: {
      onChange: (given) => {
        listener = given;
        return () => (listener = undefined);
      },
    },
    describe: (batchId) => {
      described += 1;
      return Promise.resolve(batchId === 'gone' ? undefined : { id: batchId, name: 'x'.repeat(size) });
    },
    hide: (text) => text.replaceAll('secret', '***'),
    onBug: (error) => {
      throw error;
    },
  });
  const responses: ServerResponse[] = [];
  const server: Server = createServer((request, response) => {
    const last = request.headers['last-event-id'];
    responses.push(response);
    events.add(response, undefined, typeof last === 'string' ? last : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    clock,
    events,
    described: () => described,
    change: (batchId, row) => {
      const task = { batchId, rowId: row };
      listener?.({ kind: 'task', task, isAlmostDone: false, isAfterEnd: false } as unknown as EngineChange);
    },
    reader: async (lastEventId) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      const more = lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`;
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${more}\r\n`);
      const before = responses.length;
      await vi.waitUntil(() => responses.length > before);
      const response = responses[before];
      if (response === undefined) throw new Error('There is no response.');
      return { socket, response };
    },
  };
}

function textOf(socket: Socket): () => string {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

test('asks the store for nothing before there is a reader, and once for many changes', async () => {
  const { clock, change, reader, described } = await rig();
  change('a', 'r1');
  await clock.advance(1_000);
  const text = textOf((await reader()).socket);
  for (let i = 0; i < 500; i += 1) change('a', `r${i}`);
  change('gone', 'secret');
  change('b', 'secret');
  await clock.advance(1_000);
  await vi.waitUntil(() => text().includes('"id":"b"'));
  expect(described()).toBe(3);
  const [first = ''] = /^data: (.*)$/mu.exec(text())?.slice(1) ?? [];
  expect(JSON.parse(first)).toMatchObject({ rows: { length: 100 }, hasMoreRows: true });
  expect(text()).not.toContain('secret');
});

test('cuts off whoever does not read, before much is kept for it; others hear everything', async () => {
  const { clock, change, reader } = await rig(60_000);
  const { socket: idle, response } = await reader();
  idle.pause();
  const { socket } = await reader();
  const text = textOf(socket);
  let most = 0;
  // More than a connection holds by itself.
  for (let i = 0; i < 400 && !response.destroyed; i += 1) {
    change('a', `r${i}`);
    await clock.advance(300);
    most = Math.max(most, response.writableLength);
    await vi.waitUntil(() => text().includes(`"r${i}"`));
  }
  expect(response.destroyed).toBe(true);
  expect(most).toBeLessThan(512 * 1024);
  expect(socket.destroyed).toBe(false);
});

test('keeps a bounded past: what is older is told as a reset', async () => {
  const { clock, change, reader } = await rig(60_000);
  const text = textOf((await reader()).socket);
  for (let i = 0; i < 40; i += 1) {
    change('a', `r${i}`);
    await clock.advance(300);
    await vi.waitUntil(() => text().includes(`"r${i}"`));
  }
  const ids = [...text().matchAll(/^id: (\S+)$/gmu)].map(([, id]) => id ?? '');
  const late = textOf((await reader(ids[0])).socket);
  await vi.waitUntil(() => late().includes('event: reset'));
  expect(late()).not.toContain('event: batch');
  const soon = textOf((await reader(ids[35])).socket);
  await vi.waitUntil(() => soon().includes('"r39"'));
  expect(soon()).not.toContain('"r35"');
});
