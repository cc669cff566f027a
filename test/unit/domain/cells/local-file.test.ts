import { expect, test } from 'vitest';
import { addressKindOf, localFilesIn, withAddresses } from '../../../../src/shared/domain/cells/local-file.ts';
import { findOperation } from '../../../../src/shared/domain/operations/operations.ts';

test.each([
  ['https://a.example/x.png', 'address'],
  ['HTTP://A.EXAMPLE/x', 'address'],
  ['https://', 'other'],
  ['//a.example/x.png', 'other'],
  ['data:image/png;base64,AAAA', 'other'],
  ['s3://bucket/x.png', 'other'],
  ['asset-1234', 'other'],
  ['a word or two', 'other'],
  ['', 'other'],
  ['kite.png', 'file'],
  ['a b/100% möön.JPEG', 'file'],
  ['clip.mp3', 'file'],
  ['./kite', 'file'],
  ['../kite', 'file'],
  ['/data/kite', 'file'],
  ['.\\kite', 'file'],
  ['~/kite', 'file'],
  ['~root/kite', 'file'],
  ['C:\\Pictures\\kite', 'file'],
  ['c:/kite', 'file'],
  ['C:kite.png', 'file'],
  ['\\\\server\\kite', 'file'],
  ['file:///data/kite', 'file'],
  ['FILE:/data/kite', 'file'],
])('%j is: %s', (text, kind) => {
  expect(addressKindOf(text)).toBe(kind);
});

const film = findOperation('video-a');
if (film === undefined) throw new Error('No such operation.');

test('only what the interface wants as an address may be a file', () => {
  const body = { prompt: '/data/kite.png', images: ['kite.png', 'https://a.example/b.png', 'kite.png'] };
  expect(localFilesIn(film, body, undefined)).toEqual([
    { column: 'images', media: 'image', written: 'kite.png' },
    { column: 'images', media: 'image', written: 'kite.png' },
  ]);
  expect(withAddresses(film, body, undefined, () => 'https://mine.example/1').body).toEqual({
    prompt: '/data/kite.png',
    images: ['https://mine.example/1', 'https://a.example/b.png', 'https://mine.example/1'],
  });
  const music = findOperation('music');
  expect(music && localFilesIn(music, { prompt: '/data/kite.png', title: 'kite.png' }, undefined)).toEqual([]);
});

test('an item with anything of another row in it is none', () => {
  const reference = { row: 'r1', path: { kind: 'output-url' as const, index: 1 }, text: 'r1.output.1.url' };
  const links = [
    { column: 'images', value: { kind: 'list' as const, items: [[reference], ['kite.png'], ['/data/', reference]] } },
  ];
  const body = { images: ['{{r1.output.1.url}}', 'kite.png', '/data/{{r1.output.1.url}}'] };
  expect(localFilesIn(film, body, links).map(({ written }) => written)).toEqual(['kite.png']);
  const placed = withAddresses(film, body, links, () => 'https://mine.example/1');
  expect(placed.links[0]?.value).toEqual({
    kind: 'list',
    items: [[reference], ['https://mine.example/1'], ['/data/', reference]],
  });
});
