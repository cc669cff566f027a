import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BUCKET_CRASH_POINTS, watchCrashPoints } from '../../src/engine/crash-point.ts';
import type { DocumentName } from '../../src/engine/media-folder/documents/export-documents.ts';
import { openBucketAt } from '../../src/engine/media-folder/s3/bucket-folder.ts';
import { publishDocument } from '../../src/engine/media-folder/s3/publish-document.ts';
import { createS3Requests } from '../../src/engine/media-folder/s3/s3-requests.ts';
import { readS3Settings } from '../../src/engine/media-folder/s3/s3-settings.ts';
import { setUpBucketRig } from '../support/bucket-rig.ts';
import { fastClock } from '../support/fast-clock.ts';
import { createMemoryJournal } from '../support/memory-journal.ts';
import { longerPng, sha256 } from '../support/media-rig.ts';
import { serveHonestly } from '../support/media-server.ts';
import { S3_SERVER_IS_HERE } from '../support/s3-server.ts';
import type { S3Fault, S3Seen } from '../support/s3-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeTarget } from './media-folder-target.suite.ts';

const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
const MAY = { mayMake: true, mayReplace: false };
const PLACED = {
  kind: 'verified',
  placement: { path: 'image/r1-moon.png', sha256: sha256(PNG), bytes: PNG.length, mediaType: 'image/png' },
};

const rig = setUpBucketRig();

const isFile = ({ path }: S3Seen): boolean => path.includes('r1-moon');
const isPut = (request: S3Seen): boolean => request.method === 'PUT' && isFile(request);

/** Does this to the first request that is meant, or to all of them. */
function faultOf(fault: S3Fault, isMeant: (request: S3Seen) => boolean, times = 1): void {
  let left = times;
  rig.proxy.fault((request) => (isMeant(request) && left-- > 0 ? fault : undefined));
}

const files = (): readonly S3Seen[] => rig.proxy.seen.filter(isFile);

describe.skipIf(!S3_SERVER_IS_HERE)('a bucket', () => {
  describeTarget(rig);
});

