import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aboutOf, withWordsOf, xmpPacket } from '../../../../src/shared/domain/delivery/media-about.ts';
import { dataPackageOf, readDataPackage, type Delivered } from '../../../../src/shared/domain/delivery/data-package.ts';
import { renderPath, renderStem, type NameVariables } from '../../../../src/shared/domain/files/naming.ts';

const VARIABLES: NameVariables = {
  row: 'r1',
  batch: 'Night',
  operation: 'musicgen/music/generate',
  take: 2,
  takes: 3,
  index: 1,
  outputs: 1,
  version: 1,
  date: '2026-11-28',
  taskCode: 'c1',
  model: 'm1',
  cells: { mood: 'calm', empty: '', title: 'a/b', 'a/b': 'x' },
};

describe('a template with folders', () => {
  test.each([
    ['{operation}/{mood}/{title}', ['music', 'calm'], 'a-b-take2'],
    ['{title}/{empty}/x', ['a-b', 'other'], 'x-take2'],
    ['{mood}-{take}/x', ['calm-2'], 'x'],
    ['/ /../{row}', ['other'], 'r1-take2'],
    ['{mood}/', ['calm'], 'r1-a-b-take2'],
    ['{mood}/song.mp3', ['calm'], 'song-take2'],
    // A column that other rows have.
    ['{mood}/{lens}', ['calm'], 'r1-take2'],
    ['{lens}/{a/b}{row}', ['other'], 'xr1-take2'],
  ])('%s', (template, folders, stem) => {
    expect(renderPath(template, VARIABLES)).toEqual({ folders, stem });
  });

  test('without one, is a name as ever; and whatever is in it, names of folders are safe', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 300 }), (template, mood) => {
        const variables = { ...VARIABLES, cells: { mood } };
        if (!/[/{}]/u.test(template))
          expect(renderPath(template, variables).stem).toBe(renderStem(template, variables));
        for (const folder of renderPath(`${template}/{mood}/x`, variables).folders) {
          expect(folder).not.toMatch(/[/\\<>:"|?*\p{Cc}]|^\.|[. ]$|^$/u);
          expect(Buffer.byteLength(folder)).toBeLessThanOrEqual(121);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('what a request says of its file', () => {
  test('a prompt that is lyrics is no description, unless nobody sings', () => {
    const lyrics = '[Verse]\nMoon';
    expect(aboutOf({ prompt: lyrics, tags: ['slow', 'soft'], title: 'T', model: 'm' })).toEqual({
      title: 'T',
      prompt: 'slow, soft',
      lyrics,
      model: 'm',
    });
    expect(aboutOf({ prompt: lyrics, make_instrumental: true })).toEqual({ prompt: lyrics });
    expect(aboutOf({ prompt: 'a calm song' })).toEqual({ prompt: 'a calm song' });
    expect(aboutOf({ prompt: '{{w.result.lyrics}}', title: 'T' }, new Set(['prompt']))).toEqual({ title: 'T' });
    expect(aboutOf({ prompt: 'about a moon', infill_lyrics: 'la la' })).toEqual({
      prompt: 'about a moon',
      lyrics: 'la la',
    });
  });

  test('what has no words has those of the row that it is made from', () => {
    expect(withWordsOf({}, { title: 'T', lyrics: 'la' })).toEqual({ title: 'T', lyrics: 'la' });
    expect(withWordsOf({ prompt: 'own' }, { title: 'T' })).toEqual({ prompt: 'own' });
  });

  test('is XML, whatever it says', () => {
    const packet = xmpPacket({ title: '</dc:title>&\u0000\u{d800}', prompt: 'a\tb\nc\rd' });
    expect(packet).toContain('&lt;/dc:title&gt;&amp;\u{fffd}\u{fffd}<');
    expect(packet).toContain('a\tb\nc&#13;d');
  });
});

describe('the package', () => {
  const listed = (output: string, path: string): Delivered => ({
    name: 'same',
    path,
    bytes: 1,
    hash: `sha256:${'0'.repeat(64)}`,
    mediatype: 'image/png',
    row: 'r1',
    take: 1,
    index: 1,
    output,
    original: `sha256:${'0'.repeat(64)}`,
  });

  test.each(['/etc/passwd', '../a.png', 'a/../../b.png', '..', 'a\\b.png', 'a\0.png', 'C:a.png', ''])(
    'with a path out of its folder is none: %j',
    (path) => {
      const of = (one: object, nocturne: object = {}): string => {
        const made = dataPackageOf({ id: 'b', name: 'Night' }, undefined, [listed('a', 'a..b/..a.png')], 0);
        return JSON.stringify({
          ...made,
          resources: made.resources.map((resource) => ({ ...resource, ...one })),
          nocturne: { version: 1, ...nocturne },
        });
      };
      const hash = `sha256:${'0'.repeat(64)}`;
      expect(readDataPackage(of({}, { timeline: { path: 'timeline-12.otio', hash } }))).toBeDefined();
      expect(readDataPackage(of({ path }))).toBeUndefined();
      expect(readDataPackage(of({ sidecar: path }))).toBeUndefined();
      expect(readDataPackage(of({}, { timeline: { path, hash } }))).toBeUndefined();
      expect(readDataPackage(of({}, { timeline: { path: 'video/timeline.otio', hash } }))).toBeUndefined();
    },
  );

  test('keeps what others wrote into it, and gives every resource a name of its own', () => {
    const batch = { id: 'B 1', name: 'Night' };
    const first = {
      ...dataPackageOf(batch, undefined, [listed('a', 'a.png'), listed('b', 'b.png')], 0),
      licenses: [1],
    };
    const read = readDataPackage(JSON.stringify(first));
    expect(read).toEqual(first);
    const second = dataPackageOf(batch, read, [listed('b', 'c.png')], 1);
    expect(second).toMatchObject({ licenses: [1], created: '1970-01-01T00:00:00.000Z', name: 'nocturne-b-1' });
    expect(second.resources.map(({ name, path }) => [name, path])).toEqual([
      ['same', 'a.png'],
      ['same-2', 'c.png'],
    ]);
  });

  test.each([
    '',
    '[]',
    '{"name":"x","resources":[]}',
    '{"name":"x","nocturne":{"version":1},"resources":[{"path":""}]}',
  ])('is no other JSON: %s', (text) => {
    expect(readDataPackage(text)).toBeUndefined();
  });
});
