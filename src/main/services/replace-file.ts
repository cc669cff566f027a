import { replaceWhole } from '../../engine/whole-file.ts';

/**
 * Has a file of the user's choice written for this user alone; it is put in place when it is whole. `write` gives what
 * keeps it from writing, if anything does.
 */
export async function replaceFile(
  file: string,
  write: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  let problem: string | undefined;
  const writePart = async (part: string): Promise<void> => {
    problem = await write(part);
    if (problem !== undefined) throw new Error(problem);
  };
  try {
    await replaceWhole(file, writePart, 0o600);
    return undefined;
  } catch (error) {
    return problem ?? `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}
