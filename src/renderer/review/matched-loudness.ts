/** Plays the files of a row equally loud: otherwise the louder of two would seem the better one. */
import { useEffect, useState, type RefObject } from 'react';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { fileKind } from '../format/phrases.ts';
import { useAppModel } from '../state/app-context.ts';
import { setVolume } from './stage-elements.ts';

/**
 * How far each file is turned down, from 0 to 1 (as it is), so that all are as loud as the quietest.
 * @param lufs By the ids of the files, in LUFS; a file that could not be measured is played as it is.
 */
export function volumesFor(lufs: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const quietest = Math.min(...lufs.values());
  return new Map([...lufs].map(([id, loudness]) => [id, 10 ** ((quietest - loudness) / 20)]));
}

/**
 * Matches the songs and films of a row while `isWanted`, and says so in words; undefined if there is nothing to say.
 */
export function useMatchedLoudness(
  stage: RefObject<HTMLElement | null>,
  files: readonly FileView[] | undefined,
  isWanted: boolean,
): string | undefined {
  const { client } = useAppModel();
  // A file keeps its content: what was measured once still holds when the user comes back to a row.
  const [measured, setMeasured] = useState<ReadonlyMap<string, number | undefined>>(new Map());
  const ids = (files ?? []).filter((file) => ['music', 'video'].includes(fileKind(file))).map(({ id }) => id);
  const missing = isWanted ? ids.filter((id) => !measured.has(id)).join() : '';
  useEffect(() => {
    let isCurrent = true;
    const measure = async (id: string): Promise<void> => {
      const reply = await client.request('file.sound', { fileId: id });
      const lufs = reply.ok ? reply.value?.lufs : undefined;
      if (isCurrent) setMeasured((before) => new Map([...before, [id, lufs]]));
    };
    const [next] = missing.split(',');
    if (next !== undefined && next !== '') void measure(next);
    return () => {
      isCurrent = false;
    };
  }, [client, missing]);
  useEffect(() => {
    const known = ids.flatMap((id): [string, number][] => {
      const lufs = measured.get(id);
      return isWanted && lufs !== undefined ? [[id, lufs]] : [];
    });
    const volumes = volumesFor(new Map(known));
    for (const id of ids) setVolume(stage.current, id, volumes.get(id) ?? 1);
  });
  if (!isWanted || ids.length === 0) return undefined;
  return missing === '' ? words.review.equallyLoud : words.review.measuringLoudness;
}
