import type { FilingDisk } from '../../src/engine/review/tidy-files.ts';
import type { Machine } from './machine.ts';
import type { PlacedFiles } from './sim-folder.ts';

/** Moves and removes files of the media folder in memory, while others do the same. */
export function simFiling(machine: Machine, files: PlacedFiles): FilingDisk {
  async function touch(what: string): Promise<void> {
    await machine.wait(2, what);
    if (!machine.isSpell('disk')) return;
    throw Object.assign(new Error('The simulated disk is full.'), { code: 'ENOSPC', syscall: 'rename' });
  }
  const isSame = (one: string, other: string): boolean => files.get(one)?.outputId === files.get(other)?.outputId;

  return {
    folderProblem: async () => {
      await machine.wait(1, 'look at the folder');
      return undefined;
    },
    isGone: async (_, path) => {
      await touch(`look at ${path}`);
      return !files.has(path);
    },
    nameElsewhere: async (_, { path }, to, claim) => {
      await touch(`name ${path}`);
      const file = files.get(path);
      if (file === undefined) return false;
      for (let n = 1; ; n += 1) {
        const candidate = n === 1 ? to : to.replace(/(\.\w+)$/u, `-${n}$1`);
        const isNew = !files.has(candidate);
        if (!isNew && !isSame(candidate, path)) continue;
        files.set(candidate, file);
        await touch(`keep ${candidate}`);
        const claimed = await claim(candidate);
        if (claimed === 'claimed') return true;
        if (isNew) files.delete(candidate);
        if (claimed === 'unwanted') return false;
      }
    },
    removeFile: async (_, { path }) => {
      await touch(`remove ${path}`);
      return files.delete(path) ? 'removed' : 'gone';
    },
    removeFormer: async (_, former, { path }, isLeft) => {
      await touch(`free ${former}`);
      const old = files.get(former);
      if (old === undefined) return true;
      if (!files.has(path)) {
        files.set(path, old);
        return false;
      }
      if (isSame(former, path) && (await isLeft())) files.delete(former);
      return true;
    },
  };
}
