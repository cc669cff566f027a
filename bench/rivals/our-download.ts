import { mkdir } from 'node:fs/promises';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { inParallel } from '../support/in-parallel.ts';
import { numberIn, textIn } from '../support/input.ts';
import { measure } from '../support/measure.ts';

/** Our download protocol: hash, check, sync to the medium, place. Input: `baseUrl`, `folder`, `files`, `bytes`. */
export async function downloadByOurs(input: ContenderInput): Promise<Figures> {
  const folder = textIn(input, 'folder');
  await mkdir(folder, { recursive: true });
  const baseUrl = textIn(input, 'baseUrl');
  const profile = profileSchema.parse({ baseUrl });
  const media = createMediaFolder({ clock: systemClock });
  const journal = { generationStarted: () => Promise.resolve(), placing: () => Promise.resolve(true) };
  const { signal } = new AbortController();
  const cost = await measure(() =>
    inParallel(numberIn(input, 'files'), async (i) => {
      const request = {
        outputId: `${i}-1`,
        url: `${baseUrl}/${i}-${numberIn(input, 'bytes')}.wav`,
        folder,
        kind: 'music',
        stem: `r${i}`,
        generation: 0,
      } as const;
      const outcome = await media.fetch(request, profile, journal, signal);
      if (outcome.kind !== 'verified') throw new Error(`Not verified: ${JSON.stringify(outcome)}`);
    }),
  );
  await media.close();
  return { ...cost, mebibytes: (numberIn(input, 'files') * numberIn(input, 'bytes')) / 2 ** 20 };
}