describe.skipIf(!S3_SERVER_IS_HERE)('the way into it', () => {
  beforeEach(() => rig.server.answer((request, response) => serveHonestly(request, response, PNG)));

  test('says with every file that nothing is to be replaced, and what it is', async () => {
    expect(await rig.fetchIt()).toEqual(PLACED);
    expect(files().map(({ method }) => method)).toEqual(['HEAD', 'PUT', 'HEAD']);
    expect(files()[1]?.headers).toMatchObject({
      'if-none-match': '*',
      'content-length': `${PNG.length}`,
      'x-amz-content-sha256': sha256(PNG),
      'x-amz-checksum-sha256': Buffer.from(sha256(PNG), 'hex').toString('base64'),
    });
  });

  test.each<[string, S3Fault, (request: S3Seen) => boolean]>([
    ['an answer that is lost', { kind: 'lose-answer' }, isPut],
    ['a connection that ends in the middle', { kind: 'cut-body' }, isPut],
    ['a server that is slow down', { kind: 'refuse', status: 503, code: 'SlowDown' }, isPut],
    ['bytes that arrive as others', { kind: 'refuse', status: 400, code: 'BadDigest' }, isPut],
    ['a look that fails', { kind: 'refuse', status: 500 }, ({ method }) => method === 'HEAD'],
  ])('takes %s for nothing but a second try', async (_, fault, isMeant) => {
    faultOf(fault, isMeant);
    expect(await rig.fetchIt()).toEqual(PLACED);
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
    expect(await rig.bytesOf('image/r1-moon.png')).toEqual(PNG);
    expect(await rig.partsIn('image')).toEqual([]);
  });

  test('does not believe a server that has kept something else', async () => {
    faultOf({ kind: 'damage' }, isPut);
    // As of a server that keeps no checksums: what it has is read.
    const hidden: S3Fault = { kind: 'answer-without', headers: ['x-amz-checksum-sha256'] };
    let isDamaged = false;
    rig.proxy.fault((request) => {
      if (!isPut(request) || isDamaged) return request.method === 'HEAD' ? hidden : undefined;
      isDamaged = true;
      return { kind: 'damage' };
    });
    const journal = createMemoryJournal();
    const outcome = await rig.fetchIt(rig.requestFor(), journal);
    expect(outcome).toMatchObject({ kind: 'disk-failed', failure: { code: 'DISK_DENIED' } });
    expect(JSON.stringify(outcome)).toContain('what arrived is not what was sent');
    // Its name is no longer free: nothing is replaced, not even that.
    const again = await rig.fetchIt(journal.next(rig.requestFor()), journal);
    expect(again).toMatchObject({ kind: 'verified', placement: { path: 'image/r1-moon-2.png' } });
    expect(await rig.bytesOf('image/r1-moon-2.png')).toEqual(PNG);
    expect(rig.server.requests.length).toBe(1);
  });

  test('keeps what was fetched while nobody answers, and asks for it no second time', async () => {
    const journal = createMemoryJournal();
    faultOf({ kind: 'cut-body' }, isPut, 9);
    const outcome = await rig.fetchIt(rig.requestFor(), journal);
    expect(outcome).toMatchObject({ kind: 'disk-failed', failure: { code: 'DISK_DENIED' } });
    expect(JSON.stringify(outcome)).toContain('does not answer');
    expect((await rig.partsIn('image')).length).toBe(1);
    rig.proxy.fault(() => undefined);
    expect(await rig.fetchIt(journal.next(rig.requestFor()), journal)).toEqual(PLACED);
    expect(rig.server.requests.length).toBe(1);
    expect(await rig.partsIn('image')).toEqual([]);
  });

  test('ends at once when the night does', async () => {
    const ending = new AbortController();
    rig.proxy.fault((request) => {
      if (isPut(request)) setImmediate(() => ending.abort());
      return isPut(request) ? { kind: 'refuse', status: 503, code: 'SlowDown' } : undefined;
    });
    expect(await rig.fetchIt(rig.requestFor(), createMemoryJournal(), ending.signal)).toEqual({ kind: 'interrupted' });
    expect((await rig.partsIn('image')).length).toBe(1);
  });

  test('takes a long file in parts, whole, once, and replaces none', async () => {
    const film = longerPng(PNG, 11 << 20);
    rig.server.answer((request, response) => serveHonestly(request, response, film));
    await rig.put('image/r1-moon.png', 'mine');
    expect(await rig.fetchIt()).toMatchObject({ placement: { path: 'image/r1-moon-2.png', sha256: sha256(film) } });
    expect((await rig.bytesOf('image/r1-moon-2.png')).equals(film)).toBe(true);
    const parts = files().filter(({ path }) => path.includes('partNumber='));
    expect(parts.map(({ headers }) => headers['content-length'])).toEqual([
      '5242880',
      '5242880',
      `${film.length - 2 * 5_242_880}`,
    ]);
    expect(files().findLast(({ method }) => method === 'POST')?.headers['if-none-match']).toBe('*');
  });

  test('removes the parts of a long file that does not come through', async () => {
    const film = longerPng(PNG, 11 << 20);
    rig.server.answer((request, response) => serveHonestly(request, response, film));
    faultOf({ kind: 'refuse', status: 403, code: 'AccessDenied' }, ({ path }) => path.includes('partNumber=2'), 9);
    expect(await rig.fetchIt()).toMatchObject({ kind: 'disk-failed' });
    expect(files().at(-1)).toMatchObject({ method: 'DELETE', path: expect.stringContaining('uploadId=') as string });
    expect(await rig.filesIn('image')).toEqual([]);
  });

  test('makes nothing of parts whose file has changed on its way', async () => {
    const film = longerPng(PNG, 11 << 20);
    rig.server.answer((request, response) => serveHonestly(request, response, film));
    rig.proxy.fault(async ({ path }) => {
      if (path.includes('partNumber=1')) await rig.changePart('image', film.length - 20_000);
      return undefined;
    });
    const journal = createMemoryJournal();
    expect(await rig.fetchIt(rig.requestFor(), journal)).toMatchObject({ kind: 'disk-failed' });
    expect(files().at(-1)).toMatchObject({ method: 'DELETE', path: expect.stringContaining('uploadId=') as string });
    expect(await rig.filesIn('image')).toEqual([]);
    // Nor is it resumed, and taken for the file.
    rig.proxy.fault(() => undefined);
    expect(await rig.fetchIt(journal.next(rig.requestFor()), journal)).toMatchObject({
      placement: { sha256: sha256(film) },
    });
  });

  test('is not taken for somebody else’s where a server has put it together and says that it failed', async () => {
    const film = longerPng(PNG, 11 << 20);
    rig.server.answer((request, response) => serveHonestly(request, response, film));
    const answers: S3Fault[] = [
      { kind: 'say-instead', code: 'InternalError' },
      { kind: 'refuse', status: 412, code: 'PreconditionFailed' },
    ];
    rig.proxy.fault(({ method, path }) =>
      method === 'POST' && path.includes('uploadId=') ? answers.shift() : undefined,
    );
    expect(await rig.fetchIt()).toMatchObject({ placement: { path: 'image/r1-moon.png', sha256: sha256(film) } });
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
  });
});

