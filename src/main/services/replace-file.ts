import { chmod, rename, rm } from 'node:fs/promises';

/**
 * Has a file written beside its place, for this user alone, and puts it there when it is whole: what was there before
 * is kept until then. `write` gives what keeps it from writing, if anything does.
 */
export async function replaceFile(
  file: string,
  write: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const part = `${file}.nocturne-part`;
  try {
    await rm(part, { force: true });
    const problem = await write(part);
    if (problem !== undefined) return problem;
    await chmod(part, 0o600);
    await rename(part, file);
    return undefined;
  } catch (error) {
    return `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await rm(part, { force: true }).catch(() => undefined);
  }
}
