/**
 * Fetches one file in a process of its own, which dies where it is told to; otherwise it reports the result on its
 * channel. What it commits is in a file, for the next such process.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { watchCrashPoints } from '../../src/engine/crash-point.ts';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import type { OutputJournal } from '../../src/engine/ports/media-folder.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { parseProfile } from '../../src/shared/domain/gateway/profile.ts';

const [folder = '', url = '', store = '', dieAt = ''] = process.argv.slice(2);
watchCrashPoints((point) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL');
});
const media = createMediaFolder({ clock: systemClock, minFreeBytes: 0, noteChecksAfterMs: 0 });
const generation = existsSync(store) ? Number(readFileSync(store, 'utf8')) : 0;
const request = { outputId: '7-1', url, folder, kind: 'image', stem: 'r1', generation, validator: '"v1"' } as const;
const journal: OutputJournal = {
  generationStarted: async (started) => writeFileSync(store, String(started)),
  async placing(_, started) {
    if (started !== undefined) writeFileSync(store, String(started.generation));
    return true;
  },
};
const profile = parseProfile({ baseUrl: 'http://localhost:1', media: { allowHosts: [new URL(url).host] } });
if (!profile.ok) throw new Error(JSON.stringify(profile.error));
const outcome = await media.fetch(request, profile.value, journal, new AbortController().signal);
await media.close();
process.send?.(outcome, () => process.disconnect());