test('a bucket’s answer that never ends holds nothing up for ever', async () => {
  const server = createServer((_, response) => {
    const dripping = setInterval(() => response.write(' '), 5);
    response.once('close', () => clearInterval(dripping));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const requests = createS3Requests(
    {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret-that-nobody-sees' },
    },
    { bucket: 'b', address: 's3://b', clock: fastClock(10_000, Date.now()) },
  );
  await expect(requests.ask({ method: 'GET', key: '', doing: 'listing' })).rejects.toThrow('an answer without end');
  await requests.close();
});

describe.skipIf(!S3_SERVER_IS_HERE)('a document in it', () => {
  const publish = async (text: string, name: DocumentName = 'manifest.csv'): Promise<void> => {
    const settings = readS3Settings(rig.environment);
    const scratch = temporaryFolder();
    writeFileSync(join(scratch, name), text);
    const bucket = settings.ok
      ? openBucketAt(rig.folder, settings.value, { clock: fastClock(50, Date.now()) })
      : settings;
    if (!bucket.ok) throw new Error(bucket.error.message);
    try {
      await publishDocument(bucket.value, scratch, name);
    } finally {
      await bucket.value.close();
    }
  };
  const OURS = 'row,operation,take,index,path,';
  const isDocument = ({ method, path }: S3Seen): boolean => method === 'PUT' && path.endsWith('manifest.csv');

  test('replaces ours, and keeps somebody else’s under a name that is free', async () => {
    await rig.put('manifest.yours.csv', 'before');
    await rig.put('manifest.csv', 'mine');
    await publish(OURS);
    await publish(`${OURS}2`);
    expect(await rig.keys()).toEqual(['manifest.csv', 'manifest.yours-2.csv', 'manifest.yours.csv']);
    expect(String(await rig.bytesOf('manifest.csv'))).toBe(`${OURS}2`);
    expect(String(await rig.bytesOf('manifest.yours-2.csv'))).toBe('mine');
    expect(String(await rig.bytesOf('manifest.yours.csv'))).toBe('before');
  });

  test('of results replaces ours, and keeps a sheet of the user’s', async () => {
    const results = 'row,prompt,status,files,taskCode,failure\r\n';
    await rig.put('sheet.results.csv', 'row,prompt\r\n');
    await publish(results, 'sheet.results.csv');
    await publish(`${results}r1`, 'sheet.results.csv');
    expect(await rig.keys()).toEqual(['sheet.results.csv', 'sheet.results.yours.csv']);
    expect(String(await rig.bytesOf('sheet.results.yours.csv'))).toBe('row,prompt\r\n');
  });

  test('is compared with what the server has of it', async () => {
    await rig.put('manifest.csv', OURS);
    const hidden: S3Fault = { kind: 'answer-without', headers: ['x-amz-checksum-sha256'] };
    rig.proxy.fault((request) => (isDocument(request) ? { kind: 'damage' } : hidden));
    await expect(publish(`${OURS}2`)).rejects.toThrow(/what arrived is not what was sent/u);
  });

  test('is read as it is, whatever it says', async () => {
    await rig.put('manifest.csv', '<Error><Code>SlowDown</Code></Error>');
    await publish(OURS);
    const reads = rig.proxy.seen.filter(({ method, headers }) => method === 'GET' && headers.range !== undefined);
    expect(reads).toHaveLength(1);
    expect(await rig.keys()).toContain('manifest.yours.csv');
  });

  test.each([undefined, OURS, 'mine'])('does not replace what came in the middle (before: %s)', async (before) => {
    if (before !== undefined) await rig.put('manifest.csv', before);
    let isFirst = true;
    rig.proxy.fault(async (request) => {
      if (!isDocument(request) || !isFirst) return undefined;
      isFirst = false;
      await rig.put('manifest.csv', 'newer');
      return undefined;
    });
    await publish(`${OURS}2`);
    expect(String(await rig.bytesOf('manifest.csv'))).toBe(`${OURS}2`);
    const kept = (await rig.keys()).filter((key) => key.includes('yours'));
    expect((await Promise.all(kept.map((key) => rig.bytesOf(key)))).map(String).toSorted()).toEqual(
      before === 'mine' ? ['mine', 'newer'] : ['newer'],
    );
  });
});

describe.skipIf(!S3_SERVER_IS_HERE)('after a kill', () => {
  beforeEach(() => rig.server.answer((request, response) => serveHonestly(request, response, PNG)));
  let stopWatching = (): void => undefined;
  afterEach(() => stopWatching());

  test.each(['place.committed', ...BUCKET_CRASH_POINTS] as const)(
    'at %s the file is placed once, on this machine and on another',
    async (point) => {
      for (const isHere of [true, false]) {
        const stem = isHere ? 'r1-moon' : 'r2-moon';
        const journal = createMemoryJournal();
        stopWatching = watchCrashPoints((name) => {
          if (name === point) throw new Error('killed');
        });
        await expect(rig.fetchIt(rig.requestFor('/a', { stem, outputId: stem }), journal)).rejects.toThrow('killed');
        stopWatching();
        const after = isHere ? rig.another() : rig.another(temporaryFolder());
        const request = journal.next(rig.requestFor('/a', { stem, outputId: stem }));
        const outcome = await after.fetch(request, rig.profile, journal, new AbortController().signal);
        await after.close();
        expect(outcome).toMatchObject({ kind: 'verified', placement: { path: `image/${stem}.png` } });
        expect(await rig.bytesOf(`image/${stem}.png`)).toEqual(PNG);
      }
      expect(await rig.filesIn('image')).toEqual(['r1-moon.png', 'r2-moon.png']);
    },
  );
});

describe.skipIf(!S3_SERVER_IS_HERE)('before anything is paid', () => {
  const problemWith = async (): Promise<string> => {
    const prepared = await rig.media.prepare(rig.folder, MAY);
    expect(prepared).toMatchObject({ ok: false });
    return prepared.ok ? '' : `${prepared.error.code}: ${prepared.error.message}`;
  };

  test.each<[string, S3Fault, RegExp]>([
    ['no such bucket', { kind: 'refuse', status: 404, code: 'NoSuchBucket' }, /no such bucket/u],
    ['no rights', { kind: 'refuse', status: 403, code: 'AccessDenied' }, /s3:PutObject/u],
    ['an unknown key', { kind: 'refuse', status: 403, code: 'InvalidAccessKeyId' }, /AWS_ACCESS_KEY_ID/u],
    ['another secret', { kind: 'refuse', status: 403, code: 'SignatureDoesNotMatch' }, /secret key/u],
    ['credentials that are over', { kind: 'refuse', status: 400, code: 'ExpiredToken' }, /expired/u],
    ['another time', { kind: 'refuse', status: 403, code: 'RequestTimeTooSkewed' }, /clock/u],
    [
      'another region',
      { kind: 'refuse', status: 301, code: 'PermanentRedirect', headers: { 'x-amz-bucket-region': 'eu-west-3' } },
      /eu-west-3.*AWS_REGION/u,
    ],
    ['a full quota', { kind: 'refuse', status: 403, code: 'QuotaExceeded' }, /^DISK_FULL: .*quota/u],
    ['a server that is slow down for long', { kind: 'refuse', status: 503, code: 'SlowDown' }, /later.*SlowDown/u],
    ['nobody there', { kind: 'lose-answer' }, /does not answer/u],
  ])('%s is said in words', async (_, fault, words) => {
    rig.proxy.fault(() => fault);
    const problem = await problemWith();
    expect(problem).toMatch(words);
    expect(problem).not.toContain('a-secret-that-nobody-sees');
    expect(problem).not.toContain('AKIDEXAMPLE');
    rig.proxy.fault(() => undefined);
    expect(await rig.media.prepare(rig.folder, MAY)).toMatchObject({ ok: true });
  });

  test('a right to read alone is not enough, also where the folder has its mark', async () => {
    expect(await rig.media.prepare(rig.folder, MAY)).toMatchObject({ ok: true });
    rig.proxy.fault(({ method }) =>
      method === 'PUT' ? { kind: 'refuse', status: 403, code: 'AccessDenied' } : undefined,
    );
    expect(await problemWith()).toMatch(/writing.*s3:PutObject/u);
  });

  test.each([false, true])(
    'a right to look for what is not there is needed, too (marked before: %s)',
    async (isMarked) => {
      if (isMarked) expect(await rig.media.prepare(rig.folder, MAY)).toMatchObject({ ok: true });
      const before = await rig.keys();
      rig.proxy.fault(({ method }) => (method === 'HEAD' ? { kind: 'refuse', status: 403 } : undefined));
      expect(await problemWith()).toMatch(/looking.*s3:ListBucket/u);
      expect(await rig.keys()).toEqual(before);
    },
  );

  test.each([false, true])(
    'a server that replaces although it is told not to is refused (marked before: %s)',
    async (isMarked) => {
      if (isMarked) expect(await rig.media.prepare(rig.folder, MAY)).toMatchObject({ ok: true });
      rig.proxy.fault(() => ({ kind: 'without', headers: ['if-none-match'] }));
      expect(await problemWith()).toMatch(/If-None-Match/u);
    },
  );

  test('a server that does not know the condition is refused', async () => {
    rig.proxy.fault(({ headers }) =>
      headers['if-none-match'] === undefined ? undefined : { kind: 'refuse', status: 501, code: 'NotImplemented' },
    );
    expect(await problemWith()).toMatch(/If-None-Match/u);
  });

  test('of several machines that mark a bucket at once, all get one mark', async () => {
    const machines = Array.from({ length: 4 }, () => rig.another(temporaryFolder()));
    const marks = await Promise.all(machines.map((one) => one.prepare(rig.folder, MAY)));
    for (const one of machines) await one.close();
    expect(marks[0]).toMatchObject({ ok: true });
    expect(new Set(marks.map((mark) => JSON.stringify(mark))).size).toBe(1);
  });

  test('a bucket that was emptied is not the folder, until it is said to be', async () => {
    const first = await rig.media.prepare(rig.folder, MAY);
    const identity = first.ok ? first.value : '';
    await rig.remove('.nocturne-folder.json');
    const seen = await rig.media.prepare(rig.folder, { ...MAY, identity });
    expect(seen).toMatchObject({ ok: false, error: { data: { replaced: true } } });
    expect(await rig.keys()).toEqual([]);
    expect(await rig.media.prepare(rig.folder, { mayMake: true, mayReplace: true, identity })).toMatchObject({
      ok: true,
    });
  });

  test('credentials come from the environment or the shared file, by the profile that is named', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) delete rig.environment[name];
    const file = join(temporaryFolder(), 'credentials');
    rig.environment['AWS_SHARED_CREDENTIALS_FILE'] = file;
    expect(await problemWith()).toMatch(/no credentials.*AWS_PROFILE/u);
    const keys = (id: string): string => `aws_access_key_id = ${id}\naws_secret_access_key=${randomUUID()}\n`;
    writeFileSync(
      file,
      `[default]\n${keys('AKIDDEFAULT')}\n[night]\r\n${keys('AKIDNIGHT')}aws_session_token = token-1\n`,
    );
    rig.environment['AWS_PROFILE'] = 'night';
    expect(await rig.media.prepare(rig.folder, MAY)).toMatchObject({ ok: true });
    expect(rig.proxy.seen.at(-1)?.headers).toMatchObject({
      authorization: expect.stringContaining('Credential=AKIDNIGHT/') as string,
      'x-amz-security-token': 'token-1',
    });
    expect(readdirSync(rig.spool).length).toBe(1);
  });
});
