/** Media folders wherever they are. What speaks S3 is loaded with the first batch whose folder is in a bucket. */
import { isBucketAddress } from '../../shared/domain/files/bucket-address.ts';
import type { MediaFolder } from '../ports/media-folder.ts';
import { createMediaFolder, type MediaFolderOptions } from './media-folder.ts';

export interface AnyFolderOptions extends MediaFolderOptions {
  /** Absolute path of a folder on this machine, for what is on its way into a bucket. Created when needed. */
  readonly spool: string;
}

/** The media folders on disks and in buckets. */
export function createAnyFolder(options: AnyFolderOptions): MediaFolder {
  const disk = createMediaFolder(options);
  let loading: Promise<MediaFolder> | undefined;

  function buckets(): Promise<MediaFolder> {
    loading ??= import('./s3/bucket-folder.ts').then(({ createBucketFolder }) =>
      createBucketFolder(disk, { ...options, environment: process.env }),
    );
    return loading;
  }

  return {
    async prepare(folder, needs) {
      return isBucketAddress(folder) ? (await buckets()).prepare(folder, needs) : disk.prepare(folder, needs);
    },
    async fetch(request, profile, journal, signal) {
      const own = isBucketAddress(request.folder) ? await buckets() : disk;
      return own.fetch(request, profile, journal, signal);
    },
    async writeDocument(request, journal) {
      const own = isBucketAddress(request.folder) ? await buckets() : disk;
      return own.writeDocument(request, journal);
    },
    async sweep(folder, isWanted) {
      return isBucketAddress(folder) ? (await buckets()).sweep(folder, isWanted) : disk.sweep(folder, isWanted);
    },
    async close() {
      await (await loading)?.close();
      await disk.close();
    },
  };
}
