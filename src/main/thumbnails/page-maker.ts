/**
 * Draws small pictures of files with Chromium's decoders, in a page that nobody sees. The page has a process and a
 * session of its own, has no bridge, and reads only the one file that it was given: a file that harms its decoder costs
 * one picture.
 */
import { constants, setPriority } from 'node:os';
import { session, WebContentsView, type Session } from 'electron';
import type { Clock } from '../../engine/index.ts';
import { inEnglish, systemSays } from '../../shared/domain/base/reason.ts';
import type { Log } from '../shell/log.ts';
import { denyPermissions } from '../shell/hardening.ts';
import { respondWith, type ServedFile } from '../shell/media-protocol.ts';
import { APP_SCHEME } from '../shell/app-protocol.ts';
import type { KeptThumbnail } from './thumbnail-cache.ts';
import { soundIn, type ThumbnailMaker, type Wanted } from './thumbnails.ts';

export const THUMBNAILS_ORIGIN = `${APP_SCHEME}://thumbnails`;

/** Like the window's policy, but the page may read its own addresses. No file of the user's becomes markup or code. */
export const THUMBNAILS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "webrtc 'block'",
  "require-trusted-types-for 'script'",
].join('; ');

/** A decoder that takes longer is hanging. The page has a low priority, so a busy night may make it slow. */
const LIMIT_MS = 30_000;
/** If nobody has looked for this long, the page's memory is given back. */
const IDLE_MS = 30_000;
/** At most this many files for one page: Chromium keeps some MB of each file that it has read in memory. */
const MOST_FILES = 50;
/** Larger than any small picture. */
const MOST_MADE_BYTES = 1 << 20;

export interface PageMakerOptions {
  /** Serves the files of the page itself. */
  readonly servePage: (request: Request) => Promise<Response>;
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly log: Log;
}

interface Job {
  readonly number: number;
  readonly file: ServedFile;
  readonly kind: Wanted;
  /** The page has asked for the file: what happens from then on may be its fault. */
  isRead: boolean;
  /** The page that it was meant for was gone before it read the file; another one has it now. */
  hasMoved: boolean;
  readonly end: (made: KeptThumbnail | 'unavailable') => void;
}

