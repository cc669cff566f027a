/** A program in a single file (AppImage): which image is running, and how another takes its place. */
import { chmodSync, constants, copyFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFileSync, syncFolderSync } from '../../engine/whole-file.ts';

/** How a process was started, as far as that shows whether it runs from an image. */
export interface OwnProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly execPath: string;
}

/**
 * The AppImage that this program runs from. What an image starts inherits its variables: only a program inside the
 * mounted image is that image.
 */
export function ownImage({ env, execPath }: OwnProcess): string | undefined {
  const { APPIMAGE: image, APPDIR: mounted } = env;
  if (image === undefined || mounted === undefined) return undefined;
  try {
    // The program is at the root of what is mounted.
    return dirname(realpathSync(execPath)) === realpathSync(mounted) ? image : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Puts one image in the place of another. Whatever stops the machine in between, one of the two is there, and whole:
 * the library would remove the old image before it has the new one.
 */
export function replaceImage(from: string, image: string): void {
  const place = realpathSync(image);
  const part = join(dirname(place), `.${basename(place)}.new`);
  // Left behind by a process that was killed, if there is one.
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
