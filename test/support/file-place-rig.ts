import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BatchesOfPlaces } from '../../src/engine/file-places/delete-put.ts';
import { createFilePlaces } from '../../src/engine/file-places/file-places.ts';
import type { FileAnswer, FileOrder, FilePlaces, PictureMaker } from '../../src/engine/ports/file-places.ts';
import { filesPlace, type FilesPlace } from '../../src/shared/domain/places/files-place.ts';
import { fastClock } from './fast-clock.ts';
import { startS3Proxy, type S3Proxy, type S3Seen } from './s3-proxy.ts';
import { startS3Server, type S3Server } from './s3-server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { startWebdavServer, type WebdavServer } from './webdav-server.ts';

export const FIXTURES = new URL('../fixtures/media/', import.meta.url);
/** For places that are not asked for pictures. */
export const NO_PICTURES: PictureMaker = { make: () => Promise.reject(new Error('Nobody asked for a picture.')) };
/** Signed by nobody: the S3 server does not check that. */
const headers = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=AKIDTESTS/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0',
};

/** A user's own place on a real server, behind a proxy that can fail, and a folder with their sheet. */
export class FilePlaceRig {
  readonly kind: 's3' | 'webdav';
  proxy!: S3Proxy;
  place!: FilesPlace;
  /** The folder of the sheet. */
  sheet!: string;
  environment!: Record<string, string>;
  /** Without batches, nothing is deleted. */
  batches: BatchesOfPlaces | undefined;
  #s3: S3Server | undefined;
  #webdav: WebdavServer | undefined;
  #bucket = '';
  #data = '';
  readonly #open: FilePlaces[] = [];
  readonly bugs: unknown[] = [];
  pictures: PictureMaker = NO_PICTURES;
  /** How far the clock is ahead, in milliseconds. */
  ahead = 0;

  constructor(kind: 's3' | 'webdav') {
    this.kind = kind;
  }

  /** Called once for all tests of a file. */
  async start(): Promise<void> {
    if (this.kind === 's3') this.#s3 = await startS3Server();
    else this.#webdav = await startWebdavServer();
    this.proxy = await startS3Proxy(this.#s3?.url ?? new URL(this.#webdav?.url ?? '').origin);
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    this.#s3?.close();
    await this.#webdav?.close();
  }

  /** Called for each test. */
  async prepare(): Promise<void> {
    this.#data = temporaryFolder();
    this.sheet = temporaryFolder();
    this.proxy.fault(() => undefined);
    this.bugs.length = 0;
    this.ahead = 0;
    this.batches = undefined;
    if (this.kind === 's3') {
      this.#bucket = `in-${randomUUID()}`;
      await fetch(`${this.#s3?.url}/${this.#bucket}`, { method: 'PUT', headers });
      this.environment = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'a-secret-that-nobody-sees' };
      this.place = filesPlace.parse({ s3: { bucket: `s3://${this.#bucket}/in put`, endpoint: this.proxy.url } });
    } else {
      for (const name of this.#webdav?.names() ?? []) this.#webdav?.remove(name);
      this.environment = { NOCTURNE_FILES_PASSWORD: this.#webdav?.password ?? '' };
      this.place = filesPlace.parse({ webdav: { url: `${this.proxy.url}/in%20put`, user: this.#webdav?.user } });
    }
  }

  async endTest(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((places) => places.close()));
    if (this.bugs.length > 0) throw new AggregateError(this.bugs, 'Bugs of the place');
  }

  /** The places as another process sees them, or after a restart. */
  async places(): Promise<FilePlaces> {
    const clock = fastClock(20, Date.now());
    const places = createFilePlaces({
      folder: this.folder,
      placesNote: join(this.#data, 'places.json'),
      batches: this.batches,
      // Not a faster clock: a busy machine must not look like a server that accepts nothing for a minute.
      clock: { ...clock, now: () => clock.now() + this.ahead },
      random: { next: () => 0 },
      pictures: this.pictures,
      environment: this.environment,
      onBug: (error) => this.bugs.push(error),
    });
    this.#open.push(places);
    await places.allow(this.place);
    return places;
  }

  /** Our own folder, beside the store. */
  get folder(): string {
    return join(this.#data, 'files-place');
  }

  /** Puts one of the fixtures into the folder of the sheet, under another name. */
  bring(fixture: string, name: string): string {
    const path = join(this.sheet, name);
    mkdirSync(join(path, '..'), { recursive: true });
    copyFileSync(new URL(fixture, FIXTURES), path);
    return path;
  }

  order(written: string, more: Partial<FileOrder> = {}): FileOrder {
    return { file: { column: 'images', media: 'image', written }, place: this.place, folder: this.sheet, ...more };
  }

  /** The answer once nothing is on its way. */
  async answer(places: FilePlaces, order: FileOrder): Promise<Exclude<FileAnswer, { kind: 'coming' }>> {
    for (;;) {
      const answer = await places.addressOf(order);
      if (answer.kind !== 'coming') return answer;
      await answer.arrived;
    }
  }

  /** The same, with all waits between tries. */
  async address(places: FilePlaces, order: FileOrder): Promise<string> {
    for (let tries = 0; tries < 1000; tries += 1) {
      const answer = await this.answer(places, order);
      if (answer.kind === 'there') return answer.address;
      if (answer.kind === 'refused') throw new Error(answer.failure.message);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('It did not come.');
  }

  /** The bodies that were sent to the server, as far as they reached it. */
  puts(): readonly S3Seen[] {
    return this.proxy.seen.filter(({ method }) => method === 'PUT');
  }

  /** What is there, by name. */
  async contents(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const names = this.kind === 's3' ? await this.#keys() : (this.#webdav?.names() ?? []);
    for (const name of names) found.set(name, sha(await this.#bytes(name)));
    return found;
  }

  async write(name: string, content: Buffer | string): Promise<void> {
    if (this.#webdav !== undefined) this.#webdav.write(name, content);
    else await fetch(this.#urlOf(name), { method: 'PUT', headers, body: new Uint8Array(Buffer.from(content)) });
  }

  async remove(name: string): Promise<void> {
    if (this.#webdav !== undefined) this.#webdav.remove(name);
    else await fetch(this.#urlOf(name), { method: 'DELETE', headers });
  }

  #urlOf(name: string): string {
    return `${this.#s3?.url}/${this.#bucket}/in%20put/${name}`;
  }

  async #bytes(name: string): Promise<Buffer> {
    if (this.#webdav !== undefined) return this.#webdav.bytesOf(name);
    return Buffer.from(await (await fetch(this.#urlOf(name), { headers })).arrayBuffer());
  }

  async #keys(): Promise<readonly string[]> {
    const text = await (await fetch(`${this.#s3?.url}/${this.#bucket}?list-type=2`, { headers })).text();
    return [...text.matchAll(/<Key>in put\/([^<]*)<\/Key>/gu)].map(([, key = '']) => key);
  }
}

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
