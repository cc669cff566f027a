import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { OutputFile } from '../../shared/domain/task/batch-view.ts';
import type { ServedFile } from '../shell/media-protocol.ts';

/**
 * Where a verified file lies, or undefined where it is gone, is no file, or does not lie inside its media folder after
 * every link on the way has been followed.
 */
export async function locateFile(file: OutputFile): Promise<ServedFile | undefined> {
  if (!file.verified || file.mediaType === undefined) return undefined;
  try {
    const folder = await realpath(file.folder);
    const path = await realpath(join(folder, file.path));
    if (!path.startsWith(folder + sep)) return undefined;
    const stats = await stat(path);
    return stats.isFile() ? { path, mediaType: file.mediaType, bytes: stats.size } : undefined;
  } catch {
    return undefined;
  }
}
