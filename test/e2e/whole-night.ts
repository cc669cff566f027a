/** A night long enough to be interrupted, most of whose rows cost the machine little. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RouteInput } from '../../src/shared/ipc/contract.ts';
import { answerDialogs, newFolder, type Launched } from './launch.ts';

/**
 * As many requests as the sample of a night has, for every kind of media. Where the sample has songs, each of which
 * costs the built-in gateway a seventh of a second of a processor, this one has films.
 */
const OPERATIONS = [
  ...Array.from({ length: 2 }, () => 'music'),
  ...Array.from({ length: 2 }, () => 'lyrics'),
  ...Array.from({ length: 9 }, () => 'image'),
  ...Array.from({ length: 58 }, (_, i) => (i % 2 === 0 ? 'video-a' : 'video-b')),
];
const LINES = [
  'row,operation,prompt,skip',
  ...OPERATIONS.map((operation, i) => `row-${i + 1},${operation},A lighthouse in the storm number ${i + 1},`),
  'left-out,image,A lighthouse that nobody wants,yes',
];
const NIGHT = { name: 'Night', text: LINES.join('\n') };

/**
 * Rehearses this night, or the given sheet, with its files in a folder, and with gates if there are any. Returns the
 * batch.
 */
export async function startNight(
  { app, ask }: Launched,
  folder: string,
  sheetFile = NIGHT,
  settings: Partial<Pick<RouteInput<'batch.create'>, 'gates' | 'rehearsal' | 'start'>> = {},
): Promise<string> {
  const path = join(newFolder('sheet'), `${sheetFile.name}.csv`);
  writeFileSync(path, sheetFile.text);
  await answerDialogs(app, [path, folder]);
  const sheet = await ask('sheet.choose');
  const chosen = await ask('folder.choose');
  if (sheet === undefined || chosen === undefined) throw new Error('A dialog was left without an answer.');
  const batch = await ask('batch.create', {
    sheetId: sheet.sheetId,
    name: sheet.name,
    rehearsal: true,
    start: true,
    folderId: chosen.folderId,
    ...settings,
  });
  return batch.id;
}
