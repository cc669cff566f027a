import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastLineOf } from './child.ts';
import { inTemporaryFolder } from './measure.ts';

/** The tree that this bench belongs to. */
export const THIS_TREE = fileURLToPath(new URL('../..', import.meta.url));

/** Builds what a user starts, in a tree. */
export async function buildTree(tree: string): Promise<void> {
  console.error(`Building ${tree} …`);
  // Of npm run build, without the path of scripts that an npm in the way would prefer to ours.
  await lastLineOf('npm', ['run', '--silent', 'build'], { cwd: tree });
}

/** Makes the program that users install from what is built in a tree. */
export async function packageTree(tree: string): Promise<void> {
  console.error(`Packaging ${tree} …`);
  await lastLineOf('npm', ['run', '--silent', 'package', '--', '--of-out'], { cwd: tree });
}

/** Where a tree's contenders are once they are built. */
export const CONTENDERS_BUILT = path.join('out', 'bench');
const CONFIG = 'vite.bench.config.ts';

/**
 * Builds the contenders of all trees, or of none: a tree that has no build of them yet would be compared by its
 * sources.
 */
export async function buildContenders(trees: readonly string[]): Promise<void> {
  const canAll = trees.every((tree) => existsSync(path.join(tree, CONFIG)));
  for (const tree of trees) {
    rmSync(path.join(tree, CONTENDERS_BUILT), { recursive: true, force: true });
    if (!canAll) continue;
    const vite = path.join(THIS_TREE, 'node_modules', 'vite', 'bin', 'vite.js');
    await lastLineOf(process.execPath, [vite, 'build', '--logLevel', 'error', '--config', CONFIG], { cwd: tree });
  }
}

/** Checks another commit out beside this tree during `work`, with the same packages. */
export function withCommit<T>(ref: string, work: (tree: string, commit: string) => Promise<T>): Promise<T> {
  return inTemporaryFolder(async (folder) => {
    const commit = await lastLineOf('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: THIS_TREE });
    const tree = path.join(folder, 'tree');
    const packages = path.join(tree, 'node_modules');
    try {
      await lastLineOf('git', ['worktree', 'add', '--quiet', '--detach', tree, commit], { cwd: THIS_TREE });
      symlinkSync(path.join(THIS_TREE, 'node_modules'), packages, 'junction');
      return await work(tree, commit);
    } finally {
      rmSync(packages, { force: true });
      rmSync(tree, { recursive: true, force: true });
      execFileSync('git', ['worktree', 'prune'], { cwd: THIS_TREE });
    }
  });
}
