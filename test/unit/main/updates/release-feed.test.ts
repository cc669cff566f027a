import { createPrivateKey, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareVersions,
  newestFor,
  previousFor,
  readFeed,
  signFeed,
  type Installation,
  type ReleaseFeed,
} from '../../../../src/main/updates/release-feed.ts';
import { makeRelease, makeReleasedFile, makeUpdateKey } from '../../../support/releases.ts';

const OURS = makeUpdateKey();
const OTHERS = makeUpdateKey();
const FEED: ReleaseFeed = { at: 1000, releases: [makeRelease()] };
/** What a later version of the maintainers’ tool could sign. */
function signAnything(feed: unknown): string {
  const signed = JSON.stringify(feed);
  const content = Buffer.from(`nocturne releases 1\n${signed}`);
  return JSON.stringify({
    signed,
    signature: sign(null, content, createPrivateKey(OURS.privateKey)).toString('base64'),
  });
}
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a feed', () => {
  test('is read as it was signed', () => {
    expect(readFeed(bytesOf(signFeed(FEED, OURS.privateKey)), [OTHERS.key, OURS.key])).toEqual({
      ok: true,
      value: FEED,
    });
  });

  test('of a later version is read as far as this one knows it', () => {
    const [known] = FEED.releases;
    const later = {
      product: 'nocturne',
      at: 1000,
      channel: 'new',
      releases: [
        { version: '2.0.0-rc.1' },
        { ...known, mirrors: [], files: [...(known?.files ?? []), makeReleasedFile({ format: 'flatpak' as 'zip' })] },
      ],
    };
    expect(readFeed(bytesOf(signAnything(later)), [OURS.key])).toEqual({ ok: true, value: FEED });
  });

  test('signed by somebody else is none', () => {
    expect(readFeed(bytesOf(signFeed(FEED, OTHERS.privateKey)), [OURS.key])).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('not signed') as string },
    });
  });

  test('no byte of what was signed can be changed', () => {
    const { signed, signature } = JSON.parse(signFeed(FEED, OURS.privateKey)) as {
      signed: string;
      signature: string;
    };
    fc.assert(
      fc.property(fc.nat(signed.length - 1), fc.integer({ min: 1, max: 90 }), (at, by) => {
        const code = 32 + ((signed.charCodeAt(at) - 32 + by) % 95);
        const changed = signed.slice(0, at) + String.fromCharCode(code) + signed.slice(at + 1);
        expect(readFeed(bytesOf(JSON.stringify({ signed: changed, signature })), [OURS.key]).ok).toBe(false);
      }),
    );
  });

  test('a signature for other bytes, or of no length, is none', () => {
    const { signed } = JSON.parse(signFeed(FEED, OURS.privateKey)) as { signed: string };
    const alone = sign(null, Buffer.from(signed), createPrivateKey(OURS.privateKey)).toString('base64');
    for (const signature of ['', 'AAAA', alone, undefined]) {
      expect(readFeed(bytesOf(JSON.stringify({ signed, signature })), [OURS.key]).ok).toBe(false);
    }
  });

  test.each(['', '{}', '<html>', '[]', 'null', '{"signed":"{}","signature":"x"}'])('%j is none', (text) => {
    expect(readFeed(bytesOf(text), [OURS.key]).ok).toBe(false);
  });

  test.each([
    ['a version that is no number', { version: '0.2' }, 'version'],
    ['an address for people that is none of the web', { page: 'file:///etc/passwd' }, 'page'],
    ['a file that is nowhere in the web', { files: [makeReleasedFile({ url: 'file:///bin/sh' })] }, 'web'],
    ['a file behind a password', { files: [makeReleasedFile({ url: 'https://me:secret@host/file' })] }, 'web'],
    ['a file of no length', { files: [makeReleasedFile({ size: 0 })] }, 'size'],
  ])('is not signed with %s', (_what, wrong, reason) => {
    expect(() => signFeed({ at: 1, releases: [makeRelease(wrong)] }, OURS.privateKey)).toThrow(reason);
  });
});

const IMAGE: Installation = { version: '0.1.0', platform: 'linux', arch: 'x64', format: 'AppImage', share: 0.5 };
const feedOf = (...releases: readonly Parameters<typeof makeRelease>[0][]): ReleaseFeed => ({
  at: 1,
  releases: releases.map(makeRelease),
});

describe('what is offered', () => {
  test('is the newest by number, wherever it stands', () => {
    const feed = feedOf({ version: '0.9.0' }, { version: '0.10.0' }, { version: '0.2.0' });
    expect(newestFor(feed, IMAGE, false)?.release.version).toBe('0.10.0');
  });

  test('is never the same version, or an earlier one', () => {
    expect(newestFor(feedOf({ version: '0.1.0' }, { version: '0.0.9' }), IMAGE, true)).toBeUndefined();
  });

  test('is a file for this system, this processor and this kind of installation', () => {
    const others = [
      makeReleasedFile({ platform: 'win32', format: 'nsis' }),
      makeReleasedFile({ arch: 'arm64' }),
      makeReleasedFile({ format: 'zip' }),
    ];
    expect(newestFor(feedOf({ files: others }), IMAGE, true)).toBeUndefined();
    expect(newestFor(feedOf({ files: [...others, makeReleasedFile()] }), IMAGE, true)?.file).toEqual(
      makeReleasedFile(),
    );
  });

  test('to a package of the system, the word alone', () => {
    const offer = newestFor(feedOf({ files: [] }), { ...IMAGE, format: undefined }, false);
    expect(offer).toMatchObject({ release: { version: '0.2.0' }, file: undefined });
  });

  test('goes to a part of all installations, and to whoever asks', () => {
    const feed = feedOf({ version: '0.3.0', rollout: 50 }, { version: '0.2.0' });
    expect(newestFor(feed, { ...IMAGE, share: 0.49 }, false)?.release.version).toBe('0.3.0');
    expect(newestFor(feed, { ...IMAGE, share: 0.5 }, false)?.release.version).toBe('0.2.0');
    expect(newestFor(feed, { ...IMAGE, share: 0.99 }, true)?.release.version).toBe('0.3.0');
  });

  test('is never one that is offered to nobody', () => {
    expect(newestFor(feedOf({ rollout: 0 }), { ...IMAGE, share: 0 }, true)).toBeUndefined();
  });

  test('the way back is the release before this one', () => {
    const feed = feedOf({ version: '0.0.7' }, { version: '0.2.0' }, { version: '0.0.9' }, { version: '0.1.0' });
    expect(previousFor(feed, IMAGE)?.release.version).toBe('0.0.9');
    expect(previousFor(feedOf({ version: '0.2.0' }), IMAGE)).toBeUndefined();
  });
});

test('versions are compared by their numbers', () => {
  expect(['1.0.0', '0.10.2', '0.2.10', '0.2.9'].toSorted(compareVersions)).toEqual([
    '0.2.9',
    '0.2.10',
    '0.10.2',
    '1.0.0',
  ]);
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
});
