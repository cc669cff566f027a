/** Real mounts for tests: a disk over a folder, a second place for a folder, a disk without hard links. Root only. */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** A test, or something else that ends like one. */
interface Mounting {
  onTestFinished(end: () => void): void;
}

/** What is mounted somewhere, until it is unmounted or the test ends. */
export interface Mount {
  readonly path: string;
  unmount(): void;
}

/** Mounts an empty disk in memory over a folder; undefined if this process may not mount. */
export function mountOver(test: Mounting, path: string, options = 'size=16m'): Mount | undefined {
  return mountBy(test, path, () => run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', path));
}

/** From here on, nothing can be written to what is mounted. */
export function makeReadOnly({ path }: Mount): void {
  run('mount', '-o', 'remount,ro', path);
}

/** Makes a folder visible in another place, too, as on a second machine; undefined if this process may not mount. */
export function mountAgain(test: Mounting, folder: string, options = 'rw'): Mount | undefined {
  const path = temporaryFolder();
  return mountBy(test, path, () => {
    run('mount', '--bind', folder, path);
    if (options !== 'rw') run('mount', '-o', `remount,bind,${options}`, path);
  });
}

/**
 * A disk without hard links, on which names that differ only in case are the same: exFAT, or else FAT. Undefined
 * without either.
 */
export function mountWithoutLinks(test: Mounting): Mount | undefined {
  const { image, path } = makeImage();
  return mountBy(test, path, () => {
    try {
      run('mkfs.vfat', image);
      run('mount', '-o', 'loop', '-t', 'vfat', image, path);
    } catch {
      run('mkfs.exfat', image);
      const device = execFileSync('losetup', ['--find', '--show', image], { encoding: 'utf8' }).trim();
      // Given back with the mount.
      test.onTestFinished(() => run('losetup', '--detach', device));
      run('mount.exfat-fuse', device, path);
    }
  });
}

/** A disk that can be made to hang: a write to it waits until it is thawed. Undefined if it cannot be made. */
export function mountFreezable(
  test: Mounting,
): (Mount & { readonly freeze: () => void; readonly thaw: () => void }) | undefined {
  const { image, path } = makeImage();
  const mount = mountBy(test, path, () => {
    run('mkfs.ext4', '-q', image);
    run('mount', '-o', 'loop', '-t', 'ext4', image, path);
  });
  if (mount === undefined) return undefined;
  let isFrozen = false;
  const freeze = (): void => {
    run('fsfreeze', '--freeze', path);
    isFrozen = true;
  };
  const thaw = (): void => {
    if (isFrozen) run('fsfreeze', '--unfreeze', path);
    isFrozen = false;
  };
  // Before it is unmounted: what was registered last is done first.
  test.onTestFinished(thaw);
  return { ...mount, freeze, thaw };
}

function makeImage(): { readonly image: string; readonly path: string } {
  const folder = temporaryFolder();
  const [image, path] = [join(folder, 'image'), join(folder, 'disk')];
  mkdirSync(path);
  const file = openSync(image, 'wx');
  ftruncateSync(file, 64 << 20);
  closeSync(file);
  return { image, path };
}

function mountBy(test: Mounting, path: string, mount: () => void): Mount | undefined {
  try {
    mount();
  } catch {
    return undefined;
  }
  let isMounted = true;
  const unmount = (...how: readonly string[]): void => {
    if (isMounted) run('umount', ...how, path);
    isMounted = false;
  };
  // Lazily: something that still has a file of it open must not keep the mount for ever.
  test.onTestFinished(() => unmount('-l'));
  return { path, unmount: () => unmount() };
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'ignore' });
}
