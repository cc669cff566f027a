/** A program in one file (AppImage): which one this is, and how another takes its place. */
import { chmodSync, constants, copyFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFileSync, syncFolderSync } from '../../engine/whole-file.ts';

/** How a process was started, as far as it says whether it runs from an image. */
export interface OwnProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly execPath: string;
}

/**
 * The AppImage that this program runs from. What an image starts inherits its variables: only a program that lies inside the
 * mounted image is that image.
 */
export function ownImage({ env, execPath }: OwnProcess): string | undefined {
  const { APPIMAGE: image, APPDIR: mounted } = env;
  if (image === undefined || mounted === undefined) return undefined;
  try {
    // It lies at the root of what is mounted.
    return dirname(realpathSync(execPath)) === realpathSync(mounted) ? image : undefined;
  } catch {
    return undefined;
  }
}

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
