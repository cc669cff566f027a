/**
 * The order of the system calls in which a promise becomes durable: a kill cannot show it, because the system keeps
 * what a dead process has written; only a loss of power would.
 */
import { dirname } from 'node:path';
import { pathOf, textsOf, type SystemCall } from './strace-log.ts';

/** What the gate has to see, because an empty log proves nothing. */
export interface GateReport {
  readonly posts: number;
  /** Paths inside the media folder. */
  readonly filesDone: readonly string[];
  readonly violations: readonly string[];
}

const WRITES = new Set(['write', 'writev', 'pwrite64', 'pwritev', 'sendto', 'sendmsg']);
const SYNCS = new Set(['fsync', 'fdatasync']);

/** A submit that the gateway has charged: what its body says, and the sha256 with which its intent was committed. */
export interface PaidBody {
  /** A text that only this body contains. */
  readonly mark: string;
  readonly sha256: string;
}

/**
 * Judges the calls of one process: no POST may leave before the sync of the log that holds its intent; no commit may
 * call a file done before the file, and then its folder, are synced.
 */
export function judgeDurability(calls: readonly SystemCall[], bodies: readonly PaidBody[]): GateReport {
  const posts = bodies.flatMap((body) => {
    const post = calls.find((call) => isPostOf(call, body));
    return post === undefined ? [] : [judgePost(calls, post, body)];
  });
  const done = filesCalledDone(calls);
  const files = done.map(({ path, commit }) => judgeFile(calls, path, commit));
  return {
    posts: posts.length,
    filesDone: done.map(({ path }) => path),
    violations: [...posts, ...files].filter((violation) => violation !== undefined),
  };
}

function isPostOf(call: SystemCall, { mark }: PaidBody): boolean {
  return WRITES.has(call.name) && /socket:|TCP/u.test(pathOf(call) ?? '') && textsOf(call).join('').includes(mark);
}

function judgePost(calls: readonly SystemCall[], post: SystemCall, body: PaidBody): string | undefined {
  const intent = calls.find((call) => isLogWrite(call) && call.args.includes(body.sha256));
  if (intent === undefined || intent.startedAt > post.startedAt) {
    return `the POST of "${body.mark}" left before its intent was written`;
  }
  const synced = calls.some(
    (call) => isLogSync(call) && call.startedAt > intent.endedAt && call.endedAt < post.startedAt,
  );
  return synced ? undefined : `the POST of "${body.mark}" left before its intent was synced`;
}

function isLogWrite(call: SystemCall): boolean {
  return WRITES.has(call.name) && (pathOf(call) ?? '').endsWith('.db-wal');
}

function isLogSync(call: SystemCall): boolean {
  return SYNCS.has(call.name) && (pathOf(call) ?? '').endsWith('.db-wal');
}

/** Paths inside the media folder, each with the first write to the log that holds its `output-verified`. */
function filesCalledDone(
  calls: readonly SystemCall[],
): readonly { readonly path: string; readonly commit: SystemCall }[] {
  const first = new Map<string, SystemCall>();
  for (const call of calls) {
    if (!isLogWrite(call)) continue;
    // Quotes are escaped in strace's log.
    for (const match of call.args.matchAll(/output-verified[^{}]*\{\\"path\\":\\"([^"\\]+)\\"/gu)) {
      const path = match[1] ?? '';
      if (!first.has(path)) first.set(path, call);
    }
  }
  return [...first].map(([path, commit]) => ({ path, commit }));
}

function judgeFile(calls: readonly SystemCall[], path: string, commit: SystemCall): string | undefined {
  const named = calls.find((call) => /^(?:link|rename)/u.test(call.name) && textsOf(call).at(-1)?.endsWith(`/${path}`));
  if (named === undefined) return `${path} was called done and never got its name`;
  const [part = '', target = ''] = textsOf(named);
  const written = calls.findLast((call) => WRITES.has(call.name) && pathOf(call) === part);
  if (written === undefined) return `${path} was called done and never written`;
  const isSynced = (what: string, after: SystemCall, before: number): boolean =>
    calls.some(
      (call) =>
        SYNCS.has(call.name) && pathOf(call) === what && call.startedAt > after.endedAt && call.endedAt < before,
    );
  if (!isSynced(part, written, named.startedAt)) return `${path} got its name before its bytes were synced`;
  if (!isSynced(dirname(target), named, commit.startedAt))
    return `${path} was called done before its folder was synced`;
  return undefined;
}
