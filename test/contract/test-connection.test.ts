import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { expect, onTestFinished, test } from 'vitest';
import { testConnection } from '../../src/engine/gateway/test-connection.ts';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';
import type { ConnectionReport } from '../../src/shared/domain/gateway/learned/connection.ts';
import { connectionWords } from '../../src/shared/domain/gateway/learned/connection.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SELF_SIGNED } from './gateway-client-certificate.ts';
import { KEY, profileFor } from './gateway-client-under-test.ts';
import { systemClock } from '../../src/engine/system-clock.ts';

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** What a server that always answers like this is taken for, and every request that it got. */
async function testAgainst(listener: RequestListener, key: string | undefined = KEY) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${String(request.headers['aikey'])}`);
    listener(request, response);
  });
  const report = await tested(`http://127.0.0.1:${await listen(server)}/api`, key);
  return { report, requests };
}

function tested(baseUrl: string, key: string | undefined = KEY): Promise<ConnectionReport> {
  const keyFinder = new KeyFinder([KEY]);
  return testConnection({ profile: profileFor(baseUrl), key, keyFinder, clock: systemClock });
}

function json(httpStatus: number, body: object): RequestListener {
  return (_request, response) => {
    response.writeHead(httpStatus, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

const UNKNOWN_TASK = { code: 404, info: 'task not found', success: false, failure: true };

test('a gateway of this kind is recognised by any of its answers, with and without a key, and nothing is charged', async () => {
  const started = await startObservedGateway({ acceptKey: (key) => key === KEY });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const { baseUrl } = started.value;
  expect(await tested(baseUrl)).toMatchObject({ result: 'works' });
  expect(await testConnection({ ...given(baseUrl), key: 'another-key-123' })).toMatchObject({ result: 'key-rejected' });
  expect(await testConnection({ ...given(baseUrl), key: undefined })).toMatchObject({ result: 'key-missing' });
  expect(started.value.chargeLog()).toEqual([]);

  const { report, requests } = await testAgainst(json(404, UNKNOWN_TASK));
  expect(report).toMatchObject({ result: 'works', came: 'task not found (HTTP 404, code 404)' });
  expect(requests).toEqual([`GET /api/musicgen/result?taskCode=nocturne-connection-test ${KEY}`]);
});

test('a 404 tells a wrong path from an unknown task where its words do, and else says that it may be either', async () => {
  const started = await startObservedGateway({ acceptKey: (key) => key === KEY });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const wrong = await tested(`${new URL(started.value.baseUrl).origin}/wrong/path`);
  expect(wrong).toMatchObject({ result: 'wrong-path', came: expect.stringContaining('no such path') as string });
  expect(connectionWords(wrong)).toEqual({
    title: 'The gateway answers, but does not know this path',
    advice: expect.stringContaining('Check the base URL') as string,
  });
  const answered = async (httpStatus: number, info: string, key: string | undefined = KEY) =>
    (await testAgainst(json(httpStatus, { code: 404, info, failure: true }), key)).report.result;
  for (const info of ['Cannot GET /api/musicgen/result', 'No route matches', '接口不存在']) {
    expect(await answered(404, info)).toBe('wrong-path');
    expect(await answered(200, info)).toBe('wrong-path');
  }
  expect(await answered(404, 'no such endpoint', '')).toBe('wrong-path');
  for (const info of ['task not found', 'unknown taskCode', '任务不存在', '查无此记录']) {
    expect(await answered(404, info)).toBe('works');
  }
  for (const info of ['not found', 'Resource not found', '']) expect(await answered(404, info)).toBe('path-unclear');
  // The other families are asked, too: one that knows the task’s kind says more.
  const { report } = await testAgainst((request, response) => {
    const info = request.url?.includes('/musicgen/') === true ? 'no such path' : 'task not found';
    json(404, { code: 404, info, failure: true })(request, response);
  });
  expect(report.result).toBe('works');
});

function given(baseUrl: string) {
  return { profile: profileFor(baseUrl), keyFinder: new KeyFinder([KEY]), clock: systemClock };
}

test('a key is rejected by the HTTP status or by the words of the envelope; its echo is not shown', async () => {
  expect((await testAgainst((_request, response) => response.writeHead(401).end())).report.result).toBe('key-rejected');
  const { report } = await testAgainst(json(200, { code: 401, info: `invalid api key ${KEY}`, failure: true }));
  expect(report.result).toBe('key-rejected');
  expect(JSON.stringify(report)).not.toContain(KEY);
});

test('a web page, JSON of another kind and a redirect are no gateway; trouble says nothing of it', async () => {
  const page: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>');
  };
  const { report, requests } = await testAgainst(page);
  expect(report).toMatchObject({ result: 'not-a-gateway', body: '<!doctype html><title>Welcome</title>' });
  // Each of its result operations was asked, once.
  expect(requests).toHaveLength(3);
  expect((await testAgainst(json(404, { detail: 'Not Found' }))).report.result).toBe('not-a-gateway');
  const elsewhere: RequestListener = (_request, response) => {
    response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
  };
  expect((await testAgainst(elsewhere)).report.result).toBe('not-a-gateway');
  expect((await testAgainst((_request, response) => response.writeHead(502).end())).report.result).toBe('unclear');
});

test('what cannot be reached says why, and no key leaves', async () => {
  const closed = createServer();
  const port = await listen(closed);
  closed.close();
  expect(await tested(`http://127.0.0.1:${port}/api`)).toMatchObject({ result: 'unreachable', reason: 'refused' });

  let reached = false;
  const server = createTlsServer(SELF_SIGNED, () => {
    reached = true;
  });
  const report = await tested(`https://127.0.0.1:${await listen(server)}/api`);
  expect(report).toMatchObject({ result: 'unreachable', reason: 'certificate' });
  expect(connectionWords(report).advice).toContain('no key was sent');
  expect(reached).toBe(false);
});

test('a gateway that accepts and never answers is given up at the deadline', async () => {
  const clock = new FakeClock();
  let arrived: () => void = () => undefined;
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = createServer(() => arrived());
  onTestFinished(() => server.closeAllConnections());
  const baseUrl = `http://127.0.0.1:${await listen(server)}/api`;
  const report = testConnection({ ...given(baseUrl), key: KEY, clock });
  await hasArrived;
  await clock.advance(21_000);
  expect(await report).toMatchObject({ result: 'unreachable', reason: 'no-answer' });
});
