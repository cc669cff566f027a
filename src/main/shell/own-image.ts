import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

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
  return isInside(execPath, mounted) ? image : undefined;
}

function isInside(path: string, folder: string): boolean {
  try {
    return realpathSync(path).startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}
