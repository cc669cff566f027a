/** Begins to write the file that it is given, says under which name, and waits to be killed. */
import { writeFile } from 'node:fs/promises';
import { replaceWhole } from '../../../src/engine/whole-file.ts';

const [, , file = ''] = process.argv;

await replaceWhole(
  file,
  async (part) => {
    await writeFile(part, 'half');
    await writeFile(`${part}-journal`, 'of SQLite');
    process.stdout.write(part);
    await new Promise(() => setInterval(() => undefined, 60_000));
  },
  0o600,
);
