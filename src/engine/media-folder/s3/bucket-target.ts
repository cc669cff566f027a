/** Files go into a bucket once they are whole and verified on this machine's own disk. */
import { rm } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { present } from '../../../shared/domain/base/result.ts';
import { crashPoint } from '../../crash-point.ts';
import type { Placement } from '../../ports/media-folder.ts';
import { candidateNames, findWholePart, isStill, SET_ASIDE_FOLDER, type WholePart } from '../place-file.ts';
import { openPlainFile } from '../plain-file.ts';
import type { Target } from '../target.ts';
import type { Bucket } from './bucket.ts';

/** Once the signal is aborted, files that are no longer wanted stay where they are, to be found again. */
export function createBucketTarget(bucket: Bucket, signal?: AbortSignal): Target {
  async function putFile(path: string, whole: WholePart, mediaType: string): Promise<'put' | 'taken'> {
    const { part, sha256, bytes } = whole;
    const file = await openPlainFile(part);
    try {
      return await bucket.put(path, { body: file, bytes, sha256, mediaType, signal });
    } finally {
      await file.close();
    }
  }

  /** Asks whether a name is taken before the whole file is sent. */
  async function isTaken(path: string): Promise<boolean> {
    return (await bucket.head(path, signal)) !== undefined;
  }

  const target: Target = {
    async recover(request, place, journal) {
      const { placement, kind, stem } = request;
      if (placement === undefined) return undefined;
      const { path, sha256, bytes, mediaType, seconds } = placement;
      const name = basename(path);
      if (path !== `${kind}/${name}`) throw new Error(`Placement outside its folder: ${path}`);
      if (await bucket.matches(path, sha256, bytes, signal)) return placement;
      const part = await findWholePart(place.path, request, placement);
      if (part === undefined) return undefined;
      // The path was committed for this output, unless something else has taken it.
      if ((await putFile(path, { part, identity: undefined, sha256, bytes }, mediaType)) === 'put') return placement;
      const extension = extname(name).slice(1);
      const media = { kind, stem, extension, sha256, bytes, mediaType, ...present({ seconds }) };
      return target.place({ part, ...media }, place, (choice) => journal.placing(choice));
    },

    async place(order, place, placing) {
      const { part: given, identity, kind, stem, extension, sha256, bytes, mediaType, seconds } = order;
      let part = given;
      for (const name of candidateNames(stem, extension)) {
        const placement: Placement = { path: `${kind}/${name}`, sha256, bytes, mediaType, ...present({ seconds }) };
        if (await isTaken(placement.path)) continue;
        if (!(await placing(placement))) continue;
        crashPoint('place.committed');
        // What was paid for is written to a disk before it is sent: the bucket may be out of reach.
        if (typeof part !== 'string') part = (await place.write(part)).path;
        crashPoint('bucket.part-written');
        const whole = { part, identity, sha256, bytes };
        if (!(await isStill(whole))) {
          await rm(part, { force: true });
          return undefined;
        }
        if ((await putFile(placement.path, whole, mediaType)) === 'taken') continue;
        crashPoint('bucket.put');
        await rm(part, { force: true });
        crashPoint('bucket.part-removed');
        return placement;
      }
      throw new Error(`No free name for ${stem}`);
    },

    async setAside({ path: part, bytes, sha256 }, { stem }, extension) {
      const whole = { part, identity: undefined, sha256, bytes };
      if (!(await isStill(whole))) return undefined;
      for (const name of candidateNames(stem, extension)) {
        const path = `${SET_ASIDE_FOLDER}/${name}`;
        if ((await isTaken(path)) || (await putFile(path, whole, 'application/octet-stream')) === 'taken') continue;
        await rm(part, { force: true });
        return path;
      }
      throw new Error(`No free name for ${stem}`);
    },

    holds: (_request, path) => isTaken(path),
  };
  return target;
}
