import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach } from 'vitest';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import type { FetchOutcome, FetchRequest, MediaFolder } from '../../src/engine/ports/media-folder.ts';
import { parseProfile } from '../../src/shared/domain/gateway/profile.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import { FakeClock } from './fake-clock.ts';
import { createMemoryJournal } from './memory-journal.ts';
import type { MemoryJournal } from './memory-journal.ts';
import { startMediaServer } from './media-server.ts';
import type { MediaServer } from './media-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A media folder on the disk and a server to fetch from, new for each test. */
export class MediaRig {
  server!: MediaServer;
  clock!: FakeClock;
  media!: MediaFolder;
  folder!: string;
  /** Lets the server be reached although it is on this machine. */
  profile!: Profile;

  async open(): Promise<void> {
    this.server = await startMediaServer();
    this.clock = new FakeClock();
    this.media = createMediaFolder({ clock: this.clock, minFreeBytes: 0 });
    this.folder = temporaryFolder();
    this.profile = profileWith({ allowHosts: [this.server.host] });
  }

  async close(): Promise<void> {
    await this.media.close();
    await this.server.close();
  }

  requestFor(path = '/a.bin', changes: Partial<FetchRequest> = {}): FetchRequest {
    const url = this.server.url(path);
    return { outputId: '7-1', url, folder: this.folder, kind: 'image', stem: 'r1-moon', generation: 0, ...changes };
  }

  fetchIt(
    request: FetchRequest = this.requestFor(),
    journal: MemoryJournal = createMemoryJournal(),
    signal: AbortSignal = new AbortController().signal,
  ): Promise<FetchOutcome> {
    return this.media.fetch(request, this.profile, journal, signal);
  }

  /** Names in a subfolder, sorted. */
  async filesIn(kind: string): Promise<readonly string[]> {
    return (await readdir(join(this.folder, kind))).sort();
  }

  /** Puts a file there as somebody else would. */
  async put(path: string, content: Buffer | string): Promise<void> {
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await writeFile(join(this.folder, path), content);
  }

  /** The parts that an earlier run has left in a subfolder. */
  async partsIn(kind: string): Promise<readonly string[]> {
    return (await this.filesIn(kind)).filter((name) => name.endsWith('.part'));
  }

  putPart(kind: string, name: string, content: Buffer): Promise<void> {
    return this.put(`${kind}/${name}`, content);
  }

  bytesOf(path: string): Promise<Buffer> {
    return readFile(join(this.folder, path));
  }
}

/** A rig that is set up before each test of a file and taken down after it. */
export function setUpMediaRig(): MediaRig {
  const rig = new MediaRig();
  beforeEach(() => rig.open());
  afterEach(() => rig.close());
  return rig;
}

/** A profile that differs from the default in its media settings, of a gateway on this machine. */
export function profileWith(media: Record<string, unknown>, baseUrl = 'http://localhost:1'): Profile {
  const parsed = parseProfile({ baseUrl, media });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

/** A PNG with one more chunk, which no reader looks into: with this content, or of this many bytes. */
export function longerPng(png: Buffer, content: Buffer | number): Buffer {
  const end = png.length - 12;
  const data = typeof content === 'number' ? Buffer.alloc(content, 7) : content;
  return Buffer.concat([png.subarray(0, end), pngChunk('fiLl', data), png.subarray(end)]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(data.length, 0);
  numbers.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)]);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
