/** What the network hid is shown byte for byte, and settled by the user's word alone, for one row or for many. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { answerDialogs, answerQuestions, countOf, newFolder, test, type Launched } from './launch.ts';

const SHEET = [
  'row,operation,prompt,lyrics_model',
  'one,lyrics,A lullaby about a lighthouse,v1',
  'two,lyrics,A lullaby about a harbour,v1',
  'three,lyrics,A lullaby about a ferry,v1',
].join('\n');

/** What comes back where something does: no JSON, with characters that a screen must not act on, and no UTF-8. */
const GARBLED = Buffer.from([0x3c, 0x68, 0x31, 0x3e, 0x1b, 0x5b, 0x32, 0x4a, 0xff]);

interface LossyGateway {
  readonly baseUrl: string;
  readonly bodies: string[];
  answer: 'nothing' | 'garbled';
  close(): void;
}

/** Takes every submit and never says what became of it. */
async function startLossyGateway(): Promise<LossyGateway> {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      if (gateway.answer === 'nothing') request.socket.destroy();
      else response.writeHead(502, { 'Content-Type': 'text/html', 'X-Trace': 'lost-1' }).end(GARBLED);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const gateway: LossyGateway = {
    baseUrl: `http://127.0.0.1:${port}/api`,
    bodies,
    answer: 'nothing',
    close: () => server.close(),
  };
  return gateway;
}

let gateway: LossyGateway;

test.beforeEach(async () => {
  gateway = await startLossyGateway();
});

test.afterEach(() => gateway.close());

/** Starts the sheet and waits until every submit has been lost. */
async function loseEverySubmit(launched: Launched): Promise<string> {
  const { app, ask } = launched;
  const sheetPath = join(newFolder('lossy-sheet'), 'Lossy.csv');
  writeFileSync(sheetPath, SHEET);
  await answerDialogs(app, [sheetPath, newFolder('lossy-media')]);
  const profile = JSON.parse((await ask('profile.get')).text) as object;
  const prices = { 'musicgen/music/lyrics': { amount: 0.25, currency: 'USD' } };
  await answerQuestions(app, 'Apply changes');
  await ask('profile.set', { text: JSON.stringify({ ...profile, baseUrl: gateway.baseUrl, prices }) });
  await ask('key.set', { key: 'sk-lossy-77aa88bb' });
  const sheet = await ask('sheet.choose');
  const chosen = await ask('folder.choose');
  const { id } = await ask('batch.create', {
    sheetId: sheet?.sheetId ?? '',
    name: 'Lossy',
    rehearsal: false,
    start: true,
    ...(chosen === undefined ? {} : { folderId: chosen.folderId }),
  });
  await expect
    .poll(async () => countOf(await ask('batch.get', { batchId: id }), 'submit-unknown'), { timeout: 60_000 })
    .toBe(3);
  return id;
}

/** Answers the dialog for a new file. */
async function saveTo({ app }: Launched, file: string): Promise<void> {
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
  }, file);
}

test('the evidence of one row is shown, and exported byte for byte', async ({ open }) => {
  gateway.answer = 'garbled';
  const launched = await open();
  const { page, ask } = launched;
  const batchId = await loseEverySubmit(launched);
  await page.reload();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  // What the filter leaves has to be in sight before one of its rows can be meant.
  const grid = page.getByTestId('row-grid');
  await expect(grid).toHaveAttribute('data-ready', 'true');
  await grid.click({ position: { x: 100, y: 34 + 17 } });
  await page.keyboard.press('Control+i');

  const inspector = page.getByTestId('inspector');
  const row = (await inspector.getAttribute('aria-label'))?.replace('Row ', '') ?? '';
  const evidence = page.getByTestId('evidence');
  await expect(evidence).toContainText(new URL(gateway.baseUrl).origin);
  const prompts: Readonly<Record<string, string>> = { one: 'lighthouse', two: 'harbour', three: 'ferry' };
  const sent = gateway.bodies.find((body) => body.includes(prompts[row] ?? '?')) ?? '';
  await expect(evidence).toContainText(sent);
  await expect(evidence).toContainText('HTTP 502');
  await expect(evidence).toContainText('x-trace: lost-1');
  await expect(evidence).toContainText('3c 68 31 3e 1b 5b 32 4a ff');
  await expect(inspector).toContainText('0.25 USD');

  const file = join(newFolder('evidence-file'), 'evidence.json');
  await saveTo(launched, file);
  await inspector.getByRole('button', { name: 'Export evidence…' }).click();
  await expect(page.getByText('The evidence is exported.', { exact: true })).toBeVisible();
  const document = JSON.parse(readFileSync(file, 'utf8')) as {
    batch: string;
    evidence: { row: string; attempts: { body: { text: string }; answer: { body: { base64: string } } }[] }[];
  };
  expect(document.batch).toBe(batchId);
  expect(document.evidence.map((take) => take.row)).toEqual([row]);
  const [attempt] = document.evidence[0]?.attempts ?? [];
  expect(attempt?.body.text).toBe(sent);
  expect(Buffer.from(attempt?.answer.body.base64 ?? '', 'base64').equals(GARBLED)).toBe(true);
  expect(readFileSync(file, 'utf8')).not.toContain('sk-lossy');
  expect(countOf(await ask('batch.get', { batchId }), 'submit-unknown')).toBe(3);
  await launched.close();
});

