import { generateKeyPairSync } from 'node:crypto';
import { updateKeyOf, type Release, type ReleasedFile } from '../../src/main/updates/release-feed.ts';

/** A key as the maintainers have one: the private half (PEM), and what a program carries. */
export function makeUpdateKey(): { readonly privateKey: string; readonly key: string } {
  const privateKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { privateKey, key: updateKeyOf(privateKey) };
}

export function makeReleasedFile(file: Partial<ReleasedFile> = {}): ReleasedFile {
  const sha512 = Buffer.alloc(64, 7).toString('base64');
  return { format: 'AppImage', platform: 'linux', arch: 'x64', url: 'new.AppImage', size: 7, sha512, ...file };
}

export function makeRelease(release: Partial<Release> = {}): Release {
  return {
    version: '0.2.0',
    date: '2026-11-23',
    schema: 2,
    rollout: 100,
    notes: 'Better nights.',
    page: 'https://nocturne.example/releases/',
    files: [makeReleasedFile()],
    ...release,
  };
}
