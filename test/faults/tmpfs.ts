import { execFileSync } from 'node:child_process';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A small disk of its own, in memory. */
export interface SmallDisk {
  readonly path: string;
  /** Fills it to the last byte. */
  fill(): Promise<void>;
  /** Makes the room again that `fill` took. */
  free(): Promise<void>;
  setReadOnly(isReadOnly: boolean): void;
}

/** Mounts a small disk; undefined where this process may not mount. It is gone with the test. */
export function mountSmallDisk(
  test: { onTestFinished(end: () => void): void },
  mebibytes: number,
): SmallDisk | undefined {
  const path = temporaryFolder();
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path);
  } catch {
    return undefined;
  }
  test.onTestFinished(() => {
    // Lazily: a file that a slow engine still holds open must not keep the mount for ever.
    run('umount', '-l', path);
  });
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => fillUp(path, filler),
    free: () => rm(filler),
    setReadOnly: (isReadOnly) => {
      run('mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, path);
    },
  };
}

function run(program: 'mount' | 'umount', ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'ignore' });
}

async function fillUp(disk: string, filler: string): Promise<void> {
  const file = await open(filler, 'a');
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(disk);
      await file.write(Buffer.alloc(Math.max(bsize, Math.min(bavail * bsize, 8 << 20))));
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
}
