import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import { createBucketFolder } from '../../src/engine/media-folder/s3/bucket-folder.ts';
import type { MediaFolder } from '../../src/engine/ports/media-folder.ts';
import { fastClock } from './fast-clock.ts';
import { MediaRig, profileWith } from './media-rig.ts';
import { startMediaServer } from './media-server.ts';
import { startS3Proxy, type S3Proxy } from './s3-proxy.ts';
import { startS3Server, type S3Server } from './s3-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Signed by nobody: this server does not check that. */
const headers = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=AKIDTESTS/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0',
};

/** A media folder in a bucket of a real S3 server, behind a proxy that can fail. */
export class BucketRig extends MediaRig {
  s3!: S3Server;
  proxy!: S3Proxy;
  bucket!: string;
  spool!: string;
  environment!: Record<string, string>;

  override async open(): Promise<void> {
    this.server = await startMediaServer();
    this.proxy = await startS3Proxy(this.s3.url);
    this.bucket = `night-${randomUUID()}`;
    await this.makeBucket(this.bucket);
    this.folder = `s3://${this.bucket}/films & songs/+ä'(1)`;
    this.spool = temporaryFolder();
    this.environment = {
      AWS_ENDPOINT_URL: this.proxy.url,
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'a-secret-that-nobody-sees',
    };
    this.media = this.another();
    this.profile = profileWith({ allowHosts: [this.server.host] });
  }

  override async close(): Promise<void> {
    await this.media.close();
    await this.proxy.close();
    await this.server.close();
  }

  /**
   * The folder as another process sees it, or after a restart; with the same spool, unless it is on another machine.
   */
  another(spool = this.spool): MediaFolder {
    const clock = fastClock(50, Date.now());
    const disk = createMediaFolder({ clock, minFreeBytes: 0 });
    const buckets = createBucketFolder(disk, { clock, spool, environment: this.environment, partBytes: 5 << 20 });
    return {
      ...buckets,
      async close() {
        await buckets.close();
        await disk.close();
      },
    };
  }

  async makeBucket(name: string): Promise<void> {
    const made = await fetch(`${this.s3.url}/${name}`, { method: 'PUT', headers });
    if (!made.ok) throw new Error(await made.text());
  }

  #urlOf(path: string): string {
    const key = this.folder.slice(`s3://${this.bucket}/`.length);
    return `${this.s3.url}/${this.bucket}/${`${key}/${path}`.split('/').map(encodeURIComponent).join('/')}`;
  }

  override async put(path: string, content: Buffer | string): Promise<void> {
    const done = await fetch(this.#urlOf(path), { method: 'PUT', headers, body: new Uint8Array(Buffer.from(content)) });
    if (!done.ok) throw new Error(await done.text());
  }

  async remove(path: string): Promise<void> {
    await fetch(this.#urlOf(path), { method: 'DELETE', headers });
  }

  override async bytesOf(path: string): Promise<Buffer> {
    const answer = await fetch(this.#urlOf(path), { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  }

  /** All keys of the bucket, without the folder's own. */
  async keys(): Promise<readonly string[]> {
    const answer = await fetch(`${this.s3.url}/${this.bucket}?list-type=2`, { headers });
    const text = await answer.text();
    const root = this.folder.slice(`s3://${this.bucket}/`.length);
    return [...text.matchAll(/<Key>([^<]*)<\/Key>/gu)]
      .map(([, key = '']) => key.replaceAll('&amp;', '&').replaceAll('&#x27;', "'").replaceAll('&#39;', "'"))
      .map((key) => key.slice(root.length + 1))
      .toSorted();
  }

  override async filesIn(kind: string): Promise<readonly string[]> {
    return (await this.keys()).filter((key) => key.startsWith(`${kind}/`)).map((key) => key.slice(kind.length + 1));
  }

  #spooled(kind: string): string {
    const [own = 'none'] = readdirSync(this.spool);
    return join(this.spool, own, kind);
  }

  override async partsIn(kind: string): Promise<readonly string[]> {
    return readdirSync(this.#spooled(kind)).filter((name) => name.endsWith('.part'));
  }

  override async putPart(kind: string, name: string, content: Buffer): Promise<void> {
    await this.media.prepare(this.folder, { mayMake: true, mayReplace: false });
    mkdirSync(this.#spooled(kind), { recursive: true });
    writeFileSync(join(this.#spooled(kind), name), content);
  }

  /** Like a disk that now reads another byte there. */
  async changePart(kind: string, at: number): Promise<void> {
    const [name = ''] = await this.partsIn(kind);
    const file = await open(join(this.#spooled(kind), name), 'r+');
    await file.write(Buffer.from('?'), 0, 1, at);
    await file.close();
  }
}

/** A rig with one server for all tests of a file. */
export function setUpBucketRig(): BucketRig {
  const rig = new BucketRig();
  beforeAll(async () => {
    rig.s3 = await startS3Server();
    // Python reads a few thousand files first.
  }, 60_000);
  afterAll(() => rig.s3.close());
  beforeEach(() => rig.open());
  afterEach(() => rig.close());
  return rig;
}
