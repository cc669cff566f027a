import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryJournal } from '../support/memory-journal.ts';
import { longerPng, sha256, type MediaRig } from '../support/media-rig.ts';
import { serveHonestly } from '../support/media-server.ts';

const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
const LONG_PNG = longerPng(PNG, 100_000);
const MAY = { mayMake: true, mayReplace: false };
const IDENTITY = '.nocturne-folder.json';

/** What every media folder promises, wherever its files lie. */
export function describeTarget(rig: MediaRig): void {
  describe.each([
    ['a short file', PNG],
    ['a long file', LONG_PNG],
  ])('%s', (_, content) => {
    beforeEach(() => rig.server.answer((request, response) => serveHonestly(request, response, content)));
    const placement = {
      path: 'image/r1-moon.png',
      sha256: sha256(content),
      bytes: content.length,
      mediaType: 'image/png',
    };

    test('is placed whole under its name, and nothing else is left', async () => {
      expect(await rig.fetchIt()).toEqual({ kind: 'verified', placement });
      expect(await rig.bytesOf('image/r1-moon.png')).toEqual(content);
      expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
      expect(await rig.partsIn('image')).toEqual([]);
    });

    test('replaces nothing', async () => {
      await rig.put('image/r1-moon.png', 'mine');
      await rig.put('image/r1-moon-2.png', content);
      expect(await rig.fetchIt()).toMatchObject({ placement: { path: 'image/r1-moon-3.png' } });
      expect((await rig.bytesOf('image/r1-moon.png')).toString()).toBe('mine');
      expect(await rig.bytesOf('image/r1-moon-3.png')).toEqual(content);
    });

    test('that is at its place after a stop is not fetched again', async () => {
      await rig.put('image/r1-moon.png', content);
      await rig.putPart('image', '7-1.1.part', content);
      const request = rig.requestFor('/a', { generation: 1, placement });
      expect(await rig.fetchIt(request)).toEqual({ kind: 'verified', placement });
      expect(rig.server.requests).toEqual([]);
      expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
      expect(await rig.partsIn('image')).toEqual([]);
    });

    test('whose part is there after a stop is placed', async () => {
      await rig.putPart('image', '7-1.1.part', content);
      const request = rig.requestFor('/a', { generation: 1, placement });
      expect(await rig.fetchIt(request)).toEqual({ kind: 'verified', placement });
      expect(rig.server.requests).toEqual([]);
      expect(await rig.bytesOf('image/r1-moon.png')).toEqual(content);
      expect(await rig.partsIn('image')).toEqual([]);
    });

    test('whose place is somebody else’s after a stop gets another name', async () => {
      await rig.putPart('image', '7-1.1.part', content);
      await rig.put('image/r1-moon.png', Buffer.alloc(content.length, 1));
      const request = rig.requestFor('/a', { generation: 1, placement });
      expect(await rig.fetchIt(request)).toMatchObject({ placement: { path: 'image/r1-moon-2.png' } });
      expect(await rig.bytesOf('image/r1-moon.png')).toEqual(Buffer.alloc(content.length, 1));
    });

    test('of which neither is left is fetched anew', async () => {
      await rig.putPart('image', '7-1.1.part', Buffer.alloc(content.length));
      const request = rig.requestFor('/a', { generation: 1, placement });
      expect(await rig.fetchIt(request)).toEqual({ kind: 'verified', placement });
      expect(rig.server.requests.length).toBe(1);
      expect(await rig.bytesOf('image/r1-moon.png')).toEqual(content);
    });
  });

  test('a path that the store gave to another output is not taken, in any case', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    const taken = new Set(['image/r1-moon.png']);
    const outcome = await rig.fetchIt(rig.requestFor('/a', { stem: 'R1-MOON' }), createMemoryJournal(taken));
    expect(outcome).toMatchObject({ placement: { path: 'image/R1-MOON-2.png' } });
  });

  test('a name in any script is that name', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    const stem = 'müde+睡吧 100% #1 ’n’ (e\u0301)';
    expect(await rig.fetchIt(rig.requestFor('/a', { stem }))).toMatchObject({
      placement: { path: `image/${stem}.png` },
    });
    expect(await rig.bytesOf(`image/${stem}.png`)).toEqual(PNG);
  });

  test('a file that is no media is kept aside, once', async () => {
    const page = Buffer.from('<!DOCTYPE html><title>Sign in</title>');
    rig.server.answer((request, response) => serveHonestly(request, response, page));
    await rig.put('set-aside/r1-moon.txt', 'mine');
    const first = await rig.fetchIt();
    const kept = { path: 'set-aside/r1-moon-2.txt', sha256: sha256(page), bytes: page.length };
    expect(first).toMatchObject({ kind: 'unverifiable', path: kept.path, kept });
    expect(await rig.bytesOf(kept.path)).toEqual(page);
    const again = await rig.fetchIt(rig.requestFor('/a', { generation: 1, kept: [kept] }));
    expect(again).toMatchObject({ kind: 'unverifiable', path: kept.path });
    expect(again).not.toHaveProperty('kept');
    expect(await rig.filesIn('set-aside')).toEqual(['r1-moon-2.txt', 'r1-moon.txt']);
  });

  test('a document is placed like a download, once', async () => {
    const document = '{"lyrics":"Sleep, 睡吧"}';
    const { url: _, ...request } = rig.requestFor('/', { kind: 'data', stem: 'r2-lyrics' });
    const journal = createMemoryJournal();
    const outcome = await rig.media.writeDocument({ ...request, document }, journal);
    const bytes = Buffer.byteLength(document);
    const placement = {
      path: 'data/r2-lyrics.json',
      sha256: sha256(Buffer.from(document)),
      bytes,
      mediaType: 'application/json',
    };
    expect(outcome).toEqual({ kind: 'verified', placement });
    const { url: _again, ...next } = journal.next(rig.requestFor('/', { kind: 'data', stem: 'r2-lyrics' }));
    expect(await rig.media.writeDocument({ ...next, document }, journal)).toEqual(outcome);
    expect(await rig.filesIn('data')).toEqual(['r2-lyrics.json']);
  });

  describe('what it is known by', () => {
    test('is given once, and stays', async () => {
      const first = await rig.media.prepare(rig.folder, MAY);
      expect(first).toMatchObject({ ok: true });
      expect(await rig.media.prepare(rig.folder, MAY)).toEqual(first);
      if (first.ok) expect((await rig.bytesOf(IDENTITY)).toString()).toContain(first.value);
    });

    test('is another’s: it is not the folder, until the user says so', async () => {
      const first = await rig.media.prepare(rig.folder, MAY);
      const identity = first.ok ? first.value : '';
      const others = '4b0c3a3e-0f1c-4a53-9a7e-3f0f6d4f1a11';
      await rig.put(IDENTITY, JSON.stringify({ version: 2, folder: others, more: true }));
      const seen = await rig.media.prepare(rig.folder, { ...MAY, identity });
      expect(seen).toMatchObject({ ok: false, error: { code: 'DISK_DENIED', data: { replaced: true } } });
      const taken = await rig.media.prepare(rig.folder, { mayMake: true, mayReplace: true, identity });
      expect(taken).toEqual({ ok: true, value: others });
      expect((await rig.bytesOf(IDENTITY)).toString()).toContain('"more":true');
    });

    test('is damaged: nothing is done with it', async () => {
      await rig.put(IDENTITY, '{"version":1,');
      expect(await rig.media.prepare(rig.folder, MAY)).toMatchObject({ ok: false, error: { code: 'DISK_DENIED' } });
      expect((await rig.bytesOf(IDENTITY)).toString()).toBe('{"version":1,');
    });

    test('is missing: files of the batch show that it is the one, and their absence that it is not', async () => {
      const identity = '4b0c3a3e-0f1c-4a53-9a7e-3f0f6d4f1a11';
      const files = async (): Promise<readonly { readonly path: string; readonly bytes: number }[]> => [
        { path: 'image/gone.png', bytes: 4 },
        { path: 'image/there.png', bytes: 4 },
      ];
      const needs = { mayMake: false, mayReplace: false, identity, files };
      await rig.put('image/there.png', 'other size');
      expect(await rig.media.prepare(rig.folder, needs)).toMatchObject({ error: { data: { replaced: true } } });
      await rig.put('image/there.png', '1234');
      expect(await rig.media.prepare(rig.folder, needs)).toEqual({ ok: true, value: identity });
    });
  });
}
