/** What a door says of what it does not do, and of what it does: a person's own program reads it, or an assistant. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startObservedGateway, type ObservedGateway } from '../../support/observed-gateway.ts';
import { startCli } from '../../support/run-cli.ts';
import { images, serveIn, type Served } from '../../support/served-door.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Each starts processes of its own.
vi.setConfig({ testTimeout: 120_000 });

const KEY = 'canary-key-90d2e4';
let dir: string;

beforeEach(() => {
  dir = temporaryFolder();
  mkdirSync(path.join(dir, 'sheets'));
});

const KNOWN = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };

/** A gateway that charges, and a door with a cap for it; its profile says what these statuses mean. */
async function paidDoor(
  faults: readonly object[],
  statuses: Readonly<Record<string, string>> = KNOWN,
): Promise<{ readonly gateway: ObservedGateway; readonly door: Served }> {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' }, faults } as never,
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const profile = path.join(dir, 'profile.json');
  const prices = { 'videogen-b/image/generate': { amount: 0.1, currency: 'EUR' } };
  writeFileSync(
    profile,
    JSON.stringify({ baseUrl: started.value.baseUrl, status: { 'videogen-b': statuses }, prices }),
  );
  const door = await serveIn(dir, ['--profile', profile, '--max-requests', '5'], { NOCTURNE_AI_KEY: KEY });
  return { gateway: started.value, door };
}

async function rest(door: Served, batchId: string): Promise<Record<string, unknown>> {
  return vi.waitFor(
    async () => {
      const { batch } = (await door.ask('get_batch', { batchId })).body;
      expect(batch['state']).toBe('finished');
      return batch;
    },
    { timeout: 60_000, interval: 50 },
  );
}

test('an input that is wrong is refused in words, each mistake with its field and what to do', async () => {
  const door = await serveIn(dir, ['--rehearse', '--sheets', path.join(dir, 'sheets')]);
  const rows = images(1);
  const fields = async (command: string, input: object): Promise<unknown> => {
    const { status, body } = await door.ask(command, input);
    expect(status).toBe(400);
    const {
      detail,
      remedy,
      fields: wrong,
    } = body as never as Record<'detail' | 'remedy', string> & {
      readonly fields: readonly { readonly path: string; readonly message: string; readonly remedy: string }[];
    };
    expect([detail, remedy]).toEqual([`The input of ${command} is not valid: ${wrong[0]?.message}`, wrong[0]?.remedy]);
    return wrong.map(({ message, remedy: what }) => `${message} → ${what}`);
  };
  expect(await fields('get_batch', {})).toEqual(['batchId is missing. → Give a text.']);
  expect(await fields('get_batch', { batchId: '' })).toEqual(['batchId is empty. → Give 1 character at least.']);
  expect(await fields('get_batch', { batchID: 'x' })).toEqual([
    'batchId is missing. → Give a text.',
    'batchID is no field of this command. → Did you mean batchId?',
  ]);
  expect(await fields('list_batches', { limit: 1e300, offset: 'x' })).toEqual([
    'offset is a text, and must be a number. → Give a number.',
    'limit is 1e+300, and must be 100 at most. → Give a number that is 100 at most.',
  ]);
  expect(await fields('check_sheet', { rows, operation: 'musik' })).toEqual([
    'operation is “musik”, which is none of its values. → Did you mean music?',
  ]);
  expect(await fields('check_sheet', { rows: [{ row: ['a'] }] })).toEqual([
    'rows.0.row is a list, and must be a text, or a number, or true or false, or null. → Give a text, or a number, or true or false, or null.',
  ]);
  expect(await fields('check_sheet', { rows: [] })).toEqual(['rows is empty. → Give 1 entry at least.']);
  expect(await fields('write_sheet', { name: '../x', rows })).toEqual([
    expect.stringMatching(/^name is no name for a file here\. → Use letters, digits/u),
  ]);
  expect(await fields('create_batch', { name: 'a', rows, key: 'k1' })).toEqual([
    'key has 2 characters, and may have 8 characters at least. → Give 8 characters at least.',
  ]);
  for (const amount of [-3, 0]) {
    expect(await fields('create_batch', { name: 'a', rows, maxCost: { amount, currency: 'EUR' } })).toEqual([
      `maxCost.amount is ${amount}, and must be more than 0. → Give a number that is more than 0.`,
    ]);
  }
  expect(await fields('plan_run', { rows, maxCost: { amount: 1, currency: 'euro; drop' } })).toEqual([
    expect.stringMatching(/^maxCost\.currency is no currency\. → Give a code such as EUR\.$/u),
  ]);
  // A name is shown in lists, in file names and in terminals.
  for (const name of ['a\0b', 'evil\u202Etxt.exe', 'a\nb', '\u001B[2J', '\uD800']) {
    expect(await fields('create_batch', { name, rows })).toEqual([
      expect.stringMatching(/^name holds a character that cannot be seen/u),
    ]);
  }
  expect(await fields('create_batch', { name: '   ', rows })).toEqual([expect.stringMatching(/^name shows nothing/u)]);
  expect((await door.ask('list_batches')).body).toEqual({ total: 0, batches: [] });
  const unknown = await fetch(`${door.url}/v1/events?batchId=nope`, {
    headers: { authorization: `Bearer ${door.token}` },
  });
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { detail: 'There is no such batch.' }]);
});

