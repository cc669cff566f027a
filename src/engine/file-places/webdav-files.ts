/** Files in the user's own WebDAV folder. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { request, type Dispatcher } from 'undici';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import type { FilesWay } from '../../shared/domain/places/files-place.ts';
import { openPlainFile } from '../media-folder/plain-file.ts';
import type { LocalCopy } from './local-copy.ts';
import {
  codeOfError,
  contentNames,
  bodyDigest,
  placeFailed,
  NO_FREE_NAME,
  READ_AGAIN_BYTES,
  type FileStore,
  type PlaceProblem,
  type PutContent,
  type PutFileOutcome,
  type RemoveOutcome,
} from './put-file.ts';
import type { PutContentRecord } from './put-record.ts';

type WebdavWay = Extract<FilesWay, { kind: 'webdav' }>['webdav'];

type BeforeSent = Parameters<FileStore['put']>[2];

/** What a name in the folder stands for. */
type Found = 'none' | 'same' | 'other' | PlaceProblem;

const CHUNK_BYTES = 1 << 18;
/** Status codes after which the server may answer differently a little later. */
const PASSING: ReadonlySet<number> = new Set([408, 423, 425, 429, 507]);

/** Opens the place; `password` as its owner has given it. */
export function openWebdavFiles(way: WebdavWay, password: string | undefined, dispatcher: Dispatcher): FileStore {
  const { user } = way;
  const root = way.url.replace(/\/+$/u, '');
  const said = user === undefined && password === undefined ? undefined : `${user ?? ''}:${password ?? ''}`;
  const own = said === undefined ? {} : { authorization: `Basic ${Buffer.from(said, 'utf8').toString('base64')}` };

  async function put(copy: LocalCopy, signal: AbortSignal, beforeSent: BeforeSent): Promise<PutFileOutcome> {
    for (const name of contentNames(copy)) {
      let there: 'put' | 'taken' | Found = await found(name, copy, signal);
      if (there === 'none') {
        await beforeSent(name);
        there = await send(name, copy, signal);
      }
      // Somebody else may have put the same content there in the meantime.
      if (there === 'taken') there = await found(name, copy, signal);
      if (there === 'put') return { kind: 'put', name };
      if (there === 'same') return { kind: 'put', name, isFound: true };
      if (typeof there === 'object') return there;
    }
    return NO_FREE_NAME;
  }

  /** Content too long to be read again is compared by its length, as when its address is checked. */
  async function remove(content: PutContentRecord, signal: AbortSignal): Promise<RemoveOutcome> {
    const { name, sha256, bytes } = content;
    const url = `${root}/${name}`;
    const isWhole = bytes <= READ_AGAIN_BYTES;
    const answer = await request(url, { method: isWhole ? 'GET' : 'HEAD', headers: own, dispatcher, signal });
    const { statusCode: status, headers, body } = answer;
    const isSame = isWhole
      ? status === 200 && (await bodyDigest(body, bytes)) === sha256
      : Number(headers['content-length'] ?? -1) === bytes;
    if (!isWhole || status !== 200) body.on('error', () => undefined).destroy();
    if (status === 404) return { kind: 'gone' };
    if (status !== 200) return problemOf(status);
    if (!isSame) return { kind: 'changed' };
    // A weak tag never matches.
    const tag = typeof headers.etag === 'string' && !headers.etag.startsWith('W/') ? headers.etag : undefined;
    const condition = tag === undefined ? {} : { 'if-match': tag };
    const end = await request(url, { method: 'DELETE', headers: { ...own, ...condition }, dispatcher, signal });
    end.body.on('error', () => undefined).destroy();
    if (end.statusCode === 412) return { kind: 'changed' };
    if (end.statusCode === 404 || (end.statusCode >= 200 && end.statusCode < 300)) return { kind: 'gone' };
    return problemOf(end.statusCode);
  }

  /** Reads what has a name: only the whole content shows that it is the same. */
  async function found(name: string, { sha256, bytes }: PutContent, signal: AbortSignal): Promise<Found> {
    const answer = await request(`${root}/${name}`, { method: 'GET', headers: own, dispatcher, signal });
    if (answer.statusCode === 200) {
      const digest = await bodyDigest(answer.body, bytes);
      return digest === sha256 ? 'same' : 'other';
    }
    answer.body.on('error', () => undefined).destroy();
    return answer.statusCode === 404 ? 'none' : problemOf(answer.statusCode);
  }

  async function send(name: string, copy: LocalCopy, signal: AbortSignal): Promise<'put' | 'taken' | PlaceProblem> {
    const file = await openPlainFile(copy.path);
    try {
      const headers = {
        ...own,
        'if-none-match': '*',
        'content-type': copy.type.mediaType,
        'content-length': `${copy.bytes}`,
      };
      const body = Readable.from(piecesOf(file, copy.bytes));
      const answer = await request(`${root}/${name}`, { method: 'PUT', headers, body, dispatcher, signal });
      answer.body.on('error', () => undefined).destroy();
      const { statusCode: status } = answer;
      if (status === 412) return 'taken';
      return status >= 200 && status < 300 ? 'put' : problemOf(status);
    } finally {
      await file.close();
    }
  }

  function problemOf(status: number): PlaceProblem {
    const { said, passes } = refusal(root, status);
    const ofPlace = !passes && status !== 413;
    return { ...placeFailed(said, passes), ...(ofPlace ? { ofPlace } : {}) };
  }

  async function answered<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | PlaceProblem> {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      return placeFailed(reason('place.silent', root, codeOfError(error)), true);
    }
  }

  return {
    put: (copy, signal, beforeSent) => answered(() => put(copy, signal, beforeSent), signal),
    remove: (content, signal) => answered(() => remove(content, signal), signal),
    addressOf: (name) => Promise.resolve(`${(way.publicUrl ?? root).replace(/\/+$/u, '')}/${name}`),
    // The connections are shared.
    close: () => Promise.resolve(),
  };
}

function refusal(root: string, status: number): { readonly said: Reason; readonly passes: boolean } {
  const passes = status >= 500 || PASSING.has(status);
  if (status === 401 || status === 403) return { said: reason('place.refused', root, status), passes: false };
  if (status === 404 || status === 409) return { said: reason('place.noFolder', root, status), passes: false };
  if (status === 405 || status === 501) return { said: reason('place.noWebdav', root, status), passes: false };
  if (status === 413) return { said: reason('place.tooLarge', root), passes: false };
  if (status === 507) return { said: reason('place.full', root), passes: true };
  if (status >= 300 && status < 400) return { said: reason('place.leadsElsewhere', root, status), passes: false };
  return { said: reason('place.answered', root, status), passes };
}

async function* piecesOf(file: FileHandle, bytes: number): AsyncGenerator<Buffer, void, undefined> {
  for (let done = 0; done < bytes;) {
    const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - done));
    const { bytesRead } = await file.read(piece, 0, piece.length, done);
    if (bytesRead === 0) throw new Error('The copy is shorter than it was');
    done += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