/** One page for one file after the other. */
export class PageMaker implements ThumbnailMaker {
  readonly #options: PageMakerOptions;
  #session: Session | undefined;
  #view: WebContentsView | undefined;
  #job: Job | undefined;
  #jobs = 0;
  /** How many files the page has been given. */
  #files = 0;
  /** The page waits for a job. */
  #give: ((job: Job) => void) | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor(options: PageMakerOptions) {
    this.#options = options;
  }

  make(file: ServedFile, kind: Wanted): Promise<KeptThumbnail | 'unavailable'> {
    const { clock, log } = this.#options;
    this.#cancelIdle?.();
    return new Promise((resolve) => {
      const cancelLate = clock.setTimer(LIMIT_MS, () => {
        log('warning', `the page for small pictures: ${kind} took too long`);
        this.#endPage();
        this.#blame(job);
      });
      const job: Job = {
        number: (this.#jobs += 1),
        file,
        kind,
        isRead: false,
        hasMoved: false,
        end: (made) => {
          if (this.#job !== job) return;
          cancelLate();
          this.#job = undefined;
          if ((this.#files += 1) >= MOST_FILES) this.#endPage();
          this.#cancelIdle = clock.setTimer(IDLE_MS, () => this.#endPage());
          resolve(made);
        },
      };
      this.#job = job;
      this.#openFor(job);
      this.#give?.(job);
    });
  }

  close(): void {
    this.#cancelIdle?.();
    this.#endPage();
    this.#job?.end('unavailable');
    this.#cancelIdle?.();
    // The session outlives this: another application in this process answers for it.
    this.#session?.protocol.unhandle(APP_SCHEME);
    this.#session = undefined;
  }

  /** Opens a page for a job, and ends the job if there can be none: its time would end the page of a later one. */
  #openFor(job: Job): void {
    try {
      this.#openPage();
    } catch (error) {
      this.#options.log('warning', `the page for small pictures could not be opened: ${inEnglish(systemSays(error))}`);
      this.#endPage();
      job.end('unavailable');
    }
  }

  #openPage(): void {
    if (this.#view !== undefined) return;
    const view = new WebContentsView({
      webPreferences: {
        session: this.#ownSession(),
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
        // Nobody ever sees the page, so Chromium would otherwise let it sleep.
        backgroundThrottling: false,
      },
    });
    this.#view = view;
    const { webContents } = view;
    webContents.setAudioMuted(true);
    webContents.on('render-process-gone', (_event, { reason }) => {
      if (this.#view !== view) return;
      const job = this.#job;
      this.#options.log('warning', `the page for small pictures: ${job?.kind ?? 'nothing'} ended it: ${reason}`);
      this.#endPage();
      if (job === undefined) return;
      if (job.isRead || job.hasMoved) {
        this.#blame(job);
        return;
      }
      job.hasMoved = true;
      this.#openFor(job);
    });
    webContents.once('did-finish-load', () => lowerPriority(webContents.getOSProcessId()));
    webContents.loadURL(`${THUMBNAILS_ORIGIN}/thumbnails.html`).catch(() => {
      if (this.#view !== view) return;
      this.#endPage();
      this.#job?.end('unavailable');
    });
  }

  /** Ends a job whose page is gone: a file that was never read is not to blame. */
  #blame(job: Job): void {
    job.end(job.isRead ? { kind: 'failed' } : 'unavailable');
  }

  /** Ends the page's process, whatever it is doing. */
  #endPage(): void {
    const contents = this.#view?.webContents;
    this.#view = undefined;
    this.#give = undefined;
    this.#files = 0;
    if (contents === undefined || contents.isDestroyed()) return;
    contents.forcefullyCrashRenderer();
    contents.close();
  }

  #ownSession(): Session {
    if (this.#session !== undefined) return this.#session;
    // The session is in memory: nothing of it remains.
    const own = session.fromPartition('thumbnails');
    denyPermissions(this.#options.log, own);
    // Whatever runs in the page, it can reach no other address.
    own.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !url.startsWith(`${THUMBNAILS_ORIGIN}/`) }));
    own.protocol.handle(APP_SCHEME, (request) => this.#answer(request));
    this.#session = own;
    return own;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const job = this.#job;
    const isAsked = job !== undefined && searchParams.get('job') === String(job.number);
    switch (pathname) {
      case '/next': {
        const { number, kind } = await this.#nextFor(searchParams.get('after'));
        return Response.json({ number, kind });
      }
      case '/file':
        if (!isAsked) return new Response(null, { status: 404 });
        job.isRead = true;
        return respondWith(job.file, request);
      case '/made': {
        const bytes = await readAtMost(request, MOST_MADE_BYTES);
        if (isAsked) job.end(isWanted(bytes, job.kind) ? { kind: 'made', bytes } : { kind: 'failed' });
        return new Response(null, { status: 204 });
      }
      default:
        return this.#options.servePage(request);
    }
  }

  /** The next job, once there is one other than the job that the page has done. */
  #nextFor(after: string | null): Promise<Job> {
    const job = this.#job;
    if (job !== undefined && String(job.number) !== after) return Promise.resolve(job);
    return new Promise((give) => {
      this.#give = give;
    });
  }
}

/** The body of a request; empty if it is longer. */
async function readAtMost({ body }: Request, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const sent: AsyncIterable<Uint8Array> | null = body;
  for await (const part of sent ?? []) {
    bytes += part.length;
    if (bytes > most) return new Uint8Array();
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** Whatever the page says, only a picture or the measures of a sound are kept. */
function isWanted(bytes: Uint8Array, wanted: Wanted): boolean {
  if (wanted === 'sound') return soundIn(bytes) !== undefined;
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return head.startsWith('RIFF') && head.endsWith('WEBP');
}

/** The night comes first. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has already ended, or its priority may not be changed.
  }
}
