import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FIXTURES } from '../support/file-place-rig.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli, startCli, type CliEnd } from '../support/run-cli.ts';
import { startS3Proxy } from '../support/s3-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWebdavServer, WEBDAV_SERVER_IS_HERE } from '../support/webdav-server.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-main-41c0';
const PICTURE = nameOf('picture.png', 'png');
const OTHER = nameOf('picture.jpg', 'jpg');
const TONE = nameOf('tone-cbr.mp3', 'mp3');

/** How a content is called at its place. */
function nameOf(fixture: string, extension: string): string {
  const bytes = readFileSync(new URL(fixture, FIXTURES));
  return `${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
}

test.skipIf(!WEBDAV_SERVER_IS_HERE)(
  'files on this computer are put once, before they are paid for, also across a kill',
  async () => {
    const webdav = await startWebdavServer();
    onTestFinished(() => webdav.close());
    const proxy = await startS3Proxy(new URL(webdav.url).origin);
    onTestFinished(() => proxy.close());
    /** What lay at the place with each request to the gateway. */
    const looks: { readonly at: number; readonly names: readonly string[] }[] = [];
    const gateway = await startObservedGateway({
      behaviour: { timeScale: 0.01, media: { detail: 'tiny' } },
      acceptKey: (given) => {
        looks.push({ at: Date.now(), names: webdav.names() });
        return given === KEY;
      },
    });
    if (!gateway.ok) throw new Error(JSON.stringify(gateway.error));
    onTestFinished(() => gateway.value.close());
    const dir = temporaryFolder();
    mkdirSync(path.join(dir, 'a secret folder', 'töne'), { recursive: true });
    const bring = (fixture: string, name: string): void =>
      copyFileSync(new URL(fixture, FIXTURES), path.join(dir, 'a secret folder', name));
    bring('picture.png', 'kite.png');
    bring('picture.png', 'kite again.png');
    bring('picture.jpg', 'sea.jpg');
    bring('tone-cbr.mp3', 'töne/100%.mp3');
    const sheet = path.join(dir, 'a secret folder', 's.csv');
    const lines = [
      'row,operation,prompt,images,image_urls,audioUrl',
      'one,video-a,a kite,kite.png,,',
      `two,video-a,the same kite,${path.join(dir, 'a secret folder', 'kite again.png')}|https://a.example/sky.png,,`,
      'three,image,the sea,,./sea.jpg | kite.png,',
      'four,upload,,,,töne/100%.mp3',
      'five,lyrics,no file at all,,,',
      'chain,video-a,of another,{{three.output.1.url}}|kite.png,,',
      'on,video-a,and on it goes,{{one.output.1.lastFrame}},,',
      'on-again,video-a,and on again,{{one.output.1.lastFrame}}|kite.png,,',
      ...Array.from({ length: 8 }, (_, i) => `more-${i},video-a,kite number ${i},kite.png,,`),
      'gone,video-a,a file that is not there,kites.png,,',
    ];
    writeFileSync(sheet, `${lines.join('\n')}\n`);
    const place = path.join(dir, 'place.json');
    writeFileSync(place, JSON.stringify({ webdav: { url: `${proxy.url}/in%20put`, user: webdav.user } }));
    const environment = { NOCTURNE_AI_KEY: KEY, NOCTURNE_FILES_PASSWORD: webdav.password };
    const said: string[] = [];
    const note = (end: CliEnd): CliEnd => {
      said.push(end.stdout, end.stderr);
      return end;
    };
    const data = ['--data', path.join(dir, 'data')];
    const nocturne = async (...args: readonly string[]): Promise<CliEnd> =>
      note(await runCli([...args, ...data], environment));

    // Without a place it is an error of its rows, and says what to do.
    const without = await nocturne('check', sheet);
    expect(without.exitCode).toBe(2);
    expect(without.stderr).toContain('--files-place FILE');
    const checked = await nocturne('check', sheet, '--files-place', place, '--json');
    const document = JSON.parse(checked.stdout) as {
      readonly problems: readonly { readonly row?: string; readonly code: string }[];
      readonly localFiles: readonly { readonly row: string; readonly mediaType: string }[];
    };
    expect(document.problems.map(({ row, code }) => [row, code])).toEqual([['gone', 'local-file']]);
    expect(document.localFiles.length).toBe(15);
    expect((await nocturne('check', sheet, '--files-place', place)).stdout).toContain('4 local files');
    expect(proxy.seen).toEqual([]);

    // The recording is on its way when the process is killed, and holds back no other row.
    proxy.fault(async ({ method, path: asked }) => {
      if (method === 'PUT' && asked.includes(TONE)) await new Promise(() => undefined);
      return undefined;
    });
    const args = ['run', sheet, '--base-url', gateway.value.baseUrl, '--no-canary', '--out', path.join(dir, 'out')];
    const running = startCli([...args, '--files-place', place, '--json', ...data], environment);
    const files = (kind: string): number => readdirSync(path.join(dir, 'out', kind)).length;
    await vi.waitFor(() => expect([files('video'), files('data'), Math.min(files('image'), 1)]).toEqual([13, 1, 1]), {
      timeout: 60_000,
    });
    running.process.kill('SIGKILL');
    note(await running.ended);
    proxy.fault(() => undefined);

    // What the place is, this computer knows by now.
    const ended = await nocturne('resume', '--no-canary');
    // One row could not run.
    expect(ended).toMatchObject({
      exitCode: 3,
      stdout: expect.stringContaining('1 invalid · 16 done') as string,
    });

    const [frame = '', ...more] = webdav.names().filter((name) => ![PICTURE, OTHER, TONE].includes(name));
    expect([frame.endsWith('.png'), more, webdav.names().length]).toEqual([true, [], 4]);
    const puts = proxy.seen.filter(({ method }) => method === 'PUT').map(({ path: asked }) => asked.split('/').at(-1));
    expect(puts.filter((name) => name === PICTURE).length).toBe(1);
    expect(puts.filter((name) => name === OTHER).length).toBe(1);
    expect(puts.filter((name) => name === frame).length).toBe(1);

    const charges = gateway.value.chargeLog();
    const prompts = charges.map(({ body }) => body['prompt'] ?? 'upload');
    expect(new Set(prompts).size).toBe(prompts.length);
    expect(prompts.length).toBe(lines.length - 2);
    const at = (name: string): string => `${proxy.url}/in%20put/${name}`;
    const bodyOf = (prompt: string): unknown => charges.find(({ body }) => body['prompt'] === prompt)?.body;
    expect(bodyOf('the same kite')).toMatchObject({ images: [at(PICTURE), 'https://a.example/sky.png'] });
    expect(bodyOf('the sea')).toMatchObject({ image_urls: [at(OTHER), at(PICTURE)] });
    expect(bodyOf('and on it goes')).toMatchObject({ images: [at(frame)] });
    expect(bodyOf('and on again')).toMatchObject({ images: [at(frame), at(PICTURE)] });
    expect(bodyOf('of another')).toMatchObject({ images: [expect.stringContaining('http') as string, at(PICTURE)] });
    expect(charges.find(({ body }) => 'audioUrl' in body)?.body).toEqual({ audioUrl: [at(TONE)] });
    for (const { body, at: paidAt } of charges) {
      const named = [PICTURE, OTHER, TONE, frame].filter((name) => JSON.stringify(body).includes(name));
      const look = looks.findLast((one) => one.at <= paidAt);
      expect(look?.names ?? []).toEqual(expect.arrayContaining(named));
    }

    // Neither the path nor the key leaves this computer, and the password is kept nowhere.
    const left = JSON.stringify([charges, proxy.seen]);
    for (const secret of ['secret folder', 'kite.png', 'sea.jpg', KEY]) expect(left).not.toContain(secret);
    const kept = readdirSync(path.join(dir, 'data'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)).toString('utf8'));
    for (const text of [...said, ...kept]) expect(text.includes(webdav.password)).toBe(false);
    expect(readdirSync(path.join(dir, 'data', 'files-place', 'on-the-way'))).toEqual([]);
  },
);