test('a sheet that is written runs as no formula in a spreadsheet, and means the same to Nocturne', async () => {
  const door = await serveIn(dir, ['--rehearse', '--sheets', path.join(dir, 'sheets')]);
  const csv =
    'row;operation;prompt\n1;image;=HYPERLINK("http://evil")\n2;image;"@cmd; -1+1"\n3;image;-5\n4;image;"- a list,\n- of two"\n';
  expect((await door.ask('write_sheet', { name: 'text', csv })).status).toBe(200);
  const rows = [
    { row: '1', operation: 'image', prompt: '=HYPERLINK("http://evil")' },
    { row: '2', operation: 'image', prompt: '@cmd; -1+1' },
    { row: '3', operation: 'image', prompt: '-5' },
    { row: '4', operation: 'image', prompt: '- a list,\n- of two' },
  ];
  expect((await door.ask('write_sheet', { name: 'rows', rows })).status).toBe(200);
  const [text, ofRows] = ['text', 'rows'].map((name) => readFileSync(path.join(dir, 'sheets', `${name}.csv`), 'utf8'));
  expect(text).toBe(ofRows);
  expect((await door.ask('write_sheet', { name: 'plain', rows: images(1) })).status).toBe(200);
  expect(readFileSync(path.join(dir, 'sheets', 'plain.csv'), 'utf8')).toBe('row,operation,prompt\r\nr0,image,r 0\r\n');
  expect(text).toContain(`1,image,"'=HYPERLINK(""http://evil"")"`);
  expect(text).not.toMatch(/(?:^|[,;\t"])[=@]/mu);
  // A batch of the file sends what was meant, and so does one of the rows.
  for (const sheet of [{ file: 'text.csv' }, { rows }, { csv }]) {
    const batchId = (await door.ask('create_batch', { name: 'Back', ...sheet })).body.batch.id;
    await door.ask('start_batch', { batchId });
    const { folder } = await rest(door, batchId);
    expect((await door.ask('export_batch', { batchId })).status).toBe(200);
    const manifest = JSON.parse(readFileSync(path.join(String(folder), 'manifest.json'), 'utf8')) as {
      readonly rows: readonly { readonly request: { readonly prompt: string } }[];
    };
    expect(manifest.rows.map(({ request }) => request.prompt)).toEqual(rows.map(({ prompt }) => prompt));
  }
});

test('a row that cannot run says why in what needs somebody, and refusals name what they are about', async () => {
  const door = await serveIn(dir, ['--rehearse']);
  const rows = [...images(1), { row: 'bad', operation: 'imige', prompt: 'x' }];
  const batchId = (await door.ask('create_batch', { name: 'Mixed', rows })).body.batch.id;
  expect((await door.ask('list_failures', { batchId })).body).toMatchObject({
    total: 1,
    rows: [
      {
        row: 'bad',
        status: 'invalid',
        problem: { code: 'operation-unknown', column: 'operation', remedy: expect.stringContaining('image') as string },
      },
    ],
  });
  const song = [{ row: '1', operation: 'music', prompt: 'a waltz', lyrics: 'la la la' }];
  expect((await door.ask('check_sheet', { rows: song })).body['problems']).toMatchObject([
    { column: 'lyrics', severity: 'warning', remedy: expect.stringMatching(/put it into “?"?prompt/u) as string },
  ]);

  // A key that was given before names its batch, and what is different.
  const first = { name: 'a', rows: images(1), key: 'order-4711' };
  const made = (await door.ask('create_batch', first)).body.batch.id;
  expect((await door.ask('create_batch', first)).body).toMatchObject({ isNew: false, batch: { id: made } });
  const other = await door.ask('create_batch', { ...first, name: 'b', maxRequests: 3 });
  expect([other.status, other.body['detail']]).toEqual([
    409,
    `This key belongs to batch ${made} (a), which was made with other values of: name, maxRequests.`,
  ]);
});

test('a batch gets a folder whose name every system accepts', async () => {
  const door = await serveIn(dir, ['--rehearse']);
  const folderOf = async (name: string): Promise<string> => {
    const made = await door.ask('create_batch', { name, rows: images(1) });
    return path.basename(String(made.body.batch['folder']));
  };
  expect(await folderOf('CON')).toBe('_CON');
  expect(await folderOf('../aux.mp4')).toBe('_aux.mp4');
  expect(await folderOf(`a${'𠮷'.repeat(60)}`)).toBe(`a${'𠮷'.repeat(39)}`);
  expect(await folderOf(`${'a'.repeat(78)}. b`)).toBe('a'.repeat(78));
  expect(await folderOf('हिन्दी')).toBe('हिन्दी');
});

test('a limit in a currency without a price is refused before there is a batch', async () => {
  const { gateway, door } = await paidDoor([]);
  const refused = await door.ask('create_batch', {
    name: 'a',
    rows: images(1),
    maxCost: { amount: 5, currency: 'xyz' },
  });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      detail: 'maxCost.currency is XYZ, and the profile has no price in XYZ for videogen-b/image/generate.',
      remedy: expect.stringContaining('Give maxCost in EUR.') as string,
      fields: [{ path: 'maxCost.currency' }],
    },
  });
  expect((await door.ask('list_batches')).body).toMatchObject({ total: 0 });
  expect((await door.ask('plan_run', { rows: images(1), maxCost: { amount: 5, currency: 'USD' } })).status).toBe(400);
  const eur = { maxCost: { amount: 5, currency: 'eur' } };
  const batchId = (await door.ask('create_batch', { name: 'a', rows: images(1), ...eur })).body.batch.id;
  const started = await door.ask('start_batch', { batchId, maxCost: { amount: 5, currency: 'USD' } });
  expect([started.status, gateway.stats().submits]).toEqual([409, 0]);
});

test('a finished batch is not started again, and a retry pays for what the gateway says has failed', async () => {
  const { gateway, door } = await paidDoor([{ kind: 'remote-failure', when: 'submit', nth: [2] }]);
  const batchId = (await door.ask('create_batch', { name: 'a', rows: images(2) })).body.batch.id;
  await door.ask('start_batch', { batchId });
  const { finishedAt, limit } = await rest(door, batchId);
  const again = await door.ask('start_batch', { batchId, maxRequests: 1 });
  expect(again).toMatchObject({
    status: 409,
    body: { detail: 'The batch is finished: nothing is left to start. Nothing was changed.' },
  });
  expect(again.body['remedy']).toBe('Retry_rows tries what failed again.');
  expect((await door.ask('get_batch', { batchId })).body.batch).toMatchObject({ finishedAt, limit });
  const retried = await door.ask('retry_rows', { batchId });
  expect(retried.body).toMatchObject({ takes: 1, paid: 1, askedAgain: 0, message: '1 take paid for again.' });
  await rest(door, batchId);
  expect(gateway.chargeLog()).toHaveLength(3);
  const none = await door.ask('start_batch', { batchId });
  expect(none.body['remedy']).toBe('See its files with list_files; for more, make another batch.');
});

test('a retry of a row counts what failed only because of it, and goes on with that row', async () => {
  const { gateway, door } = await paidDoor([{ kind: 'remote-failure', when: 'submit', nth: [1] }]);
  const rows = [
    { row: 'a', operation: 'image', prompt: 'a fox' },
    { row: 'b', operation: 'image', prompt: 'like {{a.taskId}}' },
  ];
  const batchId = (await door.ask('create_batch', { name: 'a', rows })).body.batch.id;
  await door.ask('start_batch', { batchId });
  await rest(door, batchId);
  const retried = await door.ask('retry_rows', { batchId, rows: ['a'] });
  expect(retried.body).toMatchObject({ takes: 1, paid: 2, askedAgain: 0, message: '2 takes paid for again.' });
  await rest(door, batchId);
  expect(gateway.chargeLog()).toHaveLength(3);
});

test('a retry of what only looks as if it had failed pays for nothing, says so, and needs no room under the cap', async () => {
  // Nothing is known of status 3.
  const { 3: _, ...statuses } = KNOWN;
  const { gateway, door } = await paidDoor([{ kind: 'remote-failure', when: 'submit', nth: [2] }], statuses);
  const batchId = (await door.ask('create_batch', { name: 'a', rows: images(5) })).body.batch.id;
  await door.ask('start_batch', { batchId });
  await rest(door, batchId);
  const retried = await door.ask('retry_rows', { batchId });
  expect(retried.body).toMatchObject({ takes: 1, paid: 0, askedAgain: 1 });
  expect(retried.body['message']).toContain(
    'For 1 take the gateway is asked again for the result, and nothing is paid.',
  );
  expect(retried.body['message']).toContain('Does it mean that they failed?');
  expect(retried.body['message']).toContain('{"status":{"videogen-b":{"3":"failed"}}}');
  await rest(door, batchId);
  expect(gateway.chargeLog()).toHaveLength(5);
});

test('a server says on one screen where it is, what it may spend, and how it ends', async () => {
  const cli = startCli([
    'serve',
    '--data',
    path.join(dir, 'data'),
    '--port',
    '0',
    '--base-url',
    'https://gateway.example',
  ]);
  onTestFinished(async () => {
    cli.process.kill('SIGKILL');
    await cli.ended;
  });
  await cli.lineWith('To end');
  cli.process.kill('SIGTERM');
  const { stdout, stderr } = await cli.ended;
  expect(stdout.trimEnd().split('\n')).toHaveLength(9);
  expect(stdout).toMatch(/^Nocturne answers programs on this machine at http:\/\/127\.0\.0\.1:\d+$/mu);
  for (const fact of [
    /^ {2}Token +in .*doors\/token$/mu,
    /^ {2}Gateway +https:\/\/gateway\.example, without a key: NOCTURNE_AI_KEY or --key-file FILE$/mu,
    /^ {2}Cap +none: batches are made here, and started in the window$/mu,
    /^ {2}Files +nowhere, so no batch can be made: --out DIR$/mu,
    /^ {2}To end +Ctrl-C: nothing is lost/mu,
  ]) {
    expect(stdout).toMatch(fact);
  }
  expect(stderr).toBe('Stopping: waiting for the answers to open requests. Press Ctrl-C again to stop at once.\n');
});
