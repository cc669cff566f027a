import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli, type CliEnd } from '../support/run-cli.ts';
import { S3_SERVER_IS_HERE, startS3Server } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

const SECRET = 'a-secret-of-the-bucket-51b7';
const headers = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=AKIDTESTS/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0',
};

test.skipIf(!S3_SERVER_IS_HERE)('a night goes into a bucket, and its secret nowhere', async () => {
  const s3 = await startS3Server();
  onTestFinished(() => s3.close());
  await fetch(`${s3.url}/night-films`, { method: 'PUT', headers });
  const key = 'canary-key-main-41c0';
  const gateway = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' } },
    acceptKey: (given) => given === key,
  });
  if (!gateway.ok) throw new Error(JSON.stringify(gateway.error));
  onTestFinished(() => gateway.value.close());
  const dir = temporaryFolder();
  const sheet = path.join(dir, 's.csv');
  writeFileSync(sheet, 'row,operation,prompt\nr1,image,a moon\nr2,lyrics,a song\nr3,image,a sun\n');
  const environment = {
    NOCTURNE_AI_KEY: key,
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_ACCESS_KEY_ID: 'AKIDNIGHT',
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_REGION: 'eu-west-3',
  };
  const said: string[] = [];
  const nocturne = async (args: readonly string[], more: NodeJS.ProcessEnv = environment): Promise<CliEnd> => {
    const end = await runCli([...args, '--data', path.join(dir, 'data')], more);
    said.push(end.stdout, end.stderr);
    return end;
  };
  const out = 's3://night-films/tonight';
  const run = ['run', sheet, '--base-url', gateway.value.baseUrl, '--no-canary', '--out'];

  expect(await nocturne([...run, 's3://Night_Films'])).toMatchObject({ exitCode: 2 });
  const missing = await nocturne([...run, 's3://night-filmz/tonight']);
  expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no such bucket') as string });
  const nobody = await nocturne([...run, out], { ...environment, AWS_ACCESS_KEY_ID: '', HOME: dir });
  expect(nobody).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no credentials') as string });
  expect(gateway.value.stats().submits).toBe(0);

  expect(await nocturne([...run, `${out}/`])).toMatchObject({ exitCode: 0 });
  expect((await nocturne(['status'])).stdout).toContain(out);
  const list = await fetch(`${s3.url}/night-films?list-type=2`, { headers });
  const keys = [...(await list.text()).matchAll(/<Key>([^<]*)/gu)].map(([, found = '']) => found);
  expect(keys.toSorted()).toEqual([
    'tonight/.nocturne-folder.json',
    expect.stringMatching(/^tonight\/data\/r2-.*\.json$/u),
    expect.stringMatching(/^tonight\/image\/r1-.*\.png$/u),
    expect.stringMatching(/^tonight\/image\/r3-.*\.png$/u),
    'tonight/index.html',
    'tonight/manifest.csv',
    'tonight/manifest.json',
    'tonight/sheet.results.csv',
  ]);
  expect(await nocturne(['verify', out])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('3 of 3 files verified') as string,
  });

  const copy = path.join(dir, 'copy');
  const batch = JSON.parse((await nocturne(['status', '--json'])).stdout) as readonly {
    readonly batch?: string;
    readonly id?: string;
  }[];
  const id = batch[0]?.id ?? batch[0]?.batch ?? '';
  expect(await nocturne(['export', id, '--out', copy])).toMatchObject({ exitCode: 0 });
  expect(await nocturne(['verify', copy])).toMatchObject({ exitCode: 0 });
  expect(readdirSync(path.join(copy, 'image')).length).toBe(2);

  const image = keys.find((found) => found.includes('/r1-')) ?? '';
  await fetch(`${s3.url}/night-films/${image}`, { method: 'PUT', headers, body: 'others' });
  await fetch(`${s3.url}/night-films/tonight/notes.txt`, { method: 'PUT', headers, body: 'mine' });
  const bad = await nocturne(['verify', out]);
  expect(bad).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('r1-') as string });
  expect(bad.stdout).toContain('1 file not in the manifest');

  // Neither said nor kept, and no folder of that name beside the program.
  const kept = readdirSync(path.join(dir, 'data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)).toString('latin1'));
  for (const text of [...said, ...kept]) expect(text.includes(SECRET)).toBe(false);
  expect(kept.some((text) => text.includes('night-films'))).toBe(true);
  expect(existsSync('s3:')).toBe(false);
});
