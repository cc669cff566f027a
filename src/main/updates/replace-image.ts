import { chmodSync, constants, copyFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFileSync, syncFolderSync } from '../../engine/whole-file.ts';

/**
 * Puts an image in the place of another. Whatever ends the machine meanwhile, one of the two is there, and whole: the
 * library would remove the one before it has the other.
 */
export function replaceImage(from: string, image: string): void {
  const place = realpathSync(image);
  const part = join(dirname(place), `.${basename(place)}.new`);
  // Left by one that was killed, if anything.
  rmSync(part, { force: true });
  try {
    copyFileSync(from, part, constants.COPYFILE_FICLONE);
    chmodSync(part, 0o755);
    syncFileSync(part);
    renameSync(part, place);
  } finally {
    rmSync(part, { force: true });
  }
  syncFolderSync(dirname(place));
  rmSync(from, { force: true });
}
