import { net } from 'electron';
import { systemClock } from '../../engine/system-clock.ts';
import { createAppProtocol } from '../shell/app-protocol.ts';
import type { Log } from '../shell/log.ts';
import { PageMaker, THUMBNAILS_ORIGIN, THUMBNAILS_POLICY } from './page-maker.ts';
import { ThumbnailCache } from './thumbnail-cache.ts';
import { Thumbnails, type ThumbnailsOptions } from './thumbnails.ts';

/** Some 40,000 thumbnails. */
const MOST_THUMBNAIL_BYTES = 512 << 20;

/** The small pictures of this application: kept in a folder, made in a page of its own. */
export function makeThumbnails(input: {
  readonly folder: string;
  readonly locate: ThumbnailsOptions['locate'];
  readonly rendererFolder: string;
  readonly devOrigin: string | undefined;
  readonly log: Log;
}): Thumbnails {
  const { folder, locate, rendererFolder, devOrigin, log } = input;
  const servePage =
    devOrigin === undefined
      ? createAppProtocol(rendererFolder, THUMBNAILS_ORIGIN, THUMBNAILS_POLICY)
      : ({ url }: { readonly url: string }) => net.fetch(devOrigin + url.slice(THUMBNAILS_ORIGIN.length));
  return new Thumbnails({
    locate,
    cache: new ThumbnailCache({ folder, mostBytes: MOST_THUMBNAIL_BYTES, now: () => Date.now() }),
    maker: new PageMaker({ servePage, clock: systemClock, log }),
  });
}
