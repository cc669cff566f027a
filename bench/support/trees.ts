import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
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