test('many rows are written off at once, and none without the user’s word', async ({ open }) => {
  const launched = await open();
  const { page, ask } = launched;
  const batchId = await loseEverySubmit(launched);
  await page.reload();
  await page.getByTestId('chip-submit-unknown').click();
  const bar = page.getByTestId('settle-bar');
  await expect(bar).toContainText('3 rows with an unknown outcome');
  await expect(bar).toContainText('0.75 USD');
  await bar.getByRole('button', { name: 'Write off 3 rows…' }).click();
  await page.getByRole('button', { name: 'Leave it unknown' }).click();
  expect(countOf(await ask('batch.get', { batchId }), 'submit-unknown')).toBe(3);
  await bar.getByRole('button', { name: 'Write off 3 rows…' }).click();
  await page.getByRole('button', { name: 'Write off 3 rows', exact: true }).click();
  await expect.poll(async () => countOf(await ask('batch.get', { batchId }), 'failed')).toBe(3);
  await expect(bar).toBeHidden();
  expect(gateway.bodies).toHaveLength(3);
  await launched.close();
});

test('a selection of rows is submitted again, and no other', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  await loseEverySubmit(launched);
  await page.reload();
  const grid = page.getByTestId('row-grid');
  await expect(page.getByTestId('chip-submit-unknown')).toContainText('3');
  await grid.click({ position: { x: 60, y: 34 + 17 } });
  await page.keyboard.press('Shift+ArrowDown');
  const bar = page.getByTestId('settle-bar');
  await bar.getByRole('button', { name: 'Resubmit 2 rows…' }).click();
  await page.getByRole('button', { name: 'Resubmit 2 rows', exact: true }).click();
  await expect.poll(() => gateway.bodies.length).toBe(5);
  expect(gateway.bodies.slice(3).every((body) => gateway.bodies.slice(0, 3).includes(body))).toBe(true);
  await launched.close();
});

/** Starts the sheet with this gateway, and shows its batch. */
async function startAt({ app, page, ask }: Launched, baseUrl: string, canary = false): Promise<void> {
  const sheetPath = join(newFolder('waits-sheet'), 'Waits.csv');
  writeFileSync(sheetPath, SHEET);
  await answerDialogs(app, [sheetPath, newFolder('waits-media')]);
  await ask('gateway.setBaseUrl', { baseUrl });
  await ask('key.set', { key: 'sk-waits-77aa88bb' });
  const sheetId = (await ask('sheet.choose'))?.sheetId ?? '';
  const folderId = (await ask('folder.choose'))?.folderId ?? '';
  await ask('batch.create', { sheetId, name: 'Waits', rehearsal: false, start: true, folderId, canary });
  await page.reload();
}

async function startServer(answer: RequestListener): Promise<{ readonly server: Server; readonly baseUrl: string }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a gateway that does not answer is waited for, and the window says so', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  gateway.close();
  await startAt(launched, gateway.baseUrl);
  // The rows say more than that.
  await expect(page.getByText('The gateway does not answer', { exact: true })).toBeVisible();
  await expect(page.getByText('Nocturne waits and continues automatically', { exact: false })).toBeVisible();
  await launched.close();
});

test('while a gateway asks to slow down, the window says until when it is left alone', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  const { server, baseUrl } = await startServer((request, response) => {
    request.resume();
    response.writeHead(429, { 'retry-after': '600' }).end();
  });
  await startAt(launched, baseUrl);
  await expect(page.getByTestId('gateway-held')).toHaveText(/The gateway asks us to wait\s*next at \d\d:\d\d:\d\d/);
  await expect(page.getByText('does not answer')).toBeHidden();
  await launched.close();
  server.close();
  server.closeAllConnections();
});

test('while the first row of a kind is tried, the head says that the others wait for it', async ({ open }) => {
  const launched = await open();
  const { server, baseUrl } = await startServer((request) => request.resume());
  await startAt(launched, baseUrl, true);
  await expect(launched.page.getByTestId('first-of-kind')).toHaveText(
    'Other rows wait for row one, the first of its kind',
  );
  // The application waits for the answer to what it has sent.
  server.close();
  server.closeAllConnections();
  await launched.close();
});
