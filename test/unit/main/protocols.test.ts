import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAppProtocol } from '../../../src/main/shell/app-protocol.ts';
import { locateFile } from '../../../src/main/services/batch-files.ts';
import { createMediaProtocol } from '../../../src/main/shell/media-protocol.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('app://', () => {
  const outer = folderWith({ 'secret.js': 'secret', 'renderer/index.html': '<p>', 'renderer/assets/a.js': '1' });
  const serve = createAppProtocol(join(outer, 'renderer'));

  test('serves the window’s own files, with the policy', async () => {
    const page = await serve(new Request('app://nocturne/index.html'));
    expect(page.status).toBe(200);
    const policy = page.headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    const script = await serve(new Request('app://nocturne/assets/a.js'));
    expect(script.headers.get('Content-Type')).toContain('javascript');
    expect(await script.text()).toBe('1');
  });

  test.each([
    'app://nocturne/../secret.js',
    'app://nocturne/%2e%2e/secret.js',
    'app://nocturne/..%2fsecret.js',
    'app://nocturne/assets/..%5c..%5c..%5csecret.js',
    'app://nocturne/%00.js',
    'app://nocturne/%ff.js',
    'app://elsewhere/index.html',
    'app://nocturne/missing.js',
    'app://nocturne/assets',
  ])('serves nothing else: %s', async (url) => {
    expect((await serve(new Request(url))).status).toBe(404);
  });
});

describe('media://', () => {
  const folder = folderWith({ 'music/a.mp3': '0123456789', 'page.html': '<script>' });
  const files: Readonly<Record<string, { path: string; mediaType: string; bytes: number }>> = {
    '1-1': { path: join(folder, 'music/a.mp3'), mediaType: 'audio/mpeg', bytes: 10 },
    '2-1': { path: join(folder, 'page.html'), mediaType: 'text/html', bytes: 8 },
  };
  const locate = (id: string) => {
    const file = files[id];
    const missing = { ok: false, error: { code: 'not-found', message: '' } } as const;
    return Promise.resolve(file === undefined ? missing : ({ ok: true, value: file } as const));
  };
  const small = (id: string) => Promise.resolve(id === '1-1' ? new Uint8Array([1, 2]) : undefined);
  const serve = createMediaProtocol(locate, small);

  test('serves the small picture of a file, as a picture and nothing else', async () => {
    const response = await serve(new Request('media://thumbnail/1-1'));
    expect(response.headers.get('Content-Type')).toBe('image/webp');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([1, 2]));
    expect((await serve(new Request('media://thumbnail/2-1'))).status).toBe(204);
  });

  test('serves a whole file', async () => {
    const response = await serve(new Request('media://file/1-1'));
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('audio/mpeg');
    expect(response.headers.get('Accept-Ranges')).toBe('bytes');
    expect(await response.text()).toBe('0123456789');
  });

  test('serves a range, as a player asks for when it seeks', async () => {
    const response = await serve(new Request('media://file/1-1', { headers: { Range: 'bytes=3-5' } }));
    expect(response.status).toBe(206);
    expect(response.headers.get('Content-Range')).toBe('bytes 3-5/10');
    expect(response.headers.get('Content-Length')).toBe('3');
    expect(await response.text()).toBe('345');
  });

  test('says that a range lies outside', async () => {
    const response = await serve(new Request('media://file/1-1', { headers: { Range: 'bytes=10-' } }));
    expect(response.status).toBe(416);
    expect(response.headers.get('Content-Range')).toBe('bytes */10');
  });

  test('never renders a file as a page', async () => {
    const response = await serve(new Request('media://file/2-1'));
    expect(response.headers.get('Content-Type')).toBe('text/plain');
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  test.each(['media://file/9-9', 'media://file/', 'media://file/..%2f1-1', 'media://other/1-1', 'media://file/1-1/x'])(
    'serves nothing else: %s',
    async (url) => {
      expect((await serve(new Request(url))).status).toBe(404);
    },
  );
});

describe('a file of a batch', () => {
  const file = { mediaType: 'audio/mpeg', verified: true };

  test('is found inside of its media folder', async () => {
    const folder = folderWith({ 'music/a.mp3': '0123' });
    const found = await locateFile({ ...file, folder, path: 'music/a.mp3' });
    expect(found).toMatchObject({ mediaType: 'audio/mpeg', bytes: 4 });
  });

  test('is not found outside of it, by name or by link', async () => {
    const outside = folderWith({ 'private.mp3': 'x' });
    const folder = folderWith({ 'music/a.mp3': '0123' });
    symlinkSync(join(outside, 'private.mp3'), join(folder, 'music/link.mp3'));
    symlinkSync(outside, join(folder, 'video'));
    for (const path of ['../private.mp3', 'music/link.mp3', 'video/private.mp3', join(outside, 'private.mp3')]) {
      expect(await locateFile({ ...file, folder, path })).toBeUndefined();
    }
  });

  test('is not found when it is gone, is a folder, or was never verified', async () => {
    const folder = folderWith({ 'music/a.mp3': '0123' });
    expect(await locateFile({ ...file, folder, path: 'music/b.mp3' })).toBeUndefined();
    expect(await locateFile({ ...file, folder, path: 'music' })).toBeUndefined();
    expect(await locateFile({ ...file, folder, path: 'music/a.mp3', verified: false })).toBeUndefined();
    expect(await locateFile({ folder, path: 'music/a.mp3', verified: true })).toBeUndefined();
  });
});
