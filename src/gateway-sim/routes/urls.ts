import { assertNever } from '../../shared/domain/base/result.ts';
import type { Behaviour } from '../faults/behaviour.ts';
import { hash32 } from '../random.ts';
import type { GatewayTask } from '../tasks.ts';

/** Which file a media URL is for, and when it expires (milliseconds since the epoch). */
export interface MediaAddress {
  readonly seq: number;
  readonly index: number;
  readonly expiresAt: number;
}

/** The signed path and query of a task's file, as a poll at `now` returns them. */
export function mediaPath(
  seed: number,
  task: GatewayTask,
  fileName: string,
  urls: Behaviour['urls'],
  now: number,
): string {
  const lifeMs = urls.lifeSeconds * 1000;
  const ageMs = Math.max(0, now - task.finishesAt);
  const renewals: Readonly<Record<Behaviour['urls']['renewed'], number>> = {
    'half-life': task.finishesAt + Math.floor(ageMs / (lifeMs / 2)) * (lifeMs / 2),
    'each-poll': now,
    never: task.finishesAt,
  };
  const expires = Math.ceil((renewals[urls.renewed] + lifeMs) / 1000);
  const nonce = urls.renewed === 'each-poll' ? task.polls : 0;
  const path = `/media/${nonce}/${fileName}`;
  const signature = sign(seed, path, expires);
  switch (urls.expiryIn) {
    case 'X-Amz': {
      const life = Math.ceil(urls.lifeSeconds);
      const issued = new Date((expires - life) * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
      return `${path}?X-Amz-Date=${issued}&X-Amz-Expires=${life}&X-Amz-Signature=${signature}`;
    }
    case 'hidden':
      return `${path}?token=${expires.toString(36)}${signature}`;
    case 'Expires':
    case 'se':
      return `${path}?${urls.expiryIn}=${expires}&Signature=${signature}`;
    default:
      return assertNever(urls.expiryIn);
  }
}

/** Parses the result of {@link mediaPath}; undefined if the path or the signature is not one of ours. */
export function readMediaPath(seed: number, path: string, query: URLSearchParams): MediaAddress | undefined {
  const name = /^\/media\/\d+\/(\d+)-(\d+)\.[a-z0-9]+$/.exec(path);
  if (!name) return undefined;
  const { expires, signature } = readTicket(query);
  if (!Number.isSafeInteger(expires) || signature !== sign(seed, path, expires)) return undefined;
  return { seq: Number(name[1]), index: Number(name[2]), expiresAt: expires * 1000 };
}

function readTicket(query: URLSearchParams): { expires: number; signature: string } {
  const token = query.get('token');
  if (token !== null) return { expires: Number.parseInt(token.slice(0, -16), 36), signature: token.slice(-16) };
  const issued = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get('X-Amz-Date') ?? '');
  if (issued) {
    const [, year, month, day, hour, minute, second] = issued;
    const issuedMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    return {
      expires: issuedMs / 1000 + Number(query.get('X-Amz-Expires')),
      signature: query.get('X-Amz-Signature') ?? '',
    };
  }
  return {
    expires: Number(query.get('Expires') ?? query.get('se') ?? Number.NaN),
    signature: query.get('Signature') ?? '',
  };
}

function sign(seed: number, path: string, expires: number): string {
  const half = (salt: string) => hash32(seed, salt, path, expires).toString(16).padStart(8, '0');
  return half('left') + half('right');
}
