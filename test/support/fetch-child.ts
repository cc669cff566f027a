/** Fetches one file in a process of its own, which dies where it is told to; else it tells on its channel what came. */
import { watchCrashPoints } from '../../src/engine/crash-point.ts';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { parseProfile } from '../../src/shared/domain/gateway/profile.ts';
import { createMemoryJournal } from './memory-journal.ts';

const [folder = '', url = '', generation = '', dieAt = ''] = process.argv.slice(2);
watchCrashPoints((point) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL');
});
const media = createMediaFolder({ clock: systemClock, minFreeBytes: 0, noteChecksAfterMs: 0 });
const part = { generation: Number(generation), validator: '"v1"' };
const request = { outputId: '7-1', url, folder, kind: 'image', stem: 'r1', ...part } as const;
const profile = parseProfile({ baseUrl: 'http://localhost:1', media: { allowHosts: [new URL(url).host] } });
if (!profile.ok) throw new Error(JSON.stringify(profile.error));
const outcome = await media.fetch(request, profile.value, createMemoryJournal(), new AbortController().signal);
await media.close();
process.send?.(outcome, () => process.disconnect());