test.skipIf(!WEBDAV_SERVER_IS_HERE)(
  'files are deleted after their batch where the place says so, and put again for a row that is tried again',
  async () => {
    const webdav = await startWebdavServer();
    onTestFinished(() => webdav.close());
    const proxy = await startS3Proxy(new URL(webdav.url).origin);
    onTestFinished(() => proxy.close());
    const gateway = await startObservedGateway({
      behaviour: {
        timeScale: 0.01,
        media: { detail: 'tiny' },
        moderation: { words: ['never'], at: 'task' },
      },
      acceptKey: (given) => given === KEY,
    });
    if (!gateway.ok) throw new Error(JSON.stringify(gateway.error));
    onTestFinished(() => gateway.value.close());
    const dir = temporaryFolder();
    const bring = (fixture: string, name: string): void =>
      copyFileSync(new URL(fixture, FIXTURES), path.join(dir, name));
    bring('picture.png', 'kite.png');
    bring('picture.jpg', 'sea.jpg');
    const sheet = path.join(dir, 's.csv');
    writeFileSync(
      sheet,
      'row,operation,prompt,images\none,video-a,a kite,kite.png\ntwo,video-a,the sea,sea.jpg\nthree,video-a,never,kite.png\n',
    );
    const place = path.join(dir, 'place.json');
    const url = `${proxy.url}/in%20put`;
    writeFileSync(place, JSON.stringify({ webdav: { url, user: webdav.user }, deleteAfterBatch: true }));
    const environment = { NOCTURNE_AI_KEY: KEY, NOCTURNE_FILES_PASSWORD: webdav.password };
    const nocturne = (...args: readonly string[]): Promise<CliEnd> =>
      runCli([...args, '--data', path.join(dir, 'data')], environment);

    const profile = path.join(dir, 'profile.json');
    const status = { 'videogen-a': { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' } };
    writeFileSync(profile, JSON.stringify({ name: 'mine', baseUrl: gateway.value.baseUrl, status }));

    // A file of the same content is there before: that one is not ours.
    webdav.write(OTHER, readFileSync(new URL('picture.jpg', FIXTURES)));
    proxy.fault(({ method }) => (method === 'DELETE' ? { kind: 'refuse', status: 403 } : undefined));
    const out = path.join(dir, 'out');
    const args = ['run', sheet, '--profile', profile, '--no-canary', '--out', out, '--files-place', place];
    const ran = await nocturne(...args);
    expect(ran.exitCode).toBe(3);
    expect(ran.stdout).toContain(`Files put at ${url}: 0 deleted, 1 still there, 1 left alone`);
    expect(ran.stdout).toContain('refuses user or password (HTTP 403)');
    expect(webdav.names().toSorted()).toEqual([PICTURE, OTHER].toSorted());
    proxy.fault(() => undefined);

    const said = await nocturne('status');
    expect(said.stdout).toContain('1 still there, 1 left alone');
    expect(JSON.parse((await nocturne('status', '--json')).stdout)).toMatchObject([
      { putFiles: { left: 1, deleted: 0, notOurs: 1, problems: [expect.stringContaining('403')] } },
    ]);

    const puts = (): number => proxy.seen.filter(({ method }) => method === 'PUT').length;
    expect(puts()).toBe(1);
    // The row that is tried again has its file as long as it needs it.
    const retried = await nocturne('retry', path.basename(sheet, '.csv'), '--failed');
    expect(retried.stdout).toContain(`Files put at ${url}: 1 deleted, 1 left alone`);
    expect(webdav.names()).toEqual([OTHER]);
    expect(puts()).toBe(1);
    await nocturne('retry', path.basename(sheet, '.csv'), '--failed');
    expect(webdav.names()).toEqual([OTHER]);
    expect(puts()).toBe(2);
    const sent = gateway.value.chargeLog().filter(({ body }) => body['prompt'] === 'never');
    expect(sent.length).toBe(3);
    for (const { body } of sent) expect(body['images']).toEqual([`${url}/${PICTURE}`]);
  },
);

test.skipIf(!WEBDAV_SERVER_IS_HERE)('rows that lacked a place run once it is named, after what they cost', async () => {
  const webdav = await startWebdavServer();
  onTestFinished(() => webdav.close());
  const gateway = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' } },
    acceptKey: (given) => given === KEY,
  });
  if (!gateway.ok) throw new Error(JSON.stringify(gateway.error));
  onTestFinished(() => gateway.value.close());
  const dir = temporaryFolder();
  copyFileSync(new URL('picture.png', FIXTURES), path.join(dir, 'kite.png'));
  const sheet = path.join(dir, 's.csv');
  const lines = [
    'row,operation,prompt,images',
    'plain,image,no file at all,',
    'one,video-a,a kite,kite.png',
    'two,video-a,and on it goes,{{one.output.1.url}}',
    'three,video-a,,',
  ];
  writeFileSync(sheet, `${lines.join('\n')}\n`);
  const place = path.join(dir, 'place.json');
  writeFileSync(place, JSON.stringify({ webdav: { url: webdav.url, user: webdav.user } }));
  const profile = path.join(dir, 'profile.json');
  const prices = { 'videogen-a/video/generate': { amount: 0.25, currency: 'USD' } };
  writeFileSync(profile, JSON.stringify({ name: 'mine', baseUrl: gateway.value.baseUrl, prices }));
  const environment = { NOCTURNE_FILES_PASSWORD: webdav.password };
  const nocturne = (...args: readonly string[]): Promise<CliEnd> =>
    runCli([...args, '--data', path.join(dir, 'data')], environment);
  const key = path.join(dir, 'key');
  writeFileSync(key, KEY, { mode: 0o600 });
  const charged = (): unknown[] => gateway.value.chargeLog().map(({ body }) => body['prompt']);

  const out = path.join(dir, 'out');
  const ran = await nocturne('run', sheet, '--profile', profile, '--key-file', key, '--no-canary', '--out', out);
  expect(ran.stdout).toContain('3 invalid · 1 done');
  // What is paid for needs the key, also in a batch that is finished.
  expect((await nocturne('resume', '--files-place', place)).exitCode).toBe(2);
  expect(charged()).toEqual(['no file at all']);

  const resumed = await nocturne('resume', '--files-place', place, '--key-file', key);
  expect(resumed.stdout).toContain('2 rows can run now that there is a place: 2 paid requests, 0.50 USD');
  expect(resumed.stdout).toContain('1 invalid · 3 done');
  expect(charged()).toEqual(['no file at all', 'a kite', 'and on it goes']);
  // Named again, it opens nothing more.
  const again = await nocturne('resume', '--files-place', place);
  expect([again.exitCode, again.stdout.includes('can run now')]).toEqual([3, false]);
  expect(charged().length).toBe(3);
});
