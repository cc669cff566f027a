import { listOf } from '../../src/shared/domain/base/result.ts';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';
import { SELF_SIGNED } from '../contract/gateway-client-certificate.ts';
import { auditCharges } from './charge-audit.ts';
import type { FaultNight } from './fault-night.ts';
import { openFaultNight, songRows } from './fault-night.ts';

/** A way not to reach the gateway at all: gives the base URL that leads nowhere, and what was heard there. */
interface DeadEnd {
  readonly baseUrl: string;
  readonly heard: () => string;
}

/** A server that closes every connection after what it says; what it heard is kept. */
async function openServer(test: TestContext, kind: 'plain' | 'self-signed'): Promise<DeadEnd> {
  let heard = '';
  const server = kind === 'plain' ? createServer() : createTlsServer(SELF_SIGNED);
  server.on(kind === 'plain' ? 'connection' : 'secureConnection', (socket: Socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString('latin1');
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.onTestFinished(() => {
    server.close();
  });
  return { baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/api`, heard: () => heard };
}

const NOWHERE: readonly { name: string; says: RegExp; open: (test: TestContext) => Promise<DeadEnd> }[] = [
  {
    name: 'a name that no server knows',
    says: /ENOTFOUND|EAI_AGAIN/u,
    open: async () => ({ baseUrl: 'https://gateway.invalid/api', heard: () => '' }),
  },
  {
    name: 'a server that speaks no TLS',
    says: /could not be reached/u,
    open: (context) => openServer(context, 'plain'),
  },
  {
    name: 'a certificate that nobody vouches for',
    says: /certificate|self.signed/iu,
    open: (context) => openServer(context, 'self-signed'),
  },
  {
    // An address for documentation: routers drop what is sent there, or say so.
    name: 'an address that never answers',
    says: /could not be reached/u,
    open: async () => ({ baseUrl: 'https://192.0.2.1:9/api', heard: () => '' }),
  },
];

describe.concurrent.each(NOWHERE)('$name', { timeout: 60_000 }, ({ says, open }) => {
  test('on a submit: nothing is sent, the batch waits and says why', async (context) => {
    const { baseUrl, heard } = await open(context);
    const night = await openFaultNight(context, { rows: songRows(3), baseUrl });
    await night.engine.start(night.batchId);
    await night.until(async () => isTriedAgain(night));
    const trouble = night.engine.standing.trouble(night.batchId);
    expect(trouble?.code).toBe('NETWORK_NOT_SENT');
    expect(trouble?.message).toMatch(says);
    await night.stop();
    expect(heard()).not.toMatch(/POST|fault-night-key/u);
    expect(night.gateway.chargeLog()).toEqual([]);
    expect(night.bugs).toEqual([]);
  });

  test('on a download: it is tried again, and in the end the row says why', async (context) => {
    const { baseUrl } = await open(context);
    const night = await openFaultNight(context, {
      rows: songRows(1),
      fileOrigin: new URL(baseUrl).origin,
    });
    await night.engine.start(night.batchId);
    await night.until(async () => hasFailedDownload(night));
    const audit = await auditCharges(night);
    expect(audit).toMatchObject({ charges: 1, duplicates: [], losses: [] });
    expect(night.bugs).toEqual([]);
  });
});

/** Not sent twice: it was put back into the queue, and taken out of it again. */
async function isTriedAgain({ engine, batchId }: FaultNight): Promise<boolean> {
  return (await listOf(engine.store.tasksByStatus(['queued'], batchId))).some(({ setbacks }) => setbacks >= 2);
}

async function hasFailedDownload({ engine, batchId }: FaultNight): Promise<boolean> {
  const tasks = await listOf(engine.store.tasksByStatus(['downloading', 'failed'], batchId));
  return tasks.some(({ outputs }) => outputs.some(({ tries }) => tries > 0));
}
